"""What the target doesn't have yet. It survives crashes, and any length of time without a network."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence, Set

from player.library.database.values import check_kinds, insert_many
from player.library.syncing import log
from player.model.episode import EpisodeId
from player.model.syncing import (
    ActionKind,
    Carried,
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
    FactKind.SEGMENT: Carried.SEGMENTS,
    FactKind.SPAN: Carried.HISTORY,
    FactKind.FORGOTTEN: Carried.HISTORY,
    FactKind.SETTINGS: Carried.SETTINGS,
    FactKind.DISMISSED: Carried.DISMISSED,
}
_MOST_SOUNDS = 200
_SUBSCRIPTION = "action_id IS NULL AND kind = ''"
_WAITING = "o.refused IS NULL ORDER BY o.number LIMIT ?"


def add_actions(connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
    insert_many(connection, "INSERT OR IGNORE INTO sync_outbox (action_id)", [(one,) for one in numbers])


def add_other(connection: sqlite3.Connection, kind: str, keys: Collection[str]) -> None:
    """Adds subscriptions (`kind` "") or facts. If one is waiting already, it gets a new number, because the version
    that may have been sent is older."""
    rows = [(kind, key) for key in keys]
    drop_other(connection, kind, keys)
    connection.executemany("INSERT INTO sync_outbox (kind, key) VALUES (?, ?)", rows)


def drop_other(connection: sqlite3.Connection, kind: str, keys: Collection[str]) -> None:
    """These subscriptions or facts needn't be sent any more: later ones are known."""
    rows = [(kind, key) for key in keys]
    connection.executemany("DELETE FROM sync_outbox WHERE action_id IS NULL AND kind = ? AND key = ?", rows)


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
    ids = [row[1] for row in rows]
    actions, known = log.by_number(connection, ids), log.of_same_episodes(connection, ids)
    return Outgoing(
        tuple((number, actions[action_id]) for number, action_id in rows),
        tuple(_subscriptions(connection, limit)),
        (*_facts(connection, limit), *_spans(connection, limit)),
        {number: known[action_id] for number, action_id in rows if action_id in known},
    )


def without_sound(connection: sqlite3.Connection) -> list[tuple[int, EpisodeId, int, int]]:
    """Actions that report the listener's current position and don't have its sound yet: the number of the action, the
    episode, the position in ms, and the number of its audio. The latest come first, and only so many at a time."""
    rows = connection.execute(
        "SELECT a.id, a.episode_id, p.position_ms, p.audio FROM sync_outbox o"
        " CROSS JOIN sync_actions a ON a.id = o.action_id CROSS JOIN progress p ON p.episode_id = a.episode_id"
        " WHERE o.refused IS NULL AND a.kind = ? AND a.sound = '' AND p.audio IS NOT NULL"
        " AND a.position_ms = p.position_ms - p.moved_ms ORDER BY o.number DESC LIMIT ?",
        (ActionKind.PLAY, _MOST_SOUNDS),
    )
    return [(number, EpisodeId(episode_id), *heard) for number, episode_id, *heard in rows]


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
