"""Subscriptions and episodes by the names that other devices use for them, and the state of those episodes in this
library. A subscription has any address that it ever had.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from player.library.database.values import as_json, check_kinds
from player.library.lists.compiler import NOT_LIVE
from player.library.syncing.log import Named
from player.links.addresses import audiobookshelf_address, is_audiobookshelf, url_key
from player.merging.same_podcast import Move, SamePodcast, may_be_sent
from player.model.matching import Identity, matches
from player.model.podcast import PodcastId
from player.model.syncing import EpisodeName

MOST_MOVES = 20_000


class PodcastsHere:
    """Read once for each transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        rows = connection.execute("SELECT id, url_key, url FROM podcasts WHERE previewed_at IS NULL").fetchall()
        check_kinds([text for row in rows for text in row[1:]], [row[0] for row in rows])
        self.addresses = {PodcastId(number): url for number, _key, url in rows}
        account = connection.execute("SELECT address FROM sync_account").fetchone()
        self._server: str = account[0] if account else ""
        self._by_key = {key: PodcastId(number) for number, key, _url in rows}
        self._names: dict[str, str] = dict(
            connection.execute("SELECT key, podcast FROM sync_subscriptions WHERE is_here = 1")
        )
        pairs = connection.execute("SELECT former, present, is_alias FROM sync_moves").fetchall()
        self.moves: list[Move] = [(former, present) for former, present, is_alias in pairs if not is_alias]
        self.aliases: list[Move] = [(former, present) for former, present, is_alias in pairs if is_alias]
        self._look()

    def podcast(self, address: str) -> PodcastId | None:
        """`address` may be a `url_key`. A podcast's present address takes precedence over another podcast's former
        address."""
        return self._by_key.get(url_key(address)) or self._by_family.get(self._same.name(url_key(address)))

    def is_shared(self, address: str) -> bool:
        """Whether the podcast at that address may be sent to the target. Podcasts from an Audiobookshelf server are
        sent only to that server."""
        if is_audiobookshelf(address):
            return (theirs := audiobookshelf_address(address)) is not None and theirs.server == self._server
        return may_be_sent(address)

    def keys(self, podcast_id: PodcastId) -> set[str]:
        """All keys under which it may appear in the log."""
        if (address := self.addresses.get(podcast_id)) is None:
            return set()
        others = self._keys.get(self._same.name(url_key(address)), set())
        return {url_key(address)} | {key for key in others if self.podcast(key) == podcast_id}

    def name(self, podcast_id: PodcastId) -> str:
        """The address by which other devices know it, which may be a former one. "" for a podcast that isn't shared."""
        if (address := self.addresses.get(podcast_id)) is None:
            return ""
        known = next((self._names[key] for key in (url_key(address), *self.keys(podcast_id)) if key in self._names), "")
        return known or (address if self.is_shared(address) else "")

    def family(self, key: str) -> str:
        """A name shared by all keys of one podcast, whether it is in this library or not."""
        return self._same.name(key)

    def add_moves(self, moves: Iterable[Move]) -> set[PodcastId]:
        """Returns the podcasts that have more addresses than before."""
        return self._add(moves, self.moves, is_alias=False)

    def add_aliases(self, aliases: Iterable[Move]) -> set[PodcastId]:
        """Like `add_moves`, for addresses that podcasts have on other devices."""
        return self._add(aliases, self.aliases, is_alias=True)

    def _add(self, pairs: Iterable[Move], kept: list[Move], *, is_alias: bool) -> set[PodcastId]:
        known = {*self.moves, *self.aliases}
        new = [one for one in dict.fromkeys(pairs) if one not in known and all(map(may_be_sent, one))]
        if not (new := new[: max(0, MOST_MOVES - len(known))]):
            return set()
        self._connection.executemany(
            "INSERT INTO sync_moves (former, present, is_alias) VALUES (?, ?, ?)",
            [(*one, int(is_alias)) for one in new],
        )
        kept += new
        self._look()
        return {found for pair in new for one in pair if (found := self.podcast(one)) is not None}

    def _look(self) -> None:
        pairs = [(url_key(one), url_key(other)) for one, other in (*self.moves, *self.aliases)]
        self._same = SamePodcast()
        for one, other in pairs:
            self._same.join(one, other)
        self._by_family: dict[str, PodcastId] = {}
        for podcast_id, address in self.addresses.items():
            self._by_family.setdefault(self._same.name(url_key(address)), podcast_id)
        self._keys: dict[str, set[str]] = {}
        for key in {key for pair in pairs for key in pair}:
            self._keys.setdefault(self._same.name(key), set()).add(key)


AT_ONCE = 5_000
_SPAN_ENDS_MS = 5_000
"""How far behind the end of the last recorded span a saved position may lie."""
_HERE = (
    "SELECT e.id, p.id, e.url, e.guid, e.title, coalesce(nullif(p.own_title, ''), p.title), e.sort,"
    " coalesce(e.measured_ms, e.duration_ms), e.played, coalesce(max(0, g.position_ms - g.moved_ms), 0),"
    " g.saved_at, q.added_at, EXISTS (SELECT 1 FROM live_shows v WHERE v.episode_id = e.id)"
    " FROM json_each(?) j CROSS JOIN episodes e ON e.id = j.value CROSS JOIN podcasts p ON p.id = e.podcast_id"
    " LEFT JOIN progress g ON g.episode_id = e.id LEFT JOIN queue q ON q.episode_id = e.id"
    " WHERE p.previewed_at IS NULL"
)
_LAST_SPAN = (
    "SELECT from_ms, to_ms, began_at, speed FROM listening_spans WHERE episode_id = ?"
    " AND id NOT IN (SELECT span_id FROM sync_spans_of_others) ORDER BY began_at DESC LIMIT 1"
)


class EpisodeHere(NamedTuple):
    """`sort` is its date. `saved_at` is None without a position, `queued_at` if it isn't queued. Times in ms. The
    position is the one that other devices know, which may have moved with its sound since."""

    id: int
    podcast_id: PodcastId
    url: str
    guid: str
    title: str
    podcast: str
    sort: int
    total_ms: int | None
    played: bool
    position_ms: int
    saved_at: int | None
    queued_at: int | None
    is_live: bool = False

    def name(self, podcasts: PodcastsHere) -> EpisodeName | None:
        """None for an episode that isn't shared, such as a live show."""
        podcast = podcasts.name(self.podcast_id)
        return (
            EpisodeName(podcast, self.url, self.guid)
            if podcast and not self.is_live and may_be_sent(self.url)
            else None
        )


class LastSpan(NamedTuple):
    """The last span of an episode that was heard on this device. `ended_at` in ms since 1970."""

    from_ms: int
    to_ms: int
    ended_at: int

    def start_of(self, position_ms: int) -> int | None:
        """Where the listening that led to this position began; None if the position comes from something else."""
        return self.from_ms if self.from_ms <= position_ms <= self.to_ms + _SPAN_ENDS_MS else None


def episodes_here(connection: sqlite3.Connection, ids: Iterable[int]) -> Iterator[EpisodeHere]:
    """The given episodes that belong to subscriptions."""
    for row in connection.execute(_HERE, (as_json(list(ids)),)).fetchall():
        check_kinds(row[2:6], (*row[:2], *row[6:]))
        yield EpisodeHere._make((*row[:8], bool(row[8]), *row[9:12], bool(row[12])))


def last_span(connection: sqlite3.Connection, episode_id: int) -> LastSpan | None:
    row = connection.execute(_LAST_SPAN, (episode_id,)).fetchone()
    if row is None:
        return None
    from_ms, to_ms, began_at, speed = row
    return LastSpan(from_ms, to_ms, began_at + int((to_ms - from_ms) / max(speed, 0.01)))


def with_state(connection: sqlite3.Connection, podcast_id: PodcastId | None = None) -> list[int]:
    """The episodes that have a position or are played, of one podcast or of all."""
    of_one = "" if podcast_id is None else "e.podcast_id = ?1 AND "
    rows = connection.execute(
        f"SELECT e.id FROM episodes e LEFT JOIN progress g ON g.episode_id = e.id"
        f" WHERE {of_one}(e.played = 1 OR g.position_ms > 0)",
        () if podcast_id is None else (podcast_id,),
    )
    return [row[0] for row in rows]


def find(connection: sqlite3.Connection, podcasts: PodcastsHere, actions: Sequence[Named]) -> dict[int, int]:
    """The episode of each action, by the action's number: found by guid, else by address. Actions whose episode isn't
    in the library are left out."""
    found = find_names(connection, podcasts, [one.action.episode for one in actions])
    return {one.id: found[one.action.episode] for one in actions if one.action.episode in found}


def find_names(
    connection: sqlite3.Connection, podcasts: PodcastsHere, names: Iterable[EpisodeName]
) -> dict[EpisodeName, int]:
    of_podcast: dict[PodcastId, list[EpisodeName]] = {}
    for one in dict.fromkeys(names):
        if (podcast_id := podcasts.podcast(one.podcast)) is not None:
            of_podcast.setdefault(podcast_id, []).append(one)
    found: dict[EpisodeName, int] = {}
    for podcast_id, named in of_podcast.items():
        sql = f"SELECT id, guid, url FROM episodes e WHERE podcast_id = ? AND {NOT_LIVE}"
        rows = connection.execute(sql, (podcast_id,)).fetchall()
        found |= _same(rows, named)
    return found


def _same(rows: Sequence[tuple[int, str, str]], names: Sequence[EpisodeName]) -> dict[EpisodeName, int]:
    """Several names may mean the same episode: a server may have left out its guid."""
    known = [Identity(guid, url) for _id, guid, url in rows]
    found: dict[EpisodeName, int] = {}
    left = list(names)
    while left and (same := matches(known, [Identity(one.guid, one.url) for one in left], loosely=True)):
        found |= {left[number]: rows[at][0] for number, at in same.items()}
        left = [one for number, one in enumerate(left) if number not in same]
    return found
