"""The seek bar as text: what was played, what is cached, chapters, bookmarks, the position. Pure; times in ms.

It is drawn in halves of cells: heavy lines that end in the middle of one. Played parts, and what is cached, are heavy;
what is missing is thin. Between two chapters half a cell is blank, and so is the half after what was played.
"""

from collections.abc import Sequence

from msgspec import Struct

from tui.drawing.runs import Line, Run
from tui.look.glyphs import Glyphs

_LEAST_BAR = 20
"""Cells of a bar that has gaps between chapters."""
_LEAST_CHAPTER = 3
"""Cells per chapter. Gaps that are closer can't be told apart, and hide what was played and what is cached."""

Shares = Sequence[tuple[float, float]]


class Track(Struct, frozen=True):
    """What a seek bar shows. `duration_ms` is None, or 0, if it isn't known.

    `cached` are shares of the file, 0 to 1; `chapters` where chapters start, in order; `bookmarks` their positions.
    `pointed_ms` is the position under the mouse. `knob`: a glyph marks the position, and gaps are whole cells. It is
    needed where colour shows nothing.
    """

    position_ms: int = 0
    duration_ms: int | None = None
    cached: Shares = ()
    chapters: Sequence[int] = ()
    bookmarks: Sequence[int] = ()
    pointed_ms: int | None = None
    knob: bool = False


def seek_bar(width: int, track: Track, glyphs: Glyphs) -> Line:
    """A bar of `width` cells, in the roles played, earlier, here, cached, missing, position, pointed and bookmark.

    `earlier` are the chapters before the current one, `here` the rest of the current one. Without a duration the bar is
    empty. Something is always in the role `played` or `position`, or it is the glyph of a bookmark at the position.
    """
    if width <= 0:
        return ()
    if not track.duration_ms:
        return (Run(glyphs.line_thin * width, "missing"),)
    knob = track.knob or not glyphs.line_left
    cells = _whole_cells(width, track, glyphs) if knob else _half_cells(width, track, glyphs)
    for bookmark in track.bookmarks:
        cells[cell_of(bookmark, track.duration_ms, width)] = (glyphs.bookmark, "bookmark")
    at = position_cell(width, track, glyphs)
    if cells[at][1] == "bookmark":
        cells[at] = (glyphs.position_bookmark, "position")
    elif knob:
        cells[at] = (glyphs.position, "position")
    if track.pointed_ms is not None:
        cells[cell_of(track.pointed_ms, track.duration_ms, width)] = (glyphs.pointer, "pointed")
    return joined(cells)


def joined(cells: Sequence[tuple[str, str]]) -> Line:
    """Cells, each a glyph and its role, as runs."""
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
    """The position, in ms, that a click on a cell means; beyond an end it is that end."""
    if width <= 1:
        return 0
    return round(min(1.0, max(0.0, cell / (width - 1))) * duration_ms)


def played_share(track: Track) -> float:
    """How much of the episode is behind the position, 0 to 1."""
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
    """A cell whose halves have these roles; "" is blank. Of two heavy halves, the left one gives the colour, but
    for the last half that was played."""
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
    """The role of each of `parts` equal parts of the bar, the first `played` of which were played."""
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
    """Start and end of the chapter at the position."""
    assert track.duration_ms
    start = max((one for one in track.chapters if 0 <= one <= track.position_ms), default=0)
    end = min((one for one in track.chapters if 0 <= track.position_ms < one), default=track.duration_ms)
    return min(start, track.duration_ms), min(end, track.duration_ms)


def _played_halves(width: int, track: Track) -> int:
    """How many half cells were played; one at least, so that there is a position."""
    return max(1, int(played_share(track) * 2 * width + 0.5))


def gaps(width: int, parts: int, track: Track) -> set[int]:
    """In which of `parts` equal parts of the bar, cells or halves of them, chapters start.

    None if the gaps would be too close together. Of halves, the one before it is blank.
    """
    assert track.duration_ms
    starts = {int(one / track.duration_ms * parts + 0.5) for one in track.chapters if 0 < one < track.duration_ms}
    starts = {one for one in starts if 1 < one < parts}
    enough = width >= _LEAST_BAR and width >= _LEAST_CHAPTER * (len(starts) + 1)
    return starts if enough else set()
