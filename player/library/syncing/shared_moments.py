"""Bookmarks and segments, as they are shared with other devices through a folder.

The key of a fact is a JSON array: the episode's podcast, address and guid, and when the bookmark or segment was made,
in ms since 1970. Its value is a JSON object; "" for one that was deleted.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from player.errors import EarmarkError
from player.library.database.values import check_kinds
from player.library.listening.bookmarks import LONGEST_NOTE
from player.library.listening.segments import possible
from player.library.syncing.names_here import PodcastsHere, episodes_here, find_names
from player.merging.clock import LATEST
from player.merging.statements import LONGEST_MS
from player.model.segments import SegmentKind
from player.model.syncing import EpisodeName, Fact, FactKind
from player.text.cleaning import clean_line

_LONGEST_TEXT = 600
_Milliseconds = Annotated[int, Meta(ge=0, le=LONGEST_MS)]
_Key = tuple[EpisodeName, int]


class SharedBookmark(Struct, frozen=True, omit_defaults=True):
    """A clip has a length. Older versions of Earmark don't know that, and leave it out when they send the clip on: a
    device that knows it keeps it, and tells it again with its next change."""

    position_ms: _Milliseconds
    note: str = ""
    chapter: str = ""
    line: str = ""
    length_ms: _Milliseconds = 0


class SharedSegment(Struct, frozen=True):
    kind: SegmentKind
    start_ms: _Milliseconds
    end_ms: _Milliseconds


Shared = SharedBookmark | SharedSegment


class Table(NamedTuple):
    """A table whose rows are shared, each as such a value, which has the names of its columns. `more` are the columns
    of a new row that its episode has, and `of_episode` SQL for them. `moments` are the columns with moments of the
    episode: others learn them as they were made, as they have bytes of their own."""

    name: str
    value: type[Shared]
    more: str
    of_episode: str
    moments: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.value.__struct_fields__

    @property
    def read(self) -> str:
        """SQL for the values."""
        return ", ".join(f"{name} - moved_ms" if name in self.moments else name for name in self.columns)

    @property
    def changed(self) -> str:
        """SQL for setting the values."""
        return ", ".join(f"{name} = ? + moved_ms" if name in self.moments else f"{name} = ?" for name in self.columns)


TABLES = {
    FactKind.BOOKMARK: Table(
        "bookmarks",
        SharedBookmark,
        "episode, podcast, link, guid, feed",
        "e.title, coalesce(nullif(p.own_title, ''), p.title), coalesce(nullif(e.link, ''), e.url), e.guid, p.url_key",
        ("position_ms",),
    ),
    FactKind.SEGMENT: Table("segments", SharedSegment, "podcast_id", "p.id", ("start_ms", "end_ms")),
}


def shared(table: Table, value: str) -> Shared | None:
    """None for a value that isn't such an object."""
    try:
        found: Shared = msgspec.json.decode(value, type=table.value)
        if isinstance(found, SharedSegment):
            possible(found.start_ms, found.end_ms)
            return found
    except (msgspec.DecodeError, RecursionError, EarmarkError):
        return None
    texts = clean_line(found.chapter, _LONGEST_TEXT), clean_line(found.line, _LONGEST_TEXT)
    return SharedBookmark(found.position_ms, clean_line(found.note, LONGEST_NOTE), *texts, found.length_ms)


def name_of(key: str) -> _Key | None:
    """The episode, and when it was made."""
    try:
        parts = json.loads(key)
    except (ValueError, RecursionError):
        return None
    if not isinstance(parts, list) or len(parts) != 4 or not all(isinstance(one, str) for one in parts[:3]):
        return None
    if not isinstance(parts[3], int) or isinstance(parts[3], bool) or not 0 <= parts[3] < LATEST:
        return None
    return EpisodeName(*parts[:3]), parts[3]


def here(
    connection: sqlite3.Connection, table: Table, podcasts: PodcastsHere, known: Mapping[str, Fact]
) -> tuple[dict[str, str], set[str]]:
    """The values of all rows; and which of the known keys are of episodes in this library."""
    found = _episodes(connection, podcasts, known)
    keys = {one: key for key, one in found.items()}
    rows = connection.execute(
        f"SELECT episode_id, created_at, {table.read} FROM {table.name} WHERE episode_id IS NOT NULL"
    ).fetchall()
    names = {one.id: one.name(podcasts) for one in episodes_here(connection, {row[0] for row in rows})}
    values: dict[str, str] = {}
    for episode_id, created_at, *row in rows:
        check_kinds((), (episode_id, created_at))
        name = names.get(episode_id)
        value = _value(table, row)
        if name is not None and value is not None and 0 <= created_at < LATEST:
            key = keys.get((episode_id, created_at)) or key_of(name, created_at)
            values[key] = value
    return values, set(found)


def _value(table: Table, row: list[Any]) -> str | None:
    """None for a row that other devices wouldn't take."""
    try:
        return msgspec.json.encode(msgspec.convert(dict(zip(table.columns, row, strict=True)), table.value)).decode()
    except msgspec.ValidationError:
        return None


def apply(
    connection: sqlite3.Connection, table: Table, podcasts: PodcastsHere, facts: Mapping[str, Fact]
) -> tuple[set[str], set[int]]:
    """Returns the keys whose episodes are in this library, and the episodes whose rows have changed."""
    found = _episodes(connection, podcasts, facts)
    changed: set[int] = set()
    for key, (episode_id, created_at) in found.items():
        before = connection.total_changes
        _put(connection, table, episode_id, created_at, shared(table, facts[key].value))
        if connection.total_changes != before:
            changed.add(episode_id)
    return set(found), changed


def _put(connection: sqlite3.Connection, table: Table, episode_id: int, created_at: int, wanted: Shared | None) -> None:
    same = (episode_id, created_at)
    if wanted is None:
        connection.execute(f"DELETE FROM {table.name} WHERE episode_id = ? AND created_at = ?", same)
        return
    columns = ", ".join(table.columns)
    row = connection.execute(
        f"SELECT {table.read} FROM {table.name} WHERE episode_id = ? AND created_at = ?", same
    ).fetchone()
    if row is not None and isinstance(wanted, SharedBookmark):
        wanted = replace(wanted, length_ms=wanted.length_ms or row[-1])
    values = msgspec.structs.astuple(wanted)
    if row is None:
        connection.execute(
            f"INSERT INTO {table.name} (episode_id, created_at, {columns}, {table.more})"
            f" SELECT e.id, ?, {', '.join('?' * len(values))}, {table.of_episode}"
            " FROM episodes e JOIN podcasts p ON p.id = e.podcast_id WHERE e.id = ?",
            (created_at, *values, episode_id),
        )
    elif row != values:
        connection.execute(
            f"UPDATE {table.name} SET {table.changed} WHERE episode_id = ? AND created_at = ?",
            (*values, *same),
        )


def _episodes(
    connection: sqlite3.Connection, podcasts: PodcastsHere, keys: Iterable[str]
) -> dict[str, tuple[int, int]]:
    """For each key, the episode in this library, and when it was made."""
    names = {key: name for key in keys if (name := name_of(key)) is not None}
    found = find_names(connection, podcasts, [name for name, _created_at in names.values()])
    return {key: (found[name], created_at) for key, (name, created_at) in names.items() if name in found}


def key_of(name: EpisodeName, created_at: int) -> str:
    return json.dumps([name.podcast, name.url, name.guid, created_at], ensure_ascii=False, separators=(",", ":"))
