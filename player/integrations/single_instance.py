"""Only one Earmark plays from a library at a time: a lock on a file that contains the process's id.

The kernel releases the lock when its process ends, however it ends, so a leftover file means nothing.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from player import regular_file
from player.errors import AlreadyRunning, DiskFull, LibraryError, ReadOnlyLibrary
from player.text.sentences import _

if TYPE_CHECKING:
    import socket

    from player.integrations.handover.arrival import Arrival
    from player.integrations.handover.giver import Giver
    from player.model.episode import Episode, EpisodeId
    from player.model.playback import PlaybackStatus, Role
    from player.offline import OfflineMode
    from player.paths import Paths
    from player.playback.outputs import OutputChoice
    from player.playback.service import PlaybackService

_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}
_FREED_S, _LOOK_S = 0.3, 0.005
"""Seconds that a lock may take to become free, and between two attempts: the kernel closes the files of a killed
process one after the other."""
_FULL = {errno.ENOSPC, errno.EDQUOT}


class InstanceLock:
    """`take` and `release` may be called any number of times, and `release` by two threads at once: by the one that
    opens the library, and by the one that ends Earmark meanwhile."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: int | None = None
        self._shared = False
        """Whether another process holds the lock, too: then releasing it here mustn't free it."""
        self._releasing = threading.Lock()

    def take(self) -> None:
        """Raises AlreadyRunning (naming the process) or LibraryError (the file can't be created); then nothing is
        held."""
        if self._held is not None:
            return
        handle = self._open()
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = _process(os.pread(handle, 32, 0))
            os.close(handle)
            raise AlreadyRunning(
                _("Earmark is already running (PID {pid})", pid=owner) if owner else _("Earmark is already running"),
                _("Control it with: earmark toggle, earmark seek +30, earmark play --detach EPISODE"),
            ) from error
        except OSError as error:
            os.close(handle)
            raise LibraryError(_("Can't lock {file} ({reason})", file=self._path, reason=error.strerror)) from error
        self._held = handle
        self._sign()

    def share(self) -> int | None:
        """The descriptor, for another process: from here on both hold the lock, until `keep` or until one of them
        ends."""
        self._shared = self._held is not None
        return self._held

    def keep(self) -> None:
        """The lock is held only here again: the other process has given up, or has been told to."""
        self._shared = False

    def adopt(self, handle: int) -> None:
        """Holds the lock that another process shares. Raises LibraryError if it is the lock of another file; then
        `handle` is closed."""
        found = os.fstat(handle)
        try:
            expected: tuple[int, int] | None = _inode(self._path.stat())
        except OSError:
            expected = None
        if self._held is not None or _inode(found) != expected:
            os.close(handle)
            raise LibraryError(_("The lock that was handed over isn't the one of this library"))
        os.set_inheritable(handle, False)
        self._held, self._shared = handle, True

    def own(self) -> None:
        """The adopted lock is held only here from now on."""
        self._shared = False
        self._sign()

    def release(self) -> None:
        """Releases the lock; harmless if it isn't held. The file stays: deleting it would race with the next process to
        lock it."""
        with self._releasing:
            held, self._held = self._held, None
            shared, self._shared = self._shared, False
        if held is None:
            return
        if not shared:
            with suppress(OSError):
                os.ftruncate(held, 0)
                fcntl.flock(held, fcntl.LOCK_UN)  # A child between fork and exec may still have it open.
        os.close(held)

    def _sign(self) -> None:
        with suppress(OSError):  # On a full disk the lock holds all the same, only without the process's id.
            if self._held is not None:
                os.ftruncate(self._held, 0)
                os.pwrite(self._held, f"{os.getpid()}\n".encode(), 0)

    def _open(self) -> int:
        try:
            regular_file.private_folder(self._path.parent)
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _unwritable(self._path, error) from error


def holder(path: Path) -> int | None:
    """The process that holds the lock, as far as the file says; None if no process holds it. See `is_held`."""
    if not is_held(path):
        return None
    try:
        return _process(path.read_bytes()[:32])
    except OSError:
        return None


def is_held(path: Path) -> bool:
    """Whether any Earmark holds the lock. A process that tries to take it during the check is refused, so check
    rarely."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def _unwritable(path: Path, error: OSError) -> LibraryError:
    if error.errno in _FULL:
        return DiskFull(
            _("No space left to write {file}", file=path), _("Free some space on that disk, then start again.")
        )
    if error.errno in _READ_ONLY:
        return ReadOnlyLibrary(
            _("{folder} can't be written to", folder=path.parent), _("Earmark saves your positions there.")
        )
    return LibraryError(_("Can't open {file} ({reason})", file=path, reason=error.strerror))


class Claim:
    """The right to play from a library, as `role`: this process has it, or another process hands its sound over."""

    def __init__(self, paths: Paths, role: Role) -> None:
        self.role = role
        self.lock = InstanceLock(paths.lock)
        self.arrival: Arrival | None = None
        """The sound that comes from the Earmark that played before."""
        self.giver: Giver | None = None
        self.word = ""
        """The word that a screen expects from the process that it has started to take over."""
        self.listener: socket.socket | None = None
        """The control socket that came with the sound."""
        self._inherits = False
        """Whether the screen that this process was to take over from ended before it could offer its sound."""
        self._paths = paths

    def make(self) -> None:
        """Takes the lock, or asks the Earmark that holds it for its sound. Raises AlreadyRunning or LibraryError; then
        nothing is held."""
        try:
            self.lock.take()
        except AlreadyRunning as running:
            from player.integrations.handover.arrival import Arrival

            try:
                self.arrival = Arrival.announced(self._paths.socket, self.lock, self.role, running, self.word)
            except AlreadyRunning as refused:
                if getattr(refused.__cause__, "reason", None) or not self._is_freed():
                    raise
                self._inherits = bool(self.word)

    def _is_freed(self) -> bool:
        """Takes the lock of a process that gave no answer, if that is because it has ended."""
        deadline = time.monotonic() + _FREED_S
        while True:
            try:
                self.lock.take()
            except AlreadyRunning:
                if time.monotonic() > deadline:
                    return False
                time.sleep(_LOOK_S)
            else:
                return True

    def expected(self, last: PlaybackStatus, rows: Callable[[list[EpisodeId]], Sequence[Episode]]) -> PlaybackStatus:
        """The status to expect: `last`, unless a sound arrives. `rows` reads episodes."""
        return last if self.arrival is None else self.arrival.expected(last, rows)

    def begin(self, session: PlaybackService, offline: OfflineMode, output: OutputChoice) -> None:
        """Starts the session, with the arriving sound if there is one. Raises AlreadyRunning if it doesn't arrive."""
        if self.arrival is None:
            session.start()
            if self._inherits and (episode := session.status.episode) is not None:
                session.play(episode.id)
        else:
            self.listener = self.arrival.begin(session, offline, output)

    def wait_for_others(self) -> None:
        """Waits until no other process has anything that only one process may have, such as the name on D-Bus or a
        download."""
        if self.arrival is not None:
            self.arrival.wait_for_rest()

    @property
    def is_gone(self) -> bool:
        """Whether another process now plays the sound that played here."""
        return self.giver is not None and self.giver.given

    @property
    def is_going(self) -> bool:
        """Whether a process has been started to take over."""
        return self.giver is not None and self.giver.expects

    def closing(self) -> None:
        """Earmark is ending: a sound on its way to another process isn't taken back."""
        if self.giver is not None:
            self.giver.closing()

    def release(self) -> None:
        """Other processes may play now."""
        self.lock.release()
        if self.arrival is not None:
            self.arrival.close()
        if self.giver is not None:
            self.giver.close()


def _inode(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _process(written: bytes) -> int | None:
    text = written.strip()
    return int(text) if text.isdigit() else None
