"""The listener's data as a whole: read within a snapshot, put back within a transaction."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime

from player.library.database.connections import Connections
from player.library.personal.lists import restore_list
from player.library.personal.marks import EpisodeMarks
from player.library.personal.podcasts import Decide
from player.library.personal.reading import PersonalReader
from player.library.personal.records import ExportedList, Kept
from player.library.personal.restorer import Restorer
from player.library.podcast_settings import PodcastSettingsStore
from player.library.podcasts import Podcasts
from player.library.subscriptions.previews import Previews
from player.links.same_feed import url_key
from player.model.podcast import Podcast


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
