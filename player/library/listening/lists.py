"""The listener's own lists: smart lists, which save a search, and playlists, put together by hand."""

import json
from array import array
from collections.abc import Callable, Sequence

from player.errors import LibraryError, NotFound
from player.library.database.connections import Connections
from player.library.database.values import check_kinds
from player.library.listening.queue import moved
from player.library.lists.first_ids import ids_of
from player.model.episode import EpisodeId
from player.model.filters import ListId, SavedList
from player.text.cleaning import clean_line, fold
from player.text.sentences import _

MOST_LETTERS = 80
"""Characters of a list's name."""


class Lists:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    # -- reading ----------------------------------------------------------------------------------------------

    def all(self) -> list[SavedList]:
        """In the listener's order."""
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT id, title, query FROM lists ORDER BY rank, id").fetchall()
            for one, title, query in rows:
                check_kinds((title, query or ""), (one,))
        return [SavedList(ListId(one), title, query) for one, title, query in rows]

    def get(self, list_id: ListId) -> SavedList | None:
        return next((one for one in self.all() if one.id == list_id), None)

    def find(self, text: str) -> SavedList:
        """By name, or its beginning. Raises NotFound."""
        lists = self.all()
        whole = [one for one in lists if fold(one.title) == fold(text)]
        if found := whole or [one for one in lists if fold(one.title).startswith(fold(text)) and text]:
            return found[0]
        raise NotFound(_("There is no list “{title}”", title=text), _("See `earmark lists`."))

    def episodes(self, list_id: ListId) -> "array[int]":
        """The episodes of a playlist, in its order."""
        sql = "SELECT episode_id FROM playlist_episodes WHERE list_id = ? ORDER BY rank, episode_id"
        with self._connections.reading() as connection:
            return ids_of(connection, (sql, [list_id]))

    # -- writing ----------------------------------------------------------------------------------------------

    def add(self, title: str, query: str | None = None) -> SavedList:
        """Adds a list after the others. Raises LibraryError if the name is taken or empty."""
        with self._connections.writing() as connection:
            title = self._free_title(title)
            cursor = connection.execute(
                "INSERT INTO lists (title, query, rank) VALUES (?, ?, (SELECT coalesce(max(rank), 0) + 1 FROM lists))",
                (title, query),
            )
            return SavedList(ListId(cursor.lastrowid or 0), title, query)

    def change(self, list_id: ListId, title: str, query: str | None) -> None:
        """Changes the name and, for a smart list, the search. Raises LibraryError as `add`."""
        with self._connections.writing() as connection:
            title = self._free_title(title, but=list_id)
            connection.execute(
                "UPDATE lists SET title = ?, query = CASE WHEN query IS NULL THEN NULL ELSE ? END WHERE id = ?",
                (title, query or "", list_id),
            )

    def move(self, list_id: ListId, by: int) -> None:
        """`by` rows up (less than 0) or down among the lists."""
        with self._connections.writing() as connection:
            ids = [one.id for one in self.all()]
            order = moved([EpisodeId(one) for one in ids], [EpisodeId(list_id)], by)
            connection.executemany(
                "UPDATE lists SET rank = ? WHERE id = ?", [(rank, int(one)) for rank, one in enumerate(order, 1)]
            )

    def remove(self, list_id: ListId) -> None:
        """Removes the list and how it was shown; its episodes stay."""
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM lists WHERE id = ?", (list_id,))
            connection.execute("DELETE FROM view_settings WHERE view = ?", (f"list {list_id}",))

    def add_episodes(self, list_id: ListId, ids: Sequence[EpisodeId]) -> list[EpisodeId]:
        """Adds to the end of a playlist, in this order; what is there already doesn't move. Returns what is new."""
        with self._connections.writing() as connection:
            if connection.execute("SELECT 1 FROM lists WHERE id = ? AND query IS NULL", (list_id,)).fetchone() is None:
                raise NotFound(_("This list is gone"), _("Choose another one."))
            there = set(self.episodes(list_id))
            known = connection.execute(
                "SELECT id FROM episodes WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)
            )
            exists = {row[0] for row in known}
            new = [one for one in dict.fromkeys(ids) if one not in there and one in exists]
            (last,) = connection.execute(
                "SELECT coalesce(max(rank), 0) FROM playlist_episodes WHERE list_id = ?", (list_id,)
            ).fetchone()
            connection.executemany(
                "INSERT INTO playlist_episodes (list_id, episode_id, rank) VALUES (?, ?, ?)",
                [(list_id, one, rank) for rank, one in enumerate(new, last + 1)],
            )
        return new

    def take_out(self, list_id: ListId, ids: Sequence[EpisodeId]) -> None:
        with self._connections.writing() as connection:
            connection.execute(
                "DELETE FROM playlist_episodes WHERE list_id = ? AND episode_id IN (SELECT value FROM json_each(?))",
                (list_id, json.dumps(list(ids))),
            )

    def move_episodes(self, list_id: ListId, ids: Sequence[EpisodeId], by: int) -> None:
        """`by` rows up (less than 0) or down in a playlist."""
        self._reorder(list_id, lambda order: moved(order, ids, by))

    def _reorder(self, list_id: ListId, new_order: Callable[[list[EpisodeId]], list[EpisodeId]]) -> None:
        with self._connections.writing() as connection:
            old = [EpisodeId(one) for one in self.episodes(list_id)]
            connection.executemany(
                "UPDATE playlist_episodes SET rank = ? WHERE list_id = ? AND episode_id = ?",
                [(rank, list_id, one) for rank, one in enumerate(new_order(list(old)), 1)],
            )

    def _free_title(self, title: str, *, but: ListId | None = None) -> str:
        title = clean_line(title, MOST_LETTERS)
        if not title:
            raise LibraryError(_("A list needs a name"), _("Type one."))
        if any(fold(one.title) == fold(title) and one.id != but for one in self.all()):
            raise LibraryError(_("There is a list called “{title}” already", title=title), _("Choose another name."))
        return title
