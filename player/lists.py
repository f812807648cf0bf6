"""What a listener makes of lists: how each is shown."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

from player.library import Library
from player.model.filters import ViewSettings

T = TypeVar("T")


class Writes(Protocol):
    """Runs work on the thread that writes, and notifies the listener when it fails."""

    def __call__(self, work: Callable[[], T]) -> Future[T]: ...


class Lists:
    """Every command returns at once; what it changed is on the disk when its future is done."""

    def __init__(self, library: Library, write: Writes) -> None:
        self._library = library
        self._write = write

    def set_view_settings(self, view: str, settings: ViewSettings) -> Future[None]:
        """`view` is a view's key."""
        return self._write(lambda: self._library.view_settings.set(view, settings))
