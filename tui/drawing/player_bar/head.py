"""The first row of the player bar: the state, the title, the podcast; at the right the speed and the volume."""

from player.model.playback import PlaybackState, PlaybackStatus
from player.text.sentences import _
from tui.drawing.cells import cut, width
from tui.drawing.player_bar.layout import APART, GAP, LEAST_TITLE, Around, BarLayout, Span
from tui.drawing.runs import Line, Run, width_of
from tui.drawing.sleep import left_words
from tui.look.glyphs import Glyphs

_LEAST_PODCAST = 10
_STEPS = 4
"""Blocks that show the volume."""
_LOUDEST = 100


def head(status: PlaybackStatus, room: int, glyphs: Glyphs, around: Around) -> BarLayout:
    """One line of `room` cells, and what in it takes the mouse."""
    assert status.episode
    right = _right(status, room, glyphs)
    cells = width_of(right)
    space = room - 2 - (cells + GAP if right else 0)
    title = cut(status.episode.title, space, glyphs.ellipsis)
    pieces = [sign(status, glyphs), Run(" "), Run(title, "title")]
    named, of = Span(0, 2, width(title)), None
    space -= width(title)
    mark = Run(glyphs.hue, "faint" if around.hue is None else f"hue-{around.hue}")
    room_for_podcast = space - GAP - 1
    podcast = cut(status.episode.podcast, room_for_podcast, glyphs.ellipsis)
    if podcast and room_for_podcast >= min(_LEAST_PODCAST, width(status.episode.podcast)):
        of = Span(0, 2 + width(title) + GAP, 1 + width(podcast))
        pieces += [Run(" " * GAP), mark, Run(podcast, "muted")]
        space -= GAP + of.cells
    if not right:
        return BarLayout((tuple(pieces),), None, Span(0, 0, 2), named, of)
    pieces += [Run(" " * (space + GAP)), *right]
    speed, volume = (_span_of(pieces, kind) for kind in ("speed", "volume"))
    return BarLayout((tuple(pieces),), None, Span(0, 0, 2), named, of, speed, volume)


def sign(status: PlaybackStatus, glyphs: Glyphs) -> Run:
    match status.state:
        case PlaybackState.PLAYING:
            return Run(glyphs.playing, "alive")
        case PlaybackState.PAUSED:
            return Run(glyphs.paused, "alive")
        case PlaybackState.OPENING:
            return Run(glyphs.loading, "alive")
        case PlaybackState.BUFFERING:
            return Run(glyphs.waiting, "alive")
        case PlaybackState.ENDED:
            return Run(glyphs.played, "muted")
        case PlaybackState.STOPPED:
            return Run(glyphs.stopped, "muted")
        case PlaybackState.ERROR:
            return Run(glyphs.failed, "error")


def asleep(status: PlaybackStatus, glyphs: Glyphs) -> list[str]:
    """What is left of the sleep timer, and whether it stops playback after this episode."""
    words = [f"{glyphs.sleep} {left}"] if (left := left_words(status.sleep)) else []
    return [*words, _("{sign} after this", sign=glyphs.stopped)] if status.sleep.stops_after else words


def speed_words(speed: float, glyphs: Glyphs) -> str:
    """`1.5×`."""
    return f"{round(speed, 2):g}{glyphs.times}"


def _right(status: PlaybackStatus, room: int, glyphs: Glyphs) -> Line:
    """The sleep timer, the speed, the volume; without the last of them where a title would have no room."""
    usual = round(status.speed, 2) == 1
    parts: list[Line] = [(Run(words, "muted"),) for words in asleep(status, glyphs)]
    parts += [(Run(speed_words(status.speed, glyphs), "speed faint" if usual else "speed text"),)]
    parts += [_volume(status.volume, glyphs)]
    while parts and room - 2 - GAP - sum(map(width_of, parts)) - len(APART) * (len(parts) - 1) < LEAST_TITLE:
        parts.pop()
    return tuple(piece for part in parts for piece in (Run(APART), *part))[1:]


def _volume(volume: int, glyphs: Glyphs) -> Line:
    """As blocks that rise, as many of them bright as it is loud, and in percent."""
    if volume == 0:
        return (Run(_("muted"), "volume text"),)
    words = _("{volume}%", volume=volume).rjust(4)
    if not glyphs.steps:
        return (Run(_("vol {volume}%", volume=volume), "volume text"),)
    lit = min(_STEPS, max(1, (volume * _STEPS + _LOUDEST // 2) // _LOUDEST))
    return (
        Run(glyphs.steps[:lit], "volume text"),
        *((Run(glyphs.steps[lit:], "volume faint"),) if lit < _STEPS else ()),
        Run(f" {words}", "volume muted"),
    )


def _span_of(line: list[Run], kind: str) -> Span | None:
    """The cells of the runs whose role begins with `kind`; None if there are none."""
    start = cells = 0
    for piece in line:
        if piece.role.startswith(kind):
            cells += width(piece.text)
        elif not cells:
            start += width(piece.text)
    return Span(0, start, cells) if cells else None
