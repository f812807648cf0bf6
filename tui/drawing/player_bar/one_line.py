"""The player bar in one line: the state, the title, and the seek bar."""

from player.model.playback import PlaybackState, PlaybackStatus
from tui.drawing.cells import cut, width
from tui.drawing.player_bar.head import asleep, sign
from tui.drawing.player_bar.layout import GAP, LEAST_TITLE, Around, BarLayout, Keys, Span, indent
from tui.drawing.player_bar.times import elapsed, left_ms, remaining, seek_line
from tui.drawing.player_bar.words import in_rows, next_words, sentence
from tui.drawing.runs import Line, Run, width_of
from tui.look.glyphs import Glyphs

_ENDS_SOON_MS = 20_000
"""How long before the end the next episode replaces the seek bar."""

_TITLE_AND_TIME = 16
"""From this many cells on, the position stands beside a title that leaves no room for a seek bar."""


def one_line(status: PlaybackStatus, room: int, rows: int, glyphs: Glyphs, keys: Keys, around: Around) -> BarLayout:
    """The state, the title, and on the right the seek bar, as wide as the title; or the position alone.

    Instead, an error in `rows` rows; or, briefly and near the end, what is next.
    """
    assert status.episode
    first_cells = (sign(status, glyphs), Run(" "))
    state = Span(0, 0, 2)
    room -= 2
    sleep = tuple(Run(f" {words}", "muted") for words in asleep(status, glyphs))
    if room - width_of(sleep) < LEAST_TITLE:
        sleep = ()
    if failed(status):
        first, *more = in_rows(sentence(status, room, glyphs, keys), room, rows, glyphs)
        return BarLayout(((*first_cells, *first), *(indent(line, 2) for line in more)), None, state)
    room -= width_of(sleep)
    title_cells = min(room - 20, room // 2)
    if title_cells < 8:
        time = elapsed(status, total=False) if room >= _TITLE_AND_TIME and status.position_ms else ()
        for_title = room - width_of(time) - len(time)
        only = Run(cut(status.episode.title, for_title, glyphs.ellipsis), "title")
        gap = Run(" " * (for_title - width(only.text) + 1)) if time else Run("")
        return BarLayout(((*first_cells, only, gap, *time, *sleep),), None, state, Span(0, 2, width(only.text)))
    title = cut(status.episode.title, title_cells, glyphs.ellipsis)
    named = Span(0, 2, width(title))
    start = width(title) + GAP
    head = (*first_cells, Run(title, "title"), Run(" " * GAP))
    if status.state is PlaybackState.BUFFERING:
        words = sentence(status, room - start, glyphs, keys)
        return BarLayout(((*head, *in_rows(words, room - start, 1, glyphs)[0]),), None, state, named)
    if following := _next_line(status, room, head[2:], glyphs, now=around.news):
        shown = named if following[:1] == head[2:3] else None
        return BarLayout(((*first_cells, *following, *sleep),), None, state, shown)
    line, seek = seek_line(status, room - start, glyphs, 1 if room < 60 else GAP, around)
    return BarLayout(((*head, *line, *sleep),), seek and seek.moved(start + 2), state, named)


def failed(status: PlaybackStatus) -> bool:
    """Whether the bar shows an error."""
    return status.state is PlaybackState.ERROR or (status.state is PlaybackState.PAUSED and bool(status.error))


def _next_line(status: PlaybackStatus, room: int, title: Line, glyphs: Glyphs, *, now: bool) -> Line:
    """What is next, and the time left: after the title if all of it fits, otherwise in its place.

    () while there is no reason to show it.
    """
    if not now and not _ends_soon(status):
        return ()
    left = "" if status.live else remaining(status, glyphs).strip()
    room -= width(left) + GAP if left else 0
    following = next_words(status, room, glyphs)
    if not following:
        return ()
    beside = next_words(status, room - width_of(title), glyphs)
    before = title if beside == following else ()
    end = " " * (room - width_of(before) - width(following) + GAP) + left if left else ""
    return (*before, Run(following, "text"), Run(end, "text"))


def _ends_soon(status: PlaybackStatus) -> bool:
    if status.state is not PlaybackState.PLAYING or status.live or not status.duration_ms:
        return False
    return left_ms(status.duration_ms, status) <= _ENDS_SOON_MS
