"""Subscriptions and previews in the library: writes what feeds say about a podcast and its episodes."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import count, repeat
from typing import Any, NamedTuple, Protocol

from player.errors import NotFound
from player.library.database.connections import Connections
from player.library.database.values import check_kinds, insert_many, moment, moment_maybe, stored, stored_maybe
from player.library.listening.inbox import Arrival, Arrivals, Landed
from player.library.listening.removed_podcasts import IN_USE
from player.library.lists.ordering import ordered_keys, sort_keys
from player.library.lists.preview_keys import SHIFT, SUGGESTED
from player.links.addresses import is_file_address, url_key
from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedEpisode, KnownEpisode, Merge
from player.model.matching import matches
from player.model.moments import EARLIEST
from player.model.podcast import Podcast, PodcastId
from player.text.cleaning import fold
from player.text.sentences import _


class Subscribed(Protocol):
    """`Library.podcasts` fits."""

    def all(self) -> Sequence[Podcast]: ...

    def extra(self, podcast_id: PodcastId, /) -> str: ...


def subscriptions(podcasts: Subscribed) -> dict[str, PodcastId]:
    """The podcasts by the `url_key` of their feeds, and by the guids that the feeds give (Podcasting 2.0), in lower
    case. A thousand take 0.1 s."""
    known: dict[str, PodcastId] = {}
    for podcast in podcasts.all():
        known[url_key(podcast.url)] = podcast.id
        extra = podcasts.extra(podcast.id)
        if '"guid"' in extra and (guid := json.loads(extra).get("guid", {}).get("text", "")):
            known.setdefault(guid.lower(), podcast.id)
    return known


ROW = (
    "SELECT p.id, p.url, p.title, p.author, p.description, p.link, p.image_url, c.episodes, c.unplayed,"
    " p.last_refreshed, p.error, p.own_title, p.pinned, p.previewed_at,"
    " (SELECT group_concat(t.tag, char(10)) FROM podcast_tags t WHERE t.podcast_id = p.id)"
    " FROM podcasts p JOIN podcast_counts c ON c.podcast_id = p.id"
)


def podcast_from(row: tuple[Any, ...]) -> Podcast:
    """Makes a podcast from the columns of ROW."""
    row_id, url, title, author, description, link, image_url, episodes, unplayed, last_refreshed, error, *own = row
    own_title, pinned, previewed_at, tags = own
    texts = (url, title, author, description, link, image_url, error or "", own_title, tags or "")
    check_kinds(texts, (episodes, unplayed, pinned, previewed_at))
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
        previewed=previewed_at is not None,
        suggested=previewed_at == 0,
    )


def podcast_of(connection: sqlite3.Connection, podcast_id: int | None) -> Podcast:
    """Raises NotFound."""
    podcast = podcast_row(connection, "p.id = ?", podcast_id)
    if podcast is None:
        raise gone()
    return podcast


def podcast_row(connection: sqlite3.Connection, condition: str, value: object) -> Podcast | None:
    """The podcast `p` that fulfils a condition on a single value, if there is one."""
    row = connection.execute(f"{ROW} WHERE {condition}", (value,)).fetchone()
    return podcast_from(row) if row else None


def gone() -> NotFound:
    return NotFound(_("This podcast is no longer in the library"), _("See `earmark podcasts`."))


_MOST = 2**53
"""Feeds claim any number; JSON readers round larger ones, and SQLite refuses those above 2^63."""


class Header(NamedTuple):
    """The podcast's own fields in the library; its episodes' sort keys are `shift` lower than their times."""

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
    """The podcast's episodes as identities, each with its sort key without the shift."""
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

    The feed's other items tell where undated items belong. An item dated after `now` counts as published when it was
    found.
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
    """Updates episodes that the library has. A date, length or guid that is missing from the feed now is kept. An
    episode dated after `now` keeps its place in lists, unless that place is after `now` too. Transcripts beside the
    audio that have changed or are gone are forgotten."""
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
    connection.executemany(
        "DELETE FROM companions WHERE episode_id = ? AND kind = 'transcript' AND url LIKE 'file:%'"
        " AND url NOT IN (SELECT value FROM json_each(?))",
        [
            (episode_id, json.dumps([ref.url for ref in episode.transcripts]))
            for episode_id, episode in merge.changed
            if is_file_address(episode.url)
        ],
    )


def _latest(now: int) -> int:
    """The latest sort key that a date may give. A wrong clock sets no limit."""
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


class Previews:
    """`now` returns the time at which a preview is opened."""

    def __init__(self, connections: Connections, arrivals: Arrivals, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._arrivals = arrivals
        self._now = now

    def by_url(self, url: str) -> Podcast | None:
        """The preview with this address, or with an equivalent one."""
        with self._connections.reading() as connection:
            return podcast_row(connection, "p.url_key = ? AND p.previewed_at IS NOT NULL", url_key(url))

    def suggestions(self) -> list[Podcast]:
        """The previews that came with the library."""
        with self._connections.reading() as connection:
            return [podcast_from(row) for row in connection.execute(f"{ROW} WHERE p.{SUGGESTED}")]

    def suggestion_of(self, episode_id: EpisodeId) -> Podcast | None:
        """The podcast of that episode, if it is a suggestion."""
        with self._connections.reading() as connection:
            of_episode = f"p.{SUGGESTED} AND p.id = (SELECT podcast_id FROM episodes WHERE id = ?)"
            return podcast_row(connection, of_episode, episode_id)

    def add(self, url: str, title: str) -> Podcast:
        """A preview of the feed at that address, or the podcast with that address that the library already has. It
        counts as opened now."""
        now = stored(self._now())
        with self._connections.writing() as connection:
            connection.execute(
                "INSERT INTO podcasts (url, url_key, title, folded, previewed_at) VALUES (?1, ?2, ?3, fold(?3), ?4)"
                " ON CONFLICT (url_key) DO UPDATE SET previewed_at = ?4 WHERE previewed_at > 0",
                (url, url_key(url), title or url, now),
            )
            podcast = podcast_row(connection, "p.url_key = ?", url_key(url))
        assert podcast is not None, "it has just been written"
        return podcast

    def episode(self, podcast_id: PodcastId, episode: FeedEpisode) -> tuple[EpisodeId, bool]:
        """The podcast's episode that a directory describes like this, and whether it was added because the feed doesn't
        list it. Raises NotFound if the podcast is gone, or if the episode can't be added because it has no
        enclosure."""
        with self._connections.writing() as connection:
            header = read_header(connection, podcast_id)
            known = [one for one, _sort in known_episodes(connection, podcast_id, header.shift)]
            if found := matches(known, [episode], loosely=True):
                return known[found[0]].id, False
            if not episode.url:
                raise NotFound(_("“{title}” isn't in the feed of its podcast", title=episode.title))
            now = stored(self._now())
            sort = now if episode.published is None else min(now, stored(episode.published))
            return write_new(connection, podcast_id, [episode.signed()], [sort], header.shift)[0].id, True

    def opened(self, podcast_id: PodcastId) -> None:
        """Notes that the preview was opened again, so that it is cleared later."""
        with self._connections.writing() as connection:
            connection.execute(
                "UPDATE podcasts SET previewed_at = ? WHERE id = ? AND previewed_at > 0",
                (stored(self._now()), podcast_id),
            )

    def subscribe(self, podcast_id: PodcastId) -> Landed:
        """Makes it a subscription, keeping everything that was done with its episodes; the newest episode arrives as it
        does for any new podcast. Does nothing for a subscription."""
        with self._connections.writing() as connection:
            return subscribe(connection, self._arrivals, podcast_id)

    def clear(self, before: datetime) -> list[PodcastId]:
        """Discards the previews that were last opened before that time, each in a transaction of its own: a preview of
        a thousand episodes takes 0.05 s. Returns the discarded ones. A preview opened while the clock was ahead counts
        as opened just now."""
        now = stored(self._now())
        with self._connections.writing() as connection:
            connection.execute("UPDATE podcasts SET previewed_at = ?1 WHERE previewed_at > ?1", (now,))
        with self._connections.reading() as connection:
            old = connection.execute("SELECT id FROM podcasts WHERE previewed_at < ?", (stored(before),)).fetchall()
        return [PodcastId(row[0]) for row in old if self.discard(row[0])]

    def discard(self, podcast_id: PodcastId) -> bool:
        """Removes a preview, if the listener has done nothing with any of its episodes, such as playing one; else
        False. Suggestions stay."""
        with self._connections.writing() as connection:
            if connection.execute(IN_USE, (podcast_id,)).fetchone() is not None:
                return False
            sql = "DELETE FROM podcasts WHERE id = ? AND previewed_at > 0"
            return connection.execute(sql, (podcast_id,)).rowcount > 0


def subscribe(connection: sqlite3.Connection, arrivals: Arrivals, podcast_id: PodcastId) -> Landed:
    """Like `Previews.subscribe`, within a transaction."""
    rows = connection.execute(
        "UPDATE podcasts SET previewed_at = NULL WHERE id = ? AND previewed_at IS NOT NULL RETURNING id", (podcast_id,)
    ).fetchall()
    if not rows:
        return Landed()
    connection.execute("UPDATE episodes SET sort = sort + ? WHERE podcast_id = ?", (SHIFT, podcast_id))
    found = connection.execute(
        "SELECT id, title, sort, played FROM episodes WHERE podcast_id = ? ORDER BY sort DESC, id", (podcast_id,)
    ).fetchall()
    if not found or found[0][3]:  # an episode that has been played isn't new
        return Landed()
    return arrivals.land(podcast_id, [Arrival(EpisodeId(row[0]), row[1], row[2]) for row in found], None)
