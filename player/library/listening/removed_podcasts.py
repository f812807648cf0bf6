"""A podcast that was unsubscribed from, packed with everything that the library has about it, so that undoing brings it
back.

The package has its row, its episodes, and the rows of every table that are deleted with them, but not the files of
downloads, which are deleted. The format is zlib over lines of JSON: an object names the podcast, further objects name a
table and its columns, and arrays hold rows of that table. A BLOB is written as an array of its own, in base64.
"""

import json
import sqlite3
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from player.errors import AlreadySubscribed
from player.library.database.values import insert_many
from player.model.podcast import PodcastId
from player.text.sentences import _

_ROWS = 100
"""The most bytes of a line. Between lines other threads get their turn: 45 MB of notes are packed in a second."""
_PIECE = 1 << 20
_NOT_PACKED = ("podcast_counts", "downloads")
_OF_EPISODES = "(SELECT id FROM episodes WHERE podcast_id = ?)"
IN_USE = (
    "SELECT 1 FROM episodes WHERE podcast_id = ?1 AND (played = 1 OR starred = 1)"
    " UNION ALL SELECT 1 FROM podcasts WHERE id = ?1 AND (own_title <> '' OR pinned = 1)"
    + "".join(
        f" UNION ALL SELECT 1 FROM {table} WHERE episode_id IN (SELECT id FROM episodes WHERE podcast_id = ?1)"
        for table in ("progress", "queue", "downloads", "playlist_episodes", "bookmarks", "listening_spans")
    )
    + "".join(
        f" UNION ALL SELECT 1 FROM {table} WHERE podcast_id = ?1"
        for table in ("podcast_settings", "podcast_tags", "segments")
    )
    + " UNION ALL SELECT 1 FROM download_queue WHERE why = 'manual'"
    " AND episode_id IN (SELECT id FROM episodes WHERE podcast_id = ?1)"
    " LIMIT 1"
)
"""Whether the listener has done anything with a podcast."""


class _Link(NamedTuple):
    """A table whose rows are deleted with their podcast or episode."""

    table: str
    column: str
    parent: str


def pack(connection: sqlite3.Connection, podcast_id: PodcastId) -> bytes:
    packer = zlib.compressobj(1)
    pieces = [packer.compress(line) for line in _lines(connection, podcast_id)]
    return b"".join([*pieces, packer.flush()])


def pack_name(podcast_id: PodcastId) -> bytes:
    """A placeholder for a podcast that is back in the library."""
    return zlib.compress(_line({"podcast": podcast_id}))


def podcast_of(packed: bytes) -> PodcastId:
    first = next(_unpacked(packed))
    return PodcastId(first["podcast"])


def restore(connection: sqlite3.Connection, packed: bytes) -> PodcastId | None:
    """Puts everything back under its former numbers. Returns the podcast that it replaced: one with the same address
    that was added since, and not used. Raises AlreadySubscribed if that podcast has been used."""
    replaced: PodcastId | None = None
    podcast_id, table, columns = PodcastId(0), "", [""]
    known = {link.table for link in _links(connection)} | {"podcasts", "episodes"}
    for line in _unpacked(packed):
        if isinstance(line, list):
            rows = [tuple(b64decode(value[0]) if isinstance(value, list) else value for value in row) for row in line]
            if table == "podcasts":
                replaced = _make_room(connection, dict(zip(columns, rows[0], strict=True)))
            if table == "bookmarks":
                connection.executemany("UPDATE bookmarks SET episode_id = ? WHERE id = ? AND episode_id IS NULL", rows)
                continue
            _insert(connection, table, columns, rows)
            if table == "episodes":
                _find_again(connection, columns, rows)
        elif "podcast" in line:
            podcast_id = PodcastId(line["podcast"])
        else:
            table, columns = line["table"], line["columns"]
            if table not in known and table != "bookmarks":
                raise LookupError(table)
    _count(connection, podcast_id)
    connection.execute(
        "UPDATE listening_spans SET episode_id = former_id, former_id = NULL, podcast_id = NULL, removed_episode = '',"
        f" removed_ms = NULL, removed_podcast = '' WHERE podcast_id = ? AND former_id IN {_OF_EPISODES}",
        (podcast_id, podcast_id),
    )
    return replaced


# -- packing --------------------------------------------------------------------------------------------------


def _lines(connection: sqlite3.Connection, podcast_id: PodcastId) -> Iterator[bytes]:
    yield _line({"podcast": podcast_id})
    yield from _rows(connection, "podcasts", "WHERE id = ?", podcast_id)
    yield from _rows(connection, "episodes", "WHERE podcast_id = ?", podcast_id)
    for link in _links(connection):
        if link.table not in (*_NOT_PACKED, "episodes"):
            of_podcast = "= ?" if link.parent == "podcasts" else f"IN {_OF_EPISODES}"
            yield from _rows(connection, link.table, f"WHERE {link.column} {of_podcast}", podcast_id)
    yield from _rows(
        connection, "bookmarks", f"WHERE episode_id IN {_OF_EPISODES}", podcast_id, columns=["episode_id", "id"]
    )


def _rows(
    connection: sqlite3.Connection, table: str, where: str, podcast_id: PodcastId, columns: Sequence[str] = ()
) -> Iterator[bytes]:
    columns = columns or _columns(connection, table)
    rows = connection.execute(f"SELECT {', '.join(columns)} FROM {table} {where}", (podcast_id,))
    some = rows.fetchmany(_ROWS)
    if some:
        yield _line({"table": table, "columns": list(columns)})
    while some:
        yield _line([[_packable(value) for value in row] for row in some])
        some = rows.fetchmany(_ROWS)


def _packable(value: object) -> object:
    return [b64encode(value).decode()] if isinstance(value, bytes) else value


def _line(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _unpacked(packed: bytes) -> Iterator[Any]:
    unpacker = zlib.decompressobj()
    left, rest = b"", packed
    while rest:
        *lines, left = (left + unpacker.decompress(rest, _PIECE)).split(b"\n")
        rest = unpacker.unconsumed_tail
        for line in lines:
            yield json.loads(line)
    *lines, _end = (left + unpacker.flush()).split(b"\n")
    yield from map(json.loads, lines)


def _links(connection: sqlite3.Connection) -> list[_Link]:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    return [
        _Link(table, column, parent)
        for (table,) in tables
        for parent, column, on_delete in connection.execute(
            'SELECT "table", "from", on_delete FROM pragma_foreign_key_list(?)', (table,)
        )
        if parent in ("podcasts", "episodes") and on_delete == "CASCADE"
    ]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]


# -- restoring ------------------------------------------------------------------------------------------------


def _make_room(connection: sqlite3.Connection, podcast: dict[str, Any]) -> PodcastId | None:
    """Removes a podcast with the same address, unless it has been used."""
    sql = "SELECT id, previewed_at FROM podcasts WHERE url_key = ?"
    podcast_id, previewed_at = connection.execute(sql, (podcast["url_key"],)).fetchone() or (None, None)
    if podcast_id is None:
        return None
    if connection.execute(IN_USE, (podcast_id,)).fetchone():
        if previewed_at is not None:
            raise AlreadySubscribed(
                _(
                    "“{title}” can't be brought back: you have listened to a preview of it since",
                    title=podcast["title"],
                ),
                _("Subscribe to it again: positions of the preview are kept."),
            )
        raise AlreadySubscribed(
            _("“{title}” can't be brought back: you have subscribed to it again since", title=podcast["title"]),
            _("The new subscription stays as it is."),
        )
    connection.execute("DELETE FROM podcasts WHERE id = ?", (podcast_id,))
    return PodcastId(podcast_id)


def _insert(
    connection: sqlite3.Connection, table: str, columns: Sequence[str], rows: Iterable[tuple[object, ...]]
) -> None:
    """Leaves out columns that the table no longer has, and rows of lists that are gone."""
    known = set(_columns(connection, table))
    kept = [at for at, name in enumerate(columns) if name in known]
    names = ", ".join(columns[at] for at in kept)
    there = [tuple(row[at] for at in kept) for row in rows]
    if "list_id" in columns:
        lists = {number for (number,) in connection.execute("SELECT id FROM lists")}
        there = [row for row in there if row[columns.index("list_id")] in lists]
    insert_many(connection, f"INSERT INTO {table} ({names})", there)


def _find_again(connection: sqlite3.Connection, columns: Sequence[str], rows: Iterable[tuple[object, ...]]) -> None:
    """Notes that the episodes must be indexed again: the index of words has removed them, or will. An entry with
    podcast 0 only means that they are added again."""
    at = [columns.index(name) for name in ("id", "sort")]
    insert_many(
        connection,
        "INSERT INTO search_changes (episode_id, sort, podcast_id, title, notes)",
        [(row[at[0]], row[at[1]], 0, "", "") for row in rows],
    )


def _count(connection: sqlite3.Connection, podcast_id: PodcastId) -> None:
    connection.execute(
        "UPDATE podcast_counts SET (episodes, unplayed) = (SELECT count(*), coalesce(sum(played = 0), 0) FROM episodes"
        " WHERE podcast_id = ?1) WHERE podcast_id = ?1",
        (podcast_id,),
    )
