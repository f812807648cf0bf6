"""How far a server's data has been read."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from player.model.syncing import Action

OVERLAP = timedelta(hours=12)
"""Seconds that are asked for again with each pull. oPodSync and gpodder.net compare `since` with an action's own time,
not with the time of its upload: actions that a phone sends late would be missed. Half a day covers a journey without a
network, a night, and a clock that is wrong by a time zone, and over a day costs no more than pulling everything once,
which finds the rest."""

_SECONDS = range(10**9, 10**11)
"""Timestamps that are times; some servers use counters instead."""


class Cursor(Struct, frozen=True):
    """The server's timestamps in seconds. `pushed`: when this device last sent subscriptions, 0 if it hasn't. `filled`:
    the server has had any data. `linked`: this device has the subscriptions of the account's other devices, or was once
    linked with them. `newest`, `url` and `guid`: the time in seconds and the episode of the newest action that the
    server is known to have, 0 and "" for none; every pull asks for it again, to see whether it is still there."""

    subscriptions: int = 0
    actions: int = 0
    pushed: int = 0
    filled: bool = False
    linked: bool = False
    newest: int = 0
    url: str = ""
    guid: str = ""

    @property
    def since(self) -> int:
        """The timestamp to ask for, so that no action is missed, and the newest known action is included."""
        return since(min(self.actions, self.newest or self.actions)) if self.actions in _SECONDS else self.actions

    def is_borne_out(self, actions: Sequence[Action]) -> bool:
        """Whether `actions` show that the server still has its data: the newest action, or a later one about its
        episode, which on some servers replaces it. If no action was known, any action does."""
        if not self.newest:
            return bool(actions)
        return self.actions not in _SECONDS or any(
            one.at >= self.newest * 1000 and (one.episode.url == self.url or one.episode.guid == self.guid != "")
            for one in actions
        )

    def having_seen(self, actions: Sequence[Action]) -> "Cursor":
        """With the newest of all known actions and these."""
        newest = max(actions, key=lambda one: one.at, default=None)
        if newest is None or newest.at < self.newest * 1000:
            return self
        return replace(self, newest=newest.at // 1000, url=newest.episode.url, guid=newest.episode.guid)


def read(text: str, *, has_sent: bool = False) -> Cursor:
    """The initial cursor if the text can't be read. `has_sent`: something was sent to the server since."""
    try:
        found = msgspec.json.decode(text, type=Cursor)
    except ValueError:
        return Cursor()
    is_one = min(found.subscriptions, found.actions, found.pushed, found.newest) >= 0
    return replace(found, filled=found.filled or has_sent) if is_one else Cursor()


def write(cursor: Cursor) -> str:
    return msgspec.json.encode(cursor).decode()


def since(timestamp: int) -> int:
    """The timestamp to ask for, so that nothing later is missed."""
    return max(0, timestamp - int(OVERLAP.total_seconds())) if timestamp in _SECONDS else timestamp


def kept(timestamp: int | None, before: int, now: datetime) -> int:
    """The timestamp to store: never one in the future, or changes made until then would be missed."""
    if timestamp is None:
        return before
    return min(timestamp, int(now.timestamp())) if timestamp in _SECONDS else timestamp
