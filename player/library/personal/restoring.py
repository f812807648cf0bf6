"""Podcasts put back from an export, into a library that may know some of them. Nothing that is here is lost.

An episode that no feed has brought yet is made from its entry; the feed fills it in when it is read. What both have is
joined: a mark or a tag that one of them has stays, of two positions the later one does, and what is set here stays set.
So the same export changes nothing the second time.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, ValidationError, convert, to_builtins

from player.library.database.values import insert_many, stored, stored_maybe
from player.library.incoming import Match, Present, decide, present, write
from player.library.listening.bookmarks import SAME_MS
from player.library.lists.preview_keys import SHIFT
from player.library.personal.records import ExportedPodcast
from player.library.podcast_settings import PodcastSettingsStore
from player.library.podcasts import Podcasts
from player.library.subscriptions import Previews
from player.links.addresses import url_key
from player.links.urls import without_secrets
from player.model.filters import View, ViewName
from player.model.foreign import ForeignEpisode, Kept
from player.model.matching import Identity, distinct, matches
from player.model.podcast import Podcast, PodcastId
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.text.cleaning import fold
from player.text.names import clean_tags

_NEW = (
    "INSERT INTO episodes (id, podcast_id, sort, played, starred, published, duration_ms, measured_ms, size, guid,"
    " title, folded, url, media_type, link, fingerprint)"
)
_DETAILS = (
    "INSERT INTO details (episode_id, image_url, season, number, explicit, chapters_url, transcripts, notes, extra)"
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
    """Within a transaction. `exported_at` is when the export was made, in ms since 1970."""

    def __init__(self, connection: sqlite3.Connection, exported_at: int) -> None:
        self.counts = Counts()
        self.titles: dict[str, str] = {}
        """What playlists of the export are called here."""
        self._connection = connection
        self._exported_at = exported_at
        self._queue: list[tuple[int, int, int]] = []
        self._playlists: dict[str, list[tuple[int, int]]] = {}

    def put(self, podcast: Podcast, episodes: Sequence[tuple[Present, ForeignEpisode]]) -> None:
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
                self._playlists.setdefault(title, []).append((rank, here.id))
            for kept in there.bookmarks:
                link = kept.link or there.link or there.url
                titles = (kept.episode or there.title, kept.podcast or podcast.title, link)
                self.bookmark(kept, episode_id=here.id, feed=feed, guid=there.guid, titles=titles)

    def finish(self) -> None:
        """Adds what is queued to the end of the queue, and to the ends of the playlists, which must be there."""
        (last,) = self._connection.execute("SELECT coalesce(max(rank), 0) FROM queue").fetchone()
        for rank, (_wanted, episode_id, added_at) in enumerate(sorted(self._queue), last + 1):
            self._connection.execute(
                "INSERT INTO queue (episode_id, rank, added_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (episode_id, rank, added_at),
            )
        self.counts.queued = len(self._queue)
        for title, wanted in self._playlists.items():
            self._fill(self.titles.get(title, ""), sorted(wanted))

    def bookmark(
        self, one: Kept, *, episode_id: int | None, feed: str, guid: str, titles: tuple[str, str, str]
    ) -> None:
        """Unless there is one at the same moment: that keeps what it has, and gets the note if it has none."""
        same = self._connection.execute(
            "SELECT id, note FROM bookmarks WHERE (episode_id = ?1 OR (?3 <> '' AND feed = ?2 AND guid = ?3))"
            f" AND abs(position_ms - ?4) <= {SAME_MS} ORDER BY abs(position_ms - ?4), id LIMIT 1",
            (episode_id, feed, guid, one.position_ms),
        ).fetchone()
        if same is None:
            self.counts.bookmarks += 1
            self._connection.execute(
                "INSERT INTO bookmarks (episode_id, position_ms, created_at, chapter, line, note, episode, podcast,"
                " link, guid, feed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    episode_id, one.position_ms, stored_maybe(one.created_at) or self._exported_at, one.chapter,
                    one.line, one.note, *titles, guid, feed,
                ),
            )  # fmt: skip
        elif one.note and not same[1]:
            self._connection.execute("UPDATE bookmarks SET note = ? WHERE id = ?", (one.note, same[0]))

    # -- inside -----------------------------------------------------------------------------------------------

    def _fill(self, title: str, wanted: list[tuple[int, int]]) -> None:
        row = self._connection.execute("SELECT id FROM lists WHERE title = ? AND query IS NULL", (title,)).fetchone()
        if row is None:
            return
        (last,) = self._connection.execute(
            "SELECT coalesce(max(rank), 0) FROM playlist_episodes WHERE list_id = ?", row
        ).fetchone()
        self._connection.executemany(
            "INSERT INTO playlist_episodes (list_id, episode_id, rank) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [(row[0], episode_id, rank) for rank, (_wanted, episode_id) in enumerate(wanted, last + 1)],
        )


class PodcastRestorer:
    """Within a transaction; `marks` gathers what can be written only when all podcasts are there."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        podcasts: Podcasts,
        previews: Previews,
        settings: PodcastSettingsStore,
        marks: EpisodeMarks,
    ) -> None:
        self._connection = connection
        self._podcasts = podcasts
        self._previews = previews
        self._settings = settings
        self._marks = marks
        self._keys = {url_key(without_secrets(one.url)): one.id for one in podcasts.all()}
        self.added: list[PodcastId] = []
        self.unread: list[PodcastId] = []
        self.known = 0
        self.odd_settings = 0

    def restore(self, wanted: ExportedPodcast) -> None:
        """The subscription with all that is set for it, and its episodes. `wanted.url` is an address."""
        podcast = self._subscribe(wanted)
        self._name(podcast, wanted)
        self._set(podcast.id, wanted.settings)
        if wanted.continues in ("newest", "oldest"):
            self._connection.execute(
                "INSERT INTO continued (view, newest_first) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (View.of(ViewName.PODCAST, podcast.id).key, int(wanted.continues == "newest")),
            )
        self._episodes(self._podcasts.get(podcast.id), wanted.episodes)

    def _subscribe(self, wanted: ExportedPodcast) -> Podcast:
        """The address in an export has no name and password, that of the library may have."""
        key = url_key(without_secrets(wanted.url))
        if (number := self._keys.get(key)) is None:
            return self._add(key, wanted)
        podcast = self._podcasts.get(number)
        if number not in self.added and wanted.subscribed:
            self.known += 1
            if podcast.last_refreshed is None:
                self.unread.append(number)
        return podcast

    def _add(self, key: str, wanted: ExportedPodcast) -> Podcast:
        if not wanted.subscribed:
            return self._previews.add(wanted.url, wanted.title)
        podcast = self._podcasts.add(wanted.url, wanted.title)
        self._keys[key] = podcast.id
        self.added.append(podcast.id)
        if wanted.link and not podcast.link:
            self._connection.execute("UPDATE podcasts SET link = ? WHERE id = ?", (wanted.link, podcast.id))
        return podcast

    def _name(self, podcast: Podcast, wanted: ExportedPodcast) -> None:
        if wanted.own_title and not podcast.own_title and wanted.own_title != podcast.title:
            self._connection.execute(
                "UPDATE podcasts SET own_title = ?, folded = ? WHERE id = ?",
                (wanted.own_title, fold(wanted.own_title), podcast.id),
            )
        if wanted.pinned and not podcast.pinned:
            self._connection.execute("UPDATE podcasts SET pinned = 1 WHERE id = ?", (podcast.id,))
        for tag in clean_tags((*podcast.tags, *wanted.tags)):
            if tag not in podcast.tags:
                self._connection.execute(
                    "INSERT INTO podcast_tags (podcast_id, tag) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    (podcast.id, tag),
                )

    def _set(self, podcast_id: PodcastId, wanted: dict[str, Any]) -> None:
        """Whatever isn't set here becomes what the export says; a value of another type is left out."""
        if not wanted:
            return
        here: PodcastSettings = self._settings.get(podcast_id)
        plain, joined = to_builtins(AS_ALL), to_builtins(here)
        for name, value in wanted.items():
            if name not in plain or joined[name] != plain[name]:
                continue
            try:
                here = convert({**joined, name: value}, PodcastSettings)
                joined = to_builtins(here)
            except ValidationError:
                self.odd_settings += 1
        self._settings.set(podcast_id, here)

    # -- its episodes -----------------------------------------------------------------------------------------

    def _episodes(self, podcast: Podcast, episodes: Sequence[ForeignEpisode]) -> None:
        wanted = distinct(episodes)
        here = [_without_secrets(one) for one in present(self._connection, podcast.id)]
        same = matches([one.identity for one in here], wanted)
        new = [one for number, one in enumerate(wanted) if number not in same]
        known = [(here[at], wanted[number]) for number, at in same.items()]
        self._marks.put(podcast, [*known, *zip(self._insert(podcast, new), new, strict=True)])

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
        counts = self._marks.counts
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
