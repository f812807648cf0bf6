"""Lays out tables: in columns if they fit, otherwise as records of labels and values."""

import re
from collections.abc import Sequence

from player.notes.blocks import Spans, Table, text_of

GAP = 2
"""Cells between two columns."""

_LEAST = 8
"""Fewest cells of a narrowed column that is still readable."""

_TIME = re.compile(r"[(\[]?(?:\d{1,2}:)?\d{1,2}:[0-5]\d[)\]]?")
_NUMBER = re.compile(r"[-+−~≈<>]?\s?[$€£¥]?\s?\d[\d.,'’ ]*\s?(?:%|[a-zA-Zµ°$€£¥]{1,3})?|[-–—]|n/?a", re.IGNORECASE)


def tells_times(table: Table) -> bool:
    """Whether it is a list of chapters: a time, and a title beside it."""
    rows = table.rows[1:] if table.head else table.rows
    return len(table.rows[0]) == 2 and all(_TIME.fullmatch(text_of(row[0]).strip()) for row in rows)


def is_of_numbers(column: Sequence[str]) -> bool:
    """Whether what stands in a column below its head is best aligned at the right."""
    texts = [text.strip() for text in column if text.strip()]
    return bool(texts) and all(_NUMBER.fullmatch(text) for text in texts)


def column_widths(natural: Sequence[int], room: int) -> list[int] | None:
    """Cells for each column, whose widest lines are `natural`; None where they don't fit into `room`.

    The widest give way first, as far as the text in them can still be read.
    """
    room -= GAP * (len(natural) - 1)
    if sum(natural) <= room:
        return list(natural)
    widths = [0] * len(natural)
    left = room
    order = sorted(range(len(natural)), key=natural.__getitem__)
    for done, column in enumerate(order):
        widths[column] = min(natural[column], left // (len(order) - done))
        left -= widths[column]
    fits = all(
        given >= min(wanted, 2 * _LEAST if wanted > 3 * _LEAST else _LEAST)
        for given, wanted in zip(widths, natural, strict=True)
    )
    return widths if fits else None


def records(table: Table) -> list[list[tuple[Spans, Spans]]]:
    """Its rows as labels and values, without empty ones. Where nothing says what the columns are, labels are empty."""
    labels: Sequence[Spans] = table.rows[0] if table.head else [()] * len(table.rows[0])
    rows = table.rows[1:] if table.head else table.rows
    return [[(label, cell) for label, cell in zip(labels, row, strict=True) if text_of(cell).strip()] for row in rows]
