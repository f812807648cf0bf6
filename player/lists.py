"""What a listener makes of lists: how each is shown."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

from player.library import Library
from player.model.filters import View, ViewSettings

T = TypeVar("T")


class Writes(Protocol):
    """Runs work on the thread that writes, and notifies the listener when it fails."""

    def __call__(self, work: Callable[[], T]) -> Future[T]: ...


class Lists:
    """Every command returns at once; what it changed is on the disk when its future is done."""

    def __init__(self, library: Library, write: Writes) -> None:
        self._library = library
        self._write = write

    def continue_in_turn(self, view: View) -> Future[bool | None]:
        """Whether the list plays on by itself once the queue is empty: not at all (None), its oldest first (False), or
        its newest (True); each time the next of these."""

        def work() -> bool | None:
            newest_first = {None: False, False: True, True: None}[self._library.continued.newest_first(view)]
            self._library.continued.set(view, newest_first)
            return newest_first

        return self._write(work)

    def set_view_settings(self, view: str, settings: ViewSettings) -> Future[None]:
        """`view` is a view's key."""
        return self._write(lambda: self._library.view_settings.set(view, settings))
