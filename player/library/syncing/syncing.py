"""Syncing, as far as the library goes: changes become actions, and others' actions become positions and marks."""

from collections.abc import Callable, Mapping, Set
from datetime import datetime

from player.library.database.connections import Connections
from player.library.listening.acts import Acts
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.model.syncing.outcomes import KnownDevice, SyncCounts, SyncPlan, SyncState, Taken
from player.model.syncing.targets import Carried, Outgoing, Pulled, Pushed, SyncAccount


class Syncing:
    """Every method that writes is one transaction, on the disk when it returns. Without an account nothing is collected
    or applied."""

    def __init__(self, connections: Connections, acts: Acts, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._acts = acts
        self._now = now

    # -- the account ------------------------------------------------------------------------------------------

    def account(self) -> SyncAccount | None:
        raise NotImplementedError

    def set_account(self, account: SyncAccount) -> None:
        """From now on changes are collected, beginning with all that is here. Nothing is lost where it only gets
        another name; with another target everything is to be sent again, and pulled again."""
        raise NotImplementedError

    def forget_account(self) -> None:
        """Ends syncing and forgets all that was kept for it. Episodes and podcasts stay as they are."""
        raise NotImplementedError

    # -- state ------------------------------------------------------------------------------------------------

    def state(self) -> SyncState:
        raise NotImplementedError

    def succeeded(self, now: datetime) -> None:
        """All was pulled and sent."""
        raise NotImplementedError

    def failed(self, now: datetime, failure: str, what: str, advice: str = "") -> None:
        """`failure` is a value of `SyncFailure`."""
        raise NotImplementedError

    def counts(self) -> SyncCounts:
        raise NotImplementedError

    def refusals(self, limit: int = 20) -> list[str]:
        """A sentence for each of the last things that the target refused for good, the latest first."""
        raise NotImplementedError

    def devices(self) -> list[KnownDevice]:
        """Those that were heard of, this one too, the latest first."""
        raise NotImplementedError

    def name_devices(self, names: Mapping[str, str]) -> None:
        """What people call devices, by their ids, as a target knows it."""
        raise NotImplementedError

    # -- from here --------------------------------------------------------------------------------------------

    def collect(self, now: datetime) -> int:
        """Makes actions of all that has changed here since the last time; one per episode, however often it was saved.
        Returns how many are new in the outbox."""
        raise NotImplementedError

    def outgoing(self, limit: int, carries: Set[Carried]) -> Outgoing:
        """The next ones to send: up to `limit` actions, subscriptions and facts each, the oldest first. What the target
        doesn't carry leaves the outbox."""
        raise NotImplementedError

    def sent(self, pushed: Pushed) -> None:
        """To be called with the same again, it changes nothing."""
        raise NotImplementedError

    def forgot(self) -> None:
        """The target has lost what it had: everything of this device is to be sent again, and pulled again."""
        raise NotImplementedError

    # -- from others ------------------------------------------------------------------------------------------

    def plan(self, pulled: Pulled, now: datetime) -> SyncPlan:
        """What `take` would change here, and what would be sent after it. Changes nothing."""
        raise NotImplementedError

    def take(self, pulled: Pulled, now: datetime, playing: Set[EpisodeId] = frozenset()) -> Taken:
        """Keeps the actions of others and applies what they lead to, with all that changed here since collected before;
        keeps the cursor. `playing` episodes aren't moved. What belongs to no episode yet waits for its feed."""
        raise NotImplementedError

    def settle(self, podcast_id: PodcastId) -> Taken:
        """Applies what has waited for episodes that are here now. Belongs to the transaction around it."""
        raise NotImplementedError
