"""What there is to listen to: the views, and the podcasts, each with how many of its episodes are unplayed."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from rich.segment import Segment

from player.model.filters import ListId, SavedList, View, ViewCounts, ViewName
from player.model.podcast import Podcast, PodcastId
from player.text.sentences import _, mark, translate
from tui.drawing import cells
from tui.widgets.virtual_list import VirtualList

_NUMBERS = mark("unplayed")
"""What the numbers mean, above them."""


class Mark(Enum):
    """What is shown next to a podcast's name."""

    NONE = "none"
    FAILED = "failed"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Entry:
    """A row; without a `view` it is a heading, or a gap."""

    title: str = ""
    view: View | None = None
    sign: str = ""
    count: int = 0
    mark: Mark = Mark.NONE
    more: bool = False
    """There are more than were counted."""

    @property
    def number(self) -> str:
        return f"{self.count:,}{'+' if self.more else ''}" if self.count else ""


def mark_of(podcast: Podcast) -> Mark:
    if podcast.error is not None:
        return Mark.FAILED if podcast.last_refreshed is not None else Mark.WAITING
    return Mark.WAITING if podcast.last_refreshed is None else Mark.NONE


class Sidebar(VirtualList):
    """The cursor stands on what the list shows."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._entries: list[Entry] = []
        self._podcasts: dict[PodcastId, Podcast] = {}
        self._count_cells = 0
        self.shows_new = True
        """Whether there is an inbox."""
        self._lists: dict[ListId, SavedList] = {}
        self.on_filled: Callable[[], None] = lambda: None
        """Called whenever what it shows has been read again."""
        self._list_counts: dict[ListId, tuple[int, bool]] = {}

    @property
    def view(self) -> View:
        """The view under the cursor."""
        entry = self._entries[self.cursor] if self._entries else None
        return (entry.view if entry else None) or View()

    @property
    def podcast(self) -> Podcast | None:
        """The podcast under the cursor."""
        podcast_id = self.view.podcast_id
        return None if podcast_id is None else self._podcasts.get(podcast_id)

    @property
    def podcasts(self) -> Sequence[Podcast]:
        return list(self._podcasts.values())

    def podcast_of(self, podcast_id: PodcastId) -> Podcast | None:
        return self._podcasts.get(podcast_id)

    @property
    def lists(self) -> Sequence[SavedList]:
        return list(self._lists.values())

    @property
    def saved_list(self) -> SavedList | None:
        """The list under the cursor that the listener made."""
        return self.list_of(self.view)

    def list_of(self, view: View) -> SavedList | None:
        return None if view.list_id is None else self._lists.get(view.list_id)

    def shown_count(self, list_id: ListId) -> int:
        """The number beside a list."""
        return next((one.count for one in self._entries if one.view == View.of_list(list_id)), 0)

    def show_list_counts(self, counts: Mapping[ListId, tuple[int, bool]]) -> None:
        """How many episodes of each list are unplayed, and whether there are more than were counted."""
        if counts == self._list_counts:
            return
        self._list_counts = dict(counts)
        self._entries = [self._counted(entry) for entry in self._entries]
        self._measure()
        self.rows_changed()

    def show(
        self,
        podcasts: Sequence[Podcast],
        counts: ViewCounts,
        cursor_on: View | None = None,
        lists: Sequence[SavedList] = (),
    ) -> None:
        """Shows these, with the cursor on `cursor_on`, else where it was.

        A podcast that is gone leaves the cursor to its neighbour.
        """
        first = not self._entries
        before = self.view
        entries = self._views(counts, sum(podcast.unplayed_count for podcast in podcasts)) + self._own(lists)
        entries += self._shelf(podcasts)
        self._lists = {one.id: one for one in lists}
        self._podcasts = {podcast.id: podcast for podcast in podcasts}
        self.on_filled()
        if entries == self._entries and cursor_on in (None, before):
            return
        self._entries = entries
        self._measure()
        wanted = cursor_on or before
        for index, entry in enumerate(self._entries):
            if entry.view == wanted:
                self.cursor = index
        self.rows_changed()
        if first or self.view != before:
            self.post_message(self.Moved(self))

    def _views(self, counts: ViewCounts, unplayed: int) -> list[Entry]:
        glyphs = self.glyphs
        new = [Entry(_("New"), View.of(ViewName.NEW), glyphs.new, counts.new)] if self.shows_new else []
        return [
            Entry(_("Listen")),
            *new,
            Entry(_("Queue"), View.of(ViewName.QUEUE), glyphs.queued, counts.queued),
            Entry(_("In progress"), View.of(ViewName.IN_PROGRESS), glyphs.started, counts.in_progress),
            Entry(_("Starred"), View.of(ViewName.STARRED), glyphs.star, counts.starred_unplayed),
            Entry(_("Downloads"), View.of(ViewName.DOWNLOADS), glyphs.downloaded, counts.downloaded_unplayed),
            Entry(_("Bookmarks"), View.of(ViewName.BOOKMARKS), glyphs.bookmark),
            Entry(_("History"), View.of(ViewName.HISTORY), glyphs.history),
            Entry(_("All episodes"), View(), glyphs.all, unplayed),
        ]

    def _own(self, lists: Sequence[SavedList]) -> list[Entry]:
        entries = [Entry(), Entry(_("Lists"))] if lists else []
        for one in lists:
            sign = self.glyphs.playlist if one.is_playlist else self.glyphs.smart
            entries.append(self._counted(Entry(one.title, View.of_list(one.id), sign)))
        return entries

    def _counted(self, entry: Entry) -> Entry:
        if entry.view is None or entry.view.list_id is None:
            return entry
        count, more = self._list_counts.get(entry.view.list_id, (0, False))
        return replace(entry, count=count, more=more)

    def _measure(self) -> None:
        self._count_cells = 1 + max(1, *(len(entry.number) for entry in self._entries))

    def _shelf(self, podcasts: Sequence[Podcast]) -> list[Entry]:
        entries = [Entry(), Entry(_("Podcasts"))] if podcasts else []
        for podcast in podcasts:
            view = View.of(ViewName.PODCAST, podcast.id)
            entries.append(Entry(podcast.title, view, "", podcast.unplayed_count, mark_of(podcast)))
        return entries

    # -- rows -------------------------------------------------------------------------------------------------

    def row_count(self) -> int:
        return len(self._entries)

    def may_rest(self, index: int) -> bool:
        return self._entries[index].view is not None

    def row_key(self, index: int) -> Hashable:
        return self._entries[index], self._count_cells

    def draw_row(self, index: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        entry = self._entries[index]
        ellipsis = self.glyphs.ellipsis
        if entry.view is None:
            meaning = translate(_NUMBERS) if index == 0 else ""
            if width < cells.width(entry.title + meaning) + 2:
                meaning = ""
            title = cells.fit(entry.title.upper(), width - cells.width(meaning), ellipsis=ellipsis)
            return [Segment(title, self.ink("heading")), Segment(meaning, self.ink("faint"))]
        count = entry.number
        mark, mark_role = self._mark(entry.mark)
        sign_cells = 2 if entry.sign else 0
        title_cells = max(0, width - sign_cells - self._count_cells - (2 if mark else 0))
        return [
            Segment(cells.fit(entry.sign, sign_cells), self.ink("alive" if at_cursor else "muted")),
            Segment(
                cells.fit(entry.title, title_cells, ellipsis=ellipsis), self.ink("strong" if at_cursor else "title")
            ),
            Segment(cells.fit(mark, 2 if mark else 0, "right"), self.ink(mark_role)),
            Segment(cells.fit(count, self._count_cells, "right"), self.ink("alive" if at_cursor else "muted")),
        ]

    def _mark(self, mark: Mark) -> tuple[str, str]:
        if mark is Mark.FAILED:
            return self.glyphs.failed, "failed"
        return (self.glyphs.waiting, "muted") if mark is Mark.WAITING else ("", "muted")
