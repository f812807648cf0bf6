"""The keys that move, for every screen in which something can be moved through."""

from collections.abc import Callable
from typing import Protocol

_FAR = 2**31


class Movable(Protocol):
    """A list with a cursor, or a page that scrolls."""

    def move_by(self, rows: int) -> object: ...

    def move_by_pages(self, pages: float) -> object: ...

    def move_to(self, row: int, /) -> object: ...


class MovingKeys:
    """`moving` is what has the focus."""

    def __init__(self, moving: Callable[[], Movable]) -> None:
        self._moving = moving

    def down(self) -> None:
        self._moving().move_by(1)

    def up(self) -> None:
        self._moving().move_by(-1)

    def half_page_down(self) -> None:
        self._moving().move_by_pages(0.5)

    def half_page_up(self) -> None:
        self._moving().move_by_pages(-0.5)

    def page_down(self) -> None:
        self._moving().move_by_pages(1)

    def page_up(self) -> None:
        self._moving().move_by_pages(-1)

    def first(self) -> None:
        self._moving().move_to(0)

    def last(self) -> None:
        self._moving().move_to(_FAR)
