"""The subscriptions by what other devices call them: by any address that they ever had."""

import sqlite3
from collections.abc import Iterable

from player.library.database.column_types import check_kinds
from player.links.same_feed import url_key
from player.merging.same_podcast import Move, Moves
from player.merging.sendable import may_be_sent
from player.model.podcast import PodcastId

MOST_MOVES = 20_000


class PodcastsHere:
    """Read once for a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        rows = connection.execute("SELECT id, url_key, url FROM podcasts WHERE previewed_at IS NULL").fetchall()
        check_kinds([text for row in rows for text in row[1:]], [row[0] for row in rows])
        self.addresses = {PodcastId(number): url for number, _key, url in rows}
        self._by_key = {key: PodcastId(number) for number, key, _url in rows}
        self._names: dict[str, str] = dict(
            connection.execute("SELECT key, podcast FROM sync_subscriptions WHERE is_here = 1")
        )
        self.moves: list[Move] = connection.execute("SELECT former, present FROM sync_moves").fetchall()
        self._look()

    def podcast(self, address: str) -> PodcastId | None:
        """`address` may be a `url_key`. What a podcast is called now counts before what another one was once called."""
        return self._by_key.get(url_key(address)) or self._by_family.get(self._moves.same(address))

    def keys(self, podcast_id: PodcastId) -> set[str]:
        """All that it may be called in the log."""
        if (address := self.addresses.get(podcast_id)) is None:
            return set()
        others = self._keys.get(self._moves.same(address), set())
        return {url_key(address)} | {key for key in others if self.podcast(key) == podcast_id}

    def name(self, podcast_id: PodcastId) -> str:
        """The address by which other devices know it, which may be one that it had before. "" for one that isn't
        shared."""
        if (address := self.addresses.get(podcast_id)) is None:
            return ""
        known = next((self._names[key] for key in (url_key(address), *self.keys(podcast_id)) if key in self._names), "")
        return known or (address if may_be_sent(address) else "")

    def add_moves(self, moves: Iterable[Move]) -> set[PodcastId]:
        """Podcasts that go by more addresses than before."""
        known = set(self.moves)
        new = [one for one in dict.fromkeys(moves) if one not in known and all(map(may_be_sent, one))]
        if not (new := new[: max(0, MOST_MOVES - len(known))]):
            return set()
        self._connection.executemany("INSERT OR IGNORE INTO sync_moves (former, present) VALUES (?, ?)", new)
        self.moves += new
        self._look()
        return {found for move in new for one in move if (found := self.podcast(one)) is not None}

    def _look(self) -> None:
        self._moves = Moves(self.moves)
        self._by_family: dict[str, PodcastId] = {}
        for podcast_id, address in self.addresses.items():
            self._by_family.setdefault(self._moves.same(address), podcast_id)
        self._keys: dict[str, set[str]] = {}
        for one in {address for move in self.moves for address in move}:
            self._keys.setdefault(self._moves.same(one), set()).add(url_key(one))
