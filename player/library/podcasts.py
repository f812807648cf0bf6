"""Subscriptions, and the contents of their feeds."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import count, repeat
from typing import Any

from msgspec import Struct

from player.errors import AlreadySubscribed, NotFound
from player.library.database.bulk_insert import insert_many
from player.library.database.column_types import check_kinds
from player.library.database.connections import Connections
from player.library.database.timestamps import moment_maybe, stored, stored_maybe
from player.library.listening.arrivals import Arrival, Arrivals, Known
from player.library.lists.compiler import podcasts_named
from player.library.lists.sort_keys import sort_keys
from player.library.lookup import find_id
from player.links.same_feed import url_key
from player.links.urls import without_secrets
from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedEpisode, FeedState, KnownEpisode, Merge
from player.model.podcast import Podcast, PodcastId
from player.text.cleaning import clean_line, fold
from player.text.sentences import _

Decide = Callable[[Sequence[KnownEpisode], Feed], Merge]

_ROW = (
    "SELECT p.id, p.url, p.title, p.author, p.description, p.link, p.image_url, c.episodes, c.unplayed,"
    " p.last_refreshed, p.error, p.own_title, p.pinned,"
    " (SELECT group_concat(t.tag, char(10)) FROM podcast_tags t WHERE t.podcast_id = p.id)"
    " FROM podcasts p JOIN podcast_counts c ON c.podcast_id = p.id"
)
_NAMES = "(p.folded || CASE p.own_title WHEN '' THEN '' ELSE ' ' || fold(p.title) END)"
"""The folded names of a podcast: its title, and the feed's too if the listener renamed it."""
_MOST = 2**53
"""Feeds claim any number; JSON readers round larger ones, and SQLite refuses those above 2^63."""


class Applied(Struct, frozen=True):
    """The result of an update: `new` episodes in the feed's order, and whether anything else is `changed` (or new).

    `inbox` and `queue`: whether any episodes were added there.
    """

    new: tuple[EpisodeId, ...] = ()
    changed: bool = False
    inbox: bool = False
    queue: bool = False


class Podcasts:
    """`now` returns the time of a refresh."""

    def __init__(self, connections: Connections, arrivals: Arrivals, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._arrivals = arrivals
        self._now = now

    # -- reading ----------------------------------------------------------------------------------------------

    def all(self) -> list[Podcast]:
        """The pinned ones first; by title, regardless of case and accents."""
        with self._connections.reading() as connection:
            return [_podcast(row) for row in connection.execute(f"{_ROW} ORDER BY p.pinned DESC, p.folded, p.id")]

    def any_named(self, words: str) -> bool:
        """Whether any podcast has one of the words in its name."""
        parts = fold(words).split()
        if not parts:
            return False
        sql, values = podcasts_named(parts)
        with self._connections.reading() as connection:
            return connection.execute(f"{sql} LIMIT 1", values).fetchone() is not None

    def named(self, words: str, limit: int) -> list[Podcast]:
        """At most `limit` podcasts with all of these words in their names, in any order.

        Those whose names begin with them come first, then those with a word that does. None without words.
        """
        parts = fold(words).split()
        if not parts:
            return []
        start = " ".join(parts)
        rank = f"CASE instr({_NAMES}, ?) WHEN 0 THEN 3 WHEN 1 THEN 0 ELSE 1 + (instr({_NAMES}, ?) = 0) END"
        fits = " AND ".join(f"instr({_NAMES}, ?) > 0" for _part in parts)
        sql = f"{_ROW} WHERE {fits} ORDER BY {rank}, p.folded, p.id LIMIT ?"
        with self._connections.reading() as connection:
            return [_podcast(row) for row in connection.execute(sql, (*parts, start, f" {start}", limit))]

    def newest(self) -> dict[PodcastId, int]:
        """The sort key of the newest episode of each podcast that has any."""
        # One lookup at the end of an index for each: for the greatest key of all, every key would be read.
        newest = "SELECT sort FROM episodes WHERE podcast_id = p.id ORDER BY sort DESC LIMIT 1"
        with self._connections.reading() as connection:
            found = connection.execute(f"SELECT p.id, ({newest}) FROM podcasts p").fetchall()
            check_kinds((), (sort for _podcast, sort in found))
        return {podcast_id: sort for podcast_id, sort in found if sort is not None}

    def get(self, podcast_id: PodcastId) -> Podcast:
        """Raises NotFound."""
        with self._connections.reading() as connection:
            return podcast_of(connection, podcast_id)

    def by_url(self, url: str) -> Podcast | None:
        """The podcast with this address, or with an equivalent one."""
        with self._connections.reading() as connection:
            row = connection.execute(f"{_ROW} WHERE p.url_key = ?", (url_key(url),)).fetchone()
        return _podcast(row) if row else None

    def find(self, text: str) -> Podcast:
        """By number, address or title, the listener's own or the feed's. Raises NotFound or Ambiguous."""
        with self._connections.reading() as connection:
            row = connection.execute(f"{_ROW} WHERE p.url_key = ?", (url_key(text),)).fetchone()
            return _podcast(row) if row else podcast_of(connection, find_id(connection, "podcasts", "podcast", text))

    def feed_state(self, podcast_id: PodcastId) -> FeedState:
        """What the last response of the feed contained. Raises NotFound."""
        with self._connections.reading() as connection:
            row = connection.execute("SELECT etag, last_modified FROM podcasts WHERE id = ?", (podcast_id,)).fetchone()
            if row is None:
                raise _gone()
            check_kinds(row)
        return FeedState(*row)

    def extra(self, podcast_id: PodcastId) -> str:
        """Everything else in the feed, as a JSON object; "" for nothing, and if the podcast is gone."""
        with self._connections.reading() as connection:
            row = connection.execute("SELECT extra FROM podcasts WHERE id = ?", (podcast_id,)).fetchone()
            check_kinds(row or ())
        return row[0] if row else ""

    # -- writing ----------------------------------------------------------------------------------------------

    def add(self, url: str, title: str = "") -> Podcast:
        """Subscribes. Without a title the podcast is named by its address until its feed is read.

        Raises AlreadySubscribed.
        """
        title = title or clean_line(without_secrets(url).partition("://")[2]) or url
        with self._connections.writing() as connection:
            if row := connection.execute(f"{_ROW} WHERE p.url_key = ?", (url_key(url),)).fetchone():
                name = clean_line(_podcast(row).title, 80)
                raise AlreadySubscribed(
                    _("You are already subscribed to “{title}”", title=name),
                    _("`earmark refresh` checks for new episodes."),
                )
            cursor = connection.execute(
                "INSERT INTO podcasts (url, url_key, title, folded) VALUES (?, ?, ?, ?)",
                (url, url_key(url), title, fold(title)),
            )
            return podcast_of(connection, cursor.lastrowid)

    def remove(self, podcast_id: PodcastId) -> None:
        """Removes the podcast, with its episodes and everything stored about them. Does nothing if it is gone."""
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM podcasts WHERE id = ?", (podcast_id,))

    def move(self, podcast_id: PodcastId, url: str) -> bool:
        """Changes the feed's address to `url`. False, without a change, if another podcast has that address."""
        with self._connections.writing() as connection:
            key = url_key(url)
            row = connection.execute("SELECT id FROM podcasts WHERE url_key = ?", (key,)).fetchone()
            if row and row[0] != podcast_id:
                return False
            connection.execute("UPDATE podcasts SET url = ?, url_key = ? WHERE id = ?", (url, key, podcast_id))
        return True

    def apply(self, podcast_id: PodcastId, feed: Feed, state: FeedState, decide: Decide) -> Applied:
        """Stores the contents of a feed, in one transaction. `decide` gets the episodes that the library has.

        New episodes go into the inbox or the queue, as is set for the podcast. Episodes, stars, played marks and
        positions stay, whatever the feed says. Raises NotFound if the podcast is gone.
        """
        now = stored(self._now())
        with self._connections.writing() as connection:
            before = _header(connection, podcast_id)
            known = _known(connection, podcast_id)
            merge = decide([episode for episode, _sort in known], feed)
            changed = _write_header(connection, podcast_id, before, feed)
            connection.execute(
                "UPDATE podcasts SET etag = ?, last_modified = ?, last_refreshed = ?, error = NULL WHERE id = ?",
                (state.etag, state.last_modified, now, podcast_id),
            )
            _write_changed(connection, merge, {episode.id: sort for episode, sort in known})
            found = _write_new(connection, podcast_id, merge.new, _keys_of_new(feed, merge, known, now))
            sorts = [sort for _episode, sort in known]
            landed = self._arrivals.land(podcast_id, found, Known(min(sorts), max(sorts)) if sorts else None)
        new = tuple(one.id for one in found)
        return Applied(new, changed or bool(merge.new or merge.changed), landed.inbox, landed.queue)

    def unchanged(self, podcast_id: PodcastId, state: FeedState) -> None:
        """The server reports that nothing is new."""
        with self._connections.writing() as connection:
            connection.execute(
                "UPDATE podcasts SET etag = ?, last_modified = ?, last_refreshed = ?, error = NULL WHERE id = ?",
                (state.etag, state.last_modified, stored(self._now()), podcast_id),
            )

    def refresh_failed(self, podcast_id: PodcastId, sentence: str) -> None:
        """The sentence is kept in the podcast's row until a refresh succeeds."""
        with self._connections.writing() as connection:
            connection.execute("UPDATE podcasts SET error = ? WHERE id = ?", (sentence, podcast_id))


def _podcast(row: tuple[Any, ...]) -> Podcast:
    row_id, url, title, author, description, link, image_url, episodes, unplayed, last_refreshed, error, *own = row
    own_title, pinned, tags = own
    texts = (url, title, author, description, link, image_url, error or "", own_title, tags or "")
    check_kinds(texts, (episodes, unplayed, pinned))
    return Podcast(
        id=row_id,
        url=url,
        title=own_title or title,
        author=author,
        description=description,
        link=link,
        image_url=image_url,
        episode_count=episodes,
        unplayed_count=unplayed,
        last_refreshed=moment_maybe(last_refreshed),
        error=error,
        feed_title=title if own_title else "",
        pinned=bool(pinned),
        tags=tuple(sorted(tags.split("\n"), key=lambda tag: (fold(tag), tag))) if tags else (),
    )


def podcast_of(connection: sqlite3.Connection, podcast_id: int | None) -> Podcast:
    """Raises NotFound."""
    row = connection.execute(f"{_ROW} WHERE p.id = ?", (podcast_id,)).fetchone()
    if row is None:
        raise _gone()
    return _podcast(row)


def _gone() -> NotFound:
    return NotFound(_("This podcast is no longer in the library"), _("See `earmark podcasts`."))


# -- what a feed says, written --------------------------------------------------------------------------------


def _header(connection: sqlite3.Connection, podcast_id: PodcastId) -> tuple[Any, ...]:
    row = connection.execute(
        "SELECT title, author, description, link, image_url, language, extra, own_title FROM podcasts WHERE id = ?",
        (podcast_id,),
    ).fetchone()
    if row is None:
        raise _gone()
    return tuple(row)


def _write_header(connection: sqlite3.Connection, podcast_id: PodcastId, before: tuple[Any, ...], feed: Feed) -> bool:
    """Writes the podcast's own fields; returns whether any has changed. A feed without a title keeps the one it had.

    The podcast is found and sorted by the listener's own title, if there is one.
    """
    title, own_title = feed.title or before[0], before[-1]
    after = (title, feed.author, feed.description, feed.link, feed.image_url, feed.language, feed.extra)
    if after == before[:-1]:
        return False
    connection.execute(
        "UPDATE podcasts SET title = ?, author = ?, description = ?, link = ?, image_url = ?, language = ?, extra = ?,"
        " folded = ? WHERE id = ?",
        (*after, fold(own_title or title), podcast_id),
    )
    return True


def _known(connection: sqlite3.Connection, podcast_id: PodcastId) -> list[tuple[KnownEpisode, int]]:
    """The podcast's episodes as identities, each with its sort key."""
    rows = connection.execute(
        "SELECT id, guid, url, title, published, duration_ms, fingerprint, sort FROM episodes WHERE podcast_id = ?",
        (podcast_id,),
    )
    return [
        (KnownEpisode(row[0], row[1], row[2], row[3], moment_maybe(row[4]), row[5], row[6]), row[7]) for row in rows
    ]


def _keys_of_new(feed: Feed, merge: Merge, known: Sequence[tuple[KnownEpisode, int]], now: int) -> Iterable[int | None]:
    """The sort keys of the new episodes, in `merge`'s order; None to use their dates, if all have one.

    The feed's other items tell where undated ones belong.
    """
    if all(episode.published for episode in merge.new):
        return repeat(None, len(merge.new))
    keys = {episode.fingerprint: sort for episode, sort in known}
    by_id = {episode.id: sort for episode, sort in known}
    keys |= {episode.fingerprint: by_id[episode_id] for episode_id, episode in merge.changed}
    items = feed.episodes
    found = sort_keys(
        [item.published for item in items],
        [keys.get(item.fingerprint) for item in items],
        now if known else None,
    )
    sort_of = {(item.url, item.title): key for item, key in zip(items, found, strict=True)}
    return [sort_of.get((episode.url, episode.title), now) for episode in merge.new]


def _write_new(
    connection: sqlite3.Connection, podcast_id: PodcastId, new: Sequence[FeedEpisode], keys: Iterable[int | None]
) -> list[Arrival]:
    if not new:
        return []
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'episodes'").fetchone()
    first = (row[0] if row else 0) + 1
    rows, details, found = [], [], []
    for episode_id, episode, key in zip(count(first), new, keys, strict=False):
        row, detail = _columns(episode)
        sort = row[0] if key is None else key
        rows.append((episode_id, podcast_id, sort, *row))
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


def _write_changed(connection: sqlite3.Connection, merge: Merge, sorts: dict[EpisodeId, int]) -> None:
    """Updates episodes that the library has. A date, length or guid that is missing from the feed now is kept."""
    if not merge.changed:
        return
    rows, details = [], []
    for episode_id, episode in merge.changed:
        row, detail = _columns(episode)
        rows.append((sorts[episode_id] if row[0] is None else row[0], *row, episode_id))
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
