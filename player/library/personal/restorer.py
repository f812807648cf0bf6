"""Puts an export back, entry by entry, in one transaction."""

import sqlite3
from datetime import datetime

from msgspec import Struct

from player.library.database.values import stored
from player.library.personal.lists import restore_choices, restore_list, restore_removed, restore_view
from player.library.personal.marks import Counts, EpisodeMarks
from player.library.personal.podcasts import Decide, PodcastRestorer
from player.library.personal.records import ExportedList, ExportedPodcast, ExportedView, Kept, RemovedEpisode
from player.library.podcast_settings import PodcastSettingsStore
from player.library.podcasts import Podcasts
from player.library.subscriptions.previews import Previews
from player.model.podcast import PodcastId


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
