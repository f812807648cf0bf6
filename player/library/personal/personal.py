"""The listener's data as a whole: read within a snapshot, put back within one transaction."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from msgspec import Struct

from player.library.database.connections import Connections
from player.library.database.values import stored
from player.library.incoming import forgotten_at
from player.library.listening.lists import MOST_LETTERS
from player.library.personal.reading import CHOICES, PersonalReader
from player.library.personal.records import ExportedList, ExportedPodcast, ExportedView, RemovedEpisode
from player.library.personal.restoring import Counts, EpisodeMarks, PodcastRestorer
from player.library.podcast_settings import PodcastSettingsStore
from player.library.podcasts import Podcasts
from player.library.subscriptions import Previews
from player.links.addresses import url_key
from player.model.filters import Order, View, ViewName
from player.model.foreign import Kept
from player.model.podcast import Podcast, PodcastId
from player.model.podcast_settings import MOST_NEWEST
from player.text.cleaning import clean_line, fold


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
    ) -> None:
        self._connection = connection
        self._marks = EpisodeMarks(connection, stored(exported_at))
        self._podcasts = PodcastRestorer(connection, podcasts, previews, settings, self._marks)
        self._lists = 0

    def podcast(self, wanted: ExportedPodcast) -> None:
        self._podcasts.restore(wanted)

    def saved_list(self, wanted: ExportedList) -> None:
        title, new = _restore_list(self._connection, wanted)
        self._lists += new
        if title and wanted.query is None:
            self._marks.titles[wanted.title] = title

    def view(self, wanted: ExportedView) -> None:
        _restore_view(self._connection, wanted)

    def choices(self, wanted: dict[str, str]) -> None:
        _restore_choices(self._connection, wanted)

    def bookmark(self, wanted: Kept) -> None:
        """One whose episode isn't in the export."""
        titles = (wanted.episode, wanted.podcast, wanted.link)
        self._marks.bookmark(wanted, episode_id=None, feed=wanted.feed, guid=wanted.guid, titles=titles)

    def removed(self, wanted: RemovedEpisode) -> None:
        spans, forgotten = _restore_removed(self._connection, wanted, forgotten_at(self._connection))
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
    def restoring(self, exported_at: datetime, *, dry_run: bool = False) -> Iterator[Restorer]:
        """All that is put back within is written at once. With `dry_run` nothing is: it only tells what would be."""
        try:
            with self._connections.writing() as connection:
                yield Restorer(connection, self._podcasts, self._previews, self._settings, exported_at)
                if dry_run:
                    raise _DryRun
        except _DryRun:
            pass

    def keep(self, podcast: Podcast, bookmarks: Iterable[Kept]) -> int:
        """Adds bookmarks of a podcast's episodes, which their guids find: here, or once the feed brings them. One that
        is at the same moment of the episode already stays. Those that have no time of their own are kept as of now.
        Returns how many are new."""
        with self._connections.writing() as connection:
            marks = EpisodeMarks(connection, stored(datetime.now(UTC)))
            for one in bookmarks:
                titles = (one.episode, podcast.title, one.link)
                marks.bookmark(one, episode_id=None, feed=url_key(podcast.url), guid=one.guid, titles=titles)
        return marks.counts.bookmarks

    def keep_list(self, wanted: ExportedList) -> tuple[str, bool]:
        """Makes a list, unless it is here. Returns its title, "" for one that can't have any, and whether it is new."""
        with self._connections.writing() as connection:
            return _restore_list(connection, wanted)


_MOST_NAMES = 50
_SAME_SPAN = (
    "SELECT coalesce(s.former_id, -s.id) FROM listening_spans s LEFT JOIN episodes e ON e.id = s.episode_id"
    " WHERE s.began_at = ? AND s.from_ms = ? AND coalesce(e.title, s.removed_episode) = ?"
)


def _restore_list(connection: sqlite3.Connection, wanted: ExportedList) -> tuple[str, bool]:
    """Its title here, and whether it is new. A list that has the same name and is another one keeps it."""
    here = {fold(title): (title, query) for title, query in connection.execute("SELECT title, query FROM lists")}
    title = clean_line(wanted.title, MOST_LETTERS)
    for number in range(2, _MOST_NAMES):
        if (known := here.get(fold(title))) is None:
            break
        if known[1] == wanted.query:
            return known[0], False
        title = f"{clean_line(wanted.title, MOST_LETTERS - 5)} ({number})"
    else:
        return "", False
    if not title:
        return "", False
    cursor = connection.execute(
        "INSERT INTO lists (title, query, rank) VALUES (?, ?, (SELECT coalesce(max(rank), 0) + 1 FROM lists))",
        (title, wanted.query),
    )
    if wanted.downloads is not None and wanted.downloads > 0:
        most = min(MOST_NEWEST, wanted.downloads)
        connection.execute("INSERT INTO list_downloads (list_id, most) VALUES (?, ?)", (cursor.lastrowid, most))
    key = f"{ViewName.LIST} {cursor.lastrowid}"
    _restore_view(connection, ExportedView(key, wanted.order, wanted.hide_played, wanted.continues))
    return title, True


def _restore_view(connection: sqlite3.Connection, wanted: ExportedView) -> None:
    """Unless something was set for it here."""
    if View.of_key(wanted.view) is None:
        return
    order = wanted.order if wanted.order in set(Order) else ""
    if order or wanted.hide_played:
        connection.execute(
            "INSERT INTO view_settings (view, order_by, hide_played) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (wanted.view, order, int(wanted.hide_played)),
        )
    if wanted.continues in ("newest", "oldest"):
        connection.execute(
            "INSERT INTO continued (view, newest_first) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (wanted.view, int(wanted.continues == "newest")),
        )


def _restore_choices(connection: sqlite3.Connection, wanted: dict[str, str]) -> None:
    """Those that weren't made here."""
    connection.executemany(
        "INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(key, value) for key, value in wanted.items() if key in CHOICES],
    )


def _restore_removed(connection: sqlite3.Connection, wanted: RemovedEpisode, since_ms: int) -> tuple[int, int]:
    """How many spans are new, and how many were heard before `since_ms`, when the history was deleted here."""
    number: int | None = None
    missing = []
    forgotten = 0
    for span in wanted.heard:
        began = stored(span.began_at)
        if began < since_ms:
            forgotten += 1
        elif (row := connection.execute(_SAME_SPAN, (began, span.from_ms, wanted.episode)).fetchone()) is None:
            missing.append((span.from_ms, span.to_ms, began, span.speed))
        else:
            number = row[0]
    if missing:
        former = number if number is not None and number > 0 else _unused_id(connection)
        connection.executemany(
            "INSERT INTO listening_spans (from_ms, to_ms, began_at, speed, former_id, removed_episode, removed_podcast,"
            " removed_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(*span, former, wanted.episode, wanted.podcast, wanted.duration_ms) for span in missing],
        )
    return len(missing), forgotten


def _unused_id(connection: sqlite3.Connection) -> int:
    """A number that no episode has had, or will get."""
    row = connection.execute(
        "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'episodes' RETURNING seq"
    ).fetchone()
    if row is None:
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('episodes', 1)")
        return 1
    return int(row[0])
