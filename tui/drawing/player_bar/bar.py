"""The player bar as lines of text with roles. Pure: a status and a size in, lines out."""

from msgspec.structs import replace

from player.model.playback import PlaybackState, PlaybackStatus
from tui.drawing.player_bar.head import head
from tui.drawing.player_bar.layout import GAP, MARGIN, Around, BarLayout, Keys, indent, indented
from tui.drawing.player_bar.one_line import failed, one_line
from tui.drawing.player_bar.times import seek_line
from tui.drawing.player_bar.words import in_rows, last_row, nothing_playing, sentence
from tui.drawing.runs import Line, width_of
from tui.drawing.waveform import waveform
from tui.look.glyphs import Glyphs

__all__ = ["Around", "BarLayout", "Keys", "lay_out"]

ROWS = 3
"""Of a bar that shows everything but the waveform."""

_NOTHING_ELSE = Around()


def lay_out(
    status: PlaybackStatus, columns: int, rows: int, glyphs: Glyphs, keys: Keys, around: Around = _NOTHING_ELSE
) -> BarLayout:
    """The bar in `columns` × `rows` cells.

    One row has everything in brief; an error may take two. Two rows have a seek bar of the whole width, three also the
    chapter or a sentence; whatever more there is has the waveform above the seek bar.
    """
    room = max(1, columns - MARGIN - (MARGIN if columns >= 60 else 1))
    if status.episode is None:
        words = nothing_playing(room, glyphs, keys, playable=around.playable)
        layout = BarLayout((*[()] * (min(rows, ROWS) // 2), words))
    elif rows < 2 or (rows == 2 and failed(status)):
        layout = one_line(status, room, rows, glyphs, keys, around)
    else:
        layout = _rows(status, room, rows, glyphs, keys, around)
    return indented(layout, MARGIN)


def _rows(status: PlaybackStatus, room: int, rows: int, glyphs: Glyphs, keys: Keys, around: Around) -> BarLayout:
    top = head(status, room, glyphs, around)
    line, seek = seek_line(status, room, glyphs, GAP, around, wide=True)
    if rows == 2 and status.state in _SAYS_WHY:
        line, seek = indent(in_rows(sentence(status, room - 2, glyphs, keys), room - 2, 1, glyphs)[0], 2), None
    below: list[Line] = []
    if rows >= ROWS:
        words = last_row(status, room - 2, glyphs, keys, around)
        below = [indent(words, 2)]
        if width_of(words) > room - 2:
            # A long error takes the place of the seek bar too.
            first, *more = in_rows(words, room - 2, 2, glyphs)
            line, seek, below = indent(first, 2), None, [indent(one, 2) for one in more]
    above: tuple[Line, ...] = ()
    if rows > ROWS:
        above = ((),) * (rows - ROWS)
        if seek:
            waves = waveform(seek.cells, rows - ROWS, around.wave, around.track(status), glyphs)
            above = tuple(indent(one, seek.start) for one in waves) or above
    lines = (*top.lines, *above, line, *below)
    return replace(top, lines=lines, seek=seek and replace(seek, row=1, rows=1 + len(above)))


_SAYS_WHY = (PlaybackState.BUFFERING, PlaybackState.OPENING)
"""States in which a bar of two rows says what is waited for, in place of the seek bar."""
