"""How far a server has been read."""

from datetime import datetime, timedelta

import msgspec
from msgspec import Struct
from msgspec.structs import replace

OVERLAP = timedelta(hours=12)
"""Asked for again with each pull. oPodSync and gpodder.net compare `since` with an action's own time, not with that of
its upload: what a phone sends late would be missed. Half a day covers a journey without a network, a night, and a clock
that is wrong by a time zone, and in a day costs no more than pulling everything once, which finds the rest."""

_SECONDS = range(10**9, 10**11)
"""Timestamps that are times; some servers count instead."""


class Cursor(Struct, frozen=True):
    """The server's timestamps in seconds. `pushed`: when this device has sent subscriptions since, 0 if it hasn't.
    `filled`: it has had anything at all. `linked`: this device has the subscriptions of the account's other devices, or
    was once linked with them."""

    subscriptions: int = 0
    actions: int = 0
    pushed: int = 0
    filled: bool = False
    linked: bool = False


def read(text: str, *, has_sent: bool = False) -> Cursor:
    """The first one where it can't be read. `has_sent`: since then something was sent to the server."""
    try:
        found = msgspec.json.decode(text, type=Cursor)
    except ValueError:
        return Cursor()
    is_one = min(found.subscriptions, found.actions, found.pushed) >= 0
    return replace(found, filled=found.filled or has_sent) if is_one else Cursor()


def write(cursor: Cursor) -> str:
    return msgspec.json.encode(cursor).decode()


def since(timestamp: int) -> int:
    """What to ask for, so that nothing is missed."""
    return max(0, timestamp - int(OVERLAP.total_seconds())) if timestamp in _SECONDS else timestamp


def kept(timestamp: int | None, before: int, now: datetime) -> int:
    """The timestamp to keep: none that lies ahead, or what comes until then would be missed."""
    if timestamp is None:
        return before
    return min(timestamp, int(now.timestamp())) if timestamp in _SECONDS else timestamp
