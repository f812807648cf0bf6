"""Scrollbars in terminals that have no block characters."""

from typing import ClassVar

from textual.scrollbar import ScrollBar, ScrollBarRender


class WholeCells(ScrollBarRender):
    """The bar begins and ends with a cell: Textual draws its ends in eighths of one, as characters."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "]
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "]


def draw_scrollbars(*, ascii_only: bool) -> None:
    """For all scrollbars of this process."""
    ScrollBar.renderer = WholeCells if ascii_only else ScrollBarRender
