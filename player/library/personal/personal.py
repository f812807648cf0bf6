"""The listener's data as a whole: read within a snapshot, put back within one transaction. Nothing here is lost.

An episode that no feed has brought yet is made from its entry in an export; the feed fills it in when it is read. What
both have is joined: a mark that one of them has stays, of two positions the later one does. So the same export changes
nothing the second time.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from player.library.database.connections import Connections
from player.library.database.values import insert_many, stored, stored_maybe
from player.library.incoming import Match, Present, decide, forgotten_at, present, write
from player.library.listening.bookmarks import SAME_MS
from player.library.lists.preview_keys import SHIFT
from player.library.personal.personal_reader import PersonalReader
from player.library.podcast_settings import PodcastSettingsStore
from player.library.podcasts import Podcasts
from player.links.addresses import url_key
from player.links.urls import without_secrets
from player.model.episode import EpisodeId
from player.model.foreign import ForeignEpisode, Kept, RemovedEpisode
from player.model.matching import Identity, distinct, matches
from player.model.podcast import Podcast
from player.text.cleaning import fold


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
    """What has changed: numbers of episodes, bookmarks, spans."""

    episodes: int = 0
    played: int = 0
    starred: int = 0
    positions: int = 0
    queued: int = 0
    bookmarks: int = 0
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
            f" AND abs(position_ms - ?4) <= {SAME_MS} ORDER BY abs(position_ms - ?4), id LIMIT 1",
            (episode_id, one.feed, one.guid, one.position_ms),
        ).fetchone()
        if same is None:
            self.counts.bookmarks += 1
            self._connection.execute(
                "INSERT INTO bookmarks (episode_id, position_ms, created_at, chapter, line, note, episode, podcast,"
                " link, guid, feed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    episode_id, one.position_ms, stored_maybe(one.created_at) or self._exported_at, one.chapter,
                    one.line, one.note, one.episode, one.podcast, one.link, one.guid, one.feed,
                ),
            )  # fmt: skip
        elif one.note and not same[1]:
            self._connection.execute("UPDATE bookmarks SET note = ? WHERE id = ?", (one.note, same[0]))

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
