"""The first time that a library meets a target: what would change is known before anything does."""

import time
from collections.abc import Callable, Set
from datetime import datetime

from player.errors import LibraryBusy
from player.library import Library
from player.model.episode import EpisodeId
from player.model.syncing.outcomes import SyncPlan, Taken
from player.model.syncing.targets import Pulled, SyncAccount
from player.sync.round import Round, Sent, utc_now
from player.sync.target import SyncTarget

_PATIENCE_S, _LOOK_S = 60.0, 0.1


class FirstMerge:
    """For one thread, while no other process syncs (`alone`). The library's and the target's errors come out of its
    methods. `look` changes nothing; between `merge` and `send` nothing is lost if the process ends."""

    def __init__(
        self, library: Library, account: SyncAccount, target: SyncTarget, now: Callable[[], datetime] = utc_now
    ) -> None:
        self._library = library
        self._account = account
        self._target = target
        self._now = now
        self._pulled = Pulled()

    def look(self) -> SyncPlan:
        """Asks the target for all it has. Raises SyncError, LibraryError."""
        self._pulled = self._target.pull("", whole=True)
        return self._library.syncing.plan(self._pulled, self._now(), self._account)

    def merge(self, playing: Set[EpisodeId] = frozenset()) -> Taken:
        """After a backup, what was looked at is taken, as one act that can be undone. From here on there is an account.
        Raises LibraryError."""
        self._back_up()
        syncing = self._library.syncing
        syncing.set_account(self._account)
        if self._pulled.devices:
            syncing.name_devices(dict(self._pulled.devices))
        return syncing.take(self._pulled, self._now(), playing)

    def _back_up(self) -> None:
        """Waits for the day's backup, which opening the library may have begun."""
        end = time.monotonic() + _PATIENCE_S
        while True:
            try:
                self._library.back_up()
                return
            except LibraryBusy:
                if time.monotonic() > end:
                    raise
            time.sleep(_LOOK_S)

    def send(self) -> Sent:
        """Raises SyncError, LibraryError; what isn't sent is sent by the next round."""
        sent = Round(self._library, self._target, now=self._now).push()
        self._library.syncing.succeeded(self._now())
        return sent
