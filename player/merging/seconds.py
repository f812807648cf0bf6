"""What a server stores of an action (gpodder API, Nextcloud): whole seconds, where playing started and ended, and the
length."""

from collections.abc import Iterable

from msgspec.structs import replace

from player.merging.clock import in_whole_seconds
from player.merging.statements import possible, statement
from player.model.syncing import Action, ActionKind

UNKNOWN_TOTAL_S = 24 * 60 * 60
"""The length that is sent if it isn't known. Longer than any episode, so that no app takes a position for its end."""
_SECOND_MS = 1_000
_UNKNOWN_LENGTH_MS = _SECOND_MS
"""Position and length of a mark, if the length isn't known."""
BEYOND_S = 3_600
"""How far beyond the length a start at the length is sent at most, and any later one at least."""


def as_servers_keep_it(action: Action) -> Action:
    """The action as a PLAY that a server returns exactly as it was sent, and that leads to the same state.

    A device that syncs through a server stores its own actions in this form in its log, so that it knows what all other
    devices know. Servers don't store `seen_ms`, so `started_ms` beyond the position says that the listener went back
    from there; if it is `total_ms` the device knew the episode as played, and what it is more is the position that the
    device knew, too. Without a length this can't be said. 0 says that the episode was begun again, so a device that
    didn't know it as played never reports less than a second.
    """
    at, total_ms = in_whole_seconds(action.at), _down(possible(action.total_ms))
    if action.kind is not ActionKind.PLAY:
        total_ms = total_ms or _UNKNOWN_LENGTH_MS
        position_ms = total_ms if action.kind is ActionKind.PLAYED else 0
        return _play(action, at, total_ms, position_ms, total_ms)
    position_ms, said = _down(max(0, action.position_ms)), statement(action)
    if not total_ms or said is None:
        return _play(action, at, None, position_ms, None)
    knew_ms = in_whole_seconds(said.knew_ms)
    if said.knew_played and total_ms > position_ms:
        return _play(action, at, total_ms + (knew_ms if position_ms else 0), position_ms, total_ms)
    if knew_ms > position_ms:
        return _play(action, at, knew_ms, position_ms, max(total_ms, knew_ms + _SECOND_MS))
    return _play(
        action, at, min(max(_SECOND_MS, _down(possible(action.started_ms))), position_ms), position_ms, total_ms
    )


def sent_seconds(action: Action) -> tuple[int, int, int]:
    """Started, position and total as they are sent to a server, which refuses them unless all three are given.

    gpodder.net takes two actions for the same, whatever their times, if both begin and end at the same second. If the
    start says nothing, or only that it is at the end or beyond, it therefore depends on the time.
    """
    kept = as_servers_keep_it(action)
    second, position = kept.at // _SECOND_MS, kept.position_ms // _SECOND_MS
    if kept.total_ms is None:
        return second % (position + 1), position, UNKNOWN_TOTAL_S
    total = kept.total_ms // _SECOND_MS
    if kept.position_ms == kept.total_ms:
        if kept.total_ms == _UNKNOWN_LENGTH_MS:
            position = total = UNKNOWN_TOTAL_S
        return second % total, position, total
    started = (kept.started_ms or 0) // _SECOND_MS
    if started >= total:
        started += second % BEYOND_S if started == total else BEYOND_S
    return started, position, total


def told_apart(action: Action, known: Iterable[Action]) -> Action:
    """`action` in the form that servers store, with a different start than all earlier actions of its device: if the
    start means something, it is a few seconds later; otherwise the action itself is later."""
    said = {sent_seconds(one)[:2] for one in known if one.device == action.device}
    kept = as_servers_keep_it(action)
    while sent_seconds(kept)[:2] in said:
        if kept.started_ms is None or kept.started_ms == kept.total_ms:
            kept = replace(kept, at=kept.at + _SECOND_MS)
            continue
        started_ms = kept.started_ms + _SECOND_MS
        # A start at the length would say that the episode was known as played.
        kept = replace(kept, started_ms=started_ms, total_ms=max(kept.total_ms or 0, started_ms + _SECOND_MS))
    return kept


def _play(action: Action, at: int, started_ms: int | None, position_ms: int, total_ms: int | None) -> Action:
    return replace(
        action,
        at=at,
        kind=ActionKind.PLAY,
        started_ms=started_ms,
        position_ms=position_ms,
        total_ms=total_ms,
        seen_ms=0,
    )


def _down(ms: int) -> int:
    return ms // _SECOND_MS * _SECOND_MS
