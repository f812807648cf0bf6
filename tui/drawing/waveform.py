"""How loud an episode is, as rows of text above its seek bar. Pure; times in ms."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from tui.drawing.runs import Line, Run
from tui.drawing.seek_bar import Track, cell_of, gaps, played_share, position_cell
from tui.look.glyphs import Glyphs

if TYPE_CHECKING:
    from player.measuring.kinds.waveform import Waveform

_DOTS = 4
"""Dots of a cell, one above the other."""
_LEFT, _RIGHT = (0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08)
"""The bits of a Braille cell's dots, from the bottom up."""
_BRAILLE = 0x2800
_DOT = "⡀"
_SILENCE = 6
"""Levels below this are drawn as silence: a line of one dot."""
_LOUD, _QUIET = 0.98, 0.05
"""The shares of all levels that are below the top of the picture, and at its bottom."""

_QUIETEST = 2
"""Dots of what is quiet but no silence."""
_LARGE = 3
"""From so many rows on, the picture also shows what the seek bar does."""
_LEAST_COLUMNS, _LEAST_ROWS, _MOST = 60, 28, 8
"""The smallest screen with a large one, and its most rows."""
_LOW_COLUMNS, _LOW_ROWS, _LOW = 100, 40, 2
_GAP = -1
"""The height of a column between two chapters."""


class _Form(Enum):
    """How played and unplayed parts differ: in colour; in every other column of dots; in characters."""

    COLOUR = 0
    COMB = 1
    ASCII = 2


def waveform_rows(columns: int, rows: int, glyphs: Glyphs, *, known: bool) -> int:
    """How many rows a waveform has on a screen of this size: many if it is `known`, or two from 100 x 40 cells on."""
    if known and columns >= _LEAST_COLUMNS and rows >= _LEAST_ROWS:
        return min(_MOST, _LARGE + (rows - _LEAST_ROWS) // 4)
    return _LOW if glyphs.waves and columns >= _LOW_COLUMNS and rows >= _LOW_ROWS else 0


def waveform(width: int, rows: int, wave: Waveform | None, track: Track, glyphs: Glyphs) -> tuple[Line, ...]:
    """`rows` lines of `width` cells, aligned with the seek bar of the same width, in the roles wave-played and wave.

    What isn't known yet is a dotted line. Three rows and more also have gaps between chapters, and the roles position,
    bookmark and pointed. () without a duration, and in ASCII if there are fewer.
    """
    large = rows >= _LARGE
    if not track.duration_ms or width <= 0 or not (glyphs.waves or large):
        return ()
    form = _Form.ASCII if not glyphs.waves else _Form.COMB if large and track.knob else _Form.COLOUR
    blank = _blank(width, track, form) if large else ()
    if wave is None:
        from player.measuring.kinds.waveform import Waveform

        wave = Waveform(1, b"")
    lines = _drawn(wave, width, rows, track.duration_ms, blank, form)
    if not large:
        played = int(played_share(track) * width + 0.5)
        return tuple(_in_roles(one, rest, played, {}) for one, rest in lines)
    at = position_cell(width, track, glyphs)
    marks = {at: (glyphs.playhead, "position")}
    top = dict(marks)
    for bookmark in track.bookmarks:
        cell = cell_of(bookmark, track.duration_ms, width)
        top[cell] = (glyphs.position_bookmark, "position") if cell == at else (glyphs.bookmark, "bookmark")
    if track.pointed_ms is not None:
        cell = cell_of(track.pointed_ms, track.duration_ms, width)
        marks[cell] = top[cell] = (glyphs.pointer, "pointed")
    return tuple(_in_roles(one, rest, at, marks if row else top) for row, (one, rest) in enumerate(lines))


def _in_roles(played: str, rest: str, at: int, marks: dict[int, tuple[str, str]]) -> Line:
    """A line that is `played` up to the cell `at`, and `rest` from there on, with the marks in their cells."""
    pieces: list[Run] = []
    start = 0
    for cell in [*sorted(marks), len(rest)]:
        pieces += [Run(played[start : min(at, cell)], "wave-played"), Run(rest[max(at, start) : cell], "wave")]
        if cell in marks:
            pieces.append(Run(*marks[cell]))
        start = cell + 1
    return tuple(piece for piece in pieces if piece.text)


def _blank(width: int, track: Track, form: _Form) -> tuple[int, ...]:
    """The columns between two chapters, where the seek bar has its gaps."""
    if form is _Form.COLOUR:
        return tuple(sorted(one - 1 for one in gaps(width, 2 * width, track)))
    cells = sorted(gaps(width, width, track))
    return tuple(cells) if form is _Form.ASCII else tuple(part for one in cells for part in (2 * one, 2 * one + 1))


@lru_cache(8)
def _drawn(
    wave: Waveform, width: int, rows: int, duration_ms: int, blank: tuple[int, ...], form: _Form
) -> tuple[tuple[str, str], ...]:
    """Each line as it looks where it was played, and where it wasn't."""
    each = 1 if form is _Form.ASCII else 2
    heights = _heights(wave, each * width, rows * _DOTS, duration_ms)
    for column in blank:
        heights[column] = _GAP
    lines = []
    for row in reversed(range(rows)):
        below = row * _DOTS
        if form is _Form.ASCII:
            lines.append(tuple("".join(_character(one, below, full) for one in heights) for full in "#:"))
            continue
        pairs = [(heights[at], heights[at + 1]) for at in range(0, 2 * width, 2)]
        played = "".join(_glyph(left, right, below) for left, right in pairs)
        rest = "".join(_glyph(left, 0, below) for left, _ in pairs) if form is _Form.COMB else played
        lines.append((played, rest))
    return tuple((one, rest) for one, rest in lines)


def _glyph(left: int, right: int, below: int) -> str:
    """The cell of two columns of so many dots, of which `below` are drawn in the rows beneath it."""
    if left <= 0 and right <= 0:
        return " " if below or _GAP in (left, right) else _DOT
    dots = sum(_LEFT[: max(0, left - below)]) + sum(_RIGHT[: max(0, right - below)])
    return chr(_BRAILLE + dots) if dots else " "


def _character(height: int, below: int, full: str) -> str:
    """The cell of one column of so many dots, without dots."""
    if height <= 0:
        return " " if below or height == _GAP else "."
    return " " if height <= below else "." if height - below <= _DOTS // 2 else full


def _heights(wave: Waveform, columns: int, highest: int, duration_ms: int) -> list[int]:
    """Each column's dots, 1 to `highest`; 0 where nothing is known."""
    heard = sorted(level for level in wave.levels if level >= _SILENCE)
    low, high = (heard[int(share * (len(heard) - 1))] for share in (_QUIET, _LOUD)) if heard else (0, 1)
    low = min(low, high * 2 // 3)
    least = min(_QUIETEST, highest / 4)
    heights = []
    for column in range(columns):
        first = int(column * duration_ms / columns / wave.step_ms)
        last = max(first + 1, int((column + 1) * duration_ms / columns / wave.step_ms))
        levels = wave.levels[first:last]
        if not levels:
            heights.append(0)
            continue
        level = sum(levels) / len(levels)
        if level < _SILENCE:
            heights.append(1)
        else:
            share = min(1.0, max(0.0, (level - low) / max(1, high - low)))
            heights.append(max(1, round(least + (highest - least) * share)))
    return heights
