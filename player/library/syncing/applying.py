"""Writes the state that all actions lead to into the library, where it differs, in the caller's transaction."""

import sqlite3
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from player.library.audio import note_elsewhere
from player.library.database.values import as_json
from player.library.listening import act_positions
from player.library.syncing import log
from player.library.syncing.names_here import AT_ONCE, EpisodeHere, episodes_here
from player.library.syncing.own_actions import SAME_MS, short_of_end
from player.model.episode import EpisodeId
from player.model.syncing import ChangedEpisode, EpisodeState

_AMONG = "IN (SELECT value FROM json_each(?))"


class Change(NamedTuple):
    """`position_ms` of a played episode is 0."""

    id: int
    played: bool
    position_ms: int
    at: int


class Applied(NamedTuple):
    changed: tuple[ChangedEpisode, ...] = ()
    held: tuple[ChangedEpisode, ...] = ()
    inbox: bool = False
    queue: bool = False


def apply(
    connection: sqlite3.Connection,
    states: Mapping[int, EpisodeState],
    now: int,
    playing: Set[int] = frozenset(),
    act_id: int | None = None,
) -> Applied:
    """`playing` episodes are held: they stay as they are until this is called while they aren't playing. `act_id` is
    the act that can be undone."""
    changed: list[ChangedEpisode] = []
    held: list[ChangedEpisode] = []
    inbox = queue = False
    ids, before = list(states), held_ids(connection)
    for start in range(0, len(ids), AT_ONCE):
        changes: list[Change] = []
        unqueued: list[int] = []
        for here in episodes_here(connection, ids[start : start + AT_ONCE]):
            if here.id not in playing and _was_played_after_it_was_queued(here, states[here.id]):
                unqueued.append(here.id)
            change = _change(here, states[here.id], now)
            if change is None:
                continue
            shown = _shown(here, change, states[here.id].device)
            if here.id in playing:
                held.append(shown)
                if here.id not in before:
                    hold(connection, here)
            else:
                changed.append(shown)
                changes.append(change)
        inbox = _write(connection, changes, act_id) or inbox
        for one in changes:
            if sound := log.sound(connection, one.id, states[one.id]):
                note_elsewhere(connection, one.id, sound)
        sql = f"DELETE FROM queue WHERE episode_id {_AMONG}"
        queue = connection.execute(sql, (as_json(unqueued),)).rowcount > 0 or queue
    done = as_json([one for one in ids if one not in playing])
    connection.execute(f"DELETE FROM sync_held WHERE episode_id {_AMONG}", (done,))
    return Applied(tuple(changed), tuple(held), inbox, queue)


def hold(connection: sqlite3.Connection, here: EpisodeHere) -> None:
    """The state that its actions lead to isn't applied yet: as far as the listener knows, it is as it is here."""
    connection.execute(
        "INSERT OR REPLACE INTO sync_held (episode_id, played, position_ms) VALUES (?, ?, ?)",
        (here.id, int(here.played), here.position_ms),
    )


def held(connection: sqlite3.Connection) -> dict[int, EpisodeState]:
    """The held episodes, with the state that the listener knows of."""
    rows = connection.execute("SELECT episode_id, played, position_ms FROM sync_held").fetchall()
    return {row[0]: EpisodeState(bool(row[1]), 0 if row[1] else int(row[2])) for row in rows}


def held_ids(connection: sqlite3.Connection) -> set[int]:
    return {row[0] for row in connection.execute("SELECT episode_id FROM sync_held")}


def _change(here: EpisodeHere, state: EpisodeState, now: int) -> Change | None:
    if state == EpisodeState() or (state.played and here.played):
        return None
    # The file may be shorter here, with less advertising.
    position_ms = 0 if state.played else short_of_end(state.position_ms, here.total_ms)
    if not state.played and not here.played and abs(position_ms - here.position_ms) < SAME_MS:
        return None
    return Change(here.id, state.played, position_ms, min(state.at, now))


def _was_played_after_it_was_queued(here: EpisodeHere, state: EpisodeState) -> bool:
    """Then it leaves the queue, also if it was played already when it was queued."""
    return state.played and here.queued_at is not None and here.queued_at < state.at


def _shown(here: EpisodeHere, change: Change, device: str) -> ChangedEpisode:
    return ChangedEpisode(
        EpisodeId(here.id),
        here.title,
        here.podcast,
        here.played,
        here.position_ms,
        change.played,
        change.position_ms,
        device,
    )


def _write(connection: sqlite3.Connection, changes: Sequence[Change], act_id: int | None) -> bool:
    """Does the same as `Progress.finish` and `Progress.start`. Returns whether the inbox has changed."""
    if not changes:
        return False
    for played in (0, 1):
        ids = as_json([one.id for one in changes if one.played == played])
        connection.execute(f"UPDATE episodes SET played = ? WHERE id {_AMONG} AND played <> ?", (played, ids, played))
    moved = [(one.id, one.position_ms, one.at) for one in changes if one.position_ms]
    dropped = [one.id for one in changes if not one.position_ms]
    if act_id is not None:
        act_positions.capture(connection, act_id, moved)
        act_positions.capture_dropped(connection, act_id, dropped)
    act_positions.save(connection, moved)
    connection.execute(f"DELETE FROM progress WHERE episode_id {_AMONG}", (as_json(dropped),))
    known = [one.id for one in changes if one.played or one.position_ms]
    return connection.execute(f"DELETE FROM inbox WHERE episode_id {_AMONG}", (as_json(known),)).rowcount > 0
