"""Drawing a part of the screen costs what that part does: Textual renders all lines of nearly every widget for it."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from textual._compositor import Compositor
from textual.geometry import Region
from textual.strip import Strip


class RowCompositor(Compositor):
    """Asks each widget for the rows that are drawn, and widgets that have none of them for nothing.

    For an update Textual takes the smallest region around all that has changed, and renders all lines of each widget
    whose container overlaps it: for one line of the player bar in 120 x 40 cells, 200 lines of 8 widgets.
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
    """Rows in order, as ranges (from, to) without a gap."""
    found: list[tuple[int, int]] = []
    for y in rows:
        if found and found[-1][1] == y:
            found[-1] = (found[-1][0], y + 1)
        else:
            found.append((y, y + 1))
    return found
