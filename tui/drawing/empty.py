"""The words on an empty list or page: a glyph, a sentence, and keys with what they do."""

from collections.abc import Sequence
from functools import lru_cache

from tui.drawing.cells import steady, width
from tui.drawing.runs import Line, Run, width_of, wrap

_WIDEST = 56
_LOW = 7
"""With fewer rows, there is neither a glyph nor a gap."""


@lru_cache(4)
def empty_lines(words: str, glyph: str, columns: int, rows: int) -> tuple[Line, ...]:
    """At most `rows` lines of `columns` cells. The first line of `words` is the sentence. The others are either a key,
    two spaces and what the key does, or further text.

    The roles are `muted`, `text` and `key`. If there is too little room, the glyph, the gaps and then the last keys are
    left out.
    """
    sentence, *others = steady(words).split("\n")
    if not sentence.strip() or columns < 2 or rows < 1:
        return ()
    room = max(2, min(_WIDEST, columns - 2))
    keys = [(key, does.strip()) for key, gap, does in (line.partition("  ") for line in others) if gap]
    more = [line for line in others if "  " not in line and line]
    blocks: list[Sequence[Line]] = [_centred(sentence, "text" if keys or more else "muted", room, columns)]
    if more:
        blocks.append([line for one in more for line in _centred(one, "muted", room, columns)])
    if keys:
        blocks.append(_keys(keys, room, columns))
    if glyph and rows >= _LOW:
        blocks.insert(0, _centred(glyph, "muted", room, columns))
    gap: list[Line] = [()] if rows >= _LOW and sum(map(len, blocks)) + len(blocks) - 1 <= rows else []
    lines: list[Line] = []
    for block in blocks:
        lines += [*(gap if lines else []), *block]
    above = max(0, (rows - len(lines)) // 2) if rows >= _LOW else 0
    return (*([()] * above), *lines)[:rows]


def _centred(text: str, role: str, room: int, columns: int) -> list[Line]:
    lines = wrap([Run(text, role)], room)
    return [(Run(" " * max(0, (columns - width_of(line)) // 2)), *line) for line in lines]


def _keys(keys: Sequence[tuple[str, str]], room: int, columns: int) -> list[Line]:
    """The keys below each other, with what they do in a column."""
    key_cells = max(width(key) for key, _ in keys)
    rows: list[Line] = []
    for key, does in keys:
        for at, line in enumerate(wrap([Run(does, "muted")], max(2, room - key_cells - 2))):
            first = Run(" " * (key_cells - width(key)) + key if at == 0 else " " * key_cells, "key")
            rows.append((first, Run("  "), *line))
    left = Run(" " * max(0, (columns - max(map(width_of, rows))) // 2))
    return [(left, *row) for row in rows]
