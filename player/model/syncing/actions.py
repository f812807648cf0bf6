"""What a device says of an episode, a subscription or anything else that is synced. Times in ms; moments in ms since
1970, UTC.

A device is whatever listens: this computer, a phone. A target is where devices meet: a server, or a folder.
"""

from enum import StrEnum

from msgspec import Struct

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
