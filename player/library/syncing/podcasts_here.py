"""The subscriptions by the names that other devices use for them: by any address that they ever had."""

import sqlite3
from collections.abc import Iterable

from player.library.database.values import check_kinds
from player.links.addresses import url_key
from player.merging.same_podcast import Move, SamePodcast, may_be_sent
from player.model.podcast import PodcastId

MOST_MOVES = 20_000


class PodcastsHere:
    """Read once for each transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        rows = connection.execute("SELECT id, url_key, url FROM podcasts WHERE previewed_at IS NULL").fetchall()
        check_kinds([text for row in rows for text in row[1:]], [row[0] for row in rows])
        self.addresses = {PodcastId(number): url for number, _key, url in rows}
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
        return known or (address if may_be_sent(address) else "")

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
