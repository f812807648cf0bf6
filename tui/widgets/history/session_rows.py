"""How a list draws what was heard: a day, and under it each session with its episode."""

from collections.abc import Callable
from datetime import date

from rich.segment import Segment
from rich.style import Style

from player.library.history.listing import DayHeading
from player.library.history.sessions import Session
from player.text.durations import brief
from tui.drawing import cells, labels
from tui.look.glyphs import Glyphs

Ink = Callable[[str], Style]
_TIME_CELLS, _LENGTH_CELLS = 7, 8
_ROOM_FOR_PODCAST = 48


def heading_row(heading: DayHeading, today: date, width: int, glyphs: Glyphs, ink: Ink) -> list[Segment]:
    """`Yesterday · 1h 12m`."""
    words = f"  {glyphs.dot} {brief(heading.real_ms)}"
    day = cells.cut(labels.day_words(heading.day, today), max(0, width - cells.width(words)), glyphs.ellipsis)
    return [
        Segment(day, ink("heading")),
        Segment(cells.fit(words, width - cells.width(day)), ink("faint")),
    ]


def session_row(
    session: Session, sign: Segment, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool
) -> list[Segment]:
    """What was heard, of which podcast, how long, and when it began. `sign` is the episode's state."""
    podcast_cells = min(26, width // 4) if width >= _ROOM_FOR_PODCAST else 0
    length_cells = _LENGTH_CELLS if width >= 24 else 0
    title_cells = max(0, width - 3 - podcast_cells - length_cells - _TIME_CELLS)
    gone = session.episode is None
    role = "muted" if gone else "strong" if at_cursor else "title"
    podcast = cells.fit(session.podcast, max(0, podcast_cells - 2), ellipsis=glyphs.ellipsis)
    title = session.title or session.podcast
    when = f"{session.began_at.astimezone():%H:%M}"
    return [
        Segment(" ") if gone else sign,
        Segment(" "),
        Segment(cells.fit(title, title_cells, ellipsis=glyphs.ellipsis), ink(role)),
        Segment(cells.fit(f"  {podcast}", podcast_cells), ink("muted")),
        Segment(cells.fit(brief(session.real_ms), length_cells, "right"), ink("muted")),
        Segment(cells.fit(when, _TIME_CELLS, "right"), ink("muted")),
        Segment(" "),
    ]
