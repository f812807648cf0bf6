"""Parses and lays out notes: the first screenful between two frames, the rest in a thread that yields to others."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import chain
from time import sleep

from msgspec import Struct

from player.model.episode import Episode
from player.notes import Block, Code, Notes, beginning, parsed, read_notes
from tui.drawing.notes.code import tints_are_loaded
from tui.drawing.notes.page import body_in_parts
from tui.drawing.runs import Line
from tui.framework.gc_tuning import many_that_stay
from tui.look.glyphs import Glyphs

_AT_ONCE = 5_000
"""Characters of notes that are parsed and laid out between two frames, in 10 ms: more than fit on a screen."""

_REST_S = 0.001
"""The thread sleeps this long after each step of a few ms, so that a key never waits for more than one step."""

_MANY = 100_000
_STEPS_FIRST = 10
_FIRST_LINES = 1_000


class Request(Struct, frozen=True):
    """What the page consists of, and how many columns of text it has."""

    episode: Episode
    notes: str
    columns: int
    glyphs: Glyphs


def begin(request: Request) -> tuple[list[Line], bool]:
    """The first lines, and whether they are all there are."""
    blocks, whole = _first_blocks(request.notes)
    tinted = tints_are_loaded()
    parts = _drawn(request, blocks, whole=whole, tinted=tinted)
    ready = tinted or not any(isinstance(block, Code) for block in blocks)
    return list(chain.from_iterable(parts)), whole and ready


def _first_blocks(text: str) -> tuple[Sequence[Block], bool]:
    """Of long notes, as much as a thread has parsed already, but no more than is laid out at once."""
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
    """The lines so far, more each time, and whether they are all. Ends early if the episode isn't `still_shown`."""
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
