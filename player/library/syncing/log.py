"""The log of the actions of all devices. It only grows; `fold` computes the state that an episode's actions lead to."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from msgspec.structs import replace

from player.library.database.values import as_json, check_kinds, insert_many
from player.links.addresses import is_audiobookshelf, url_key
from player.links.urls import web_address
from player.merging.clock import LATEST
from player.merging.fold import fold
from player.merging.same_podcast import may_be_sent
from player.model.syncing import SEEN_PLAYED, Action, ActionKind, EpisodeName, EpisodeState
from player.text.cleaning import clean_line

MOST_UNMATCHED = 300_000
"""The most actions that wait for their episodes: about 100 MB."""
MOST_ACTIONS = 3_000_000
_LONGEST_DEVICE, _LONGEST_GUID = 200, 8_000
_COLUMNS = "podcast, url, guid, device, at, kind, started_ms, position_ms, total_ms, seen_ms, sound"
_INTO = f"INSERT OR IGNORE INTO sync_actions (id, episode_id, podcast_key, {_COLUMNS})"


class Named(NamedTuple):
    """An action with the key of its podcast, and a number, which is a hash of its contents."""

    id: int
    podcast_key: str
    action: Action


def named(action: Action) -> Named:
    name, key = action.episode, url_key(action.episode.podcast)
    said = (key, name.url, name.guid, action.device, action.at, action.kind.value, action.position_ms)
    digest = blake2b(repr(said).encode("utf-8", "replace"), digest_size=8).digest()
    return Named(int.from_bytes(digest) >> 1, key, action)


def possible(action: Action) -> Action | None:
    """The action as the library stores it; None if it can't be meant seriously, or is about an episode that isn't
    shared."""
    name = action.episode
    episode = EpisodeName(
        name.podcast, name.url if web_address(name.url) == name.url else "", clean_line(name.guid, _LONGEST_GUID)
    )
    times = (action.started_ms or 0, action.position_ms, action.total_ms or 0, action.seen_ms)
    if (
        not (may_be_sent(name.podcast) or is_audiobookshelf(name.podcast))
        or not (episode.url or episode.guid)
        or not 0 <= action.at < LATEST
    ):
        return None
    if not all(0 <= one <= SEEN_PLAYED for one in times):
        return None
    return replace(action, episode=episode, device=clean_line(action.device, _LONGEST_DEVICE))


def unknown(connection: sqlite3.Connection, actions: Iterable[Named]) -> list[Named]:
    """The actions that aren't in the log yet, each once."""
    found = {one.id: one for one in actions}
    there = connection.execute(
        "SELECT a.id FROM json_each(?) j CROSS JOIN sync_actions a ON a.id = j.value", (as_json(list(found)),)
    )
    for (number,) in there.fetchall():
        del found[number]
    return list(found.values())


def without_echoes(
    connection: sqlite3.Connection, actions: Sequence[Named], found: Mapping[int, int], device: str
) -> list[Named]:
    """Leaves out this device's own actions: a server may return them without the guid, or without naming the device."""
    suspects = {found[one.id] for one in actions if one.id in found and one.action.device in ("", device)}
    own = {
        (episode_id, *_told(action))
        for episode_id, known in of_episodes(connection, sorted(suspects)).items()
        for action in known
        if action.device == device
    }
    return [
        one
        for one in actions
        if one.action.device not in ("", device) or (found.get(one.id), *_told(one.action)) not in own
    ]


def add(connection: sqlite3.Connection, actions: Sequence[tuple[int | None, Named]]) -> None:
    """Adds actions, each with its episode, or None while the episode isn't in the library."""
    insert_many(
        connection, _INTO, [(one.id, episode_id, one.podcast_key, *_row(one.action)) for episode_id, one in actions]
    )


def room(connection: sqlite3.Connection) -> tuple[int, int]:
    """How many more actions the log has room for, and how many of these may be about episodes that aren't in the
    library."""
    (count,) = connection.execute("SELECT count(*) FROM sync_actions").fetchone()
    return max(0, MOST_ACTIONS - count), max(0, MOST_UNMATCHED - unmatched(connection))


def unmatched(connection: sqlite3.Connection) -> int:
    """How many actions wait for their episodes."""
    sql = "SELECT count(*) FROM sync_actions WHERE episode_id IS NULL"
    return int(connection.execute(sql).fetchone()[0])


def awaited(connection: sqlite3.Connection, besides: str | None) -> int:
    """How many episodes wait for a feed to bring them, not counting those that only the device `besides` has actions
    about."""
    sql = "SELECT DISTINCT podcast_key, url, guid FROM sync_actions WHERE episode_id IS NULL AND device IS NOT ?"
    return count_episodes(connection.execute(sql, (besides,)))


def count_episodes(names: Iterable[tuple[str, str, str]]) -> int:
    """How many episodes have these names: the key of the podcast, the address and the guid, each of which may be "".
    Names that only an Audiobookshelf server uses don't count: its episodes have the names in their feeds as well."""
    names = [one for one in names if not is_audiobookshelf(one[0])]
    guids = {(podcast, url): guid for podcast, url, guid in names if url and guid}
    known = ((podcast, url, guid or guids.get((podcast, url), "")) for podcast, url, guid in names)
    return len({(podcast, guid, "" if guid else url) for podcast, url, guid in known})


def date_anew(connection: sqlite3.Connection, until: int, now: int) -> None:
    """Drops actions later than `until`. The state of their episodes in this library counts as changed `now`."""
    connection.execute(
        "INSERT OR REPLACE INTO sync_changed (what, id, changed_at)"
        " SELECT DISTINCT 'played', episode_id, ? FROM sync_actions WHERE at > ? AND episode_id IS NOT NULL",
        (now, until),
    )
    connection.execute("DELETE FROM sync_actions WHERE at > ?", (until,))


def waiting(connection: sqlite3.Connection, keys: Iterable[str]) -> list[Named]:
    """The actions about episodes that no feed has brought yet, of podcasts with these keys."""
    return [
        Named(row[0], row[1], _action(row[2:]))
        for key in keys
        for row in connection.execute(
            f"SELECT id, podcast_key, {_COLUMNS} FROM sync_actions WHERE episode_id IS NULL AND podcast_key = ?", (key,)
        )
    ]


def match(connection: sqlite3.Connection, found: Iterable[tuple[int, Named]]) -> None:
    """Assigns waiting actions to these episodes."""
    rows = [(episode_id, one.id) for episode_id, one in found]
    connection.executemany("UPDATE sync_actions SET episode_id = ? WHERE id = ?", rows)


def of_episodes(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, list[Action]]:
    """The actions about each of these episodes; [] if there are none."""
    found: dict[int, list[Action]] = {one: [] for one in ids}
    rows = connection.execute(
        f"SELECT a.episode_id, {_COLUMNS} FROM json_each(?) j CROSS JOIN sync_actions a ON a.episode_id = j.value",
        (as_json(ids),),
    )
    for row in rows:
        found[row[0]].append(_action(row[1:]))
    return found


def by_number(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Action]:
    rows = connection.execute(
        f"SELECT a.id, {_COLUMNS} FROM json_each(?) j CROSS JOIN sync_actions a ON a.id = j.value", (as_json(numbers),)
    )
    return {row[0]: _action(row[1:]) for row in rows}


def of_same_episodes(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, list[Action]]:
    """By the number of an action whose episode is in the library, all actions about that episode."""
    rows = connection.execute(
        "SELECT a.id, a.episode_id FROM json_each(?) j CROSS JOIN sync_actions a ON a.id = j.value"
        " WHERE a.episode_id IS NOT NULL",
        (as_json(numbers),),
    )
    episodes = dict(rows.fetchall())
    found = of_episodes(connection, sorted(set(episodes.values())))
    return {number: found[episode_id] for number, episode_id in episodes.items()}


def of_device(connection: sqlite3.Connection, device: str) -> list[int]:
    rows = connection.execute("SELECT id FROM sync_actions WHERE device = ? ORDER BY at, id", (device,))
    return [row[0] for row in rows]


def unsaid(connection: sqlite3.Connection, device: str, said: Sequence[Named], found: Mapping[int, int]) -> list[int]:
    """The device's own actions that are missing from `said`, of the episodes for which they matter: either the actions
    in `said` alone, or all known actions without the missing ones (which is what another device may know), lead to
    another state of the episode than all known actions. `found` has the episodes of the actions in `said`, by
    number."""
    by_episode: dict[int, list[Action]] = {}
    for one in said:
        if one.id in found:
            by_episode.setdefault(found[one.id], []).append(one.action)
    urls = {one.action.episode.url for one in said}
    rows = connection.execute(
        "SELECT id, url, episode_id, kind, at, position_ms FROM sync_actions WHERE device = ? ORDER BY at, id",
        (device,),
    )
    own = rows.fetchall()
    known = of_episodes(connection, sorted({row[2] for row in own if row[2] is not None}))
    told = {(one, *_told(action)) for one, actions in by_episode.items() for action in actions}
    differing = set()
    for episode_id, actions in known.items():
        others = [one for one in actions if one.device != device or (episode_id, *_told(one)) in told]
        state = _shown(fold(actions))
        if _shown(fold(by_episode.get(episode_id, ()))) != state or _shown(fold(others)) != state:
            differing.add(episode_id)
    return [
        number
        for number, url, one, *what in own
        if (one in differing and (one, *what) not in told if one is not None else url not in urls)
    ]


def sound(connection: sqlite3.Connection, episode_id: int, state: EpisodeState) -> str:
    """The sound around the position that the episode's actions lead to; "" if it isn't known."""
    row = connection.execute(
        "SELECT sound FROM sync_actions WHERE episode_id = ? AND at = ? AND device = ? AND position_ms = ? AND kind = ?"
        " AND sound <> ''",
        (episode_id, state.at, state.device, state.position_ms, ActionKind.PLAY),
    ).fetchone()
    return str(row[0]) if row and state.position_ms else ""


def set_sounds(connection: sqlite3.Connection, sounds: Iterable[tuple[str, int]]) -> None:
    """Stores sounds, each given with the number of its action."""
    connection.executemany("UPDATE sync_actions SET sound = ? WHERE id = ?", sounds)


def forget_sounds(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Deletes the sounds of these episodes' actions except the latest ones: no others are needed."""
    connection.executemany(
        "UPDATE sync_actions SET sound = '' WHERE episode_id = ?1 AND sound <> ''"
        " AND at < (SELECT max(at) FROM sync_actions WHERE episode_id = ?1)",
        [(one,) for one in ids],
    )


def _shown(state: EpisodeState) -> tuple[bool, int]:
    return state.played, state.position_ms


def _told(action: Action) -> tuple[ActionKind, int, int]:
    return action.kind, action.at, action.position_ms


def _row(action: Action) -> tuple[Any, ...]:
    name = action.episode
    return (
        name.podcast, name.url, name.guid, action.device, action.at, action.kind.value, action.started_ms,
        action.position_ms, action.total_ms, action.seen_ms, action.sound,
    )  # fmt: skip


def _action(row: Sequence[Any]) -> Action:
    podcast, url, guid, device, at, kind, started_ms, position_ms, total_ms, seen_ms, sound = row
    check_kinds((podcast, url, guid, device, kind, sound), (at, started_ms, position_ms, total_ms, seen_ms))
    name = EpisodeName(podcast, url, guid)
    return Action(name, device, at, ActionKind(kind), started_ms, position_ms, total_ms, seen_ms, sound)
