"""The listener's data as a whole: read within a snapshot, podcast by podcast, so that a library of any size needs
little memory; and put back within one transaction. Nothing here is lost.

An episode that no feed has brought yet is made from its entry in an export; the feed fills it in when it is read.
The data of both are joined: a mark that either of them has stays, and of two positions the later one does. So the
same export changes nothing the second time.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from player.library.database.connections import Connections
from player.library.database.values import check_kinds, insert_many, moment, moment_maybe, stored, stored_maybe
from player.library.incoming import Match, Present, decide, forgotten_at, present, write
from player.library.listening.bookmarks import same_moment
from player.library.listening.removed_podcasts import IN_USE
from player.library.lists.preview_keys import PREVIEWS, SHIFT
from player.library.podcast_settings import PodcastSettingsStore
from player.library.podcasts import Podcasts
from player.library.subscriptions import podcast_of
from player.links.addresses import url_key
from player.links.urls import without_secrets
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.model.foreign import (
    ExportedView,
    ForeignEpisode,
    ForeignList,
    ForeignPodcast,
    HeardSpan,
    Kept,
    MarkedSegment,
    Queued,
    RemovedEpisode,
    SavedAt,
)
from player.model.matching import Identity, distinct, matches
from player.model.podcast import Podcast
from player.model.podcast_settings import AS_ALL
from player.model.segments import SegmentKind
from player.text.cleaning import fold

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
    " OR EXISTS (SELECT 1 FROM segments s WHERE s.episode_id = e.id)"
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
_BOOKMARK = (
    "SELECT position_ms, length_ms, created_at, note, chapter, line, episode, podcast, link, feed, guid FROM bookmarks"
)
_SEGMENTS = "SELECT kind, start_ms, end_ms, created_at FROM segments WHERE episode_id = ? ORDER BY start_ms, id"
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
        segments=tuple(
            MarkedSegment(SegmentKind(kind), start_ms, end_ms, moment(created_at))
            for kind, start_ms, end_ms, created_at in connection.execute(_SEGMENTS, (episode_id,))
        ),
    )


def _bookmark(row: tuple[Any, ...], known: tuple[str, ...] = ()) -> Kept:
    """`known` are the titles of its episode and podcast, and its link, where the episode is there."""
    position_ms, length_ms, created_at, *texts = row
    check_kinds(texts, (position_ms, length_ms, created_at))
    note, chapter, line, episode, podcast, link, feed, guid = texts
    if known:
        episode, podcast, link = (
            "" if one == plain else one for one, plain in zip((episode, podcast, link), known, strict=True)
        )
        feed = guid = ""
    return Kept(
        position_ms, moment(created_at), note, chapter, line, episode, podcast, without_secrets(link),
        _without_login(feed), guid, length_ms,
    )  # fmt: skip


def _without_login(feed: str) -> str:
    """Of the key of an address, which has no scheme."""
    host, slash, path = feed.partition("/")
    return host.rpartition("@")[2] + slash + path


def _heard(row: Any) -> HeardSpan:
    from_ms, to_ms, began_at, speed = row
    check_kinds((), (from_ms, to_ms, began_at))
    return HeardSpan(from_ms, to_ms, moment(began_at), float(speed))


class _DryRun(Exception):
    """Undoes the transaction; nothing has gone wrong."""


class PersonalData:
    def __init__(self, connections: Connections, podcasts: Podcasts, settings: PodcastSettingsStore) -> None:
        self._connections = connections
        self._podcasts = podcasts
        self._settings = settings

    @contextmanager
    def reading(self) -> Iterator[PersonalReader]:
        """What is read within, by this thread, is what was there at its start."""
        with self._connections.snapshot():
            yield PersonalReader(self._connections, self._podcasts, self._settings)

    @contextmanager
    def merging(self, known_at: datetime, *, dry_run: bool = False) -> Iterator["EpisodeMarks"]:
        """All that this thread writes within is written at once. With `dry_run` nothing is: it only tells what would
        be. What has no time of its own is as old as `known_at`, for an export when it was made."""
        with suppress(_DryRun), self._connections.writing() as connection:
            yield EpisodeMarks(connection, stored(known_at))
            if dry_run:
                raise _DryRun


_NEW = (
    "INSERT INTO episodes (id, podcast_id, sort, played, starred, published, duration_ms, measured_ms, size, guid,"
    " title, folded, url, media_type, link, fingerprint)"
)
_DETAILS = (
    "INSERT INTO details (episode_id, image_url, season, number, explicit, chapters_url, transcripts, notes, extra)"
)
_SAME_SPAN = (
    "SELECT coalesce(s.former_id, -s.id) FROM listening_spans s LEFT JOIN episodes e ON e.id = s.episode_id"
    " WHERE s.began_at = ? AND s.from_ms = ? AND coalesce(e.title, s.removed_episode) = ?"
)


class Counts(Struct):
    """What has changed: numbers of episodes, bookmarks, segments, spans."""

    episodes: int = 0
    played: int = 0
    starred: int = 0
    positions: int = 0
    queued: int = 0
    bookmarks: int = 0
    segments: int = 0
    spans: int = 0
    forgotten: int = 0
    """Spans that were left out, as the listener has deleted the history since."""


class EpisodeMarks:
    """What an export knows of episodes, put back within a transaction. Entries are clean. `exported_at` is when the
    export was made, in ms since 1970."""

    def __init__(self, connection: sqlite3.Connection, exported_at: int) -> None:
        self.counts = Counts()
        self.playlists: dict[str, list[tuple[int, EpisodeId]]] = {}
        """What belongs in the playlists with these titles, each episode with its rank."""
        self._connection = connection
        self._exported_at = exported_at
        self._queue: list[tuple[int, int, int]] = []

    def episodes(self, podcast: Podcast, episodes: Sequence[ForeignEpisode]) -> None:
        """Those that aren't here are made."""
        wanted = distinct(episodes)
        here = [_without_secrets(one) for one in present(self._connection, podcast.id)]
        same = matches([one.identity for one in here], wanted)
        new = [one for number, one in enumerate(wanted) if number not in same]
        known = [(here[at], wanted[number]) for number, at in same.items()]
        self._put(podcast, [*known, *zip(self._insert(podcast, new), new, strict=True)])

    def bookmark(self, one: Kept, episode_id: int | None = None) -> None:
        """Unless there is one at the same moment: that keeps what it has, and gets the note if it has none."""
        same = self._connection.execute(
            "SELECT id, note FROM bookmarks WHERE (episode_id = ?1 OR (?3 <> '' AND feed = ?2 AND guid = ?3))"
            f" AND {same_moment('?4', '?5')} ORDER BY abs(position_ms - ?4), id LIMIT 1",
            (episode_id, one.feed, one.guid, one.position_ms, one.length_ms),
        ).fetchone()
        if same is None:
            self.counts.bookmarks += 1
            self._connection.execute(
                "INSERT INTO bookmarks (episode_id, position_ms, created_at, chapter, line, note, episode, podcast,"
                " link, guid, feed, length_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    episode_id, one.position_ms, stored_maybe(one.created_at) or self._exported_at, one.chapter,
                    one.line, one.note, one.episode, one.podcast, one.link, one.guid, one.feed, one.length_ms,
                ),
            )  # fmt: skip
        elif one.note and not same[1]:
            self._connection.execute("UPDATE bookmarks SET note = ? WHERE id = ?", (one.note, same[0]))

    def _segment(self, one: MarkedSegment, episode_id: int, podcast_id: int) -> None:
        """Unless there is one at the same place."""
        self.counts.segments += self._connection.execute(
            "INSERT INTO segments (podcast_id, episode_id, start_ms, end_ms, kind, created_at)"
            " SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS"
            " (SELECT 1 FROM segments WHERE episode_id = ?2 AND start_ms = ?3 AND end_ms = ?4)",
            (podcast_id, episode_id, one.start_ms, one.end_ms, one.kind, stored(one.created_at)),
        ).rowcount

    def removed(self, wanted: RemovedEpisode) -> None:
        """The history of an episode that isn't in the export."""
        since = forgotten_at(self._connection)
        number: int | None = None
        missing = []
        for span in wanted.heard:
            began = stored(span.began_at)
            if began < since:
                self.counts.forgotten += 1
            elif row := self._connection.execute(_SAME_SPAN, (began, span.from_ms, wanted.episode)).fetchone():
                number = row[0]
            else:
                missing.append((span.from_ms, span.to_ms, began, span.speed))
        if missing:
            former = number if number is not None and number > 0 else _unused_id(self._connection)
            self._connection.executemany(
                "INSERT INTO listening_spans (from_ms, to_ms, began_at, speed, former_id, removed_episode,"
                " removed_podcast, removed_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [(*span, former, wanted.episode, wanted.podcast, wanted.duration_ms) for span in missing],
            )
            self.counts.spans += len(missing)

    def finish(self) -> None:
        """Adds what is queued to the end of the queue, once all podcasts were put back."""
        (last,) = self._connection.execute("SELECT coalesce(max(rank), 0) FROM queue").fetchone()
        insert_many(
            self._connection,
            "INSERT OR IGNORE INTO queue (rank, episode_id, added_at)",
            [(rank, *queued) for rank, (_wanted, *queued) in enumerate(sorted(self._queue), last + 1)],
        )
        self.counts.queued = len(self._queue)

    # -- inside -----------------------------------------------------------------------------------------------

    def _put(self, podcast: Podcast, episodes: Sequence[tuple[Present, ForeignEpisode]]) -> None:
        """What an export knows of episodes that are here."""
        at, counts = self._exported_at, self.counts
        found = [Match(here, there, decide(here, there, at, at)) for here, there in episodes]
        written = write(self._connection, found)
        counts.spans += written.spans
        counts.forgotten += written.forgotten
        self._connection.executemany(
            "UPDATE episodes SET measured_ms = ? WHERE id = ? AND measured_ms IS NULL",
            [(there.measured_ms, here.id) for here, there in episodes if there.measured_ms is not None],
        )
        feed = url_key(podcast.url)
        for here, there, change, _print in found:
            counts.played += change.played
            counts.starred += change.starred
            counts.positions += change.position is not None
            if change.rank is not None and there.queued is not None:
                self._queue.append((change.rank, here.id, stored_maybe(there.queued.added_at) or at))
            for title, rank in (there.playlists or {}).items():
                self.playlists.setdefault(title, []).append((rank, EpisodeId(here.id)))
            for kept in there.bookmarks:
                whole = replace(
                    kept,
                    episode=kept.episode or there.title,
                    podcast=kept.podcast or podcast.title,
                    link=kept.link or there.link or there.url,
                    feed=feed,
                    guid=there.guid,
                )
                self.bookmark(whole, here.id)
            for segment in there.segments:
                self._segment(segment, here.id, podcast.id)

    def _insert(self, podcast: Podcast, new: Sequence[ForeignEpisode]) -> list[Present]:
        """With their marks. Their fingerprints are empty: when the feed is read it has something else to say of
        each."""
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'episodes'").fetchone()
        first = (row[0] if row else 0) + 1
        shift = SHIFT if podcast.previewed else 0
        rows = [(number, podcast.id, *_columns(one, shift)) for number, one in enumerate(new, first)]
        insert_many(self._connection, _NEW, rows)
        insert_many(self._connection, _DETAILS, [(row[0], "", None, "", 0, "", "[]", "", "") for row in rows])
        waiting = [(number, stored(one.inbox)) for number, one in enumerate(new, first) if one.inbox is not None]
        insert_many(self._connection, "INSERT INTO inbox (episode_id, arrived_at)", waiting)
        self._connection.execute(
            "UPDATE podcast_counts SET episodes = episodes + ?2, unplayed = unplayed + ?3 WHERE podcast_id = ?1",
            (podcast.id, len(new), sum(not one.played for one in new)),
        )
        counts = self.counts
        counts.episodes += len(new)
        counts.played += sum(one.played for one in new)
        counts.starred += sum(one.starred for one in new)
        return [
            Present(number, Identity(one.guid, one.url), 0, None, one.played, one.starred)
            for number, one in enumerate(new, first)
        ]


def _without_secrets(one: Present) -> Present:
    return one._replace(identity=one.identity._replace(url=without_secrets(one.identity.url)))


def _columns(one: ForeignEpisode, shift: int) -> tuple[Any, ...]:
    """From `sort` on, which is `shift` lower than the time."""
    sort = (stored_maybe(one.listed_at or one.published) or 0) - shift
    return (
        sort, int(one.played), int(one.starred), stored_maybe(one.published), one.duration_ms, one.measured_ms, None,
        one.guid, one.title, fold(one.title), one.url, one.media_type, one.link, "",
    )  # fmt: skip


def _unused_id(connection: sqlite3.Connection) -> int:
    """A number that no episode has had, or will get."""
    row = connection.execute(
        "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'episodes' RETURNING seq"
    ).fetchone()
    if row is None:
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('episodes', 1)")
        return 1
    return int(row[0])
