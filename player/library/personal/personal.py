"""The listener's data as a whole: read within a snapshot, put back within one transaction."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime

from msgspec import Struct

from player.library.database.connections import Connections
from player.library.database.values import stored
from player.library.personal.marks import (
    Counts,
    EpisodeMarks,
    restore_choices,
    restore_list,
    restore_removed,
    restore_view,
)
from player.library.personal.podcasts import Decide, PodcastRestorer
from player.library.personal.reading import PersonalReader
from player.library.personal.records import ExportedList, ExportedPodcast, ExportedView, Kept, RemovedEpisode
from player.library.podcast_settings import PodcastSettingsStore
from player.library.podcasts import Podcasts
from player.library.subscriptions import Previews
from player.links.addresses import url_key
from player.model.podcast import Podcast, PodcastId


class Restored(Struct, frozen=True):
    """What has changed. `added` podcasts are new, `known` ones were there; the feeds of `unread` ones were never read.
    `odd_settings` couldn't be understood."""

    added: tuple[PodcastId, ...]
    known: int
    unread: tuple[PodcastId, ...]
    lists: int
    odd_settings: int
    counts: Counts


class Restorer:
    """Entries may come in any order. They are clean: texts fit for a terminal, addresses that can be opened, numbers
    within bounds."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        podcasts: Podcasts,
        previews: Previews,
        settings: PodcastSettingsStore,
        exported_at: datetime,
        decide: Decide,
    ) -> None:
        self._connection = connection
        self._marks = EpisodeMarks(connection, stored(exported_at))
        self._podcasts = PodcastRestorer(connection, podcasts, previews, settings, self._marks, decide)
        self._lists = 0

    def podcast(self, wanted: ExportedPodcast) -> None:
        self._podcasts.restore(wanted)

    def saved_list(self, wanted: ExportedList) -> None:
        title, new = restore_list(self._connection, wanted)
        self._lists += new
        if title and wanted.query is None:
            self._marks.titles[wanted.title] = title

    def view(self, wanted: ExportedView) -> None:
        restore_view(self._connection, wanted)

    def choices(self, wanted: dict[str, str]) -> None:
        restore_choices(self._connection, wanted)

    def bookmark(self, wanted: Kept) -> None:
        """One whose episode isn't in the export."""
        titles = (wanted.episode, wanted.podcast, wanted.link)
        self._marks.bookmark(wanted, episode_id=None, feed=wanted.feed, guid=wanted.guid, titles=titles)

    def removed(self, wanted: RemovedEpisode) -> None:
        spans, forgotten = restore_removed(self._connection, wanted, self._marks.forgotten_ms)
        self._marks.counts.spans += spans
        self._marks.counts.forgotten += forgotten

    def finish(self) -> Restored:
        """To be called when all entries were put back."""
        self._marks.finish()
        podcasts = self._podcasts
        return Restored(
            tuple(podcasts.added),
            podcasts.known,
            tuple(podcasts.unread),
            self._lists,
            podcasts.odd_settings,
            self._marks.counts,
        )


class _DryRun(Exception):
    """Undoes the transaction; nothing has gone wrong."""


class PersonalData:
    def __init__(
        self, connections: Connections, podcasts: Podcasts, previews: Previews, settings: PodcastSettingsStore
    ) -> None:
        self._connections = connections
        self._podcasts = podcasts
        self._previews = previews
        self._settings = settings

    @contextmanager
    def reading(self) -> Iterator[PersonalReader]:
        """What is read within, by this thread, is what was there at its start."""
        with self._connections.snapshot():
            yield PersonalReader(self._connections, self._podcasts, self._settings)

    @contextmanager
    def restoring(self, exported_at: datetime, decide: Decide, *, dry_run: bool = False) -> Iterator[Restorer]:
        """All that is put back within is written at once. With `dry_run` nothing is: it only tells what would be."""
        try:
            with self._connections.writing() as connection:
                yield Restorer(connection, self._podcasts, self._previews, self._settings, exported_at, decide)
                if dry_run:
                    raise _DryRun
        except _DryRun:
            pass

    def keep(self, podcast: Podcast, bookmarks: Iterable[Kept]) -> int:
        """Adds bookmarks of a podcast's episodes, which their guids find: here, or once the feed brings them. One that
        is at the same moment of the episode already stays. Returns how many are new."""
        with self._connections.writing() as connection:
            marks = EpisodeMarks(connection, 0)
            for one in bookmarks:
                titles = (one.episode, podcast.title, one.link)
                marks.bookmark(one, episode_id=None, feed=url_key(podcast.url), guid=one.guid, titles=titles)
        return marks.counts.bookmarks

    def keep_list(self, wanted: ExportedList) -> tuple[str, bool]:
        """Makes a list, unless it is here. Returns its title, "" for one that can't have any, and whether it is new."""
        with self._connections.writing() as connection:
            return restore_list(connection, wanted)
