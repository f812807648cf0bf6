"""The seek bar as text (played and cached parts, chapters, bookmarks, segments), and the waveform above it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from tui.drawing.runs import Line, Run
from tui.look.glyphs import Glyphs

if TYPE_CHECKING:
    from player.measuring.kinds.waveform import Waveform


_LEAST_BAR = 20
"""The least cells of a bar with gaps between chapters."""
_LEAST_CHAPTER = 3
"""The least cells per chapter. Closer gaps can't be distinguished, and hide the played and cached parts."""

Shares = Sequence[tuple[float, float]]


class Track(Struct, frozen=True):
    """The facts on a seek bar. `duration_ms` is None or 0 if it isn't known.

    `cached` are ranges of the file, as shares from 0 to 1; `chapters` are the starts of chapters, in order, and
    `bookmarks` the positions of bookmarks, in ms. `segments` are from and to when they last, and `begun_ms` is where
    one begins that the listener is marking. `pointed_ms` is the position at the mouse. `knob`: a glyph marks the
    position, and gaps are whole cells, as needed without colours.
    """

    position_ms: int = 0
    duration_ms: int | None = None
    cached: Shares = ()
    chapters: Sequence[int] = ()
    bookmarks: Sequence[int] = ()
    pointed_ms: int | None = None
    knob: bool = False
    segments: Sequence[tuple[int, int]] = ()
    begun_ms: int | None = None


def seek_bar(width: int, track: Track, glyphs: Glyphs) -> Line:
    """A bar of `width` cells, in the roles played, earlier, here, cached, missing, segment, position, pointed and
    bookmark.

    `earlier` is the part before the current chapter, `here` the rest of the current chapter. Without a duration, the
    bar is empty. Otherwise at least one cell has the role `played` or `position`.
    """
    if width <= 0:
        return ()
    if not track.duration_ms:
        return (Run(glyphs.line_thin * width, "missing"),)
    knob = track.knob or not glyphs.line_left
    cells = _whole_cells(width, track, glyphs) if knob else _half_cells(width, track, glyphs)
    for start_ms, end_ms in track.segments:
        first, last = (min(width, int(ms / track.duration_ms * width + 0.5)) for ms in (start_ms, end_ms))
        first = min(first, width - 1)
        for at in range(first, max(first + 1, last)):
            role = cells[at][1]
            cells[at] = (glyphs.segment, role if role in ("played", "earlier") else "segment")
    if track.begun_ms is not None:
        cells[cell_of(track.begun_ms, track.duration_ms, width)] = (glyphs.segment_start, "bookmark")
    for bookmark in track.bookmarks:
        cells[cell_of(bookmark, track.duration_ms, width)] = (glyphs.bookmark, "bookmark")
    at = position_cell(width, track, glyphs)
    if cells[at][0] == glyphs.bookmark:
        cells[at] = (glyphs.position_bookmark, "position")
    elif knob:
        cells[at] = (glyphs.position, "position")
    if track.pointed_ms is not None:
        cells[cell_of(track.pointed_ms, track.duration_ms, width)] = (glyphs.pointer, "pointed")
    return joined(cells)


def joined(cells: Sequence[tuple[str, str]]) -> Line:
    """Cells, each a glyph with its role, as runs."""
    pieces: list[Run] = []
    for text, role in cells:
        if pieces and pieces[-1].role == role:
            pieces[-1] = Run(pieces[-1].text + text, role)
        else:
            pieces.append(Run(text, role))
    return tuple(pieces)


def cell_of(position_ms: int, duration_ms: int, width: int) -> int:
    """The cell of a position; the first cell is the start, and the last one the end."""
    share = min(1.0, max(0.0, position_ms / duration_ms))
    return min(width - 1, int(share * (width - 1) + 0.5))


def position_cell(width: int, track: Track, glyphs: Glyphs) -> int:
    """The cell that shows the position, with or without a knob."""
    if track.duration_ms and (track.knob or not glyphs.line_left):
        return cell_of(track.position_ms, track.duration_ms, width)
    return _played_halves(width, track) - 1 >> 1


def position_at(cell: int, width: int, duration_ms: int) -> int:
    """The position of a click on a cell, in ms; beyond an end of the bar, the position of that end."""
    if width <= 1:
        return 0
    return round(min(1.0, max(0.0, cell / (width - 1))) * duration_ms)


def played_share(track: Track) -> float:
    """The share of the episode before the position, 0 to 1."""
    return min(1.0, max(0.0, track.position_ms / track.duration_ms)) if track.duration_ms else 0.0


# -- cells ----------------------------------------------------------------------------------------------------

_Cells = list[tuple[str, str]]


def _half_cells(width: int, track: Track, glyphs: Glyphs) -> _Cells:
    played = _played_halves(width, track)
    halves = _roles(2 * width, played, track)
    for start in gaps(width, 2 * width, track) - {played}:
        halves[start - 1] = ""
    if played < 2 * width:
        halves[played] = ""
    return [_cell(halves[at], halves[at + 1], glyphs) for at in range(0, 2 * width, 2)]


def _cell(left: str, right: str, glyphs: Glyphs) -> tuple[str, str]:
    """A cell whose halves have these roles; "" is blank. If both halves are heavy, the cell has the left one's role,
    except that `played` on the right takes precedence."""
    thin = "missing"
    if not right:
        return (glyphs.line_thin_left if left == thin else glyphs.line_left if left else " "), left
    if not left:
        return (glyphs.line_thin_right if right == thin else glyphs.line_right), right
    if (left == thin) == (right == thin):
        return (glyphs.line_thin if left == thin else glyphs.line), (right if right == "played" else left)
    return (glyphs.line_half_thin, right) if left == thin else (glyphs.line_half, left)


def _whole_cells(width: int, track: Track, glyphs: Glyphs) -> _Cells:
    assert track.duration_ms
    at = cell_of(track.position_ms, track.duration_ms, width)
    roles = _roles(width, at, track)
    for start in gaps(width, width, track):
        roles[start] = ""
    return [(" " if not role else glyphs.line_thin if role == "missing" else glyphs.line, role) for role in roles]


def _roles(parts: int, played: int, track: Track) -> list[str]:
    """The roles of the bar's `parts` equal parts, the first `played` of which were played."""
    assert track.duration_ms
    roles = ["missing"] * parts
    for start, end in track.cached:
        first, last = (min(parts, max(0, int(share * parts + 0.5))) for share in (start, end))
        roles[first:last] = ["cached"] * max(0, last - first)
    if track.chapters:
        first, last = (min(parts, int(ms / track.duration_ms * parts + 0.5)) for ms in _chapter_around(track))
        roles[first:last] = ["here" if role == "cached" else role for role in roles[first:last]]
    else:
        first = 0
    roles[:played] = ["earlier"] * min(first, played) + ["played"] * (played - min(first, played))
    if played and roles[played - 1] != "played":
        roles[played - 1] = "played"
    return roles


def _chapter_around(track: Track) -> tuple[int, int]:
    """The start and end of the chapter at the position, in ms."""
    assert track.duration_ms
    start = max((one for one in track.chapters if 0 <= one <= track.position_ms), default=0)
    end = min((one for one in track.chapters if 0 <= track.position_ms < one), default=track.duration_ms)
    return min(start, track.duration_ms), min(end, track.duration_ms)


def _played_halves(width: int, track: Track) -> int:
    """The number of played half cells; at least one, so that the position is visible."""
    return max(1, int(played_share(track) * 2 * width + 0.5))


def gaps(width: int, parts: int, track: Track) -> set[int]:
    """The parts in which chapters start, if the bar is divided into `parts` equal parts (cells or half cells).

    An empty set if the gaps would be too close together. With half cells, the gap is the half before the start.
    """
    assert track.duration_ms
    starts = {int(one / track.duration_ms * parts + 0.5) for one in track.chapters if 0 < one < track.duration_ms}
    starts = {one for one in starts if 1 < one < parts}
    enough = width >= _LEAST_BAR and width >= _LEAST_CHAPTER * (len(starts) + 1)
    return starts if enough else set()


_DOTS = 4
"""The number of dots of a cell, one above the other."""
_LEFT, _RIGHT = (0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08)
"""The bits of a Braille cell's dots, from the bottom up."""
_BRAILLE = 0x2800
_DOT = "⡀"
_SILENCE = 6
"""Levels below this are drawn as silence: a line of one dot."""
_LOUD, _QUIET = 0.98, 0.05
"""The quantiles of the audible levels that are drawn at the top and at the bottom of the waveform."""

_QUIETEST = 2
"""The dots of quiet parts that aren't silent."""
_LARGE = 3
"""From this many rows on, the waveform also shows the marks of the seek bar."""
_LEAST_COLUMNS, _LEAST_ROWS, _MOST = 60, 28, 8
"""The columns and rows of the smallest screen with a large waveform, and the waveform's most rows."""
_LOW_COLUMNS, _LOW_ROWS, _LOW = 100, 40, 2
_GAP = -1
"""Stands for the height of a column between two chapters."""


class _Form(Enum):
    """How played and unplayed parts are distinguished: by colour; by leaving out every other column of dots; by
    characters."""

    COLOUR = 0
    COMB = 1
    ASCII = 2


def waveform_rows(columns: int, rows: int, glyphs: Glyphs, *, known: bool) -> int:
    """The rows of a waveform on a screen of this size: many if the waveform is `known`, otherwise two from 100 x 40
    cells on."""
    if known and columns >= _LEAST_COLUMNS and rows >= _LEAST_ROWS:
        return min(_MOST, _LARGE + (rows - _LEAST_ROWS) // 4)
    return _LOW if glyphs.rare and columns >= _LOW_COLUMNS and rows >= _LOW_ROWS else 0


def waveform(width: int, rows: int, wave: Waveform | None, track: Track, glyphs: Glyphs) -> tuple[Line, ...]:
    """`rows` lines of `width` cells, aligned with the seek bar of the same width, in the roles wave-played and wave.

    Unknown parts are a dotted line. With three rows or more, there are also gaps between chapters, and the roles
    position, bookmark and pointed. () without a duration, and in ASCII with fewer than three rows.
    """
    large = rows >= _LARGE
    if not track.duration_ms or width <= 0 or not (glyphs.rare or large):
        return ()
    form = _Form.ASCII if not glyphs.rare else _Form.COMB if large and track.knob else _Form.COLOUR
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
    """A line of the characters of `played` up to the cell `at`, and of `rest` from there on, with the marks in their
    cells."""
    pieces: list[Run] = []
    start = 0
    for cell in [*sorted(marks), len(rest)]:
        pieces += [Run(played[start : min(at, cell)], "wave-played"), Run(rest[max(at, start) : cell], "wave")]
        if cell in marks:
            pieces.append(Run(*marks[cell]))
        start = cell + 1
    return tuple(piece for piece in pieces if piece.text)


def _blank(width: int, track: Track, form: _Form) -> tuple[int, ...]:
    """The columns of dots between chapters, where the seek bar has its gaps."""
    if form is _Form.COLOUR:
        return tuple(sorted(one - 1 for one in gaps(width, 2 * width, track)))
    cells = sorted(gaps(width, width, track))
    return tuple(cells) if form is _Form.ASCII else tuple(part for one in cells for part in (2 * one, 2 * one + 1))


@lru_cache(8)
def _drawn(
    wave: Waveform, width: int, rows: int, duration_ms: int, blank: tuple[int, ...], form: _Form
) -> tuple[tuple[str, str], ...]:
    """Each line in two versions: as its played and its unplayed part look."""
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
    """The Braille character for two columns of these heights in dots, of which `below` dots are in the rows beneath
    it."""
    if left <= 0 and right <= 0:
        return " " if below or _GAP in (left, right) else _DOT
    dots = sum(_LEFT[: max(0, left - below)]) + sum(_RIGHT[: max(0, right - below)])
    return chr(_BRAILLE + dots) if dots else " "


def _character(height: int, below: int, full: str) -> str:
    """The ASCII character for a column of this height in dots."""
    if height <= 0:
        return " " if below or height == _GAP else "."
    return " " if height <= below else "." if height - below <= _DOTS // 2 else full


def _heights(wave: Waveform, columns: int, highest: int, duration_ms: int) -> list[int]:
    """The height of each column in dots, 1 to `highest`; 0 where nothing is known."""
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
