"""The second line of a row: a podcast in its hue, what there is to say, and at its right end marks or a bar."""

from collections.abc import Iterable, Sequence

from rich.segment import Segment
from rich.style import Style

from tui.drawing import cells
from tui.look.glyphs import Glyphs
from tui.look.hues import hue_of
from tui.widgets.rows.own_rows import Ink

MARKS_FROM = 24
"""Rows at least this wide have marks."""
_LEAST_PODCAST = 12
"""Cells that the podcast's name has before anything else is shown."""


def lower_line(
    podcast: str,
    facts: Sequence[str],
    width: int,
    glyphs: Glyphs,
    ink: Ink,
    *,
    feed_url: str = "",
    tail: Iterable[tuple[str, Style]] = (),
    role: str = "muted",
) -> list[Segment]:
    """Exactly `width` cells. For want of room the last of the `facts` are left out. `feed_url` has the hue; "": none.
    `tail` stands at the right end and isn't cut."""
    end = [Segment(text, style) for text, style in tail]
    room = max(0, width - 4 - sum(one.cell_length for one in end))
    said = [one for one in facts if one]
    while said and room - _cells(said, glyphs) < min(_LEAST_PODCAST, cells.width(podcast)):
        said.pop()
    rest = "".join(f" {glyphs.dot} {one}" for one in said)
    name = cells.cut(podcast, room - cells.width(rest), glyphs.ellipsis)
    stripe = Segment(glyphs.hue, ink(f"hue-{hue_of(feed_url)}")) if feed_url else Segment(" ")
    return [
        Segment("  "[: max(0, width)]),
        *([stripe] if width > 2 else []),
        Segment(name + rest, ink(role)),
        Segment(" " * (room - cells.width(name) - cells.width(rest))),
        *end,
        Segment(" " * min(1, max(0, width - 3))),
    ]


def marks_cells(marks: Iterable[tuple[str, str]]) -> int:
    return sum(cells.width(text) for text, _role in marks)


def _cells(facts: Sequence[str], glyphs: Glyphs) -> int:
    return sum(cells.width(one) + cells.width(glyphs.dot) + 2 for one in facts)
