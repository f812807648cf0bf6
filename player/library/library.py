"""The library as a whole: opened, checked, migrated, backed up, closed."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from player import regular_file
from player.errors import DamagedLibrary, DiskFull, LibraryBusy, LibraryError
from player.library.app_state import AppState
from player.library.attachments import Attachments
from player.library.database import backups as copies
from player.library.database.backups import Backup, Backups, Cancelled, FoundBackup
from player.library.database.connect import LockFile, files_of, lock_out_others
from player.library.database.connections import Connections
from player.library.database.integrity import check_all, check_contents, check_pages, inspect
from player.library.database.migrations import latest, migrate
from player.library.database.sqlite_errors import as_library_errors, damaged, os_error, read_only
from player.library.downloads import Downloads
from player.library.episodes import Episodes
from player.library.listening.acts import Acts
from player.library.listening.bookmarks import Bookmarks
from player.library.listening.inbox import Arrivals, Inbox
from player.library.listening.lists import Continued, Lists, contents, size_of
from player.library.listening.queue import Queue
from player.library.listening.segments import Segments
from player.library.listening.shelf import Shelf
from player.library.lists.listing import Listing
from player.library.lists.ordering import ViewSettingsStore
from player.library.podcast_settings import PodcastSettingsStore
from player.library.podcasts import FeedSchedules, Podcasts
from player.library.progress import Progress
from player.library.subscriptions import Previews
from player.model.filters import View, ViewName
from player.model.podcast import PodcastId
from player.paths import Paths
from player.text.sentences import _

if TYPE_CHECKING:
    import sqlite3

    from player.library.attachments import Extras
    from player.library.audio import HeardAudio
    from player.library.history.spans import History
    from player.library.incoming import IncomingEpisodes, Settled
    from player.library.live_shows import LiveShows
    from player.library.loudness import LoudnessStore
    from player.library.personal import PersonalData
    from player.library.search.index import SearchIndex
    from player.library.search.search import EpisodeSearch
    from player.library.statistics import Statistics
    from player.library.syncing.syncing import Syncing

log = logging.getLogger(__name__)

_CHECK_S = 0.25
"""How long a start after a crash may spend checking for damage."""
_CHECK_AFTER_S = 5.0
"""How long after a start the check of the rest of the library begins."""
_BACKUP_GRACE_S = 0.5
"""How long closing waits for the day's backup."""


def _now() -> datetime:
    return datetime.now(UTC)


class _LoadedWhenNeeded:
    """Parts of a library whose modules are loaded at first use, so that startup never waits for them."""

    _connections: Connections | None
    _now: Callable[[], datetime]
    podcasts: Podcasts
    podcast_settings: PodcastSettingsStore
    acts: Acts

    @property
    def _connected(self) -> Connections:
        if self._connections is None:
            raise LibraryError(_("The library is closed"), _("Earmark is quitting."))
        return self._connections

    @property
    def statistics(self) -> "Statistics":
        """Its module is loaded when a podcast's page is opened."""
        from player.library.statistics import Statistics

        return Statistics(self._connected)

    @property
    def extras(self) -> "Extras":
        """Its module is loaded when more of an episode is needed than its row."""
        from player.library.attachments import Extras

        return Extras(self._connected)

    @property
    def live_shows(self) -> "LiveShows":
        """The shows that feeds announce."""
        from player.library.live_shows import LiveShows

        return LiveShows(self._connected)

    @property
    def loudness(self) -> "LoudnessStore":
        """Its module is loaded when an episode becomes the current one."""
        from player.library.loudness import LoudnessStore

        return LoudnessStore(self._connected)

    @property
    def audio(self) -> "HeardAudio":
        """Its module is loaded when a position is saved, or an episode was measured."""
        from player.library.audio import HeardAudio

        return HeardAudio(self._connected)

    @property
    def history(self) -> "History":
        """Its module is loaded when the listening history is needed."""
        from player.library.history.spans import History

        return History(self._connected, self._now)

    @property
    def incoming(self) -> "IncomingEpisodes":
        """Its modules are loaded when a feed brings episodes, or another app's are imported."""
        from player.library.incoming import IncomingEpisodes

        return IncomingEpisodes(self._connected, self.acts, self._now)

    @property
    def personal(self) -> "PersonalData":
        """Its modules are loaded for an export, or to restore one."""
        from player.library.personal import PersonalData

        return PersonalData(self._connected, self.podcasts, self.podcast_settings)

    @property
    def syncing(self) -> "Syncing":
        """Its modules are loaded when there is an account to sync with, or when accounts are asked for."""
        from player.library.syncing.syncing import Syncing

        return Syncing(self._connected, self.acts, self._now)


class Library(_LoadedWhenNeeded):
    """Podcasts, episodes, positions and small settings in `paths.library`. Any thread may use it once it is open.

    `patience_s`: how long a write waits for another process before it raises LibraryBusy. `backs_up`: whether opening
    it makes the daily backup, and checks for damage after a crash; `on_damage` is called with any damage found, on a
    thread. `uses_inbox` is called when episodes arrive. Every method of the parts may raise LibraryError; a bug
    sqlite3.Error.
    """

    podcasts: Podcasts
    previews: Previews
    episodes: Episodes
    progress: Progress
    attachments: Attachments
    downloads: Downloads
    state: AppState
    feed_schedules: FeedSchedules
    podcast_settings: PodcastSettingsStore
    queue: Queue
    inbox: Inbox
    acts: Acts
    bookmarks: Bookmarks
    segments: Segments
    lists: Lists
    shelf: Shelf
    view_settings: ViewSettingsStore
    continued: Continued

    def __init__(
        self,
        paths: Paths,
        *,
        patience_s: float = 5.0,
        now: Callable[[], datetime] = _now,
        backs_up: bool = True,
        on_damage: Callable[[DamagedLibrary], None] = lambda _error: None,
        uses_inbox: Callable[[], bool] = lambda: True,
    ) -> None:
        self.fresh = False
        self._path = paths.library
        self._search_path = paths.search
        self._patience_ms = int(patience_s * 1000)
        self._now = now
        self._backs_up = backs_up
        self._on_damage = on_damage
        self._uses_inbox = uses_inbox
        self._backups = Backups(paths.library, paths.backups, self._patience_ms)
        self._lock_file = LockFile(paths.data / "library.lock")
        self._connections: Connections | None = None
        self._search: EpisodeSearch | None = None
        self._unchecked = False
        self._leaving = threading.Event()
        self._closing = threading.Event()
        self._upkeep: threading.Thread | None = None

    # -- life -------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Opens the library, creating or migrating it if needed. A library that can't be used isn't changed.

        A library that needs neither can be read on a full disk, too: other processes are locked out until there is
        room. Raises NewerLibrary, DamagedLibrary, ReadOnlyLibrary, DiskFull, LibraryBusy or LibraryError.
        """
        self._leaving.clear()
        self._closing.clear()
        self._unchecked = False
        self._make_folder()
        try:
            alone = self._lock_file.enter()
        except OSError as error:
            raise os_error(error, self._path) from error
        try:
            try:
                self._open(alone)
            except DiskFull:
                self._close_connections()
                if not alone:
                    raise
                self._open_exclusively()
        except BaseException:
            self._close_connections()
            self._lock_file.leave()
            raise
        self._lock_file.share()
        if self._backs_up and not self.fresh and ((due := self._backups.due(self._now())) or self._unchecked):
            self._upkeep = threading.Thread(target=self._do_upkeep, args=(due,), name="earmark-backup", daemon=True)
            self._upkeep.start()

    def close(self) -> None:
        """Ends all use of the library, after the current write. May be called twice."""
        if self._upkeep:
            self._leaving.set()
            self._upkeep.join(_BACKUP_GRACE_S)
            self._closing.set()
            self._upkeep.join()
            self._upkeep = None
        self._close_connections()
        self._lock_file.leave()

    def check(self, enough: Callable[[], bool] = lambda: False) -> None:
        """Checks the whole library for damage, until `enough` stops it. Raises DamagedLibrary or LibraryError."""
        try:
            check_all(self._path, self._patience_ms, enough=enough)
        except DamagedLibrary:
            self._note_damage()
            raise

    def back_up(self) -> Backup:
        """Makes a backup now, whether or not one is due. Raises LibraryError."""
        try:
            return self._backups.make(self._now())
        except Cancelled as error:
            raise LibraryBusy(
                _("Another Earmark is making a backup of the library {file}", file=self._path),
                _("Try again in a minute."),
            ) from error

    def version(self) -> int:
        """Changes whenever another process has written. Cheap; never waits."""
        return self._connected.version()

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[None]:
        """Combines all writes of this thread: they become durable together, or an exception undoes them all. Data that
        can be fetched again, such as feeds, need not be `durable`: a power cut may then undo all of it."""
        with self._connected.writing(durable=durable):
            yield

    @property
    def search(self) -> "EpisodeSearch":
        """Its modules are loaded for the first search or indexing; startup never waits for them."""
        if self._search is None:
            from player.library.search.search import EpisodeSearch

            self._search = EpisodeSearch(self._index, self._connected)
        return self._search

    def listing(self, view: View, cancelled: Callable[[], bool] = lambda: False) -> Listing:
        """What an episode list shows, like `episodes.listing`; words and titles are looked up in the full-text index.

        Only if no title has words that begin like the filter, or a podcast's name has one, are all titles searched,
        including the insides of words. Raises Interrupted soon after it is `cancelled`.
        """
        if view.name is ViewName.HISTORY:
            return self.history.listing(view.title)
        if view.list_id is not None:
            return contents(self.lists, self.episodes, view, lambda found: self.listing(found, cancelled))
        if view.filter.needs_words or (view.title and not self.podcasts.any_named(view.filter.names)):
            from player.library.search.search import filtered

            return filtered(self.search, self.episodes, view, cancelled)
        return self.episodes.listing(view, cancelled)

    def size_of(self, query: str, cancelled: Callable[[], bool] = lambda: False) -> tuple[int, bool]:
        """How many episodes a smart list with that search would have, and whether there are more than were counted.
        Raises Interrupted soon after it is `cancelled`."""
        return size_of(query, self.episodes, lambda view: self.listing(view, cancelled))

    # -- when it is damaged -----------------------------------------------------------------------------------

    def set_aside(self) -> Path:
        """Moves the damaged library to the path it returns; the next `open` creates one. Raises LibraryError."""
        self._drop_index()
        return copies.set_aside(self._path, self._now())

    def newest_backup(self) -> Backup | None:
        """The newest backup that is intact, if there is one. Raises LibraryError."""
        return next(self._good_backups(), None)

    def backups(self) -> list[FoundBackup]:
        """The intact backups with their contents, the best one to restore first. A backup dated after now is last.
        Raises LibraryError."""
        return [(backup, self._backups.contents(backup)) for backup in self._good_backups()]

    def _good_backups(self) -> Iterator[Backup]:
        try:
            yield from self._backups.good(self._now())
        except OSError as error:
            raise os_error(error, self._path) from error

    def restore(self, backup: Backup, make_way: Callable[[], object] = lambda: None) -> None:
        """Replaces the library with a copy of `backup`. Raises LibraryError. `make_way` is called when that copy is
        complete: if there still is a library, `make_way` has to set it aside."""
        self._drop_index()
        self._backups.restore(backup, make_way)

    def _drop_index(self) -> None:
        try:
            self._index.throw_away()
        except OSError as error:
            raise os_error(error, self._path) from error

    # -- inside -----------------------------------------------------------------------------------------------

    @property
    def _index(self) -> "SearchIndex":
        from player.library.search.index import SearchIndex

        return SearchIndex(self._search_path, self._path, self._patience_ms)

    def _make_folder(self) -> None:
        folder = self._path.parent
        try:
            regular_file.private_folder(folder)
        except OSError as error:
            raise os_error(error, folder) from error
        if self._path.exists() and not self._path.is_file():
            raise LibraryError(
                _("{file} isn't a file", file=self._path), _("Move it away; Earmark keeps its library there.")
            )
        for path in (folder, *files_of(self._path)):
            if path.exists() and not os.access(path, os.R_OK | os.W_OK):
                raise read_only(self._path)

    def _open_exclusively(self) -> None:
        """Raises LibraryError, as `_open` does."""
        with as_library_errors(self._path):
            exclusive = lock_out_others(self._path, self._patience_ms)
        try:
            self._open(True, exclusive)
        except BaseException:
            self._close_connections()
            exclusive.close()
            raise

    def _open(self, alone: bool, exclusive: "sqlite3.Connection | None" = None) -> None:
        if self._path.exists() and not self._path.stat().st_size and self._backups.all(self._now()):
            raise damaged(self._path, _("The library {file} is empty", file=self._path))
        # A write-ahead log without a user means a crash: SQLite removes it when the last connection closes.
        log_left = files_of(self._path)[1].exists()
        version = inspect(self._path, self._patience_ms, immutable=alone and not log_left)
        if version < latest() and not alone:
            raise LibraryBusy(
                _("An older version of Earmark has the library {file} open", file=self._path),
                _("Quit it, then start again."),
            )
        if version:
            self._check_for_damage(unclean=alone and log_left)
        if 0 < version < latest():
            self._backups.make(self._now())
        connections = self._connections = Connections(self._path, self._patience_ms, self._note_damage, exclusive)
        self.fresh = connections.migrate(migrate)
        self.episodes = Episodes(connections)
        self.progress = Progress(connections)
        self.attachments = Attachments(connections)
        self.downloads = Downloads(connections, self._now)
        self.state = AppState(connections)
        self.feed_schedules = FeedSchedules(connections)
        self.view_settings = ViewSettingsStore(connections)
        self.podcast_settings = PodcastSettingsStore(connections, self.view_settings)
        self.queue = Queue(connections, self._now)
        self.inbox = Inbox(connections, self._now)
        self.acts = Acts(connections, self._now)
        self.bookmarks = Bookmarks(connections, self._now)
        self.segments = Segments(connections, self._now)
        arrivals = Arrivals(self.podcast_settings, self.inbox, self.queue, self._now, self._uses_inbox, self._settle)
        self.podcasts = Podcasts(connections, arrivals, self._now)
        self.previews = Previews(connections, arrivals, self._now)
        self.lists = Lists(connections)
        self.shelf = Shelf(connections)
        self.continued = Continued(connections, self.lists, self.episodes, self.view_settings, self.listing)

    def _settle(self, podcast_id: PodcastId) -> "Settled":
        from player.library.syncing.waiting import is_waiting

        settled = self.incoming.settle(podcast_id)
        return settled.joined(self.syncing.settle(podcast_id)) if is_waiting(self._connected) else settled

    def _check_for_damage(self, *, unclean: bool) -> None:
        """Checks everything if damage was met before; for a moment after a crash; otherwise nothing."""
        if self._lock_file.suspect:
            check_all(self._path, self._patience_ms)
            self._lock_file.suspect = False
        elif unclean:
            self._unchecked = True
            end = time.monotonic() + _CHECK_S
            check_pages(self._path, self._patience_ms, enough=lambda: time.monotonic() > end)

    def _note_damage(self) -> None:
        self._lock_file.suspect = True

    def _do_upkeep(self, due: bool) -> None:
        """Makes the day's backup, which reads everything; if none is due, finishes the check that was cut short."""
        try:
            if due:
                self._backups.make(self._now(), self._closing.is_set)
            elif not self._leaving.wait(_CHECK_AFTER_S) and check_pages(
                self._path, self._patience_ms, enough=self._closing.is_set
            ):
                check_contents(self._path, self._patience_ms, texts=False, enough=self._closing.is_set)
        except Cancelled:
            log.info("the day's backup waits for the next start")
        except DamagedLibrary as error:
            self._note_damage()
            log.warning("damage was found: %s", error)
            self._on_damage(error)
        except LibraryError as error:
            log.warning("no backup today: %s", error)

    def _close_connections(self) -> None:
        if self._search:
            self._search.close()
        if self._connections:
            self._connections.close()
            self._connections = self._search = None
