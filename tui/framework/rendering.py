"""Textual's styles, compositor and line filters in less time, so that drawing costs only as much as what has
changed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Self

from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, Compositor, CompositorUpdate, LayoutUpdate
from textual.app import App, ReturnType
from textual.color import Color
from textual.css.model import RuleSet
from textual.css.styles import RenderStyles
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.filter import LineFilter
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.theme import Theme
from textual.widget import Widget

_KEPT_CUTS = 512
"""How many pieces of text that were cut lately are remembered, each with its two halves.

Rich remembers 16,384 of those that have a wide character, a combining one or only a curly quotation mark. At 2 to 3 kB
each that is 40 MB, some of it for lines that were last drawn hours ago.
"""
_segment: Any = Segment
_segment._split_cells = classmethod(lru_cache(_KEPT_CUTS)(_segment._split_cells.__func__.__wrapped__))  # type: ignore[arg-type]

RuleSet.__hash__ = object.__hash__  # type: ignore[method-assign]  # the same hash, computed in C


class _ComponentStyles(dict[str, RenderStyles]):
    """The component styles of `node` that have been requested, by component class."""

    def __init__(self, sheet: "ComponentsOnDemand", node: DOMNode) -> None:
        super().__init__()
        self._sheet, self._node = sheet, node

    def __contains__(self, name: object) -> bool:
        return name in self._node._get_component_classes()

    def __missing__(self, name: str) -> RenderStyles:
        if name not in self:
            raise KeyError(name)
        styles = self[name] = self._sheet.component_of(self._node, name)
        return styles


class ComponentsOnDemand(Stylesheet):
    """A style sheet for `App.stylesheet` with the same results as Textual's, which computes component styles only when
    they are requested."""

    def component_of(self, node: DOMNode, name: str) -> RenderStyles:
        part = DOMNode(classes=name)
        part._attach(node)
        self.apply(part, animate=False)
        return part.styles

    def _process_component_classes(self, node: DOMNode) -> None:
        known = node._component_styles
        if isinstance(known, _ComponentStyles):
            before = dict(known)
            known.update((name, self.component_of(node, name)) for name in before)
            if known != before:
                node.refresh()
        elif node._get_component_classes():
            node._component_styles = _ComponentStyles(self, node)


class RowCompositor(Compositor):
    """Renders only the rows that are drawn, and no widget outside of them.

    For an update, Textual takes the smallest region around everything that has changed, and renders all lines of each
    widget whose container overlaps it: for one line of the player bar in 120 x 40 cells, 200 lines of 8 widgets.
    """

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        screen = self.size.region
        rows = screen if crop is None else Region(0, crop.y, screen.width, crop.height)
        for widget, (region, clip) in self.visible_widgets.items():
            drawn = clip.intersection(rows)
            seen = region.intersection(drawn)
            if seen.width and seen.height:
                yield region, drawn, widget.render_lines(seen.translate(-region.offset))

    def _render_chops(self, crop: Region, is_rendered_line: Callable[[int], bool]) -> Sequence[Mapping[int, Strip]]:
        chops: list[Mapping[int, Strip]] = []
        for start, end in runs([y for y in crop.line_range if is_rendered_line(y)]):
            part = super()._render_chops(Region(crop.x, start, crop.width, end - start), is_rendered_line)
            if not chops:
                chops = list(part)
            else:
                chops[start:end] = part[start:end]
        return chops or super()._render_chops(crop, is_rendered_line)


def runs(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Sorted rows as ranges (from, to) of consecutive rows; `to` isn't included."""
    found: list[tuple[int, int]] = []
    for y in rows:
        if found and found[-1][1] == y:
            found[-1] = (found[-1][0], y + 1)
        else:
            found.append((y, y + 1))
    return found


class TextFilter(LineFilter):
    """A filter that changes text. It mustn't be applied twice, as Textual does with text that shows through behind a
    dialog."""


class LineFilters(LineFilter):
    """Several filters as one. Lines cache the result of a filter object, so the same filters should be combined only
    once."""

    def __init__(self, filters: Iterable[LineFilter] = ()) -> None:
        super().__init__()
        self.filters = tuple(filters)

    def of(self, filters: Iterable[LineFilter]) -> Self:
        """This object if it combines the same filters; otherwise a new one."""
        wanted = tuple(filters)
        return self if wanted == self.filters else type(self)(wanted)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        for one in self.filters:
            segments = one.apply(segments, background)
        return segments


def each_of(filters: Iterable[LineFilter]) -> Iterator[LineFilter]:
    """The single filters, in order, of which `LineFilters` are made."""
    for one in filters:
        if isinstance(one, LineFilters):
            yield from each_of(one.filters)
        else:
            yield one


class FiltersAtOnce(App[ReturnType]):
    """An app that applies its filters as one, and doesn't copy its list of themes for each line."""

    _at_once = LineFilters()

    def get_line_filters(self) -> Sequence[LineFilter]:
        self._at_once = self._at_once.of(super().get_line_filters())
        return (self._at_once,) if self._at_once.filters else ()

    @property
    def available_themes(self) -> dict[str, Theme]:
        return self._registered_themes


class LineView(ScrollView):
    """Set `virtual_size` to the number of lines, draw each in `render_line`, and put `overflow-y: scroll` in the CSS.

    Textual would lay the whole screen out again whenever the number of lines changes, 10 ms; here, only the scrollbar
    is updated. Textual would also pass each line through border, padding, outline, tint and opacity again; here, the
    result is cached with the line, and scrolling a list costs 1.8 ms instead of 2.9.
    """

    virtual_size = Reactive(Size(0, 0))

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._finished: dict[int, Strip] = {}
        self._finished_for = Size(0, 0)

    def watch_virtual_size(self, size: Size) -> None:
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.window_virtual_size = size.height
        self.scroll_y = self.validate_scroll_y(self.scroll_y)
        if self.styles.auto_dimensions:
            self.refresh(layout=True)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of the widget with its padding. Called by Textual."""
        if self.styles.gutter != self.styles.padding:
            return super().render_lines(crop)
        if self.outer_size != self._finished_for:
            self._finished.clear()
            self._finished_for = self.outer_size
        missing = [y for y in crop.line_range if y not in self._finished]
        if missing:
            self._finish(missing)
        strips = [self._finished[y] for y in crop.line_range]
        left, right = crop.column_span
        return strips if (left, right) == (0, self.outer_size.width) else [strip.crop(left, right) for strip in strips]

    def _finish(self, lines: list[int]) -> None:
        padding, (width, height), ground = self.styles.padding, self.size, Style(bgcolor=self.rich_style.bgcolor)
        background, filters = self.background_colors[1], self.get_line_filters()
        before, after = ([Segment(" " * cells, ground)] if cells else [] for cells in (padding.left, padding.right))
        blank = Strip.blank(width + padding.width, ground)
        for y in lines:
            row, strip = y - padding.top, blank
            if 0 <= row < height:
                strip = self.render_line(row).adjust_cell_length(width, ground)
                if padding.width:
                    strip = Strip([*before, *strip, *after], width + padding.width)
            for line_filter in filters:
                strip = strip.apply_filter(line_filter, background)
            self._finished[y] = strip

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        if repaint:
            self._forget(regions)
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def _forget(self, regions: tuple[Region, ...]) -> None:
        """Drops the cached lines in these regions; without regions, all of them."""
        if not regions:
            self._finished.clear()
        for region in regions:
            for row in region.line_range:
                self._finished.pop(row + self.styles.padding.top, None)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._finished.clear()


def seen_rows(screen: Screen[object], widget: Widget, part: Region) -> tuple[int, int, range]:
    """Where a part of a widget is on the screen: the column and row of its first cell, and its visible rows, counted
    from 0. A row is visible if it is in sight from end to end with nothing over it; only the first consecutive visible
    rows count.

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
    """Whether an update writes into any of the `cells`."""
    if isinstance(update, LayoutUpdate):
        return update.region.overlaps(cells)
    if not isinstance(update, ChopsUpdate):
        return True
    rows, (left, right) = cells.line_range, cells.column_span
    return any(y in rows and start < right and end > left for y, start, end in update.spans)


def writes_all_of(update: CompositorUpdate, line: Region) -> bool:
    """Whether an update writes all cells of `line`, which is one row high."""
    if not isinstance(update, ChopsUpdate):
        return not isinstance(update, LayoutUpdate) or update.region.contains_region(line)
    left, right = line.column_span
    return any(y == line.y and start <= left and right <= end for y, start, end in update.spans)


def without(update: ChopsUpdate, lines: Iterable[Region]) -> ChopsUpdate:
    """The update without the cells of `lines`, each of which is one row high."""
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
    """An app whose `complete` may change every update of a screen before it is written, or leave nothing of it
    (None)."""

    complete: Callable[[Screen[Any], CompositorUpdate], CompositorUpdate | None]
    complete = staticmethod(lambda _screen, update: update)

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        if isinstance(renderable, CompositorUpdate) and not self._batch_count:  # Textual drops it then
            renderable = self.complete(screen, renderable)
        super()._display(screen, renderable)
