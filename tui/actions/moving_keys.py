"""The keys that move, for every screen in which something can be moved through."""

from typing import Protocol

_FAR = 2**31


class Movable(Protocol):
    """A list with a cursor, or a page that scrolls."""

    def move_by(self, rows: int) -> object: ...

    def move_by_pages(self, pages: float) -> object: ...

    def move_to(self, row: int, /) -> object: ...


class MovingKeys:
    """For a screen: `moving` is what has the focus."""

    def moving(self) -> Movable:
        raise NotImplementedError

    def action_down(self) -> None:
        self.moving().move_by(1)

    def action_up(self) -> None:
        self.moving().move_by(-1)

    def action_half_page_down(self) -> None:
        self.moving().move_by_pages(0.5)

    def action_half_page_up(self) -> None:
        self.moving().move_by_pages(-0.5)

    def action_page_down(self) -> None:
        self.moving().move_by_pages(1)

    def action_page_up(self) -> None:
        self.moving().move_by_pages(-1)

    def action_first(self) -> None:
        self.moving().move_to(0)

    def action_last(self) -> None:
        self.moving().move_to(_FAR)
