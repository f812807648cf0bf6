"""The times of the player bar, and its seek bar between them."""

from datetime import datetime, time, timedelta
from math import ceil

from player.model.playback import PlaybackStatus
from player.text.durations import clock
from player.text.regional import time_of_day
from player.text.sentences import _
from tui.drawing.cells import width
from tui.drawing.player_bar.layout import Around, Span
from tui.drawing.runs import Line, Run, width_of
from tui.drawing.seek_bar import seek_bar
from tui.look.glyphs import Glyphs

_ROOM_FOR_TOTAL = 56
_ROOM_FOR_END = 70
_MOST_LATE_S = 0.5
_AFTER_S = 0.005
"""A timer may be so much too early."""
_LONGEST_LEFT_S = 20 * 3600
"""An end that is further away needs more than a time of day."""


def seek_line(
    status: PlaybackStatus, room: int, glyphs: Glyphs, gap: int, around: Around, *, wide: bool = False
) -> tuple[Line, Span | None]:
    """The position, the seek bar, the time left; and where in the line the bar is, None if there is nothing to seek in.

    `wide`: where there is room, also the duration and when the episode ends.
    """
    before = elapsed(status, total=wide and room >= _ROOM_FOR_TOTAL)
    after = _after(status, glyphs, around.now if wide and room >= _ROOM_FOR_END else None)
    if status.live:
        return (*before, Run(" " * gap), Run(_("live"), "alive")), None
    start = width_of(before) + gap
    cells = room - start - (width_of(after) + gap if after else 0)
    pieces = [*before, Run(" " * gap), *seek_bar(cells, around.track(status), glyphs)]
    if after:
        pieces += [Run(" " * gap), *after]
    return tuple(pieces), Span(0, start, cells) if status.duration_ms and cells > 1 else None


def remaining(status: PlaybackStatus, glyphs: Glyphs) -> str:
    """How long the rest takes at the current speed; "" if that isn't known."""
    if not status.duration_ms:
        return ""
    left_s = ceil(left_ms(status.duration_ms, status) / 1000)
    sign = (glyphs.about if status.approximate else "") + glyphs.minus if left_s else ""
    widest = len(glyphs.about + glyphs.minus if status.approximate else glyphs.minus) + len(clock(status.duration_ms))
    return (sign + clock(left_s * 1000)).rjust(widest)


def next_look_s(status: PlaybackStatus) -> float:
    """In how many seconds the bar should look at the position again: at its next whole second, half a second at most.

    So a time changes when its second begins, and nothing that is shown is more than half a second old.
    """
    to_second_s = (1000 - status.position_ms % 1000) / 1000 / status.speed
    return min(to_second_s, _MOST_LATE_S) + _AFTER_S


def left_ms(end_ms: int, status: PlaybackStatus) -> float:
    """How long it takes from the position to `end_ms`, at the current speed."""
    return max(0, end_ms - status.position_ms) / status.speed


def _after(status: PlaybackStatus, glyphs: Glyphs, now: datetime | None) -> Line:
    """The time left and, if `now` is given, when that is over."""
    if not status.duration_ms:
        return ()
    left = Run(remaining(status, glyphs), "text")
    return (left, Run(_ends(status, glyphs, now), "muted")) if now else (left,)


def _ends(status: PlaybackStatus, glyphs: Glyphs, now: datetime) -> str:
    """Padded to its greatest width."""
    widest = _end_at(time(22, 58), glyphs)
    left_s = left_ms(status.duration_ms or 0, status) / 1000
    words = _end_at(now + timedelta(seconds=left_s), glyphs) if 0 < left_s < _LONGEST_LEFT_S else ""
    return words + " " * (width(widest) - width(words))


def _end_at(moment: datetime | time, glyphs: Glyphs) -> str:
    return f" {glyphs.dot} {_('ends {time}', time=time_of_day(moment))}"


def elapsed(status: PlaybackStatus, *, total: bool) -> Line:
    """The position; with `total` also the duration, where that is known. Padded to its greatest width, so that the seek
    bar doesn't move."""
    longest = clock(max(status.duration_ms or 0, status.position_ms))
    position = clock(status.position_ms)
    if not total or not status.duration_ms:
        return (Run(position.ljust(len(longest)), "text"),)
    of = f" / {clock(status.duration_ms)}".ljust(3 + 2 * len(longest) - len(position))
    return Run(position, "text"), Run(of, "muted")
