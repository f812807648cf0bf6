"""Reads all that is the listener's, podcast by podcast, so that a library of any size needs little memory."""

import sqlite3
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from player.library.database.connections import Connections
from player.library.database.values import check_kinds, moment, moment_maybe
from player.library.listening.removed_podcasts import IN_USE
from player.library.lists.preview_keys import PREVIEWS, SHIFT
from player.library.podcast_settings import PodcastSettingsStore
from player.library.podcasts import Podcasts
from player.library.subscriptions import podcast_of
from player.links.urls import without_secrets
from player.model.filters import View, ViewName
from player.model.foreign import (
    ExportedView,
    ForeignEpisode,
    ForeignList,
    ForeignPodcast,
    HeardSpan,
    Kept,
    Queued,
    RemovedEpisode,
    SavedAt,
)
from player.model.podcast import Podcast
from player.model.podcast_settings import AS_ALL

CHOICES = ("speed", "volume", "sleep", "theme", "sidebar", "reading_width")
"""What was chosen in the app and isn't bound to a machine: keys of the library's state."""
NEWEST_MS = 7 * 24 * 60 * 60_000
"""Episodes published in the week before a podcast's newest one may count as new when its feed is read: they are
exported too, so that another library knows them."""
_NEVER = 1 << 60
_TOUCHED = (
    "e.played <> 0 OR e.starred <> 0 OR g.episode_id IS NOT NULL OR q.episode_id IS NOT NULL"
    " OR i.episode_id IS NOT NULL"
    " OR EXISTS (SELECT 1 FROM playlist_episodes l WHERE l.episode_id = e.id)"
    " OR EXISTS (SELECT 1 FROM bookmarks b WHERE b.episode_id = e.id)"
    " OR EXISTS (SELECT 1 FROM listening_spans s WHERE s.episode_id = e.id)"
)
_EPISODES = (
    "SELECT e.id, e.guid, e.url, e.title, e.link, e.media_type, e.published, e.sort, e.duration_ms, e.measured_ms,"
    " e.played, e.starred, g.position_ms, g.saved_at, g.byte, g.file_size, g.guessed, q.rank, q.added_at, i.arrived_at"
    " FROM episodes e LEFT JOIN progress g ON g.episode_id = e.id LEFT JOIN queue q ON q.episode_id = e.id"
    " LEFT JOIN inbox i ON i.episode_id = e.id"
    f" WHERE e.podcast_id = ?1 AND (e.sort >= ?2 OR {_TOUCHED}) ORDER BY e.sort DESC, e.id"
)
_PLAYLISTS = (
    "SELECT l.title, p.rank FROM playlist_episodes p JOIN lists l ON l.id = p.list_id"
    " WHERE p.episode_id = ? ORDER BY l.rank, l.id"
)
_HEARD = "SELECT from_ms, to_ms, began_at, speed FROM listening_spans WHERE episode_id = ? ORDER BY began_at"
_BOOKMARK = "SELECT position_ms, created_at, note, chapter, line, episode, podcast, link, feed, guid FROM bookmarks"
_BOOKMARKS_OF = (
    f"{_BOOKMARK} WHERE episode_id IN (SELECT id FROM episodes WHERE podcast_id = ?) ORDER BY created_at, id"
)
_REMOVED = (
    "SELECT coalesce(s.former_id, -s.id) AS one, s.removed_episode,"
    " coalesce(nullif(p.own_title, ''), p.title, s.removed_podcast), s.removed_ms, s.from_ms, s.to_ms, s.began_at,"
    " s.speed FROM listening_spans s LEFT JOIN podcasts p ON p.id = s.podcast_id"
    " WHERE s.episode_id IS NULL ORDER BY one, s.began_at"
)


class PersonalReader:
    """Within a snapshot, by the thread that entered it."""

    def __init__(self, connections: Connections, podcasts: Podcasts, settings: PodcastSettingsStore) -> None:
        self._connections = connections
        self._podcasts = podcasts
        self._settings = settings

    def podcasts(self) -> list[Podcast]:
        """In the order in which they were added; with the previews of which an episode was heard, starred or queued."""
        with self._connections.reading() as connection:
            rows = connection.execute(f"SELECT id FROM podcasts WHERE id IN {PREVIEWS}").fetchall()
            used = [one for (one,) in rows if connection.execute(IN_USE, (one,)).fetchone() is not None]
            found = [*self._podcasts.all(), *(podcast_of(connection, one) for one in used)]
        return sorted(found, key=lambda one: one.id)

    def podcast(self, podcast: Podcast) -> ForeignPodcast:
        """All that is set for it, without its episodes, and without the name and password in its address."""
        settings = self._settings.get(podcast.id)
        return ForeignPodcast(
            url=without_secrets(podcast.url),
            title=podcast.feed_title or podcast.title,
            own_title=podcast.own_title,
            tags=podcast.tags,
            settings=AS_ALL if settings == AS_ALL else settings,
            subscribed=not podcast.previewed,
            link=without_secrets(podcast.link),
            pinned=podcast.pinned,
            continues=self._continued().get(View.of(ViewName.PODCAST, podcast.id).key, ""),
        )

    def episodes(self, podcast: Podcast) -> Iterator[ForeignEpisode]:
        """Those with something of the listener's, and the newest, the newest first."""
        with self._connections.reading() as connection:
            (newest,) = connection.execute(
                "SELECT max(sort) FROM episodes WHERE podcast_id = ?", (podcast.id,)
            ).fetchone()
            check_kinds((), (newest,))
            since = _NEVER if podcast.previewed or newest is None else newest - NEWEST_MS
            for row in connection.execute(_EPISODES, (podcast.id, since)):
                yield _episode(connection, row, podcast)

    def lists(self) -> Iterator[ForeignList]:
        """The smart lists and playlists, in the listener's order."""
        continued = self._continued()
        with self._connections.reading() as connection:
            shown = _shown(connection)
            rows = connection.execute(
                "SELECT l.id, l.title, l.query, d.most FROM lists l LEFT JOIN list_downloads d ON d.list_id = l.id"
                " ORDER BY l.rank, l.id"
            ).fetchall()
        for number, title, query, most in rows:
            check_kinds((title, query or ""), (number, most))
            key = f"{ViewName.LIST} {number}"
            order, hides = shown.get(key, ("", False))
            yield ForeignList(
                title, query=query, order=order, hide_played=hides, continues=continued.get(key, ""), downloads=most
            )

    def views(self) -> Iterator[ExportedView]:
        """How Earmark's own lists, and those of tags, are shown. Those of podcasts and of the listener's lists stand
        with these."""
        continued = self._continued()
        with self._connections.reading() as connection:
            shown = _shown(connection)
        for key in sorted(shown.keys() | continued.keys()):
            if not key.startswith((f"{ViewName.PODCAST} ", f"{ViewName.LIST} ")):
                order, hides = shown.get(key, ("", False))
                yield ExportedView(key, order, hides, continued.get(key, ""))

    def lost_bookmarks(self) -> Iterator[Kept]:
        """The bookmarks of episodes that are no longer in the library."""
        with self._connections.reading() as connection:
            for row in connection.execute(f"{_BOOKMARK} WHERE episode_id IS NULL ORDER BY created_at, id"):
                yield _bookmark(row)

    def removed(self) -> Iterator[RemovedEpisode]:
        """What was heard of episodes that are no longer in the library."""
        with self._connections.reading() as connection:
            for _one, group in groupby(connection.execute(_REMOVED), itemgetter(0)):
                rows = list(group)
                for number, episode, podcast, length_ms, *_span in rows:
                    check_kinds((episode, podcast), (number, length_ms))
                yield RemovedEpisode(episode, podcast, length_ms, tuple(_heard(row[4:]) for row in rows))

    def bookmarks_of(self, podcast: Podcast) -> Iterator[Kept]:
        """Those of a podcast that no other library can have, as if it were no longer in this one."""
        with self._connections.reading() as connection:
            yield from (_bookmark(row) for row in connection.execute(_BOOKMARKS_OF, (podcast.id,)))

    def heard_of(self, podcast: Podcast) -> Iterator[RemovedEpisode]:
        """As `bookmarks_of`, for the history."""
        for one in self.episodes(podcast):
            if one.heard:
                yield RemovedEpisode(one.title, podcast.title, one.measured_ms or one.duration_ms, one.heard)

    def choices(self) -> dict[str, str]:
        """What was chosen in the app, by the names that the library has for it."""
        with self._connections.reading() as connection:
            found = dict(connection.execute("SELECT key, value FROM state").fetchall())
        check_kinds(found.values())
        return {key: found[key] for key in CHOICES if found.get(key)}

    def _continued(self) -> dict[str, str]:
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT view, newest_first FROM continued").fetchall()
        return {view: "newest" if newest_first else "oldest" for view, newest_first in rows}


def _shown(connection: sqlite3.Connection) -> dict[str, tuple[str, bool]]:
    rows = connection.execute("SELECT view, order_by, hide_played FROM view_settings").fetchall()
    for view, order, hides in rows:
        check_kinds((view, order), (hides,))
    return {view: (order, bool(hides)) for view, order, hides in rows}


def _episode(connection: sqlite3.Connection, row: tuple[Any, ...], podcast: Podcast) -> ForeignEpisode:
    (
        episode_id, guid, url, title, link, media_type, published, sort, duration_ms, measured_ms, played, starred,
        position_ms, saved_at, byte, size, guessed, rank, added_at, arrived_at,
    ) = row  # fmt: skip
    check_kinds((guid, url, title, link, media_type), (episode_id, published, sort, duration_ms, measured_ms, rank))
    check_kinds((), (position_ms, saved_at, byte, size, added_at, arrived_at))
    listed = sort + (SHIFT if podcast.previewed else 0)
    position = None
    if position_ms is not None:
        position = SavedAt(position_ms, moment(saved_at), byte, size, guessed=bool(guessed))
    titles = (title, podcast.title, link or url)
    return ForeignEpisode(
        guid=guid,
        url=without_secrets(url),
        title=title,
        published=moment_maybe(published),
        listed_at=moment(listed) if listed != published else None,
        link=without_secrets(link),
        media_type=media_type,
        duration_ms=duration_ms,
        measured_ms=measured_ms,
        played=bool(played),
        starred=bool(starred),
        position=position,
        queued=None if rank is None else Queued(rank, moment(added_at)),
        inbox=moment_maybe(arrived_at),
        playlists=dict(connection.execute(_PLAYLISTS, (episode_id,)).fetchall()) or None,
        bookmarks=tuple(
            _bookmark(kept, titles)
            for kept in connection.execute(f"{_BOOKMARK} WHERE episode_id = ? ORDER BY position_ms, id", (episode_id,))
        ),
        heard=tuple(_heard(span) for span in connection.execute(_HEARD, (episode_id,))),
    )


def _bookmark(row: tuple[Any, ...], known: tuple[str, ...] = ()) -> Kept:
    """`known` are the titles of its episode and podcast, and its link, where the episode is there."""
    position_ms, created_at, *texts = row
    check_kinds(texts, (position_ms, created_at))
    note, chapter, line, episode, podcast, link, feed, guid = texts
    if known:
        episode, podcast, link = (
            "" if one == plain else one for one, plain in zip((episode, podcast, link), known, strict=True)
        )
        feed = guid = ""
    return Kept(
        position_ms, moment(created_at), note, chapter, line, episode, podcast, without_secrets(link),
        _without_login(feed), guid,
    )  # fmt: skip


def _without_login(feed: str) -> str:
    """Of the key of an address, which has no scheme."""
    host, slash, path = feed.partition("/")
    return host.rpartition("@")[2] + slash + path


def _heard(row: Any) -> HeardSpan:
    from_ms, to_ms, began_at, speed = row
    check_kinds((), (from_ms, to_ms, began_at))
    return HeardSpan(from_ms, to_ms, moment(began_at), float(speed))
