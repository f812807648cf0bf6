"""What a feed says of a podcast and its episodes, written to the library."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import count, repeat
from typing import Any, NamedTuple

from player.library.database.values import insert_many, moment, moment_maybe, stored, stored_maybe
from player.library.listening.arrivals import Arrival
from player.library.lists.ordered_feeds import ordered_keys
from player.library.lists.preview_keys import SHIFT
from player.library.lists.sort_keys import sort_keys
from player.library.subscriptions.podcast_rows import gone
from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedEpisode, KnownEpisode, Merge
from player.model.moments import EARLIEST
from player.model.podcast import PodcastId
from player.text.cleaning import fold

_MOST = 2**53
"""Feeds claim any number; JSON readers round larger ones, and SQLite refuses those above 2^63."""


class Header(NamedTuple):
    """The podcast's own fields as they are; its episodes' sort keys are `shift` lower than their times."""

    shift: int
    fields: tuple[Any, ...]


def read_header(connection: sqlite3.Connection, podcast_id: PodcastId) -> Header:
    """Raises NotFound."""
    row = connection.execute(
        "SELECT previewed_at IS NOT NULL, title, author, description, link, image_url, language, extra, own_title"
        " FROM podcasts WHERE id = ?",
        (podcast_id,),
    ).fetchone()
    if row is None:
        raise gone()
    previewed, *fields = row
    return Header(SHIFT if previewed else 0, tuple(fields))


def write_header(connection: sqlite3.Connection, podcast_id: PodcastId, before: Header, feed: Feed) -> bool:
    """Writes the podcast's own fields; returns whether any has changed. A feed without a title keeps the one it had.

    The podcast is found and sorted by the listener's own title, if there is one.
    """
    *fields, own_title = before.fields
    title = feed.title or fields[0]
    after = (title, feed.author, feed.description, feed.link, feed.image_url, feed.language, feed.extra)
    if after == tuple(fields):
        return False
    connection.execute(
        "UPDATE podcasts SET title = ?, author = ?, description = ?, link = ?, image_url = ?, language = ?, extra = ?,"
        " folded = ? WHERE id = ?",
        (*after, fold(own_title or title), podcast_id),
    )
    return True


def known_episodes(connection: sqlite3.Connection, podcast_id: PodcastId, shift: int) -> list[tuple[KnownEpisode, int]]:
    """The podcast's episodes as identities, each with its sort key, as it is without the shift."""
    rows = connection.execute(
        "SELECT id, guid, url, title, published, duration_ms, fingerprint, sort FROM episodes WHERE podcast_id = ?",
        (podcast_id,),
    )
    return [
        (KnownEpisode(row[0], row[1], row[2], row[3], moment_maybe(row[4]), row[5], row[6]), row[7] + shift)
        for row in rows
    ]


def keys_of_new(feed: Feed, merge: Merge, known: Sequence[tuple[KnownEpisode, int]], now: int) -> Iterable[int | None]:
    """The sort keys of the new episodes, in `merge`'s order; None to use their dates, if all have one in the past.

    The feed's other items tell where undated ones belong. One dated after `now` counts as published when it was found.
    """
    if feed.is_ordered:
        ordered = ordered_keys(feed.episodes)
        return [ordered[episode.url] for episode in merge.new]
    latest = moment(_latest(now))
    if all(episode.published and episode.published <= latest for episode in merge.new):
        return repeat(None, len(merge.new))
    keys = {episode.fingerprint: sort for episode, sort in known}
    by_id = {episode.id: sort for episode, sort in known}
    keys |= {episode.fingerprint: by_id[episode_id] for episode_id, episode in merge.changed}
    items = feed.episodes
    found = sort_keys(
        [item.published and min(item.published, latest) for item in items],
        [keys.get(item.fingerprint) for item in items],
        now if known else None,
    )
    sort_of = {(item.url, item.title): key for item, key in zip(items, found, strict=True)}
    return [sort_of.get((episode.url, episode.title), now) for episode in merge.new]


def write_new(
    connection: sqlite3.Connection,
    podcast_id: PodcastId,
    new: Sequence[FeedEpisode],
    keys: Iterable[int | None],
    shift: int,
) -> list[Arrival]:
    """Adds episodes, in their order; `keys` are their sort keys without the shift, None: their dates."""
    if not new:
        return []
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'episodes'").fetchone()
    first = (row[0] if row else 0) + 1
    rows, details, found = [], [], []
    for episode_id, episode, key in zip(count(first), new, keys, strict=False):
        row, detail = _columns(episode)
        sort = row[0] if key is None else key
        rows.append((episode_id, podcast_id, sort - shift, *row))
        found.append(Arrival(EpisodeId(episode_id), episode.title, sort))
        details.append((*detail, episode_id))
    insert_many(
        connection,
        "INSERT INTO episodes (id, podcast_id, sort, published, duration_ms, size, guid, title, folded, url,"
        " media_type, link, fingerprint)",
        rows,
    )
    insert_many(
        connection,
        "INSERT INTO details (image_url, season, number, explicit, chapters_url, transcripts, notes, extra,"
        " episode_id)",
        details,
    )
    connection.execute(
        "UPDATE podcast_counts SET episodes = episodes + ?1, unplayed = unplayed + ?1 WHERE podcast_id = ?2",
        (len(new), podcast_id),
    )
    return found


def write_changed(
    connection: sqlite3.Connection, merge: Merge, sorts: dict[EpisodeId, int], shift: int, now: int
) -> None:
    """Updates episodes that the library has. A date, length or guid that is missing from the feed now is kept. One that
    is dated after `now` stays where it is in lists, if that isn't after `now` too."""
    if not merge.changed:
        return
    rows, details = [], []
    latest = _latest(now)
    for episode_id, episode in merge.changed:
        row, detail = _columns(episode)
        sort = sorts[episode_id] if row[0] is None or row[0] > latest else row[0]
        rows.append((min(sort, latest) - shift, *row, episode_id))
        details.append((*detail, episode_id))
    connection.executemany(
        "UPDATE episodes SET sort = ?, published = coalesce(?, published), duration_ms = coalesce(?, duration_ms),"
        " size = ?, guid = coalesce(nullif(?, ''), guid), title = ?, folded = ?, url = ?, media_type = ?, link = ?,"
        " fingerprint = ? WHERE id = ?",
        rows,
    )
    connection.executemany(
        "UPDATE details SET image_url = ?, season = ?, number = ?, explicit = ?, chapters_url = ?, transcripts = ?,"
        " notes = ?, extra = ? WHERE episode_id = ?",
        details,
    )


def _latest(now: int) -> int:
    """The latest sort key that a date gives. A clock that is wrong puts no limit."""
    return now if now >= stored(EARLIEST) else stored(datetime.max.replace(tzinfo=UTC))


def _columns(episode: FeedEpisode) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The values of `episodes`, from `published` on, and of `details`."""
    (
        guid, title, url, media_type, size, link, published, duration_ms, notes, image_url, season, number, explicit,
        chapters_url, transcripts, extra, fingerprint,
    ) = episode  # fmt: skip
    row = (
        stored_maybe(published),
        _whole(duration_ms),
        _whole(size),
        guid,
        title,
        fold(title),
        url,
        media_type,
        link,
        fingerprint,
    )
    named = json.dumps([[ref.url, ref.media_type, ref.language] for ref in transcripts]) if transcripts else "[]"
    return row, (image_url, _whole(season), number, explicit, chapters_url, named, notes, extra)


def _whole(number: int | None) -> int | None:
    """A number that a feed claims, or None if it is out of range."""
    return number if number is not None and 0 <= number < _MOST else None
