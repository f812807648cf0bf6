"""Bookmarks, as they are shared with other devices through a folder.

The key of a fact is a JSON array: the episode's podcast, address and guid, and when the bookmark was made, in ms since
1970. Its value is a JSON object; "" for a deleted bookmark.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from player.library.database.values import check_kinds
from player.library.listening.bookmarks import LONGEST_NOTE
from player.library.syncing.names_here import PodcastsHere, episodes_here, find_names
from player.merging.clock import LATEST
from player.merging.statements import LONGEST_MS
from player.model.syncing import EpisodeName, Fact
from player.text.cleaning import clean_line

_LONGEST_TEXT = 600
_COLUMNS = "position_ms, note, chapter, line"
_Key = tuple[EpisodeName, int]


class SharedBookmark(Struct, frozen=True, omit_defaults=True):
    position_ms: Annotated[int, Meta(ge=0, le=LONGEST_MS)]
    note: str = ""
    chapter: str = ""
    line: str = ""


def shared_bookmark(value: str) -> SharedBookmark | None:
    """None for a value that isn't such an object."""
    try:
        found = msgspec.json.decode(value, type=SharedBookmark)
    except (msgspec.DecodeError, RecursionError):
        return None
    texts = clean_line(found.chapter, _LONGEST_TEXT), clean_line(found.line, _LONGEST_TEXT)
    return SharedBookmark(found.position_ms, clean_line(found.note, LONGEST_NOTE), *texts)


def name_of(key: str) -> _Key | None:
    """The episode, and when the bookmark was made."""
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
    connection: sqlite3.Connection, podcasts: PodcastsHere, known: Mapping[str, Fact]
) -> tuple[dict[str, str], set[str]]:
    """The values of all bookmarks; and which of the known keys are of episodes in this library."""
    found = _episodes(connection, podcasts, known)
    keys = {one: key for key, one in found.items()}
    rows = connection.execute(
        f"SELECT episode_id, created_at, {_COLUMNS} FROM bookmarks WHERE episode_id IS NOT NULL"
    ).fetchall()
    names = {one.id: one.name(podcasts) for one in episodes_here(connection, {row[0] for row in rows})}
    values: dict[str, str] = {}
    for episode_id, created_at, position_ms, *texts in rows:
        check_kinds(texts, (episode_id, created_at, position_ms))
        name = names.get(episode_id)
        if name is not None and 0 <= created_at < LATEST and position_ms <= LONGEST_MS:
            key = keys.get((episode_id, created_at)) or key_of(name, created_at)
            values[key] = msgspec.json.encode(SharedBookmark(position_ms, *texts)).decode()
    return values, set(found)


def apply(
    connection: sqlite3.Connection, podcasts: PodcastsHere, facts: Mapping[str, Fact]
) -> tuple[set[str], set[int]]:
    """Returns the keys whose episodes are in this library, and the episodes whose bookmarks have changed."""
    found = _episodes(connection, podcasts, facts)
    changed: set[int] = set()
    for key, (episode_id, created_at) in found.items():
        before = connection.total_changes
        _put(connection, episode_id, created_at, shared_bookmark(facts[key].value))
        if connection.total_changes != before:
            changed.add(episode_id)
    return set(found), changed


def _put(connection: sqlite3.Connection, episode_id: int, created_at: int, wanted: SharedBookmark | None) -> None:
    same = (episode_id, created_at)
    if wanted is None:
        connection.execute("DELETE FROM bookmarks WHERE episode_id = ? AND created_at = ?", same)
        return
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM bookmarks WHERE episode_id = ? AND created_at = ?", same
    ).fetchone()
    values = (wanted.position_ms, wanted.note, wanted.chapter, wanted.line)
    if row is None:
        connection.execute(
            f"INSERT INTO bookmarks (episode_id, created_at, {_COLUMNS}, episode, podcast, link, guid, feed)"
            " SELECT e.id, ?, ?, ?, ?, ?, e.title, coalesce(nullif(p.own_title, ''), p.title),"
            " coalesce(nullif(e.link, ''), e.url), e.guid, p.url_key"
            " FROM episodes e JOIN podcasts p ON p.id = e.podcast_id WHERE e.id = ?",
            (created_at, *values, episode_id),
        )
    elif row != values:
        connection.execute(
            "UPDATE bookmarks SET position_ms = ?, note = ?, chapter = ?, line = ?"
            " WHERE episode_id = ? AND created_at = ?",
            (*values, *same),
        )


def _episodes(
    connection: sqlite3.Connection, podcasts: PodcastsHere, keys: Iterable[str]
) -> dict[str, tuple[int, int]]:
    """For each key, the episode in this library, and when the bookmark was made."""
    names = {key: name for key in keys if (name := name_of(key)) is not None}
    found = find_names(connection, podcasts, [name for name, _created_at in names.values()])
    return {key: (found[name], created_at) for key, (name, created_at) in names.items() if name in found}


def key_of(name: EpisodeName, created_at: int) -> str:
    return json.dumps([name.podcast, name.url, name.guid, created_at], ensure_ascii=False, separators=(",", ":"))
