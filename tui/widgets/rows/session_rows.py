"""The rows of the History view: each day with its listening time, and under it what was heard."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date

from rich.segment import Segment

from player.library.history.listing import DayHeading, SessionList
from player.library.history.sessions import Session
from player.model.episode import Episode
from player.text.durations import brief
from tui.drawing import cells, labels
from tui.drawing.episode_rows import state_sign
from tui.drawing.row_bytes import NOTHING, signs_of
from tui.look.glyphs import UNICODE, Glyphs
from tui.widgets.rows.own_rows import Ink, OwnRows

_TIME_CELLS, _LENGTH_CELLS = 7, 8
_ROOM_FOR_PODCAST = 48


class SessionRows(OwnRows):
    def __init__(
        self, sessions: Iterable[Session], words: str, today: Callable[[], date], *, more: bool = False
    ) -> None:
        """As `SessionList`."""
        self._listed = SessionList(sessions, words, more=more)
        self._today = today
        self.more, self.count = more, self._listed.sessions
        super().__init__(self._listed.page(0, len(self._listed)))

    def session_at(self, index: int) -> Session | None:
        row = self._listed.row_at(index)
        return row if isinstance(row, Session) else None

    def may_rest(self, index: int) -> bool:
        return self.session_at(index) is not None

    def same_row(self, before: object, index: int) -> int | None:
        return self._listed.same_row(before._listed, index) if isinstance(before, SessionRows) else None

    def _episode(self, session: Session) -> Episode | None:
        """The episode in its current state: the history may have been read long ago."""
        return session.episode and (self._row_of(session.episode_id) or session.episode)

    # -- drawing ----------------------------------------------------------------------------------------------

    def key(self, index: int) -> Hashable:
        row = self._listed.row_at(index)
        episode = self._episode(row) if isinstance(row, Session) else None
        if episode is None:
            return row, self._today()
        sign = state_sign(episode, self._status(), UNICODE)
        return row, self._today(), sign, episode.downloaded, self._bytes_of(episode)

    def draw(self, index: int, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool) -> Sequence[Segment]:
        row = self._listed.row_at(index)
        if isinstance(row, DayHeading):
            return _day(row, self._today(), width, glyphs, ink)
        return self._session(row, width, glyphs, ink, at_cursor=at_cursor) if row else []

    def _session(self, session: Session, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool) -> Sequence[Segment]:
        """What was heard, of which podcast, how long, and when it began."""
        podcast_cells = min(26, width // 4) if width >= _ROOM_FOR_PODCAST else 0
        length_cells = _LENGTH_CELLS if width >= 24 else 0
        title_cells = max(0, width - 3 - podcast_cells - length_cells - _TIME_CELLS)
        episode = self._episode(session)
        sign, sign_role = state_sign(episode, self._status(), glyphs) if episode else (" ", "muted")
        found = self._bytes_of(episode) if episode else NOTHING
        marks = signs_of(found, glyphs, title_cells)
        if episode and episode.downloaded:
            marks.append((glyphs.downloaded, "muted"))
        marks_cells = sum(cells.width(text) for text, _role in marks) + 1 if marks and width >= 24 else 0
        title_cells = max(0, title_cells - marks_cells)
        role = "muted" if episode is None else "faint" if found.missing else "strong" if at_cursor else "title"
        podcast = cells.fit(session.podcast, max(0, podcast_cells - 2), ellipsis=glyphs.ellipsis)
        title = session.title or session.podcast
        when = f"{session.began_at.astimezone():%H:%M}"
        return [
            Segment(sign, ink(sign_role)),
            Segment(" "),
            Segment(cells.fit(title, title_cells, ellipsis=glyphs.ellipsis), ink(role)),
            Segment(cells.fit(f"  {podcast}", podcast_cells), ink("muted")),
            *([Segment(" "), *(Segment(text, ink(one)) for text, one in marks)] if marks_cells else []),
            Segment(cells.fit(brief(session.real_ms), length_cells, "right"), ink("muted")),
            Segment(cells.fit(when, _TIME_CELLS, "right"), ink("muted")),
            Segment(" "),
        ]


def _day(heading: DayHeading, today: date, width: int, glyphs: Glyphs, ink: Ink) -> Sequence[Segment]:
    """`Yesterday · 1h 12m`."""
    words = f"  {glyphs.dot} {brief(heading.real_ms)}"
    day = cells.cut(labels.day_words(heading.day, today), max(0, width - cells.width(words)), glyphs.ellipsis)
    return [Segment(day, ink("heading")), Segment(cells.fit(words, width - cells.width(day)), ink("faint"))]
