"""What Textual is about to write to the terminal, for what is drawn there without it knowing: where a part of a widget
can be seen, and leaving out cells of an update that look as they should."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App, ReturnType
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget


def seen_rows(screen: Screen[object], widget: Widget, part: Region) -> tuple[int, int, range]:
    """Where a part of a widget is on the screen: the column and row of its first cell, and which of its rows, from 0,
    are in sight from end to end with nothing over them: the first of them that are, up to one that isn't.

    `part` counts from the widget's outer corner, padding included.
    """
    compositor = screen._compositor
    found = compositor.visible_widgets.get(widget)
    if found is None or not part:
        return 0, 0, range(0)
    region, clip = found
    place = part.translate(region.offset)
    inside = region.intersection(clip).intersection(screen.size.region)
    layers = compositor.layers_visible
    first = end = -1
    for row in range(place.height):
        line = Region(place.x, place.y + row, place.width, 1)
        is_seen = inside.contains_region(line) and not _covered(layers[line.y], widget, line)
        if is_seen:
            first, end = (row if first < 0 else first), row + 1
        elif first >= 0:
            break
    return place.x, place.y, range(max(first, 0), max(end, 0))


def _covered(layer: Iterable[tuple[Widget, Region, Region]], widget: Widget, line: Region) -> bool:
    for other, seen, _whole in layer:
        if other is widget:
            return False
        if seen.overlaps(line):
            return True
    return True


def writes_everything(update: CompositorUpdate) -> bool:
    return not isinstance(update, ChopsUpdate)


def writes_in(update: CompositorUpdate, cells: Region) -> bool:
    """Whether an update writes into any of these cells."""
    if isinstance(update, LayoutUpdate):
        return update.region.overlaps(cells)
    if not isinstance(update, ChopsUpdate):
        return True
    rows, (left, right) = cells.line_range, cells.column_span
    return any(y in rows and start < right and end > left for y, start, end in update.spans)


def writes_all_of(update: CompositorUpdate, line: Region) -> bool:
    """Whether an update writes each of these cells; `line` is one line high."""
    if not isinstance(update, ChopsUpdate):
        return not isinstance(update, LayoutUpdate) or update.region.contains_region(line)
    left, right = line.column_span
    return any(y == line.y and start <= left and right <= end for y, start, end in update.spans)


def without(update: ChopsUpdate, lines: Iterable[Region]) -> ChopsUpdate:
    """The update without writing these cells, each region one line high."""
    chops: list[Mapping[int, Strip | None]] = list(update.chops)
    ends = list(update.chop_ends)
    for line in lines:
        chops[line.y], ends[line.y] = _without(chops[line.y], ends[line.y], *line.column_span)
    return ChopsUpdate(chops, update.spans, ends)


def _without(
    chops: Mapping[int, Strip | None], ends: list[int], left: int, right: int
) -> tuple[dict[int, Strip | None], list[int]]:
    made: dict[int, Strip | None] = {}
    made_ends = []
    for end, (start, strip) in zip(ends, chops.items(), strict=False):
        if strip is None or end <= left or start >= right:
            made[start] = strip
            made_ends.append(end)
            continue
        pieces = [(start, min(left, end)), (max(right, start), end)]
        for begin, stop in pieces:
            if begin < stop:
                made[begin] = strip.crop(begin - start, stop - start)
                made_ends.append(stop)
    return made, made_ends


class DrawsOver(App[ReturnType]):
    """An app whose `complete` has the last word on what is written for an update of a screen."""

    complete: Callable[[Screen[Any], CompositorUpdate], CompositorUpdate] = staticmethod(lambda _screen, update: update)

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        if isinstance(renderable, CompositorUpdate):
            renderable = self.complete(screen, renderable)
        super()._display(screen, renderable)
