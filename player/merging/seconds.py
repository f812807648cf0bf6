"""What of an action a server keeps (gpodder API, Nextcloud): whole seconds, where playing started and ended, and the
length."""

from msgspec.structs import replace

from player.merging.clock import in_whole_seconds
from player.merging.statements import possible, statement
from player.model.syncing.actions import Action, ActionKind

_SECOND_MS = 1_000
_UNKNOWN_LENGTH_MS = _SECOND_MS


def as_servers_keep_it(action: Action) -> Action:
    """The action as a PLAY that a server answers with just as it was sent, and that leads to the same state.

    A device that syncs through a server keeps its own actions in this form in its log, so that it knows what all others
    know. Servers don't keep `seen_ms`, so `started_ms` beyond the position says that the listener went back from there;
    if it is `total_ms` the device knew the episode as played. Without a length this can't be said.
    """
    at, total_ms = in_whole_seconds(action.at), _down(possible(action.total_ms))
    if action.kind is not ActionKind.PLAY:
        total_ms = total_ms or _UNKNOWN_LENGTH_MS
        position_ms = total_ms if action.kind is ActionKind.PLAYED else 0
        return _play(action, at, total_ms, position_ms, total_ms)
    position_ms, said = _down(max(0, action.position_ms)), statement(action)
    if not total_ms or said is None:
        return _play(action, at, None, position_ms, None)
    if said.knew_played and total_ms > position_ms:
        return _play(action, at, total_ms, position_ms, total_ms)
    knew_ms = in_whole_seconds(said.knew_ms)
    if knew_ms > position_ms:
        return _play(action, at, knew_ms - _SECOND_MS * (knew_ms == total_ms), position_ms, total_ms)
    return _play(action, at, min(_down(possible(action.started_ms)), position_ms), position_ms, total_ms)


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
