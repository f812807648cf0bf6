"""Show notes as a page of a comfortable width: laid out off the screen's thread, the first screenful first."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import chain
from time import sleep

from msgspec import Struct

from player.model.episode import Episode
from player.model.podcast import is_foreign
from player.notes import Block, Code, Notes, beginning, parsed, read_notes
from player.text.sentences import _
from tui.drawing.cells import steady, width
from tui.drawing.labels import full_date, live_words
from tui.drawing.notes.draw import Drawing, tints_are_loaded
from tui.drawing.notes.notes_rows import Links, Row, apart, lead_cells, rows_of
from tui.drawing.runs import Line, Run, wrap
from tui.framework.gc_tuning import many_that_stay
from tui.look.glyphs import Glyphs

COMFORTABLE = 76
"""The most cells of text in a line: after longer lines it is hard to find the beginning of the next."""

_LINES_OF_A_PART = 100
_ROWS_OF_A_PART = 200


def head(episode: Episode, columns: int, glyphs: Glyphs) -> list[Line]:
    """The title, and a muted line of facts: podcast, date, duration, download; two lines if they don't fit in one. The
    built-in episodes say that they are in English, if the screen isn't."""
    dot = f" {glyphs.dot} "
    podcast = steady(episode.podcast)
    here = _("downloaded") if episode.downloaded else ""
    date = live_words(episode) or (full_date(episode.published) if episode.published else "")
    english = _("in English") if is_foreign(episode.url) else ""
    when = dot.join(filter(None, (date, _length(episode.duration_ms), here, english)))
    facts = dot.join(filter(None, (podcast, when)))
    fact_lines = [facts] if width(facts) <= columns else [podcast, when]
    return [
        *wrap([Run(steady(episode.title), "title")], columns),
        *(line for text in fact_lines if text for line in wrap([Run(text, "muted")], columns)),
    ]


def body(
    notes: Notes, columns: int, glyphs: Glyphs, duration_ms: int | None = None, *, numbered: bool = True
) -> list[Line]:
    """The notes in lines of at most `columns` cells. Only times within `duration_ms` link to a position. Unless
    `numbered`, links have no numbers and aren't collected."""
    parts = body_in_parts(notes, columns, glyphs, duration_ms, whole=numbered, numbered=numbered)
    return [line for part in parts for line in part]


def body_in_parts(
    notes: Notes,
    columns: int,
    glyphs: Glyphs,
    duration_ms: int | None = None,
    *,
    whole: bool = True,
    tinted: bool = True,
    numbered: bool = True,
) -> Iterator[list[Line]]:
    """As `body`, in parts that take a few ms each; the first ones may be empty. Notes that aren't `whole` are continued
    later, so their links aren't collected."""
    rows: list[Row] = []
    for row in rows_of(notes.blocks, duration_ms):
        rows.append(row)
        if len(rows) % _ROWS_OF_A_PART == 0:
            yield []
    links = Links(notes, rows)
    if whole:
        rows = links.collected(rows)
    cells = lead_cells(rows, links.numbers)
    drawing = Drawing(glyphs, links, duration_ms, tinted, numbered)
    lines: list[Line] = []
    for index, row in enumerate(rows):
        if index and apart(rows[index - 1], row):
            lines.append(drawing.between(rows[index - 1], row))
        lines += drawing.lines(row, columns, cells[index])
        if len(lines) > _LINES_OF_A_PART:
            yield lines
            lines = []
    yield lines


def _length(duration_ms: int | None) -> str:
    """A duration as `49 s`, `24 min` or `1 h 5 min`."""
    if not duration_ms:
        return ""
    seconds = (duration_ms + 500) // 1000
    if seconds < 60:
        return _("{seconds} s", seconds=seconds)
    minutes = (seconds + 30) // 60
    if minutes < 60:
        return _("{minutes} min", minutes=minutes)
    hours, rest = divmod(minutes, 60)
    return _("{hours:,} h {minutes} min", hours=hours, minutes=rest) if rest else _("{hours:,} h", hours=hours)


_AT_ONCE = 5_000
"""The most characters of notes that are parsed and laid out between two frames, in 10 ms: more than fit on a screen."""

_REST_S = 0.001
"""The thread sleeps this long after each step of a few ms, so that a key never waits for more than one step."""

_MANY = 100_000
_STEPS_FIRST = 10
_FIRST_LINES = 1_000


class Request(Struct, frozen=True):
    """The contents of a page, and its columns of text."""

    episode: Episode
    notes: str
    columns: int
    glyphs: Glyphs


def begin(request: Request) -> tuple[list[Line], bool]:
    """The first lines, and whether they are all."""
    blocks, whole = _first_blocks(request.notes)
    tinted = tints_are_loaded()
    parts = _drawn(request, blocks, whole=whole, tinted=tinted)
    ready = tinted or not any(isinstance(block, Code) for block in blocks)
    return list(chain.from_iterable(parts)), whole and ready


def _first_blocks(text: str) -> tuple[Sequence[Block], bool]:
    """The first blocks, and whether they are all. Of long notes, the blocks that a thread has parsed already, but no
    more than are laid out at once."""
    notes = parsed(text)
    if len(text) <= _AT_ONCE:
        return notes.whole().blocks, True
    room = _AT_ONCE
    first: list[Block] = []
    for block in notes.so_far:
        room -= sum(len(span.text) for span in block.spans)
        if room < 0:
            break
        first.append(block)
    return first or read_notes(beginning(text, _AT_ONCE)).blocks, False


def read_on(request: Request, still_shown: Callable[[], bool]) -> Iterator[tuple[list[Line], bool]]:
    """Yields the lines so far, more each time, and whether they are all. Ends early if the page isn't `still_shown`."""
    with many_that_stay() if len(request.notes) > _MANY else nullcontext():
        yield from _all(request, still_shown)


def _all(request: Request, still_shown: Callable[[], bool]) -> Iterator[tuple[list[Line], bool]]:
    notes = parsed(request.notes)
    steps = 0
    while notes.advance():
        steps += 1
        if not still_shown():
            return
        if steps == _STEPS_FIRST:
            yield list(chain.from_iterable(_drawn(request, notes.so_far, whole=False))), False
    lines: list[Line] = []
    shown = _FIRST_LINES
    for drawn in _drawn(request, notes.whole().blocks, whole=True):
        lines += drawn
        sleep(_REST_S)
        if not still_shown():
            return
        if len(lines) > 2 * shown:
            shown = len(lines)
            yield list(lines), False
    yield lines, True


def _drawn(request: Request, blocks: Sequence[Block], *, whole: bool, tinted: bool = True) -> Iterator[list[Line]]:
    notes = Notes(tuple(blocks))
    return body_in_parts(
        notes, request.columns, request.glyphs, request.episode.duration_ms, whole=whole, tinted=tinted
    )
