"""Repairs a damaged library off the screen's thread: the disk may be slow, or hang."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from player.errors import DamagedLibrary
from player.library.database.backups import Backup, Cancelled, FoundBackup
from player.library.library import Library
from player.paths import Paths
from player.processes.threads import DaemonThreads

_THREADS = 2
"""Starting afresh doesn't wait until every backup has been checked."""


def damage_of(paths: Paths, seconds: float = 10.0) -> DamagedLibrary | None:
    """The damage that may have caused an unexpected error; None if the library is intact, or can't be read.

    Checks for at most `seconds`; what was found is remembered for the next start.
    """
    end = time.monotonic() + seconds
    library = Library(paths, backs_up=False)
    try:
        library.open()
        library.check(lambda: time.monotonic() > end)
    except DamagedLibrary as error:
        return error
    except Exception:  # noqa: BLE001 - the caller already has an error to report
        return None
    finally:
        library.close()
    return None


class Repair:
    """Every method returns at once. The futures raise LibraryError, what `reopen` raises, or Cancelled after `give_up`.

    The damaged file is set aside, never removed.
    """

    def __init__(self, library: Library, reopen: Callable[[], None]) -> None:
        """`reopen` opens the library once it has been restored or set aside."""
        self._library = library
        self._reopen = reopen
        self._threads = DaemonThreads(_THREADS, "earmark-repair")
        self._given_up = threading.Event()

    def backups(self) -> Future[list[FoundBackup]]:
        """The intact backups with their contents; the first is the one to restore."""
        return self._threads.submit(self._library.backups)

    def restore(self, backup: Backup) -> Future[None]:
        """Replaces the damaged library by a copy of `backup`, and opens it."""

        def work() -> None:
            self._library.restore(backup, make_way=self._set_aside)
            self._open()

        return self._threads.submit(work)

    def start_fresh(self) -> Future[None]:
        """Sets the damaged library aside, and creates a new one."""

        def work() -> None:
            self._set_aside()
            self._open()

        return self._threads.submit(work)

    def give_up(self) -> None:
        """Earmark is quitting: nothing new is started from now on.

        A copy that is being made ends with the process; the damaged library stays where it is.
        """
        self._given_up.set()

    def _set_aside(self) -> None:
        if self._given_up.is_set():
            raise Cancelled
        self._library.set_aside()

    def _open(self) -> None:
        if self._given_up.is_set():
            raise Cancelled
        self._reopen()
