"""The keys that move, for every screen in which something can be moved through."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

_FAR = 2**31


class Movable(Protocol):
    """A list with a cursor, or a page that scrolls."""

    def move_by(self, rows: int) -> object: ...

    def move_by_pages(self, pages: float) -> object: ...

    def move_to(self, row: int, /) -> object: ...


@runtime_checkable
class HasRows(Protocol):
    """A list with a cursor that knows which of its rows are on the screen."""

    def move_on_screen(self, share: float) -> object: ...

    def center(self) -> object: ...


class MovingKeys:
    """`moving` is what has the focus. `count` is what was typed before the key, if anything was."""

    def __init__(self, moving: Callable[[], Movable]) -> None:
        self._moving = moving
        self.count: int | None = None

    def down(self) -> None:
        self._moving().move_by(self.count or 1)

    def up(self) -> None:
        self._moving().move_by(-(self.count or 1))

    def half_page_down(self) -> None:
        self._moving().move_by_pages(0.5 * (self.count or 1))

    def half_page_up(self) -> None:
        self._moving().move_by_pages(-0.5 * (self.count or 1))

    def page_down(self) -> None:
        self._moving().move_by_pages(self.count or 1)

    def page_up(self) -> None:
        self._moving().move_by_pages(-(self.count or 1))

    def first(self) -> None:
        self._moving().move_to((self.count or 1) - 1)

    def last(self) -> None:
        self._moving().move_to(self.count - 1 if self.count else _FAR)

    def screen_top(self) -> None:
        self._move_on_screen(0.0)

    def screen_middle(self) -> None:
        self._move_on_screen(0.5)

    def screen_bottom(self) -> None:
        self._move_on_screen(1.0)

    def center(self) -> None:
        if isinstance(moving := self._moving(), HasRows):
            moving.center()

    def _move_on_screen(self, share: float) -> None:
        if isinstance(moving := self._moving(), HasRows):
            moving.move_on_screen(share)
