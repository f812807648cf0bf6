"""What devices tell each other about listening and subscriptions, and the state of syncing."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from player.model.episode import EpisodeId
from player.model.podcast import PodcastId

SEEN_PLAYED = 1 << 53
"""`Action.seen_ms` of a device that knew the episode as played. Greater than any position. A position
that it knew as well is added."""


class ActionKind(StrEnum):
    """What happened. The values are kept in the library."""

    PLAY = "play"
    """The episode was listened to, up to a position."""
    PLAYED = "played"
    """The episode was heard to its end, or marked as played."""
    UNPLAYED = "unplayed"
    """The episode was marked as not played: it has no position."""


class EpisodeName(Struct, frozen=True):
    """What names an episode on every device: addresses as the device has them. `guid` may be ""."""

    podcast: str
    url: str
    guid: str = ""


class Action(Struct, frozen=True):
    """What a device says of an episode. Never changed once it is made.

    On one device `at` never goes back, and is never earlier than the actions about the episode that the device had
    seen, whatever its clock does. `started_ms`, `position_ms`, `total_ms`: where playing began and ended, and the
    length, as the device knew it; None unknown, `position_ms` 0 for other kinds than PLAY. `seen_ms` is the furthest
    position of the episode that the device knew of when it made this, 0 unknown: a listener who is now before a later
    position that the device knew of went back on purpose. `sound` is the sound around the position, as
    `player.measuring.around` writes it, "" unknown.
    """

    episode: EpisodeName
    device: str
    at: int
    kind: ActionKind
    started_ms: int | None = None
    position_ms: int = 0
    total_ms: int | None = None
    seen_ms: int = 0
    sound: str = ""


class EpisodeState(Struct, frozen=True):
    """The state of an episode that all known actions about it lead to. `at`: when it came about, 0 without any
    action."""

    played: bool = False
    position_ms: int = 0
    at: int = 0
    device: str = ""


class SubscriptionChange(Struct, frozen=True):
    """A subscription that began or ended on `device`. `at` is 0 if the target doesn't say when; `guid` and `title` as
    far as they are known."""

    podcast: str
    subscribed: bool
    at: int = 0
    device: str = ""
    title: str = ""
    guid: str = ""


class FactKind(StrEnum):
    """The kinds of facts, which only a folder carries. The values are kept in the library and in journals."""

    STAR = "star"
    QUEUE = "queue"
    BOOKMARK = "bookmark"
    SEGMENT = "segment"
    SPAN = "span"
    SETTINGS = "settings"
    DISMISSED = "dismissed"
    """The listener decided about a new episode without listening to it, which took it out of the inbox."""
    FORGOTTEN = "forgotten"
    """The deletion of the listening history up to a moment."""


class Fact(Struct, frozen=True):
    """The value of something at a moment; the latest wins. `key` names it on every device, `value` is JSON, "" once the
    value has been removed."""

    kind: FactKind
    key: str
    value: str
    at: int
    device: str


class SyncState(Struct, frozen=True):
    """How far syncing with the account has come. `cursor` is for the next pull, "" before the first one; `is_merged`:
    the first pull was taken. `failed_at` and the four fields after it describe the last attempt, if it failed;
    `failure` is a value of `SyncFailure`, `failures` how many attempts failed in a row."""

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
    Other devices have actions about `unmatched` episodes that no feed has brought yet."""

    outgoing: int = 0
    refused: int = 0
    unmatched: int = 0


class KnownDevice(Struct, frozen=True):
    """The device that an action came from. `name` may be ""; `last_at` is when it was last heard of."""

    id: str
    name: str = ""
    last_at: datetime | None = None


class ChangedEpisode(Struct, frozen=True):
    """An episode whose position or played mark has changed. `device` caused the change."""

    id: EpisodeId
    title: str
    podcast: str
    was_played: bool = False
    before_ms: int = 0
    played: bool = False
    position_ms: int = 0
    device: str = ""


class Taken(Struct, frozen=True):
    """What a pull has changed here. `held` episodes would have changed, but may not be moved now: the next `take` tries
    again. The caller carries out `subscribe` and `unsubscribe`. `inbox` and `queue`: whether these have changed.
    `others` are episodes that changed in other ways: stars, bookmarks, segments, history; `segments` are those of them
    whose segments have changed. `arranged` podcasts have changed
    settings, tags or titles. `unmatched` is the number of episodes with new actions that no feed has brought yet;
    `coming` are those of podcasts to subscribe to. `act_id` is the act that can be undone: only the first `take` is
    one. 0: nothing to undo."""

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
    segments: tuple[EpisodeId, ...] = ()


class SyncPlan(Struct, frozen=True):
    """What the first merge would change: `here`, and on the other devices, in numbers of the entries that would be
    sent. `titles` are those of the first podcasts that the other devices would get; `kinds` says how many facts of each
    kind there are."""

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
    SEGMENTS = "segments"
    HISTORY = "history"
    SETTINGS = "settings"
    DISMISSED = "dismissed"


class SyncAccount(Struct, frozen=True):
    """Where this device syncs. `target` is the name of a way to sync, `address` the server's address or the folder's
    path; `user` is "" for a folder. `device` is this device's id (`[\\w.-]+`), `name` the name that people see.
    `player.net.credentials` has the password. The properties of the way that the library has to know: `step_ms` is 1000
    if it stores whole seconds, `has_facts` says whether it carries facts."""

    target: str
    address: str
    user: str
    device: str
    name: str
    step_ms: int = 1000
    has_facts: bool = False


class Pulled(Struct, frozen=True):
    """A target's answer. `cursor` is for the next pull. `is_whole`: it has everything that the target has, not just the
    changes since the cursor. `moved`: feeds' former and present addresses. `devices`: ids and names, if the target
    knows them. `forgotten`: the target has lost what this device sent before, and needs all of it again. `unread` says
    in whole sentences what was skipped because it was damaged, and what else the target doesn't do."""

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
    """The entries that wait in the outbox, with the numbers by which they are marked as sent. `known` has by the number
    of an action all that this device knows of its episode, for targets that keep a single action of each."""

    actions: tuple[tuple[int, Action], ...] = ()
    subscriptions: tuple[tuple[int, SubscriptionChange], ...] = ()
    facts: tuple[tuple[int, Fact], ...] = ()
    known: Mapping[int, Sequence[Action]] = {}

    def __bool__(self) -> bool:
        return bool(self.actions or self.subscriptions or self.facts)


class Pushed(Struct, frozen=True):
    """The outcome of sending an `Outgoing`. `sent`: numbers of entries that needn't be sent again, which includes
    entries that this target doesn't carry. `refused`: numbers with a sentence each; these aren't tried again. All other
    entries are tried later. `cursor` is for the next pull, "" if it stays the same."""

    sent: tuple[int, ...] = ()
    refused: tuple[tuple[int, str], ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    cursor: str = ""


class SyncStatus(Struct, frozen=True):
    """`account` None: syncing isn't set up. `busy`: a round is under way; `rounds` is how many have ended in this
    process. `state` has the target's last answer. `next_at`: when a round that failed is tried again."""

    account: SyncAccount | None = None
    busy: bool = False
    rounds: int = 0
    state: SyncState = SyncState()
    counts: SyncCounts = SyncCounts()
    next_at: datetime | None = None

    @property
    def under_way(self) -> int:
        """How many rounds have begun. A round in progress may have read everything already, so a change made now is
        included in the round after it."""
        return self.rounds + self.busy
