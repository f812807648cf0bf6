"""What the target doesn't have yet, and the action by which this device reports a change of an episode. The outbox
survives crashes, and any length of time without a network.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from player.library.database.values import check_kinds, insert_many
from player.library.syncing import log
from player.library.syncing.names_here import EpisodeHere, LastSpan
from player.merging.clock import LATEST, next_at
from player.merging.fold import newest_at, seen_ms
from player.merging.seconds import told_apart
from player.merging.statements import END_MS
from player.model.syncing import (
    Action,
    ActionKind,
    Carried,
    EpisodeName,
    EpisodeState,
    Fact,
    FactKind,
    Outgoing,
    Pushed,
    SubscriptionChange,
    SyncPlan,
)
from player.text.cleaning import clean_line

_LONGEST_SENTENCE = 500
_MOST_TITLES = 20
_CARRIED = {
    ActionKind.PLAY: Carried.POSITIONS,
    ActionKind.PLAYED: Carried.PLAYED,
    ActionKind.UNPLAYED: Carried.UNPLAYED,
    FactKind.STAR: Carried.STARS,
    FactKind.QUEUE: Carried.QUEUE,
    FactKind.BOOKMARK: Carried.BOOKMARKS,
    FactKind.SPAN: Carried.HISTORY,
    FactKind.FORGOTTEN: Carried.HISTORY,
    FactKind.SETTINGS: Carried.SETTINGS,
    FactKind.DISMISSED: Carried.DISMISSED,
}
_SUBSCRIPTION = "action_id IS NULL AND kind = ''"
_WAITING = "o.refused IS NULL ORDER BY o.number LIMIT ?"


def add_actions(connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
    insert_many(connection, "INSERT OR IGNORE INTO sync_outbox (action_id)", [(one,) for one in numbers])


def add_other(connection: sqlite3.Connection, kind: str, keys: Iterable[str]) -> None:
    """Adds subscriptions (`kind` "") or facts. If one is waiting already, it gets a new number, because the version
    that may have been sent is older."""
    rows = [(kind, key) for key in keys]
    connection.executemany("DELETE FROM sync_outbox WHERE action_id IS NULL AND kind = ? AND key = ?", rows)
    connection.executemany("INSERT INTO sync_outbox (kind, key) VALUES (?, ?)", rows)


def newest(connection: sqlite3.Connection) -> int:
    """The highest number that was ever assigned."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'sync_outbox'").fetchone()
    return int(row[0]) if row else 0


def count(connection: sqlite3.Connection, since: int = 0) -> int:
    """How many entries wait to be sent: all, or those with higher numbers."""
    sql = "SELECT count(*) FROM sync_outbox WHERE number > ? AND refused IS NULL"
    return int(connection.execute(sql, (since,)).fetchone()[0])


def count_refused(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(refused) FROM sync_outbox").fetchone()[0])


def planned(connection: sqlite3.Connection) -> SyncPlan:
    """The entries that wait to be sent, by kind; `here` of the plan stays empty."""
    actions = connection.execute(
        "SELECT a.kind, coalesce(a.position_ms >= a.total_ms, 0), a.position_ms = 0, count(*) FROM sync_outbox o"
        " CROSS JOIN sync_actions a ON a.id = o.action_id WHERE o.refused IS NULL GROUP BY 1, 2, 3"
    ).fetchall()
    found = dict.fromkeys(("positions", "played", "unplayed"), 0)
    for kind, is_end, is_start, number in actions:
        # Servers know no other kind than PLAY.
        played = kind == ActionKind.PLAYED or (kind == ActionKind.PLAY and is_end)
        unplayed = kind == ActionKind.UNPLAYED or is_start
        found["played" if played else "unplayed" if unplayed else "positions"] += number
    subscribed, all_subscriptions = connection.execute(
        "SELECT coalesce(sum(s.is_subscribed), 0), count(*) FROM sync_outbox o"
        " CROSS JOIN sync_subscriptions s ON s.key = o.key WHERE o.action_id IS NULL AND o.kind = ''"
    ).fetchone()
    titles = connection.execute(
        "SELECT coalesce(nullif(s.title, ''), s.podcast) FROM sync_outbox o CROSS JOIN sync_subscriptions s"
        " ON s.key = o.key WHERE o.action_id IS NULL AND o.kind = '' AND s.is_subscribed = 1 ORDER BY o.number LIMIT ?",
        (_MOST_TITLES,),
    ).fetchall()
    facts = connection.execute(
        "SELECT kind, count(*) FROM sync_outbox WHERE action_id IS NULL AND kind <> '' GROUP BY kind"
    ).fetchall()
    kinds = {FactKind(kind): number for kind, number in facts}
    return SyncPlan(
        positions=found["positions"],
        played=found["played"],
        unplayed=found["unplayed"],
        subscribed=subscribed,
        unsubscribed=all_subscriptions - subscribed,
        facts=sum(kinds.values()),
        titles=tuple(title for (title,) in titles),
        kinds=tuple((kind, kinds[kind]) for kind in FactKind if kind in kinds),
    )


def refusals(connection: sqlite3.Connection, limit: int) -> list[str]:
    rows = connection.execute(
        "SELECT refused FROM sync_outbox WHERE refused IS NOT NULL ORDER BY number DESC LIMIT ?", (limit,)
    )
    return [str(one) for (one,) in rows]


def outgoing(connection: sqlite3.Connection, limit: int) -> Outgoing:
    """Up to `limit` entries of each kind; all for -1."""
    rows = connection.execute(
        f"SELECT o.number, o.action_id FROM sync_outbox o WHERE o.action_id IS NOT NULL AND {_WAITING}", (limit,)
    ).fetchall()
    actions = log.by_number(connection, [row[1] for row in rows])
    return Outgoing(
        tuple((number, actions[action_id]) for number, action_id in rows),
        tuple(_subscriptions(connection, limit)),
        (*_facts(connection, limit), *_spans(connection, limit)),
    )


def uncarried(found: Outgoing, carries: Set[Carried]) -> list[int]:
    """The numbers of the entries that a target doesn't carry. When the target changes, everything is put into the
    outbox again."""
    return [
        *(number for number, one in found.actions if _CARRIED[one.kind] not in carries),
        *(number for number, _one in found.subscriptions if Carried.SUBSCRIPTIONS not in carries),
        *(number for number, one in found.facts if _CARRIED[one.kind] not in carries),
    ]


def drop(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    connection.executemany("DELETE FROM sync_outbox WHERE number = ?", [(one,) for one in numbers])


def sent(connection: sqlite3.Connection, pushed: Pushed) -> None:
    numbers = [(one,) for one in pushed.sent]
    connection.executemany(
        "UPDATE sync_subscriptions SET is_known = 1 WHERE key IN"
        f" (SELECT key FROM sync_outbox WHERE number = ? AND {_SUBSCRIPTION})",
        numbers,
    )
    connection.executemany(
        "DELETE FROM sync_spans WHERE waits = 0 AND key = (SELECT key FROM sync_outbox WHERE number = ?"
        " AND action_id IS NULL AND kind = 'span')",
        numbers,
    )
    connection.executemany("DELETE FROM sync_outbox WHERE number = ?", numbers)
    connection.executemany(
        "UPDATE sync_outbox SET refused = ? WHERE number = ? AND refused IS NULL",
        [(clean_line(sentence, _LONGEST_SENTENCE), number) for number, sentence in pushed.refused],
    )


def _subscriptions(connection: sqlite3.Connection, limit: int) -> Iterator[tuple[int, SubscriptionChange]]:
    rows = connection.execute(
        "SELECT o.number, s.podcast, s.is_subscribed, s.at, s.device, s.title, s.guid FROM sync_outbox o"
        f" CROSS JOIN sync_subscriptions s ON s.key = o.key WHERE o.action_id IS NULL AND o.kind = '' AND {_WAITING}",
        (limit,),
    )
    for number, podcast, is_subscribed, at, device, title, guid in rows.fetchall():
        check_kinds((podcast, device, title, guid), (number, is_subscribed, at))
        yield number, SubscriptionChange(podcast, bool(is_subscribed), at, device, title, guid)


def _facts(connection: sqlite3.Connection, limit: int) -> Iterator[tuple[int, Fact]]:
    rows = connection.execute(
        "SELECT o.number, f.kind, f.key, f.value, f.at, f.device FROM sync_outbox o"
        f" CROSS JOIN sync_facts f ON f.kind = o.kind AND f.key = o.key WHERE o.kind NOT IN ('', 'span')"
        f" AND {_WAITING}",
        (limit,),
    )
    yield from _read(rows)


def _spans(connection: sqlite3.Connection, limit: int) -> Iterator[tuple[int, Fact]]:
    rows = connection.execute(
        "SELECT o.number, 'span', s.key, s.value, s.at, s.device FROM sync_outbox o"
        f" CROSS JOIN sync_spans s ON s.key = o.key WHERE o.kind = 'span' AND {_WAITING}",
        (limit,),
    )
    yield from _read(rows)


def _read(rows: sqlite3.Cursor) -> Iterator[tuple[int, Fact]]:
    for number, kind, key, value, at, device in rows.fetchall():
        check_kinds((kind, key, value, device), (number, at))
        yield number, Fact(FactKind(kind), key, value, at, device)


SAME_MS = 1_000
"""Positions that differ by less are the same: servers store whole seconds."""
_MOST_A_SECOND = 500
"""gpodder.net returns 1,000 actions at a time and goes on by their seconds: of more than that within one second, no
device ever gets the rest."""


class Device(NamedTuple):
    """This device. `step_ms` 1000: its actions go to a server, which stores whole seconds; `seconds` then counts its
    actions in each second. `has_facts`: whether it reports facts, too."""

    id: str
    step_ms: int = 1
    seconds: Counter[int] | None = None
    has_facts: bool = True


def own_action(
    here: EpisodeHere,
    name: EpisodeName,
    played_at: int | None,
    known: Sequence[Action],
    seen: EpisodeState,
    span: LastSpan | None,
    device: Device,
    now: int,
) -> Action | None:
    """None if other devices know the state already. `known` are all actions about the episode, `seen` is the state that
    the listener knew of. `played_at`: when its mark was set or removed, in ms since 1970; 0 if that isn't known, None
    if it wasn't changed."""
    made = _made(here, played_at, seen, span, now)
    if made is None:
        return None
    kind, at, position_ms, started_ms = made
    at = _apart(next_at(min(at, now, LATEST - 1), newest_at(known), device.step_ms), device)
    action = Action(name, device.id, at, kind, started_ms, position_ms, here.total_ms, seen_ms(seen))
    return told_apart(action, known) if device.step_ms > 1 else action


def _apart(at: int, device: Device) -> int:
    """A little later, if the device already has enough actions in that second."""
    if device.seconds is None:
        return at
    while device.seconds[at] >= _MOST_A_SECOND:
        at += device.step_ms
    device.seconds[at] += 1
    return at


def _made(
    here: EpisodeHere, played_at: int | None, seen: EpisodeState, span: LastSpan | None, now: int
) -> tuple[ActionKind, int, int, int | None] | None:
    """Kind, time, position, and where the listening began."""
    if here.played:
        if seen.played and not played_at:
            return None
        # Played before there was an account: dated when it was last heard, else when it was published.
        return ActionKind.PLAYED, played_at or (span.ended_at if span else here.sort), 0, None
    position_ms = short_of_end(here.position_ms, here.total_ms)
    if position_ms < SAME_MS:
        if not seen.played and seen.position_ms < SAME_MS:
            return None
        return ActionKind.UNPLAYED, played_at or now, 0, None
    if not seen.played and abs(position_ms - seen.position_ms) < SAME_MS:
        return None
    saved_at = here.saved_at or 0
    # If removing the mark restored a position, the position has the time of that removal.
    at = max(saved_at, played_at or 0) if seen.played else saved_at
    started_ms = span.start_of(here.position_ms) if span else None
    # Starting from 0 would mean that it was begun again, though nobody here may have known that it was played.
    return ActionKind.PLAY, at, position_ms, None if started_ms is None else max(SAME_MS, started_ms)


def short_of_end(position_ms: int, total_ms: int | None) -> int:
    """A listener who stopped just before the end, without hearing it out, must not count as having finished."""
    return min(position_ms, max(0, total_ms - END_MS - SAME_MS)) if total_ms else position_ms
