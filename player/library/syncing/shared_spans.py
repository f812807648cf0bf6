"""The listening history, as it is shared with other devices through a folder.

The key of a span is a JSON array: the episode's podcast, address and guid, and when it began, in ms since 1970. Its
value is a JSON object, and its moment is when it ended: a span that is still being heard gets later with its end. The
known spans are in the library's own table; `sync_spans` has only spans that aren't sent yet, or that wait for their
episodes.

`forgotten` is a fact, too: its value is the moment up to which the history was deleted.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from player.library.database.values import as_json, moment
from player.library.history import spans
from player.library.history.spans import FORGOTTEN, checked
from player.library.syncing import outbox, shared_moments
from player.library.syncing.names_here import PodcastsHere, episodes_here, find_names
from player.library.syncing.own_actions import Device
from player.links.addresses import url_key
from player.merging.clock import next_at, usable
from player.merging.facts import forgotten_until
from player.merging.same_podcast import may_be_sent
from player.merging.statements import LONGEST_MS
from player.model.episode import EpisodeId
from player.model.listening import LONGEST_SPAN_MS
from player.model.playback import SLOWEST
from player.model.syncing import EpisodeName, Fact, FactKind

HISTORY_KEY = "history"
"""The key of the fact that says up to when the history was deleted."""
AT_ONCE = 2_000
"""Spans in one transaction: 0.2 s, during which a position has to wait to be saved."""
MOST_WAITING, MOST_SPANS = 200_000, 1_000_000
_LONGEST_KEY = 10_000
_FASTEST = 100.0
_DAY_MS = 86_400_000
_NOTED = "SELECT id FROM sync_changed WHERE what = 'span' LIMIT ?"
_SPANS = (
    "SELECT s.episode_id, s.from_ms, s.to_ms, s.began_at, s.speed FROM json_each(?) j"
    " CROSS JOIN listening_spans s ON s.id = j.value WHERE s.episode_id IS NOT NULL"
)
_ENDED = "began_at + CAST((to_ms - from_ms) / speed AS INTEGER)"


class SharedSpan(Struct, frozen=True):
    from_ms: Annotated[int, Meta(ge=0, le=LONGEST_MS)]
    to_ms: Annotated[int, Meta(ge=0, le=LONGEST_MS + LONGEST_SPAN_MS)]
    speed: Annotated[float, Meta(ge=SLOWEST, le=_FASTEST)]


class _Heard(NamedTuple):
    """A reported span, without the part whose history was deleted."""

    fact: Fact
    episode: EpisodeName
    from_ms: int
    to_ms: int
    began_at: int
    speed: float


# -- from here ------------------------------------------------------------------------------------------------


def note_all(connection: sqlite3.Connection) -> None:
    """Everything that was heard on this device is to be reported, as if it were new. 0.2 s for 300,000 spans."""
    connection.execute(
        "INSERT OR REPLACE INTO sync_changed (what, id, changed_at) SELECT 'span', id, 0 FROM listening_spans"
        " WHERE episode_id IS NOT NULL AND id NOT IN (SELECT span_id FROM sync_spans_of_others)"
    )


def put_back(connection: sqlite3.Connection) -> None:
    """Like `note_all`, with the deletion of the history."""
    note_all(connection)
    if _forgotten(connection):
        outbox.add_other(connection, FactKind.FORGOTTEN, [HISTORY_KEY])


def date_anew(connection: sqlite3.Connection, until: int, now: int) -> None:
    """If the history was deleted by a clock that was ahead, it counts as deleted up to `now`, so that later listening
    is shared. Spans recorded by that clock are reported with new dates."""
    spans.date_anew(connection, now)
    connection.execute("DELETE FROM sync_facts WHERE kind = 'forgotten' AND CAST(value AS INTEGER) > ?", (until,))
    connection.execute(
        "UPDATE state SET value = ? WHERE key = ? AND CAST(value AS INTEGER) > ?", (now, FORGOTTEN, until)
    )


def drop_noted(connection: sqlite3.Connection) -> None:
    """For a target that doesn't carry the history."""
    connection.execute("DELETE FROM sync_changed WHERE what IN ('span', 'forgotten')")


def collect(connection: sqlite3.Connection, podcasts: PodcastsHere, device: Device, now: int) -> None:
    """Collects the deletion of the history, and some of the new or longer spans. The rest stay noted."""
    _collect_forgotten(connection, device, now)
    ids = [row[0] for row in connection.execute(_NOTED, (AT_ONCE,))]
    if not ids:
        return
    rows = list(checked(connection.execute(_SPANS, (as_json(ids),))))
    names = {one.id: one.name(podcasts) for one in episodes_here(connection, {row[0] for row in rows})}
    since = known_since(connection)
    said: dict[str, tuple[object, ...]] = {}
    for episode_id, from_ms, to_ms, began_at, speed in rows:
        name = names.get(episode_id)
        ended_at = began_at + int((to_ms - from_ms) / speed)
        if name is not None and usable(began_at) and usable(ended_at) and began_at >= since and speed <= _FASTEST:
            key = shared_moments.key_of(name, began_at)
            value = msgspec.json.encode(SharedSpan(from_ms, to_ms, speed)).decode()
            said[key] = key, url_key(name.podcast), began_at, value, ended_at, device.id
    connection.executemany(
        "INSERT OR REPLACE INTO sync_spans (key, podcast_key, began_at, value, at, device, waits)"
        " VALUES (?, ?, ?, ?, ?, ?, 0)",
        said.values(),
    )
    outbox.add_other(connection, FactKind.SPAN, said)
    connection.execute(
        "DELETE FROM sync_changed WHERE what = 'span' AND id IN (SELECT value FROM json_each(?))", (as_json(ids),)
    )


def _collect_forgotten(connection: sqlite3.Connection, device: Device, now: int) -> None:
    row = connection.execute("SELECT changed_at FROM sync_changed WHERE what = 'forgotten'").fetchone()
    if row is None:
        return
    known = _forgotten(connection)
    until = max(row[0], forgotten_until(known))
    _put_forgotten(
        connection,
        Fact(FactKind.FORGOTTEN, HISTORY_KEY, str(until), next_at(now, known.at if known else 0), device.id),
    )
    _drop_unsent(connection, until)
    connection.execute("DELETE FROM sync_changed WHERE what = 'forgotten'")


# -- from others ----------------------------------------------------------------------------------------------


def take_forgotten(
    connection: sqlite3.Connection, facts: Iterable[Fact], device: Device, now: int, *, is_first: bool
) -> set[EpisodeId]:
    """Deletes the history up to that moment, unless this is the first merge: a deletion from before this device took
    part didn't concern its history. If another device's clock is wrong, no later listening is deleted."""
    _collect_forgotten(connection, device, now)
    known = _forgotten(connection)
    said = [one for one in facts if one.key == HISTORY_KEY and forgotten_until(one) and usable(one.at)]
    latest = max(said, key=_order, default=None)
    if latest is None or (known is not None and _order(latest) <= _order(known)):
        return set()
    until = max(min(forgotten_until(latest), now + _DAY_MS), forgotten_until(known))
    _put_forgotten(connection, replace(latest, value=str(until)))
    _drop_unsent(connection, until)
    return set() if is_first else _forget(connection, min(until, now))


def take(
    connection: sqlite3.Connection, podcasts: PodcastsHere, facts: Iterable[Fact], device: Device
) -> set[EpisodeId]:
    """Returns the episodes for which there was more listening than this library had. Spans whose episode isn't here yet
    wait."""
    since = known_since(connection)
    heard = [one for fact in facts if (one := _heard(fact, since)) is not None]
    if not heard:
        return set()
    episodes = find_names(connection, podcasts, [one.episode for one in heard])
    (count,) = connection.execute("SELECT count(*) FROM listening_spans").fetchone()
    room = max(0, MOST_SPANS - count)
    changed: set[EpisodeId] = set()
    waiting: list[_Heard] = []
    for one in heard:
        episode_id = episodes.get(one.episode)
        if _is_of_removed(connection, one):
            continue
        if episode_id is None:
            waiting.append(one)
        elif room > 0:
            is_new = _put(connection, episode_id, one, device)
            room -= is_new
            changed |= {EpisodeId(episode_id)} if is_new else set()
    _wait(connection, waiting)
    return changed


def settle(connection: sqlite3.Connection, podcasts: PodcastsHere, keys: Iterable[str], device: Device) -> None:
    """Assigns the waiting spans of these podcasts to their episodes, as far as they are in the library now."""
    rows = connection.execute(
        "SELECT s.key, s.value, s.at, s.device FROM json_each(?) j CROSS JOIN sync_spans s ON s.podcast_key = j.value"
        " WHERE s.waits = 1",
        (json.dumps(sorted(keys)),),
    ).fetchall()
    take(connection, podcasts, [Fact(FactKind.SPAN, *row) for row in rows], device)


def is_waiting(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sync_spans WHERE waits = 1 LIMIT 1").fetchone() is not None


def batches(facts: Iterable[Fact]) -> Sequence[Sequence[Fact]]:
    """The spans among the facts, in batches that fit into a transaction; the spans of a podcast are together."""
    spans = sorted((one for one in facts if one.kind is FactKind.SPAN), key=lambda one: (one.key, one.at))
    return [spans[start : start + AT_ONCE] for start in range(0, len(spans), AT_ONCE)]


def known_since(connection: sqlite3.Connection) -> int:
    """The history of anything that began earlier was deleted, here or on another device. 0: nothing was deleted."""
    row = connection.execute("SELECT value FROM state WHERE key = ?", (FORGOTTEN,)).fetchone()
    return max(int(row[0]) if row else 0, forgotten_until(_forgotten(connection)))


# -- inside ---------------------------------------------------------------------------------------------------


def _heard(fact: Fact, since: int) -> _Heard | None:
    """None for a span that can't have been heard, can't be shared, or is deleted."""
    if fact.kind is not FactKind.SPAN or not usable(fact.at) or len(fact.key) > _LONGEST_KEY:
        return None
    found = shared_moments.name_of(fact.key)
    if found is None or not may_be_sent(found[0].podcast) or not (found[0].url or found[0].guid):
        return None
    try:
        span = msgspec.json.decode(fact.value, type=SharedSpan)
    except (msgspec.DecodeError, RecursionError):
        return None
    name, began_at = found
    from_ms, to_ms, speed = span.from_ms, span.to_ms, span.speed
    if began_at < since:
        from_ms, began_at = from_ms + round((since - began_at) * speed), since
    if not usable(began_at) or not from_ms <= to_ms <= from_ms + LONGEST_SPAN_MS:
        return None
    if from_ms == to_ms and from_ms != span.from_ms:
        return None
    return _Heard(fact, name, from_ms, to_ms, began_at, speed)


def _put(connection: sqlite3.Connection, episode_id: int, one: _Heard, device: Device) -> bool:
    """Returns whether more of it is known than before. The span isn't reported again."""
    row = connection.execute(
        "INSERT INTO listening_spans (episode_id, from_ms, to_ms, began_at, speed) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (episode_id, began_at) DO UPDATE SET to_ms = excluded.to_ms"
        " WHERE from_ms = excluded.from_ms AND speed = excluded.speed AND to_ms < excluded.to_ms RETURNING id",
        (episode_id, one.from_ms, one.to_ms, one.began_at, one.speed),
    ).fetchone()
    if row is not None:
        connection.execute("DELETE FROM sync_changed WHERE what = 'span' AND id = ?", row)
    if one.fact.device != device.id:
        connection.execute(
            "INSERT INTO sync_spans_of_others (span_id) SELECT id FROM listening_spans"
            " WHERE episode_id = ? AND began_at = ? AND to_ms <= ? ON CONFLICT DO NOTHING",
            (episode_id, one.began_at, one.to_ms),
        )
    said = (one.fact.key, one.fact.at)
    connection.execute(
        "DELETE FROM sync_outbox WHERE action_id IS NULL AND kind = 'span' AND key ="
        " (SELECT key FROM sync_spans WHERE key = ? AND at <= ?)",
        said,
    )
    connection.execute("DELETE FROM sync_spans WHERE key = ? AND at <= ?", said)
    return row is not None


def _is_of_removed(connection: sqlite3.Connection, one: _Heard) -> bool:
    """Whether the span is in the history already, of an episode that has been removed since."""
    rows = connection.execute(
        "UPDATE listening_spans SET to_ms = max(to_ms, ?)"
        " WHERE began_at = ? AND from_ms = ? AND speed = ? AND episode_id IS NULL",
        (one.to_ms, one.began_at, one.from_ms, one.speed),
    )
    return rows.rowcount > 0


def _wait(connection: sqlite3.Connection, waiting: Sequence[_Heard]) -> None:
    (count,) = connection.execute("SELECT count(*) FROM sync_spans WHERE waits = 1").fetchone()
    connection.executemany(
        "INSERT INTO sync_spans (key, podcast_key, began_at, value, at, device, waits) VALUES (?, ?, ?, ?, ?, ?, 1)"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value, at = excluded.at, device = excluded.device"
        " WHERE waits = 1 AND at < excluded.at",
        [
            (one.fact.key, url_key(one.episode.podcast), one.began_at, one.fact.value, one.fact.at, one.fact.device)
            for one in waiting[: max(0, MOST_WAITING - count)]
        ],
    )


def _forgotten(connection: sqlite3.Connection) -> Fact | None:
    row = connection.execute(
        "SELECT kind, key, value, at, device FROM sync_facts WHERE kind = ? AND key = ?",
        (FactKind.FORGOTTEN, HISTORY_KEY),
    ).fetchone()
    return Fact(FactKind(row[0]), *row[1:]) if row else None


def _put_forgotten(connection: sqlite3.Connection, fact: Fact) -> None:
    """Every device reports it, whichever reported it first: each then deletes its own spans from the folder."""
    connection.execute(
        "INSERT OR REPLACE INTO sync_facts (kind, key, value, at, device, is_applied) VALUES (?, ?, ?, ?, ?, 1)",
        (fact.kind, fact.key, fact.value, fact.at, fact.device),
    )
    outbox.add_other(connection, fact.kind, [fact.key])


def _order(fact: Fact) -> tuple[int, str]:
    return fact.at, fact.device


def _drop_unsent(connection: sqlite3.Connection, until: int) -> None:
    connection.execute(
        "DELETE FROM sync_outbox WHERE kind = 'span' AND key IN (SELECT key FROM sync_spans WHERE began_at < ?)",
        (until,),
    )
    connection.execute("DELETE FROM sync_spans WHERE began_at < ?", (until,))


def _forget(connection: sqlite3.Connection, until: int) -> set[EpisodeId]:
    """Returns the episodes whose history has changed. Of a span in progress at that moment, the later part stays."""
    rows = connection.execute("SELECT DISTINCT episode_id FROM listening_spans WHERE began_at < ?", (until,)).fetchall()
    connection.execute("PRAGMA secure_delete = ON")
    try:
        connection.execute(
            "INSERT INTO state (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE"
            " SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))",
            (FORGOTTEN, str(until)),
        )
        connection.execute(
            "INSERT INTO listening_spans (episode_id, from_ms, to_ms, began_at, speed)"
            " SELECT episode_id, from_ms + CAST(round((?1 - began_at) * speed) AS INTEGER), to_ms, ?1, speed"
            f" FROM listening_spans WHERE began_at < ?1 AND {_ENDED} > ?1 AND episode_id IS NOT NULL"
            " ON CONFLICT DO NOTHING",
            (until,),
        )
        connection.execute("DELETE FROM listening_spans WHERE began_at < ?", (until,))
        connection.execute("DELETE FROM trimmed_pauses WHERE day < ?", (moment(until).astimezone().toordinal(),))
    finally:
        connection.execute("PRAGMA secure_delete = OFF")
    connection.execute("DELETE FROM sync_changed WHERE what = 'forgotten'")
    return {EpisodeId(row[0]) for row in rows if row[0] is not None}
