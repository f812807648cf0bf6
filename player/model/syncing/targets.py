"""What a target carries, and what is asked of it and answered."""

from enum import StrEnum

from msgspec import Struct

from player.model.syncing.actions import Action, Fact, SubscriptionChange


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


class TargetKind(StrEnum):
    """The values are kept in the library and typed on command lines."""

    GPODDER = "gpodder"
    NEXTCLOUD = "nextcloud"
    FOLDER = "folder"


class SyncAccount(Struct, frozen=True):
    """Where this device syncs. `address` is the server's, or the folder's path; `user` "" for a folder. `device` is
    this device's id (`[\\w.-]+`), `name` what people call it. `player.net.credentials` has the password."""

    target: TargetKind
    address: str
    user: str
    device: str
    name: str


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
