"""The sidebar: the views, lists and podcasts with their numbers of episodes, and a field that filters podcasts."""

import os
from collections.abc import Callable, Hashable, Mapping, Sequence

from msgspec.structs import replace
from rich.segment import Segment
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from player.model.filters import ListId, SavedList, View, ViewName
from player.model.podcast import Podcast, PodcastId
from player.text.cleaning import fold
from player.text.sentences import _
from tui.framework.messages import FieldMessage
from tui.framework.screen import MOST_LETTERS
from tui.widgets.sidebar_rows import (
    SIGN_CELLS,
    WHEN_THERE_ARE_ANY,
    Arrangement,
    Entry,
    KeyOf,
    Shelf,
    SidebarRow,
    has_nothing_to_show,
    list_rows,
    mark_sign,
    matching_rows,
    places,
    podcast_rows,
    view_of,
    view_rows,
)
from tui.widgets.virtual_list import VirtualList

_Place = tuple[View, str | None]
"""A view, and the tag of the group that contains it."""


class Sidebar(VirtualList):
    """The rows of the sidebar. The list shows the view under the cursor."""

    class Rearranged(FieldMessage):
        """A group was folded or unfolded here."""

        arrangement: Arrangement

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._entries: list[Entry] = []
        self._shelf = Shelf()
        self._podcasts: dict[PodcastId, Podcast] = {}
        self._folded_names: dict[str, str] = {}
        self.key_of: KeyOf = lambda action_id: action_id
        self._lists: dict[ListId, SavedList] = {}
        self.on_filled: Callable[[], None] = lambda: None
        """Called when the contents have been read again."""
        self._list_counts: dict[ListId, tuple[int, bool]] = {}
        self.arrangement = Arrangement()
        self._words = ""
        self._rested_on: _Place = View(), None
        """The place of the cursor; while no podcast matches the filter, its place before that."""
        self._before_filter: _Place | None = None
        self._in_bar: PodcastId | None = None
        self._playing = ""

    # -- under the cursor -------------------------------------------------------------------------------------

    @property
    def _entry(self) -> Entry | None:
        return self._entries[self.cursor] if self.cursor < len(self._entries) else None

    @property
    def view(self) -> View:
        """The view under the cursor."""
        entry = self._entry
        return (entry.view if entry else None) or self._rested_on[0]

    @property
    def podcast(self) -> Podcast | None:
        """The podcast under the cursor."""
        podcast_id = self.view.podcast_id
        return None if podcast_id is None else self._podcasts.get(podcast_id)

    @property
    def group(self) -> str | None:
        """The tag of the group whose heading is under the cursor."""
        entry = self._entry
        return entry.group if entry is not None and entry.heads_group else None

    @property
    def podcasts(self) -> Sequence[Podcast]:
        return self._shelf.podcasts

    def podcast_of(self, podcast_id: PodcastId) -> Podcast | None:
        """A subscription or a suggestion."""
        return self._podcasts.get(podcast_id)

    @property
    def lists(self) -> Sequence[SavedList]:
        return list(self._lists.values())

    @property
    def places(self) -> list[tuple[str, View]]:
        """The views and lists in the sidebar, with their titles."""
        return places(self._shelf)

    @property
    def saved_list(self) -> SavedList | None:
        """The listener's list under the cursor."""
        return self.list_of(self.view)

    def list_of(self, view: View) -> SavedList | None:
        return None if view.list_id is None else self._lists.get(view.list_id)

    # -- contents ---------------------------------------------------------------------------------------------

    def show_list_counts(self, counts: Mapping[ListId, tuple[int, bool]]) -> None:
        """Shows the number of episodes of each list, and whether there are more than were counted."""
        if counts == self._list_counts:
            return
        self._list_counts = dict(counts)
        self._entries = [self._counted(entry) for entry in self._entries]
        self.rows_changed()

    def show(self, shelf: Shelf, cursor_on: View | None = None) -> None:
        """Shows these contents, with the cursor on `cursor_on`, or else where it was.

        If the cursor's podcast is gone, the cursor goes to the next one.
        """
        self._shelf = shelf
        self._lists = {one.id: one for one in shelf.lists}
        self._podcasts = {podcast.id: podcast for podcast in (*shelf.podcasts, *shelf.suggested)}
        if cursor_on is None:
            self._fill()
        else:
            self._fill((cursor_on, self._place[1]), jumps=True)
        self.on_filled()

    def rearrange(self, arrangement: Arrangement) -> None:
        """Shows the podcasts in another arrangement."""
        self.arrangement = arrangement
        self._fill()

    def show_playing(self, podcast_id: PodcastId | None, sign: str) -> None:
        """Marks the podcast of the episode in the player bar with the sign of the playback state. This podcast is never
        hidden."""
        if sign != self._playing:
            self._playing = sign
            self.refresh_changed()
        if podcast_id != self._in_bar:
            self._in_bar = podcast_id
            if self.arrangement.hides_played and self._entries:
                self._fill()
            self.refresh_changed()

    def fold(self) -> None:
        """Folds or unfolds the group whose heading is under the cursor."""
        if self.group is not None:
            self._fold(self.group)

    def _fold(self, tag: str) -> None:
        folded = tag not in self.arrangement.folded
        self.rearrange(self.arrangement.with_folded(tag, folded=folded))
        self.post_message(self.Rearranged(self.arrangement))

    # -- the filter -------------------------------------------------------------------------------------------

    def filter(self, words: str) -> None:
        """Shows only the podcasts with these words in their names, with the cursor on the first. Without words, shows
        all rows again and restores the cursor."""
        if words == self._words:
            return
        if not self._words:
            self._before_filter = self._place
        self._words = words
        if words:
            self.cursor = 0
            self._fill(to_first=True)
        else:
            self._fill(self._before_filter)

    @property
    def found(self) -> bool:
        """Whether the cursor is on a row with a view, such as a podcast that matches the filter."""
        entry = self._entry
        return entry is not None and entry.view is not None

    def end_filter(self) -> None:
        """Shows all rows again, with the cursor on the found podcast."""
        if self._words:
            self._words = ""
            self._fill(self._place, jumps=True)

    # -- rows -------------------------------------------------------------------------------------------------

    @property
    def _place(self) -> _Place:
        entry = self._entry
        return self._rested_on if entry is None or entry.view is None else (entry.view, entry.group)

    def _fill(self, place: _Place | None = None, *, jumps: bool = False, to_first: bool = False) -> None:
        """Builds the rows, with the cursor at `place`, or else where it is.

        If `place` is in a folded group, the group is unfolded if the cursor `jumps` there; otherwise the cursor goes to
        the group's heading.
        """
        first, before = not self._entries, self.view
        wanted = place or self._place
        entries = self._rows(wanted[0])
        index = None if to_first else _find(entries, wanted)
        if index is None and not self._words and (tag := self._folded_around(wanted)):
            if jumps:
                self.arrangement = self.arrangement.with_folded(tag, folded=False)
                self.post_message(self.Rearranged(self.arrangement))
                entries = self._rows(wanted[0])
            index = _find(entries, (wanted[0] if jumps else View.of_tag(tag), tag))
        if entries == self._entries and index in (None, self.cursor) and not to_first:
            return
        self._entries = entries
        self.cursor = self.cursor if index is None else index
        self.rows_changed()
        self._rested_on = self._place
        if first or self.view != before:
            self.post_message(self.Moved(self))

    def _rows(self, cursor_on: View) -> list[Entry]:
        if self._words:
            return matching_rows(self._shelf, self.arrangement, self._words, self._folded_name, self.key_of)
        rows = view_rows(self._shelf, self.glyphs, cursor_on)
        rows += map(self._counted, list_rows(self._shelf.lists, self.glyphs))
        kept = {cursor_on} if self._in_bar is None else {cursor_on, view_of(self._in_bar)}
        return rows + podcast_rows(self._shelf, self.arrangement, kept, self.glyphs, self.key_of)

    def _folded_around(self, wanted: _Place) -> str | None:
        """The tag of a folded group that contains the podcast, if possible of the group in which the cursor was."""
        view, group = wanted
        podcast = None if view.podcast_id is None else self._podcasts.get(view.podcast_id)
        tags = [tag for tag in podcast.tags if tag in self.arrangement.folded] if podcast else []
        return group if group in tags else next(iter(tags), None)

    def _folded_name(self, podcast: Podcast) -> str:
        titles = f"{podcast.title} {podcast.feed_title}".rstrip()
        name = self._folded_names.get(titles)
        if name is None:
            name = self._folded_names[titles] = fold(titles)
        return name

    def _counted(self, entry: Entry) -> Entry:
        if entry.view is None or entry.view.list_id is None:
            return entry
        count, more = self._list_counts.get(entry.view.list_id, (0, False))
        return replace(entry, count=count, more=more)

    def move_to(self, index: int) -> bool:
        """Moves the cursor. A row that was shown only because the cursor was on it disappears."""
        before = self._entry
        moved = super().move_to(index)
        self._rested_on = self._place
        if moved and before is not None and self._was_kept(before):
            self._fill()
        return moved

    def _was_kept(self, entry: Entry) -> bool:
        if self._words or entry.view is None or entry.view == self.view:
            return False
        if entry.view in WHEN_THERE_ARE_ANY or not self.arrangement.hides_played:
            return entry.view in WHEN_THERE_ARE_ANY and not entry.count
        podcast = None if entry.view.podcast_id is None else self._podcasts.get(entry.view.podcast_id)
        if podcast is not None:
            return podcast.id != self._in_bar and has_nothing_to_show(podcast)
        return entry.heads_group and not entry.count

    def row_count(self) -> int:
        return len(self._entries)

    def pinned_lines(self) -> int:
        """The views don't scroll away with the podcasts, if those have at least as many lines."""
        views = next((index + 1 for index, entry in enumerate(self._entries) if entry == Entry()), 0)
        return views if not self._words and self.size.height >= 2 * views else 0

    def may_rest(self, index: int) -> bool:
        return self._entries[index].view is not None

    def row_key(self, index: int) -> Hashable:
        entry = self._entries[index]
        return entry, self._plays(entry), entry.view is None and self.has_focus

    def on_click(self, event: events.Click) -> None:
        """A click on a group's sign folds it; otherwise the list's handler, called next, moves the cursor."""
        place = event.get_content_offset(self)
        index = self.row_at(place.y) if place is not None else None
        if place is not None and index is not None and index < len(self._entries) and place.x <= SIGN_CELLS:
            entry = self._entries[index]
            if entry.heads_group and entry.group is not None:
                event.prevent_default()
                self._fold(entry.group)

    # -- drawing ----------------------------------------------------------------------------------------------

    def draw_row(self, index: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        entry = self._entries[index]
        row = SidebarRow(self._plays(entry), "NO_COLOR" not in os.environ, self.has_focus)
        return row.draw(entry, width, self.glyphs, self.ink, at_cursor=at_cursor)

    def said(self, index: int, width: int) -> str:  # noqa: ARG002 - names are cut at the end of the line
        entry = self._entries[index]
        is_podcast = entry.heads_group or entry.hue is not None
        signs = (self._plays(entry), mark_sign(entry.mark, self.glyphs), entry.sign if is_podcast else "")
        number = _("{n} new", n=entry.number) if entry.has_new and entry.number else entry.number
        return f" {self.glyphs.dot} ".join(filter(None, (*signs, entry.title, number)))

    def _plays(self, entry: Entry) -> str:
        """The sign of the playback state if the episode in the player bar is of this podcast; "" otherwise."""
        podcast_id = entry.view.podcast_id if entry.view is not None and entry.view.name is ViewName.PODCAST else None
        return self._playing if podcast_id is not None and podcast_id == self._in_bar else ""


def _find(entries: Sequence[Entry], wanted: _Place) -> int | None:
    """The row of a view, in the given group or else the first."""
    found = [index for index, entry in enumerate(entries) if entry.view == wanted[0]]
    return next((index for index in found if entries[index].group == wanted[1]), next(iter(found), None))


class SidebarPane(Vertical):
    """Posts `SidebarPane.Filtered` whenever the typed text changes; the screen then filters the rows.

    If the pane filtered them itself while handling a message, the messages of the rows wouldn't get beyond the pane.
    """

    class Filtered(FieldMessage):
        text: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows = Sidebar(id="sidebar")
        self._input = Input(
            placeholder=_("Filter podcasts"),
            id="name-filter",
            compact=True,
            select_on_focus=False,
            max_length=MOST_LETTERS,
        )

    def compose(self) -> ComposeResult:
        with Horizontal(id="name-filter-line"):
            yield Static("/", id="name-filter-sign")
            yield self._input
        yield self.rows

    @property
    def filtering(self) -> bool:
        """Whether the podcasts are filtered, or a name is being typed."""
        return self.has_class("-filtering")

    @property
    def typing(self) -> bool:
        return self._input.has_focus

    def open_filter(self) -> None:
        self.add_class("-filtering")
        self._input.focus()

    def close_filter(self) -> None:
        """Ends the filter; the cursor returns to where it was."""
        self._hide()
        self.rows.filter("")

    def choose(self) -> bool:
        """Ends the filter with the cursor on the found podcast; if none was found, changes nothing and returns
        False."""
        if not self.rows.found:
            return False
        self._hide()
        self.rows.end_filter()
        return True

    def drop_filter(self) -> None:
        """Ends the filter, because the cursor is about to move elsewhere."""
        self._hide()
        self.rows.end_filter()

    def _hide(self) -> None:
        with self.prevent(Input.Changed):
            self._input.value = ""
        self.remove_class("-filtering")

    @on(Input.Changed, "#name-filter")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Filtered(self._input.value.strip()))
