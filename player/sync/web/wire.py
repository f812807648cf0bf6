"""Actions as the gpodder API and Nextcloud's gpoddersync have them (gpoddernet.readthedocs.io, Episode Actions API).

What is sent is what `as_servers_keep_it` makes of an action, and what is read is the same again: a PLAY, from whose
`started` and `total` the rules see what the device knew. For other apps, and for servers' sake:

- Not played is also said by `new`; Nextcloud takes none.
- A length that isn't known is a day. Apps leave out a position without a total, and one that lies at the total says
  played; longer than any episode, a day does so too where an app compares with the length that it knows.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import Any

import msgspec
from msgspec.structs import replace

from player.links.urls import web_address
from player.merging.same_podcast import LONGEST, may_be_sent
from player.merging.seconds import BEYOND_S, UNKNOWN_TOTAL_S, as_servers_keep_it, sent_seconds
from player.model.syncing import Action, ActionKind, EpisodeName
from player.sync.web.action_times import read_moment, written
from player.sync.web.answer import value_of, whole
from player.text.cleaning import clean_line

_MARKED_MS = 1_000
"""Position and length of a mark, if the length isn't known (`as_servers_keep_it`)."""
_MOST_S = 100 * UNKNOWN_TOTAL_S
_GUID_LIMIT = 2_000
"""Characters, as in feeds."""
_DEVICE = re.compile(r"[\w.-]{1,200}", re.ASCII)

Wire = dict[str, str | int]


class Dialect(Enum):
    GPODDER = "gpodder"
    NEXTCLOUD = "nextcloud"
    """Upper case, nothing but `play`, no devices; -1 for values that aren't set."""


class Unreadable(ValueError):
    """It looks like an action, but is damaged."""


def is_sendable(action: Action) -> bool:
    """Whether its podcast and episode have addresses that a server accepts."""
    return may_be_sent(action.episode.podcast) and may_be_sent(action.episode.url)


def to_wire(action: Action, dialect: Dialect) -> tuple[Wire, ...]:
    """The one or two entries that express the action."""
    action = as_servers_keep_it(action)
    entry: Wire = {
        "podcast": action.episode.podcast,
        "episode": action.episode.url,
        "timestamp": written(action.at),
    }
    if 0 < len(action.episode.guid) <= LONGEST:
        entry["guid"] = action.episode.guid
    started, position, total = sent_seconds(action)
    if dialect is Dialect.NEXTCLOUD:
        if not started:
            position = max(1, position)  # a play at 0 doesn't mean not played there
        return ({**entry, "action": "PLAY", "started": started, "position": position, "total": total},)
    if action.device:
        entry["device"] = action.device
    play: Wire = {**entry, "action": "play", "started": started, "position": position, "total": total}
    is_unplayed = not position and started >= total
    return ({**entry, "action": "new"}, play) if is_unplayed else (play,)


def from_wire(raw: msgspec.Raw, dialect: Dialect, now: datetime) -> Action | None:
    """None for an entry that isn't about listening, or is about an episode that no other device can have. Raises
    Unreadable."""
    entry = value_of(raw)
    if not isinstance(entry, dict) or not isinstance(entry.get("action"), str):
        raise Unreadable
    kind = entry["action"].strip().lower()
    if kind not in ("play", "new"):
        return None
    at = read_moment(entry.get("timestamp"), now)
    podcast, url = entry.get("podcast"), entry.get("episode")
    if at is None or not isinstance(podcast, str) or not isinstance(url, str):
        raise Unreadable
    name = EpisodeName(web_address(podcast.strip()), web_address(url.strip()), _guid(entry.get("guid")))
    if not name.podcast or not (name.url or name.guid):
        return None
    device = entry.get("device")
    device = device if isinstance(device, str) and _DEVICE.fullmatch(device) else ""
    if kind == "new":
        return Action(name, device, at, ActionKind.UNPLAYED)
    return _with_seconds(Action(name, device, at, ActionKind.PLAY), entry, dialect)


# -- seconds ------------------------------------------------------------------------------------------------------


def _with_seconds(action: Action, entry: Mapping[str, Any], dialect: Dialect) -> Action | None:
    """None if it doesn't say how far the episode was heard: it may only have been opened."""
    started, position, total = (_second(entry.get(key)) for key in ("started", "position", "total"))
    if position is None:
        return None
    if not position and total and not started and dialect is Dialect.NEXTCLOUD:
        return replace(action, kind=ActionKind.UNPLAYED)  # sent by apps instead of `new`
    if total == UNKNOWN_TOTAL_S:
        started, total = None, None
        if position == UNKNOWN_TOTAL_S:
            started = position = total = _MARKED_MS // 1000
    elif total and position == total:
        started = total
    elif total and started is not None and started > total:
        started = max(total, started - BEYOND_S)
    return replace(
        action,
        started_ms=None if started is None else started * 1000,
        position_ms=position * 1000,
        total_ms=total * 1000 if total else None,
    )


def _second(value: object) -> int | None:
    found = whole(value)
    return found if found is not None and found <= _MOST_S else None


def _guid(value: object) -> str:
    if type(value) is int:
        value = str(value)
    return clean_line(value, _GUID_LIMIT) if isinstance(value, str) else ""
