"""The rows of the built-in podcast while libraries of other apps can be imported: its episodes, and below them a row
for each of these libraries."""

from collections.abc import Callable, Hashable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from rich.segment import Segment

from player.library import Listing
from player.model.episode import Episode, EpisodeId
from player.text.sentences import _
from tui.drawing import cells
from tui.drawing.episode_rows import look
from tui.look.glyphs import Glyphs
from tui.widgets.episode_row import NO_EPISODE, EpisodeRow, Heading, Ink, OwnRows, lower_line

if TYPE_CHECKING:
    from player.transfer.offers import Offer


class WelcomeRows(OwnRows):
    """`hint` says what the key does in the row of a library."""

    has_two_lines = keeps_headings = True
    mixed = False

    def __init__(self, episodes: Listing, offers: "Sequence[Offer]", hint: str, today: Callable[[], date]) -> None:
        self.count, self.more = len(episodes), episodes.more
        self._offers = tuple(offers)
        self._hint = hint
        self._today = today
        super().__init__([*episodes.page(0, self.count), *(NO_EPISODE for _one in offers)])

    def offer_at(self, index: int) -> "Offer | None":
        at = index - self.count
        return self._offers[at] if 0 <= at < len(self._offers) else None

    def may_rest(self, index: int) -> bool:
        return 0 <= index < len(self)

    def same_row(self, before: object, index: int) -> int | None:
        """The row of the same episode, or of the same app; None if it is gone: then the cursor keeps its line."""
        if not isinstance(before, WelcomeRows):
            return None
        if (offer := before.offer_at(index)) is None:
            ids = before.page(index, 1)
            return self.rank(EpisodeId(ids[0])) if ids else None
        apps = [one.app for one in self._offers]
        return self.count + apps.index(offer.app) if offer.app in apps else None

    # -- the heading ------------------------------------------------------------------------------------------

    @property
    def headed(self) -> Sequence[int]:
        return [self.count]

    def heading_of(self, index: int) -> Heading:
        return Heading(_("On this computer") if index == self.count else "")

    # -- drawing ----------------------------------------------------------------------------------------------

    def _episode(self, index: int) -> Episode | None:
        return self._row_of(EpisodeId(self._ids[index]))

    def _row(self, episode: Episode) -> EpisodeRow:
        return EpisodeRow(self._status(), self._bytes_of(episode), self._today(), self.form)

    def key(self, index: int) -> Hashable:
        if (offer := self.offer_at(index)) is not None:
            return offer.app, offer.found.facts, self._hint
        episode = self._episode(index)
        if episode is None:
            return None
        return look(episode, self._status(), self._today()), self.form, self._bytes_of(episode)

    def draw(self, index: int, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool) -> Sequence[Segment]:
        if (offer := self.offer_at(index)) is not None:
            return self._offer(offer, width, glyphs, ink, at_cursor=at_cursor)
        if (episode := self._episode(index)) is None:
            return [Segment(" " * width)]
        row = self._row(episode)
        return row.draw(episode, width, glyphs, ink, lambda text, style: [Segment(text, style)], at_cursor=at_cursor)

    def draw_below(self, index: int, width: int, glyphs: Glyphs, ink: Ink) -> Sequence[Segment]:
        if self.offer_at(index) is not None:
            return lower_line("", (self._hint,), width, glyphs, ink)
        if (episode := self._episode(index)) is None:
            return [Segment(" " * width)]
        return self._row(episode).draw_below(episode, width, glyphs, ink)

    def _offer(self, offer: "Offer", width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool) -> Sequence[Segment]:
        """The app, and as many facts as fit; if rows have one line, also what the key does."""
        name = cells.cut(f"{offer.app}: ", max(0, width - 3), glyphs.ellipsis)
        room = max(0, width - 3 - cells.width(name))
        facts = list(offer.found.facts)
        while len(facts) > 1 and cells.width(", ".join(facts)) > room:
            facts.pop()
        words = cells.cut(", ".join(facts), room, glyphs.ellipsis)
        hint = f" {glyphs.dot} {self._hint}"
        if not self.tall and cells.width(words + hint) <= room:
            words += hint
        return [
            Segment("  "[: max(0, width)]),
            Segment(name, ink("strong" if at_cursor else "title")),
            Segment(cells.fit(words, room), ink("muted")),
            Segment(" " * min(1, max(0, width - 2))),
        ]
