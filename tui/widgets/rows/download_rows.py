"""The rows of the Downloads view: what is on its way, in its order, and under it what is here."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date

from rich.segment import Segment

from player.model.downloads.download import Download, DownloadEntry, DownloadState
from player.model.episode import Episode, EpisodeId
from player.text.cleaning import fold
from player.text.sentences import _
from player.text.sizes import size_label
from tui.drawing import cells, downloads, labels
from tui.drawing.episode_rows import look, state_sign
from tui.drawing.row_bytes import RowBytes, signs_of
from tui.look.glyphs import Glyphs
from tui.widgets.rows.own_rows import NO_EPISODE, Ink, OwnRows

_ROOMY, _BAR_FROM, _WHY_FROM = 66, 84, 54
"""Rows at least this wide have a podcast, a bar, or why they are here."""
_BAR, _PERCENT, _SPEED, _LEFT, _SIZE, _DATE = 10, 5, 11, 11, 9, 10


class DownloadRows(OwnRows):
    """`moving` are the entries of the queue as they are now: their numbers change while the rows stay."""

    def __init__(
        self,
        queue: Sequence[DownloadEntry],
        here: Sequence[EpisodeId],
        known: Mapping[EpisodeId, Download],
        why: Callable[[EpisodeId], str],
        words: str,
        today: Callable[[], date],
        moving: Callable[[EpisodeId], DownloadEntry | None],
        *,
        held: Callable[[], bool] = lambda: False,
        more: bool = False,
    ) -> None:
        """`here` are the downloaded episodes in their order, `known` what was noted of them; `why` says why one is
        here and what keeps it. Of the queue, only what contains all of `words` is listed. `held`: whether all of it
        waits for the network."""
        wanted = fold(words).split()
        self.queued = [one for one in queue if all(word in fold(f"{one.title} {one.podcast}") for word in wanted)]
        self.here = list(here)
        self._known = known
        self._why = why
        self._today = today
        self._moving = moving
        self._held = held
        self.more = more
        self.count = len(self.queued) + len(self.here)
        self._gap = 2 if self.queued and self.here else 0
        ids = [one.episode_id for one in self.queued]
        super().__init__([*ids, *[NO_EPISODE] * self._gap, *self.here])

    @property
    def shape(self) -> Hashable:
        """What is listed in which order and state: with another shape the rows are others."""
        return shape_of(self.queued)

    def entry_at(self, index: int) -> DownloadEntry | None:
        """The download under way in that row, as it is now."""
        if not 0 <= index < len(self.queued):
            return None
        return self._moving(self.queued[index].episode_id) or self.queued[index]

    def may_rest(self, index: int) -> bool:
        return not len(self.queued) <= index < len(self.queued) + self._gap

    def same_row(self, before: object, index: int) -> int | None:
        """Where the same episode stands now."""
        if not isinstance(before, DownloadRows):
            return None
        ids = before.page(index, 1)
        return self.rank(EpisodeId(ids[0])) if len(ids) and ids[0] != NO_EPISODE else None

    # -- drawing ----------------------------------------------------------------------------------------------

    def key(self, index: int) -> Hashable:
        if (entry := self.entry_at(index)) is not None:
            moves = entry.state, *self._moves(entry), downloads.state_words(entry, held=self._held())
            return entry.title, entry.podcast, moves
        if not self.may_rest(index):
            return index, len(self.here)
        episode, known = self._here_at(index)
        seen = None if episode is None else look(episode, self._status(), self._today())
        return seen, known, self._today(), self._why(known.episode_id) if known else ""

    def draw(self, index: int, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool) -> Sequence[Segment]:
        if (entry := self.entry_at(index)) is not None:
            return self._entry(entry, width, glyphs, ink, at_cursor=at_cursor)
        if not self.may_rest(index):
            words = _("On this computer") if index == len(self.queued) + self._gap - 1 else ""
            return [Segment(cells.fit(words, width, ellipsis=glyphs.ellipsis), ink("heading"))]
        episode, known = self._here_at(index)
        if episode is None:
            return [Segment(" " * width)]
        return self._file(episode, known, width, glyphs, ink, at_cursor=at_cursor)

    def _here_at(self, index: int) -> tuple[Episode | None, Download | None]:
        episode_id = self.here[index - len(self.queued) - self._gap]
        return self._row_of(episode_id), self._known.get(episode_id)

    def _moves(self, entry: DownloadEntry) -> tuple[int | None, str, str]:
        progress = entry.progress
        percent = None if progress.part is None else int(100 * progress.part)
        if entry.state is not DownloadState.RUNNING:
            return percent, "", ""
        return percent, downloads.speed(progress.per_second), downloads.left(progress.seconds_left)

    def _entry(
        self, entry: DownloadEntry, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool
    ) -> Sequence[Segment]:
        """Its state, title and podcast; then how far it is and how fast, or what it waits for."""
        percent, speed, left = self._moves(entry)
        runs = entry.state is DownloadState.RUNNING
        sign, sign_role = next(iter(signs_of(RowBytes(entry.state), glyphs, 0)), (glyphs.downloaded, "muted"))
        words = downloads.state_words(entry, held=self._held())
        bar = _BAR + 1 if runs and width >= _BAR_FROM else 0
        if runs:
            tail = _PERCENT + (_SPEED if width >= 50 else 0) + (_LEFT if width >= 36 else 0) + bar
        else:
            tail = _PERCENT + min(cells.width(words) + 2, max(10, width // 2))
        podcast = min(24, width // 5) if width >= _ROOMY else 0
        title = max(0, width - 3 - podcast - tail)
        segments = [
            Segment(sign, ink(sign_role)),
            Segment(" "),
            Segment(cells.fit(entry.title, title, ellipsis=glyphs.ellipsis), ink("strong" if at_cursor else "title")),
            Segment(cells.fit(f"  {entry.podcast}", podcast, ellipsis=glyphs.ellipsis), ink("muted")),
        ]
        if bar:
            full, half = labels.bar((percent or 0) / 100, _BAR)
            full, half = (0, False) if not percent else (full, half)
            segments += [
                Segment(" "),
                Segment(glyphs.line * full + glyphs.line_half * half, ink("alive")),
                Segment(glyphs.line_thin * (_BAR - full - half), ink("line")),
            ]
        shown = "" if percent is None else f"{percent}%"
        segments.append(Segment(cells.fit(shown, _PERCENT, "right"), ink("alive" if runs else "muted")))
        if runs:
            segments += [
                Segment(cells.fit(text, room, "right"), ink("muted"))
                for text, room, least in ((speed, _SPEED, 50), (left, _LEFT, 36))
                if width >= least
            ]
        else:
            role = "failed" if entry.state is DownloadState.FAILED else "muted"
            text = cells.fit(f"  {words}", tail - _PERCENT, ellipsis=glyphs.ellipsis)
            segments.append(Segment(text, ink(role)))
        return [*segments, Segment(" ")]

    def _file(
        self, episode: Episode, known: Download | None, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool
    ) -> Sequence[Segment]:
        """What is here: how much it takes, when it came, and why."""
        sign, sign_role = state_sign(episode, self._status(), glyphs)
        why = self._why(episode.id)
        why_cells = min(cells.width(why) + 2, width // 3) if why and width >= _WHY_FROM else 0
        podcast = min(24, width // 5) if width >= _ROOMY else 0
        size_cells, date_cells = (_SIZE if width >= 32 else 0), (_DATE if width >= 44 else 0)
        title = max(0, width - 3 - podcast - why_cells - size_cells - date_cells)
        role = "muted" if episode.played else "strong" if at_cursor else "title"
        size = size_label(known.size) if known and known.size else ""
        day = labels.short_date(known.downloaded_at, self._today(), _DATE - 1) if known else ""
        return [
            Segment(sign, ink(sign_role)),
            Segment(" "),
            Segment(cells.fit(episode.title, title, ellipsis=glyphs.ellipsis), ink(role)),
            Segment(cells.fit(f"  {episode.podcast}", podcast, ellipsis=glyphs.ellipsis), ink("muted")),
            Segment(cells.fit(f"  {why}", why_cells, ellipsis=glyphs.ellipsis), ink("faint")),
            Segment(cells.fit(size, size_cells, "right"), ink("muted")),
            Segment(cells.fit(day, date_cells, "right"), ink("muted")),
            Segment(" "),
        ]


def shape_of(queue: Sequence[DownloadEntry]) -> Hashable:
    return tuple((one.episode_id, one.state) for one in queue)
