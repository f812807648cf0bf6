"""Reads the library for the controllers of a screen, off its thread."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from player.errors import LibraryError
from player.processes.threads import DaemonThreads
from tui.controllers.ui import Ui

T = TypeVar("T")


class LibraryReader:
    """Reads on a single thread, in the order of requests."""

    def __init__(self, ui: Ui) -> None:
        self._ui = ui
        self._thread = DaemonThreads(1, "earmark-read")

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def read(self, reading: Callable[[], T]) -> T | None:
        """The result of `reading`; None if the library can't be read, which the listener is notified of."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, reading)
        except LibraryError as error:
            self._ui.notify(str(error), severity="error", markup=False)
            return None
