"""The rows of the Bookmarks view, grouped by episode, and of the History view, by day."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date, time

from msgspec import Struct
from rich.segment import Segment

from player.library.history.sessions import Session, SessionList
from player.model.episode import Episode
from player.model.listening import Bookmark, BookmarkId
from player.text.cleaning import fold
from player.text.durations import brief, clock
from player.text.regional import time_of_day
from player.text.sentences import _
from tui.drawing import cells, labels
from tui.drawing.cells import steady
from tui.drawing.episode_rows import NOTHING, RowBytes, signs_of, state_sign
from tui.drawing.labels import full_date
from tui.look.glyphs import UNICODE, Glyphs
from tui.widgets.episode_row import MARKS_FROM, NO_EPISODE, Heading, Ink, OwnRows, lower_line, marks_cells

_GAP = 2


class BookmarkHeading(Struct, frozen=True):
    """The heading above an episode's bookmarks."""

    episode: str
    podcast: str
    gone: bool


Row = Bookmark | BookmarkHeading | None
"""None is the empty line between two episodes."""


class BookmarkRows(OwnRows):
    def __init__(self, bookmarks: Sequence[Bookmark], words: str = "") -> None:
        """`bookmarks` are given with the latest first. The episode with the latest bookmark comes first.

        An episode's bookmarks are in the order of their positions. Only bookmarks that contain all of the `words` are
        listed.
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
            self._rows += [*gap, BookmarkHeading(first.episode, first.podcast, first.episode_id is None)]
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
        """The row of the same bookmark; None if it is gone: then the cursor keeps its line."""
        there = before.bookmark_at(index) if isinstance(before, BookmarkRows) else None
        return None if there is None else self._rank(there.id)

    def _rank(self, bookmark_id: BookmarkId) -> int | None:
        rows = enumerate(self._rows)
        return next((index for index, row in rows if isinstance(row, Bookmark) and row.id == bookmark_id), None)

    # -- drawing ----------------------------------------------------------------------------------------------

    def key(self, index: int) -> Hashable:
        return self._rows[index], self._time_cells, self._bytes_at(index)

    def _bytes_at(self, index: int) -> RowBytes:
        """Where the audio of the bookmark's episode is, once the episode has been read."""
        bookmark = self.bookmark_at(index)
        episode = self._row_of(bookmark.episode_id) if bookmark and bookmark.episode_id else None
        return self._bytes_of(episode) if episode else NOTHING

    def draw(self, index: int, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool) -> Sequence[Segment]:
        row = self._rows[index]
        pieces: list[tuple[str, str]] = []
        if isinstance(row, BookmarkHeading):
            podcast = f"  {steady(row.podcast)}"
            gone = f"  {glyphs.dot} {_('no longer in your library')}" if row.gone else ""
            pieces = [(steady(row.episode), "muted" if row.gone else "heading"), (podcast, "muted"), (gone, "faint")]
        elif row is not None:
            time = clock(row.position_ms).rjust(self._time_cells) + " " * _GAP
            found = self._bytes_at(index)
            marks = "".join(text for text, _role in signs_of(found, glyphs, 0))
            role = "faint" if found.missing else "strong" if at_cursor else "title"
            mark: list[tuple[str, str]] = [(f"{marks} ", "muted")] if marks else []
            length: list[tuple[str, str]] = [(f"{clock(row.length_ms)}  ", "muted")] if row.length_ms else []
            pieces = [(time, "alive" if at_cursor else "muted"), *mark, *length, *_text(row, role)]
        return _fitted(pieces, width, glyphs, ink)


def _in_order(bookmark: Bookmark) -> tuple[int, int]:
    return bookmark.position_ms, bookmark.id


def _text(bookmark: Bookmark, role: str) -> list[tuple[str, str]]:
    """The note and the transcript's words; without either, the chapter, or the date of the bookmark."""
    quote = _("“{line}”", line=steady(bookmark.line)) if bookmark.line else ""
    if bookmark.note:
        return [(steady(bookmark.note), role), (f"  {quote}" if quote else "", "muted")]
    if quote:
        return [(quote, role)]
    if bookmark.chapter:
        return [(steady(bookmark.chapter), role)]
    return [(_("Bookmarked on {day}", day=full_date(bookmark.created_at)), "muted")]


def _fitted(pieces: list[tuple[str, str]], width: int, glyphs: Glyphs, ink: Ink) -> list[Segment]:
    """As many of the pieces as fit, in exactly `width` cells."""
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


_LENGTH_CELLS = 8
_LONGEST = time(22, 22)
"""One of the widest times of day."""
_ROOM_FOR_PODCAST = 48


class SessionRows(OwnRows):
    has_two_lines = True
    keeps_headings = True
    """Rows don't show the day, so the headings are needed."""

    def __init__(
        self, sessions: Iterable[Session], words: str, today: Callable[[], date], *, more: bool = False
    ) -> None:
        """The arguments are those of `SessionList`."""
        self._listed = SessionList(sessions, words, more=more)
        self._today = today
        self.more, self.count = more, len(self._listed)
        super().__init__(self._listed.page(0, len(self._listed)))
        self._days = {one.row: one for one in self._listed.days}

    @property
    def headed(self) -> Sequence[int]:
        return list(self._days)

    def heading_of(self, index: int) -> Heading:
        """The day and its listening time, such as `Yesterday` and `1h 12m`."""
        day = self._days.get(index)
        return Heading(labels.day_words(day.day, self._today()), brief(day.real_ms)) if day else Heading()

    def session_at(self, index: int) -> Session | None:
        return self._listed.session_at(index)

    def may_rest(self, index: int) -> bool:
        return self.session_at(index) is not None

    def same_row(self, before: object, index: int) -> int | None:
        return self._listed.same_row(before._listed, index) if isinstance(before, SessionRows) else None

    def _episode(self, session: Session) -> Episode | None:
        """The current state of the episode, as the history may have been read long ago."""
        return session.episode and (self._row_of(session.episode_id) or session.episode)

    # -- drawing ----------------------------------------------------------------------------------------------

    def key(self, index: int) -> Hashable:
        session = self.session_at(index)
        episode = self._episode(session) if session else None
        if episode is None:
            return session
        sign = state_sign(episode, self._status(), UNICODE)
        return session, sign, episode.downloaded, self._bytes_of(episode)

    def draw(self, index: int, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool) -> Sequence[Segment]:
        """The episode heard; if rows have one line, also its podcast, the listening time, and when the session
        began."""
        session = self.session_at(index)
        if session is None:
            return []
        podcast_cells = length_cells = time_cells = 0
        when = time_of_day(session.began_at)
        if not self.tall:
            podcast_cells = min(26, width // 4) if width >= _ROOM_FOR_PODCAST else 0
            length_cells = _LENGTH_CELLS if width >= MARKS_FROM else 0
            time_cells = cells.width(time_of_day(_LONGEST)) + 2
        title_cells = max(0, width - 3 - podcast_cells - length_cells - time_cells)
        episode = self._episode(session)
        sign, sign_role = state_sign(episode, self._status(), glyphs) if episode else (" ", "muted")
        missing = episode is not None and self._bytes_of(episode).missing
        marks = [] if self.tall else self._marks(episode, width, title_cells, glyphs)
        title_cells = max(0, title_cells - marks_cells(marks))
        role = "muted" if episode is None else "faint" if missing else "strong" if at_cursor else "title"
        podcast = cells.fit(session.podcast, max(0, podcast_cells - 2), ellipsis=glyphs.ellipsis)
        title = session.title or session.podcast
        return [
            Segment(sign, ink(sign_role)),
            Segment(" "),
            Segment(cells.fit(title, title_cells, ellipsis=glyphs.ellipsis), ink(role)),
            Segment(cells.fit(f"  {podcast}", podcast_cells), ink("muted")),
            *(Segment(text, ink(one)) for text, one in marks),
            Segment(cells.fit(brief(session.real_ms), length_cells, "right"), ink("muted")),
            Segment(cells.fit(when, time_cells, "right"), ink("muted")),
            Segment(" "),
        ]

    def draw_below(self, index: int, width: int, glyphs: Glyphs, ink: Ink) -> Sequence[Segment]:
        """The second line: the podcast, the listening time, and when the session began."""
        session = self.session_at(index)
        if session is None:
            return [Segment(" " * width)]
        episode = self._episode(session)
        facts = brief(session.real_ms), time_of_day(session.began_at)
        marks = [(text, ink(role)) for text, role in self._marks(episode, width, width // 2, glyphs)]
        podcast_id = episode.podcast_id if episode else None
        missing = episode is not None and self._bytes_of(episode).missing
        role = "faint" if missing else "muted"
        return lower_line(session.podcast, facts, width, glyphs, ink, podcast_id=podcast_id, tail=marks, role=role)

    def _marks(self, episode: Episode | None, width: int, title_cells: int, glyphs: Glyphs) -> list[tuple[str, str]]:
        if episode is None or width < MARKS_FROM:
            return []
        marks = signs_of(self._bytes_of(episode), glyphs, title_cells)
        if episode.downloaded:
            marks.append((glyphs.downloaded, "muted"))
        return [(" ", "muted"), *marks] if marks else []
