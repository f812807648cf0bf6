"""Stars, the queue, bookmarks, segments, dismissals and the settings of podcasts: only a folder carries them. The
latest value counts.

The key of a star, a dismissal or a queued episode is the name of the episode as a JSON array: podcast, address, guid.
The value is `true`, and for the queue a rank, as `player.merging.facts` defines it. `shared_moments.py` and
`arranged_podcasts.py` define the other kinds.

A played mark that is later than the fact of a queued episode ends that fact, also if the mark was taken back since: so
devices agree on the queue, whether they have heard of the mark before it was taken back or not.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from player.library.database.values import as_json, check_kinds
from player.library.syncing import applying, log, outbox, shared_moments
from player.library.syncing.arranged_podcasts import ArrangedPodcasts, arranged
from player.library.syncing.names_here import PodcastsHere, episodes_here, find_names
from player.library.syncing.own_actions import Device
from player.merging.clock import next_at, usable
from player.merging.facts import queue_order, queue_ranks, rank_of, wins
from player.merging.fold import marked_at
from player.merging.same_podcast import may_be_sent
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.model.syncing import EpisodeName, Fact, FactKind

KINDS = (
    FactKind.STAR, FactKind.QUEUE, FactKind.BOOKMARK, FactKind.SEGMENT, FactKind.SETTINGS, FactKind.DISMISSED,
)  # fmt: skip
MOST_FACTS = 200_000
_LONGEST_KEY, _LONGEST_VALUE = 10_000, 100_000
_STARRED = "SELECT id, 0 FROM episodes WHERE starred = 1"
_QUEUED = "SELECT episode_id, added_at FROM queue ORDER BY rank, episode_id"


class Applied(NamedTuple):
    """Episodes whose star, bookmarks or segments have changed, and those of them whose segments have; whether the queue
    and the inbox have changed, and podcasts that have changed."""

    episodes: tuple[EpisodeId, ...]
    segments: tuple[EpisodeId, ...]
    queue: bool
    inbox: bool
    arranged: tuple[PodcastId, ...]


class _Here(NamedTuple):
    """An episode that is starred, or queued since `at`."""

    id: int
    at: int


def collect(
    connection: sqlite3.Connection,
    podcasts: PodcastsHere,
    shelf: ArrangedPodcasts,
    device: Device,
    kinds: Iterable[FactKind],
    now: int,
) -> None:
    """Collects the changes of these kinds since the last collection."""
    for kind in kinds:
        known, applied = _known(connection, kind)
        since: dict[str, int] = {}
        if kind is FactKind.SETTINGS:
            values, present = _settings(connection, podcasts, shelf, known)
        elif (table := shared_moments.TABLES.get(kind)) is not None:
            values, present = shared_moments.here(connection, table, podcasts, known)
        elif kind is FactKind.DISMISSED:
            values, present = _dismissals(connection, podcasts, known)
        else:
            values, present, since = _of_episodes(connection, podcasts, kind, known, now)
        values |= {key: "" for key in present if known[key].value and key in applied and key not in values}
        changed = [
            Fact(kind, key, value, next_at(since.get(key, now), known[key].at if key in known else 0), device.id)
            for key, value in values.items()
            if (known[key].value != value and key in applied if key in known else True)
        ]
        _put(connection, changed, is_applied=True)
        # If it comes back, it gets the stored value again.
        _mark(connection, kind, applied - present, is_applied=False)
        outbox.add_other(connection, kind, [fact.key for fact in changed])


def take(
    connection: sqlite3.Connection,
    podcasts: PodcastsHere,
    shelf: ArrangedPodcasts,
    facts: Iterable[Fact],
    now: int,
    *,
    touched: Set[int] = frozenset(),
    playing: Set[int] = frozenset(),
) -> Applied:
    """Stores facts that are later than the known ones, and applies all facts that aren't applied yet. `touched` are the
    episodes of which something was heard from other devices; those that are `playing` stay in the queue until this is
    called while they aren't."""
    (count,) = connection.execute("SELECT count(*) FROM sync_facts").fetchone()
    latest: dict[tuple[FactKind, str], Fact] = {}
    for fact in filter(_possible, facts):
        name = fact.kind, fact.key
        if name not in latest or wins(fact, latest[name]):
            latest[name] = fact
    for kind in KINDS:
        known, _applied = _known(connection, kind)
        new = [
            fact for (of, key), fact in latest.items() if of is kind and (key not in known or wins(fact, known[key]))
        ]
        room = max(0, MOST_FACTS - count)
        _put(connection, [fact for fact in new if fact.key in known], is_applied=False)
        _put(connection, [fact for fact in new if fact.key not in known][:room], is_applied=False)
        outbox.drop_other(connection, kind, [fact.key for fact in new])
    podcast_ids = shelf.apply(_to_apply(connection, podcasts, FactKind.SETTINGS))
    moments: dict[FactKind, list[EpisodeId]] = {}
    for kind, table in shared_moments.TABLES.items():
        keys, changed = shared_moments.apply(connection, table, podcasts, _unapplied(connection, kind))
        _mark(connection, kind, keys, is_applied=True)
        moments[kind] = sorted(map(EpisodeId, changed))
    starred, queue = _apply_stars(connection, podcasts), _apply_queue(connection, podcasts, touched, playing, now)
    episodes = tuple(sorted({*starred, *moments[FactKind.BOOKMARK], *moments[FactKind.SEGMENT]}))
    inbox = _apply_dismissals(connection, podcasts, now)
    return Applied(episodes, tuple(moments[FactKind.SEGMENT]), queue, inbox, tuple(sorted(podcast_ids)))


def settle(connection: sqlite3.Connection, podcasts: PodcastsHere) -> set[int]:
    """The episodes that were dismissed on another device before they arrived here."""
    waiting = _unapplied(connection, FactKind.DISMISSED)
    keys = _keys_that_count(waiting, _episodes(connection, podcasts, waiting))
    return {one for one, key in keys.items() if waiting[key].value}


def date_anew(connection: sqlite3.Connection, device: Device, until: int, now: int) -> None:
    """This device's facts that are dated later than `until` are sent again, dated `now`; other devices' facts with such
    dates are dropped."""
    rows = connection.execute("SELECT kind, key FROM sync_facts WHERE at > ? AND device = ?", (until, device.id))
    for kind, key in rows.fetchall():
        outbox.add_other(connection, kind, [key])
    connection.execute("UPDATE sync_facts SET at = ? WHERE at > ? AND device = ?", (now, until, device.id))
    connection.execute("DELETE FROM sync_facts WHERE at > ?", (until,))


def put_back(connection: sqlite3.Connection, device: Device) -> None:
    """All facts of this device are to be sent again."""
    for kind in KINDS:
        rows = connection.execute("SELECT key FROM sync_facts WHERE kind = ? AND device = ?", (kind, device.id))
        outbox.add_other(connection, kind, [key for (key,) in rows.fetchall()])


def _apply_stars(connection: sqlite3.Connection, podcasts: PodcastsHere) -> tuple[EpisodeId, ...]:
    changed: list[EpisodeId] = []
    for episode_id, fact in _to_apply(connection, podcasts, FactKind.STAR).items():
        rows = connection.execute(
            "UPDATE episodes SET starred = ?1 WHERE id = ?2 AND starred <> ?1", (int(bool(fact.value)), episode_id)
        )
        changed += [EpisodeId(episode_id)] * (rows.rowcount > 0)
    connection.executemany("DELETE FROM inbox WHERE episode_id = ?", [(one,) for one in changed])
    return tuple(changed)


def _apply_dismissals(connection: sqlite3.Connection, podcasts: PodcastsHere, now: int) -> bool:
    """Returns whether the inbox has changed. An episode that has been listened to meanwhile doesn't come back to it."""
    decided = _to_apply(connection, podcasts, FactKind.DISMISSED)
    gone = as_json([one for one, fact in decided.items() if fact.value])
    back = [one for one, fact in decided.items() if not fact.value]
    unheard = as_json([one.id for one in episodes_here(connection, back) if not one.played and not one.position_ms])
    is_other = connection.execute(
        "DELETE FROM inbox WHERE episode_id IN (SELECT value FROM json_each(?))", (gone,)
    ).rowcount
    is_other += connection.execute(
        "INSERT OR IGNORE INTO inbox (episode_id, arrived_at) SELECT value, ? FROM json_each(?)", (now, unheard)
    ).rowcount
    return is_other > 0


def _to_apply(connection: sqlite3.Connection, podcasts: PodcastsHere, kind: FactKind) -> dict[int, Fact]:
    """The facts to apply, of each episode or podcast the one that counts; marks them as applied."""
    waiting = _subjects(connection, podcasts, kind, _unapplied(connection, kind))
    if not waiting:
        return {}
    known, _applied = _known(connection, kind)
    keys = _keys_that_count(known, _subjects(connection, podcasts, kind, known))
    _mark(connection, kind, waiting, is_applied=True)
    return {one: known[keys[one]] for one in waiting.values()}


def _subjects(
    connection: sqlite3.Connection, podcasts: PodcastsHere, kind: FactKind, keys: Iterable[str]
) -> dict[str, int]:
    """By key the episode, for settings the podcast, as far as they are in this library."""
    if kind is not FactKind.SETTINGS:
        return _episodes(connection, podcasts, keys)
    return {key: podcast_id for key in keys if (podcast_id := podcasts.podcast(key)) is not None}


def _keys_that_count(known: Mapping[str, Fact], subjects: Mapping[str, int]) -> dict[int, str]:
    """The key of the latest fact of each episode or podcast. There are facts with several keys if the podcast has
    moved: devices know it by different addresses then."""
    keys: dict[int, str] = {}
    for key, one in subjects.items():
        if one not in keys or wins(known[key], known[keys[one]]):
            keys[one] = key
    return keys


def _apply_queue(
    connection: sqlite3.Connection, podcasts: PodcastsHere, touched: Set[int], playing: Set[int], now: int
) -> bool:
    """Returns whether the queue has changed."""
    known, applied = _known(connection, FactKind.QUEUE)
    if applied == known.keys():
        queued = [key for key, fact in known.items() if fact.value] if touched else []
        if touched.isdisjoint(_episodes(connection, podcasts, queued).values()):
            return False
    episodes = _episodes(connection, podcasts, known)
    before = [row[0] for row in connection.execute(_QUEUED)]
    known |= _end_heard(connection, known, episodes, playing & set(before))
    wanted: dict[int, int] = {}
    for key in queue_order(known.values()):
        if key in episodes:
            wanted[episodes[key]] = max(known[key].at, wanted.get(episodes[key], 0))
    order = _with_others(before, list(wanted), set(episodes.values()))
    _mark(connection, FactKind.QUEUE, episodes, is_applied=True)
    if order == before:
        return False
    added = dict(connection.execute("SELECT episode_id, added_at FROM queue").fetchall())
    connection.execute("DELETE FROM queue")
    connection.executemany(
        "INSERT INTO queue (episode_id, rank, added_at) VALUES (?, ?, ?)",
        [(one, rank, added.get(one, min(wanted.get(one, now), now))) for rank, one in enumerate(order, 1)],
    )
    return True


def _end_heard(
    connection: sqlite3.Connection, known: Mapping[str, Fact], episodes: Mapping[str, int], playing: Set[int]
) -> dict[str, Fact]:
    """Replaces the facts of episodes that were marked as played after they were queued. Every device that knows both
    makes the same of them, so nobody has to be told. Those that are `playing` in the queue are held."""
    queued = {key: episode_id for key, episode_id in episodes.items() if known[key].value}
    marks = _marks(connection, queued.values())
    heard = {key: one for key, one in queued.items() if known[key].at < marks[one]}
    for here in episodes_here(connection, (playing & set(heard.values())) - applying.held_ids(connection)):
        applying.hold(connection, here)
    ended = [Fact(FactKind.QUEUE, key, "", marks[one], "") for key, one in heard.items() if one not in playing]
    _put(connection, ended, is_applied=True)
    outbox.drop_other(connection, FactKind.QUEUE, [fact.key for fact in ended])
    return {fact.key: fact for fact in ended}


def _marks(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, int]:
    """When each of these episodes was last marked as played, on whatever device; 0 if never."""
    return {one: marked_at(actions) for one, actions in log.of_episodes(connection, sorted(set(ids))).items()}


def _with_others(before: Sequence[int], wanted: Sequence[int], shared: set[int]) -> list[int]:
    """Episodes that aren't shared stay behind the episode that they were behind."""
    following: dict[int | None, list[int]] = {}
    last: int | None = None
    for one in before:
        if one in shared:
            last = one if one in wanted else last
        else:
            following.setdefault(last, []).append(one)
    order = following.pop(None, [])
    for one in wanted:
        order += [one, *following.get(one, [])]
    return order


def _of_episodes(
    connection: sqlite3.Connection, podcasts: PodcastsHere, kind: FactKind, known: Mapping[str, Fact], now: int
) -> tuple[dict[str, str], set[str], dict[str, int]]:
    """The values of all stars here, or of the queue; which of the known keys are of episodes in this library; and for
    queued episodes that no device knows to be queued, since when they have been queued: later than the marks that the
    listener knew of."""
    episodes = _episodes(connection, podcasts, known)
    if kind is FactKind.STAR:
        keys = _keys_that_count(known, episodes)
        starred = _keys_here(connection, podcasts, kind, keys)
        outdated = {key: known[key].value for key, one in episodes.items() if keys[one] != key}
        return outdated | dict.fromkeys(starred, "true"), set(episodes), {}
    keys = {episode_id: key for key, episode_id in episodes.items()}
    keys |= {episode_id: key for key, episode_id in episodes.items() if known[key].value}
    here = _keys_here(connection, podcasts, kind, keys)
    new = {key: one for key, one in here.items() if not (key in known and known[key].value)}
    marks = _marks(connection, {one.id for one in new.values()} - applying.held_ids(connection))
    since = {key: next_at(min(one.at or now, now), marks.get(one.id, 0)) for key, one in new.items()}
    ranks = {key: rank for key in here if key in known and (rank := rank_of(known[key].value)) is not None}
    values = {key: str(rank) for key, rank in {**ranks, **queue_ranks(list(here), ranks)}.items()}
    return values, set(episodes), since


def _settings(
    connection: sqlite3.Connection, podcasts: PodcastsHere, shelf: ArrangedPodcasts, known: Mapping[str, Fact]
) -> tuple[dict[str, str], set[str]]:
    here = _subjects(connection, podcasts, FactKind.SETTINGS, known)
    before = {key: known[key].value for key in here}
    return before | shelf.here(podcasts, known, _keys_that_count(known, here)), set(here)


def _dismissals(
    connection: sqlite3.Connection, podcasts: PodcastsHere, known: Mapping[str, Fact]
) -> tuple[dict[str, str], set[str]]:
    """The listener's decisions about new episodes, whatever was done with them since. An episode that came back is
    reported only if other devices know it as dismissed."""
    episodes = _episodes(connection, podcasts, known)
    keys = _keys_that_count(known, episodes)
    values = {key: known[key].value for key in episodes}
    ids = [row[0] for row in connection.execute("SELECT id FROM sync_changed WHERE what = 'dismissed'")]
    inbox = {row[0] for row in connection.execute("SELECT episode_id FROM inbox")}
    for one in episodes_here(connection, ids):
        key, name = keys.get(one.id, ""), one.name(podcasts)
        if name is None or (not key and one.id in inbox):
            continue
        values[key or _key(name)] = "" if one.id in inbox else "true"
    return values, set(episodes)


def _keys_here(
    connection: sqlite3.Connection, podcasts: PodcastsHere, kind: FactKind, known: Mapping[int, str]
) -> dict[str, _Here]:
    """The starred or queued episodes that may be shared, in order, by their keys in the known spelling."""
    ids = dict(connection.execute(_STARRED if kind is FactKind.STAR else _QUEUED).fetchall())
    names = {one.id: name for one in episodes_here(connection, ids) if (name := one.name(podcasts)) is not None}
    return {known.get(one) or _key(names[one]): _Here(one, at) for one, at in ids.items() if one in names}


def _known(connection: sqlite3.Connection, kind: FactKind, which: str = "") -> tuple[dict[str, Fact], set[str]]:
    """The facts of a kind by their keys, and the keys of the applied ones."""
    sql = f"SELECT key, value, at, device, is_applied FROM sync_facts WHERE kind = ? {which}"
    rows = connection.execute(sql, (kind,)).fetchall()
    known: dict[str, Fact] = {}
    applied: set[str] = set()
    for key, value, at, device, is_applied in rows:
        check_kinds((key, value, device), (at,))
        known[key] = Fact(kind, key, value, at, device)
        applied |= {key} if is_applied else set()
    return known, applied


def _unapplied(connection: sqlite3.Connection, kind: FactKind) -> dict[str, Fact]:
    return _known(connection, kind, "AND is_applied = 0")[0]


def _mark(connection: sqlite3.Connection, kind: FactKind, keys: Iterable[str], *, is_applied: bool) -> None:
    rows = [(int(is_applied), kind, key) for key in keys]
    connection.executemany("UPDATE sync_facts SET is_applied = ? WHERE kind = ? AND key = ?", rows)


def _episodes(connection: sqlite3.Connection, podcasts: PodcastsHere, keys: Iterable[str]) -> dict[str, int]:
    names = {key: name for key in keys if (name := _name(key)) is not None}
    found = find_names(connection, podcasts, names.values())
    return {key: found[name] for key, name in names.items() if name in found}


def _put(connection: sqlite3.Connection, facts: Iterable[Fact], *, is_applied: bool) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO sync_facts (kind, key, value, at, device, is_applied) VALUES (?, ?, ?, ?, ?, ?)",
        [(one.kind, one.key, one.value, one.at, one.device, int(is_applied)) for one in facts],
    )


def _key(name: EpisodeName) -> str:
    return json.dumps([name.podcast, name.url, name.guid], ensure_ascii=False, separators=(",", ":"))


def _name(key: str) -> EpisodeName | None:
    try:
        parts = json.loads(key)
    except (ValueError, RecursionError):
        return None
    if not isinstance(parts, list) or len(parts) != 3 or not all(isinstance(one, str) for one in parts):
        return None
    return EpisodeName(*parts)


def _possible(fact: Fact) -> bool:
    if fact.kind not in KINDS or not usable(fact.at) or len(fact.key) > _LONGEST_KEY:
        return False
    if fact.kind is FactKind.SETTINGS:
        return may_be_sent(fact.key) and len(fact.value) <= _LONGEST_VALUE and arranged(fact.value) is not None
    table = shared_moments.TABLES.get(fact.kind)
    if table is not None:
        found = shared_moments.name_of(fact.key)
        name = found[0] if found else None
        if fact.value and (len(fact.value) > _LONGEST_VALUE or not shared_moments.shared(table, fact.value)):
            return False
    else:
        name = _name(fact.key)
    if name is None or not may_be_sent(name.podcast) or not (name.url or name.guid):
        return False
    if table is not None:
        return True
    return not fact.value or fact.value == "true" or (fact.kind is FactKind.QUEUE and rank_of(fact.value) is not None)
