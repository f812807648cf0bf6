"""The rows of the History view: what was heard, and above each day's first how long that day's listening was."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date, time

from rich.segment import Segment

from player.library.history.listing import SessionList
from player.library.history.sessions import Session
from player.model.episode import Episode
from player.text.durations import brief
from player.text.regional import time_of_day
from tui.drawing import cells, labels
from tui.drawing.episode_rows import state_sign
from tui.drawing.row_bytes import signs_of
from tui.look.glyphs import UNICODE, Glyphs
from tui.widgets.rows.lower_line import MARKS_FROM, lower_line, marks_cells
from tui.widgets.rows.own_rows import Heading, Ink, OwnRows

_LENGTH_CELLS = 8
_LONGEST = time(22, 22)
"""Of all times of day, one of the widest."""
_ROOM_FOR_PODCAST = 48


class SessionRows(OwnRows):
    has_two_lines = True
    keeps_headings = True
    """No row says on which day it was."""

    def __init__(
        self, sessions: Iterable[Session], words: str, today: Callable[[], date], *, more: bool = False
    ) -> None:
        """As `SessionList`."""
        self._listed = SessionList(sessions, words, more=more)
        self._today = today
        self.more, self.count = more, len(self._listed)
        super().__init__(self._listed.page(0, len(self._listed)))
        self._days = {one.row: one for one in self._listed.days}

    @property
    def headed(self) -> Sequence[int]:
        return list(self._days)

    def heading_of(self, index: int) -> Heading:
        """`Yesterday`, `1h 12m`."""
        day = self._days.get(index)
        return Heading(labels.day_words(day.day, self._today()), brief(day.real_ms)) if day else Heading()

    def session_at(self, index: int) -> Session | None:
        return self._listed.session_at(index)

    def may_rest(self, index: int) -> bool:
        return self.session_at(index) is not None

    def same_row(self, before: object, index: int) -> int | None:
        return self._listed.same_row(before._listed, index) if isinstance(before, SessionRows) else None

    def _episode(self, session: Session) -> Episode | None:
        """The episode in its current state: the history may have been read long ago."""
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
        """What was heard; in a row of one line also of which podcast, how long, and when it began."""
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
        """Of which podcast, how long, and when it began."""
        session = self.session_at(index)
        if session is None:
            return [Segment(" " * width)]
        episode = self._episode(session)
        facts = brief(session.real_ms), time_of_day(session.began_at)
        marks = [(text, ink(role)) for text, role in self._marks(episode, width, width // 2, glyphs)]
        hue = episode.feed_url if episode else ""
        missing = episode is not None and self._bytes_of(episode).missing
        return lower_line(
            session.podcast, facts, width, glyphs, ink, feed_url=hue, tail=marks, role="faint" if missing else "muted"
        )

    def _marks(self, episode: Episode | None, width: int, title_cells: int, glyphs: Glyphs) -> list[tuple[str, str]]:
        if episode is None or width < MARKS_FROM:
            return []
        marks = signs_of(self._bytes_of(episode), glyphs, title_cells)
        if episode.downloaded:
            marks.append((glyphs.downloaded, "muted"))
        return [(" ", "muted"), *marks] if marks else []
