"""What devices tell each other of listening and subscriptions, and how syncing stands."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from player.model.episode import EpisodeId
from player.model.podcast import PodcastId

SEEN_PLAYED = 1 << 53
"""`Action.seen_ms` of a device that knew the episode as played. Beyond any position."""


class ActionKind(StrEnum):
    """What happened. The values are kept in the library."""

    PLAY = "play"
    """It was listened to, up to a position."""
    PLAYED = "played"
    """It was heard to its end, or marked as played."""
    UNPLAYED = "unplayed"
    """It was marked as not played: it has no position."""


class EpisodeName(Struct, frozen=True):
    """What names an episode on every device: addresses as the device has them. `guid` may be ""."""

    podcast: str
    url: str
    guid: str = ""


class Action(Struct, frozen=True):
    """What a device says of an episode. Never changed once it is made.

    `at` never goes back on one device, nor behind what that device had seen of the episode, whatever its clock does.
    `started_ms`, `position_ms`, `total_ms`: where playing began and ended, and the length, as the device knew it; None
    unknown, `position_ms` 0 for other kinds than PLAY. `seen_ms` is the furthest position of the episode that the
    device knew of when it made this, 0 unknown: whoever knew of a later position and is now before it went back on
    purpose.
    """

    episode: EpisodeName
    device: str
    at: int
    kind: ActionKind
    started_ms: int | None = None
    position_ms: int = 0
    total_ms: int | None = None
    seen_ms: int = 0


class EpisodeState(Struct, frozen=True):
    """What all known actions about an episode lead to. `at`: when that came about, 0 without any action."""

    played: bool = False
    position_ms: int = 0
    at: int = 0
    device: str = ""


class SubscriptionChange(Struct, frozen=True):
    """A subscription that began or ended on `device`. `at` 0 where the target doesn't say when; `guid` and `title` as
    far as known."""

    podcast: str
    subscribed: bool
    at: int = 0
    device: str = ""
    title: str = ""
    guid: str = ""


class FactKind(StrEnum):
    """What else a folder carries. The values are kept in the library and in journals."""

    STAR = "star"
    QUEUE = "queue"
    BOOKMARK = "bookmark"
    SPAN = "span"
    SETTINGS = "settings"
    DISMISSED = "dismissed"
    """An episode that left New by a decision, not by listening."""
    FORGOTTEN = "forgotten"
    """The listening history, until a moment."""


class Fact(Struct, frozen=True):
    """The value of something at a moment; the latest wins. `key` names it on every device, `value` is JSON, "" for
    nothing any more."""

    kind: FactKind
    key: str
    value: str
    at: int
    device: str


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


class Carried(StrEnum):
    """What a target can carry from device to device."""

    POSITIONS = "positions"
    PLAYED = "played"
    UNPLAYED = "unplayed"
    SUBSCRIPTIONS = "subscriptions"
    STARS = "stars"
    QUEUE = "queue"
    BOOKMARKS = "bookmarks"
    HISTORY = "history"
    SETTINGS = "settings"
    DISMISSED = "dismissed"


class SyncAccount(Struct, frozen=True):
    """Where this device syncs. `target` is the name of a way to sync, `address` the server's, or the folder's path;
    `user` "" for a folder. `device` is this device's id (`[\\w.-]+`), `name` what people call it.
    `player.net.credentials` has the password. What the library has to know of the way: `step_ms` is 1000 where it keeps
    whole seconds, `has_facts` whether it carries facts."""

    target: str
    address: str
    user: str
    device: str
    name: str
    step_ms: int = 1000
    has_facts: bool = False


class Pulled(Struct, frozen=True):
    """What a target answered. `cursor` is for the next pull. `is_whole`: it is all that the target has, not just what
    is new since the cursor. `moved`: feeds' former and present addresses. `devices`: ids and what people call them,
    where the target knows. `forgotten`: it has lost what this device sent before, and needs all of it again. `unread`
    says in whole sentences what was skipped because it was damaged, and what else the target doesn't do."""

    actions: tuple[Action, ...] = ()
    subscriptions: tuple[SubscriptionChange, ...] = ()
    facts: tuple[Fact, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    devices: tuple[tuple[str, str], ...] = ()
    cursor: str = ""
    is_whole: bool = False
    forgotten: bool = False
    unread: tuple[str, ...] = ()


class Outgoing(Struct, frozen=True):
    """What waits in the outbox, with the numbers by which it is marked as sent."""

    actions: tuple[tuple[int, Action], ...] = ()
    subscriptions: tuple[tuple[int, SubscriptionChange], ...] = ()
    facts: tuple[tuple[int, Fact], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.actions or self.subscriptions or self.facts)


class Pushed(Struct, frozen=True):
    """What became of an `Outgoing`. `sent`: numbers that needn't be sent again, which includes what this target doesn't
    carry. `refused`: numbers with a sentence each; they aren't tried again. All others are tried later. `cursor`: the
    one for the next pull, "" where it stays."""

    sent: tuple[int, ...] = ()
    refused: tuple[tuple[int, str], ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    cursor: str = ""


class SyncStatus(Struct, frozen=True):
    """`account` None: syncing isn't set up. `busy`: a round is under way; `rounds` have ended in this process. What the
    target said last is in `state`. `next_at`: when a round that failed is tried again."""

    account: SyncAccount | None = None
    busy: bool = False
    rounds: int = 0
    state: SyncState = SyncState()
    counts: SyncCounts = SyncCounts()
    next_at: datetime | None = None

    @property
    def under_way(self) -> int:
        """How many rounds have begun. A round that is under way may have read everything already, so what changes now
        is in the round after these."""
        return self.rounds + self.busy
