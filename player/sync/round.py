"""One round of syncing: local changes become actions, other devices' actions are taken over, ours are sent. A lock on
a file, which the kernel releases when the process ends, prevents two processes from syncing one library at once.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec import Struct

from player.errors import LibraryBusy, LibraryError
from player.library import Library
from player.model.episode import EpisodeId
from player.model.syncing import Carried, Taken
from player.sync.target import SyncTarget
from player.text.sentences import _

WHOLE_EVERY = timedelta(days=1)
"""How often everything on the target is pulled: some targets filter by the time of listening, so that an action which
another device sends late isn't new to them."""


def utc_now() -> datetime:
    return datetime.now(UTC)


class Sent(Struct, frozen=True):
    """How many entries the target has taken, and refused for good."""

    sent: int = 0
    refused: int = 0


class Round:
    """For one thread; the library's and the target's errors come out of its methods. Whatever happens between two of
    its steps, nothing is lost, and the next round continues from there.

    `playing` are the episodes that must not be moved; `around` is as in `Syncing.add_sounds`. `taken` is called once
    other devices' changes are in the library, `unread` with each sentence of `Pulled.unread`.
    """

    def __init__(
        self,
        library: Library,
        target: SyncTarget,
        *,
        now: Callable[[], datetime] = utc_now,
        playing: Callable[[], Set[EpisodeId]] = frozenset,
        around: Callable[[EpisodeId, int, int], str] = lambda *_position: "",
        taken: Callable[[Taken], object] = lambda _taken: None,
        unread: Callable[[str], object] = lambda _sentence: None,
    ) -> None:
        self._syncing = library.syncing
        self._target = target
        self._now = now
        self._playing = playing
        self._around = around
        self._taken = taken
        self._unread = unread

    def run(self, *, whole: bool = False) -> Sent:
        """Runs the round; `whole` pulls everything that the target has. Raises SyncError or LibraryError."""
        self._syncing.collect(self._now())
        self.pull(whole=whole)
        sent = self.push()
        self._syncing.succeeded(self._now())
        return sent

    def pull(self, *, whole: bool = False) -> None:
        state = self._syncing.state()
        before = state.pulled_whole_at
        due = before is None or not timedelta(0) <= self._now() - before < WHOLE_EVERY
        pulled = self._target.pull(state.cursor, whole=whole or due)
        if pulled.devices:
            self._syncing.name_devices(dict(pulled.devices))
        self._taken(self._syncing.take(pulled, self._now(), self._playing()))
        if pulled.forgotten:
            self._syncing.forgot()
        for sentence in pulled.unread:
            self._unread(sentence)

    def push(self) -> Sent:
        """Sends in batches, until nothing is left or a batch makes no headway: the rest is for the next round."""
        sent = refused = 0
        if Carried.SEGMENTS in self._target.carries:  # then it keeps what is known of sounds
            self._syncing.add_sounds(self._around)
        while outgoing := self._syncing.outgoing(self._target.most_at_once, self._target.carries):
            pushed = self._target.push(outgoing)
            self._syncing.sent(pushed)
            if not (pushed.sent or pushed.refused):
                break
            sent, refused = sent + len(pushed.sent), refused + len(pushed.refused)
        return Sent(sent, refused)


_PATIENCE_S, _LOOK_S = 15.0, 0.1


@contextmanager
def alone_in_time(path: Path) -> Iterator[None]:
    """Waits for a round of another thread or process to end. Raises LibraryError; LibraryBusy if that takes long."""
    end = time.monotonic() + _PATIENCE_S
    while True:
        with alone(path) as is_alone:
            if is_alone:
                yield
                return
        if time.monotonic() > end:
            raise LibraryBusy(_("Another Earmark is syncing just now"), _("Try again in a moment."))
        time.sleep(_LOOK_S)


@contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Whether no other process syncs, and none will until the context ends. If the disk doesn't support locks, that is
    assumed. Raises LibraryError if the file can't be created."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise LibraryError(_("Can't open {file} ({reason})", file=path, reason=error.strerror)) from error
    try:
        yield _locked(handle)
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
