"""How syncing stands in the library, and what it has changed there. Times in ms."""

from datetime import datetime

from msgspec import Struct

from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.model.syncing.actions import FactKind, SubscriptionChange


class SyncState(Struct, frozen=True):
    """How far syncing with the account has come. `cursor` is for the next pull, "" before the first one; `is_merged`:
    the first pull was taken. `failed_at` and the four after it tell of the last attempt, if it failed; `failure` is a
    value of `SyncFailure`, `failures` how many attempts failed in a row."""

    cursor: str = ""
    is_merged: bool = False
    pulled_whole_at: datetime | None = None
    succeeded_at: datetime | None = None
    failed_at: datetime | None = None
    failure: str = ""
    what: str = ""
    advice: str = ""
    failures: int = 0


class SyncCounts(Struct, frozen=True):
    """`outgoing` actions, subscriptions and facts wait until the target has them; `refused` ones won't be tried again.
    Of `unmatched` episodes others know something, and no feed has brought them yet."""

    outgoing: int = 0
    refused: int = 0
    unmatched: int = 0


class KnownDevice(Struct, frozen=True):
    """Whoever an action came from. `name` may be ""; `last_at` is when it last was heard of."""

    id: str
    name: str = ""
    last_at: datetime | None = None


class ChangedEpisode(Struct, frozen=True):
    """An episode whose position or played mark is other than before. `device` is who brought that about."""

    id: EpisodeId
    title: str
    podcast: str
    was_played: bool = False
    before_ms: int = 0
    played: bool = False
    position_ms: int = 0
    device: str = ""


class Taken(Struct, frozen=True):
    """What a pull has changed here. `held` would have changed, but may not be moved now: the next `take` tries again.
    `subscribe` and `unsubscribe` are for the caller to do. `inbox` and `queue`: whether those are other than before.
    `others` changed in other ways: stars, bookmarks, history. `arranged` podcasts have other settings, tags or titles.
    Of `unmatched` episodes something new is known, and no feed has brought them yet; `coming` are those of podcasts to
    subscribe to. `act_id` is the act that can be undone: only the first `take` is one. 0: nothing to undo."""

    changed: tuple[ChangedEpisode, ...] = ()
    held: tuple[ChangedEpisode, ...] = ()
    subscribe: tuple[SubscriptionChange, ...] = ()
    unsubscribe: tuple[PodcastId, ...] = ()
    inbox: bool = False
    queue: bool = False
    others: tuple[EpisodeId, ...] = ()
    arranged: tuple[PodcastId, ...] = ()
    unmatched: int = 0
    coming: int = 0
    act_id: int = 0


class SyncPlan(Struct, frozen=True):
    """What the first merge would change: `here`, and `there` in numbers of what would be sent. `titles` are those of
    the first podcasts that the others would get; `kinds` are how many facts there are of each kind."""

    here: Taken = Taken()
    positions: int = 0
    played: int = 0
    unplayed: int = 0
    subscribed: int = 0
    unsubscribed: int = 0
    facts: int = 0
    titles: tuple[str, ...] = ()
    kinds: tuple[tuple[FactKind, int], ...] = ()
