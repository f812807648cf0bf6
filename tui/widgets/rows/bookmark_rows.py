"""The rows of the Bookmarks view: a heading for each episode, and its bookmarks under it."""

from collections.abc import Hashable, Sequence

from msgspec import Struct
from rich.segment import Segment

from player.model.bookmark import Bookmark, BookmarkId
from player.text.cleaning import fold
from player.text.durations import clock
from player.text.sentences import _
from tui.drawing import cells
from tui.drawing.cells import steady
from tui.drawing.labels import full_date
from tui.drawing.row_bytes import NOTHING, RowBytes, signs_of
from tui.look.glyphs import Glyphs
from tui.widgets.rows.own_rows import NO_EPISODE, Ink, OwnRows

_GAP = 2


class Heading(Struct, frozen=True):
    """The heading of one episode's bookmarks."""

    episode: str
    podcast: str
    gone: bool


Row = Bookmark | Heading | None
"""None is an empty line between two episodes."""


class BookmarkRows(OwnRows):
    def __init__(self, bookmarks: Sequence[Bookmark], words: str = "") -> None:
        """`bookmarks` come with the latest first. The episode with the latest one comes first.

        An episode's bookmarks are in the order of their positions. Only those that contain all of `words` are listed.
        """
        wanted = fold(words).split()
        groups: dict[Hashable, list[Bookmark]] = {}
        for one in bookmarks:
            if not wanted or _has(one, wanted):
                groups.setdefault(one.episode_id or (one.podcast, one.episode), []).append(one)
        self._rows: list[Row] = []
        for group in groups.values():
            first = group[0]
            gap: list[Row] = [None] if self._rows else []
            self._rows += [*gap, Heading(first.episode, first.podcast, first.episode_id is None)]
            ordered: list[Bookmark] = sorted(group, key=_in_order)
            self._rows += ordered
        self.count = sum(map(len, groups.values()))
        self._time_cells = max((len(clock(one.position_ms)) for group in groups.values() for one in group), default=0)
        super().__init__(
            [(row.episode_id or NO_EPISODE) if isinstance(row, Bookmark) else NO_EPISODE for row in self._rows]
        )

    def bookmark_at(self, index: int) -> Bookmark | None:
        row = self._rows[index] if 0 <= index < len(self._rows) else None
        return row if isinstance(row, Bookmark) else None

    def may_rest(self, index: int) -> bool:
        return self.bookmark_at(index) is not None

    def same_row(self, before: object, index: int) -> int | None:
        """The row of the same bookmark; if that is gone, the cursor keeps its line."""
        there = before.bookmark_at(index) if isinstance(before, BookmarkRows) else None
        return None if there is None else self._rank(there.id)

    def _rank(self, bookmark_id: BookmarkId) -> int | None:
        rows = enumerate(self._rows)
        return next((index for index, row in rows if isinstance(row, Bookmark) and row.id == bookmark_id), None)

    # -- drawing ----------------------------------------------------------------------------------------------

    def key(self, index: int) -> Hashable:
        return self._rows[index], self._time_cells, self._bytes_at(index)

    def _bytes_at(self, index: int) -> RowBytes:
        """Where the audio of the bookmark's episode is, once that has been read."""
        bookmark = self.bookmark_at(index)
        episode = self._row_of(bookmark.episode_id) if bookmark and bookmark.episode_id else None
        return self._bytes_of(episode) if episode else NOTHING

    def draw(self, index: int, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool) -> Sequence[Segment]:
        row = self._rows[index]
        pieces: list[tuple[str, str]] = []
        if isinstance(row, Heading):
            podcast = f"  {steady(row.podcast)}"
            gone = f"  {glyphs.dot} {_('no longer in your library')}" if row.gone else ""
            pieces = [(steady(row.episode), "muted" if row.gone else "heading"), (podcast, "muted"), (gone, "faint")]
        elif row is not None:
            time = clock(row.position_ms).rjust(self._time_cells) + " " * _GAP
            found = self._bytes_at(index)
            marks = "".join(text for text, _role in signs_of(found, glyphs, 0))
            role = "faint" if found.missing else "strong" if at_cursor else "title"
            mark: list[tuple[str, str]] = [(f"{marks} ", "muted")] if marks else []
            pieces = [(time, "alive" if at_cursor else "muted"), *mark, *_text(row, role)]
        return _fitted(pieces, width, glyphs, ink)


def _in_order(bookmark: Bookmark) -> tuple[int, int]:
    return bookmark.position_ms, bookmark.id


def _text(bookmark: Bookmark, role: str) -> list[tuple[str, str]]:
    """The note, then what was said; without either, the chapter, or when it was made."""
    quote = _("“{line}”", line=steady(bookmark.line)) if bookmark.line else ""
    if bookmark.note:
        return [(steady(bookmark.note), role), (f"  {quote}" if quote else "", "muted")]
    if quote:
        return [(quote, role)]
    if bookmark.chapter:
        return [(steady(bookmark.chapter), role)]
    return [(_("Bookmarked on {day}", day=full_date(bookmark.created_at)), "muted")]


def _fitted(pieces: list[tuple[str, str]], width: int, glyphs: Glyphs, ink: Ink) -> list[Segment]:
    """As much of the runs as there is room for, in exactly `width` cells."""
    segments = []
    room = max(0, width - 1)
    for text, role in pieces:
        shown = cells.cut(text, room, glyphs.ellipsis)
        if shown.strip():
            segments.append(Segment(shown, ink(role)))
            room -= cells.width(shown)
        if shown != text:
            break
    return [*segments, Segment(" " * (width - sum(cells.width(one.text) for one in segments)))]


def _has(bookmark: Bookmark, wanted: Sequence[str]) -> bool:
    text = fold(" ".join((bookmark.episode, bookmark.podcast, bookmark.note, bookmark.line, bookmark.chapter)))
    return all(word in text for word in wanted)
