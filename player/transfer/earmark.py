"""Restores Earmark's own export, `earmark export --all` (docs/export.md)."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from player import regular_file
from player.errors import TransferError
from player.library import Library
from player.library.personal import CHOICES, Counts, EpisodeMarks
from player.links.addresses import url_key
from player.links.urls import without_secrets
from player.model.filters import ListId, View, ViewName
from player.model.foreign import ExportedView, ForeignList, ForeignPodcast
from player.model.podcast import Podcast, PodcastId
from player.model.podcast_settings import AS_ALL
from player.text.sentences import _, plural
from player.text.typed_names import clean_tags
from player.text.untrusted_json import BrokenJson, members, moment_of_text
from player.transfer import cleaning
from player.transfer.bring import lists_here, make_list, show
from player.transfer.load import START_BYTES

VERSION = 1
_MARK = re.compile(rb'"format"\s*:\s*"earmark-export"')
_LARGEST = 2_000_000_000
"""The most bytes: no Earmark writes a larger file."""


def is_archive(start: bytes) -> bool:
    """Whether a file with this beginning is an export of everything."""
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and _MARK.search(start) is not None


class Restored(Struct, frozen=True):
    """The changes. `added` podcasts are new, `known` podcasts were here already; the feeds of `unread` podcasts have
    never been read."""

    added: tuple[PodcastId, ...]
    known: int
    unread: tuple[PodcastId, ...]
    lists: int
    counts: Counts


class Report(Struct, frozen=True):
    """The outcome. `odd` entries couldn't be understood; `later`: a later Earmark wrote the file; `ends_early`: the
    file isn't whole."""

    restored: Restored
    odd: int = 0
    later: bool = False
    ends_early: bool = False


def recognises(path: Path) -> bool:
    """Whether the file is an export of everything, by its content; False if it can't be read or isn't a file."""
    with suppress(OSError):
        if path.is_file():  # a pipe or a device might never end
            with regular_file.opened(path) as file:
                return is_archive(file.read(START_BYTES))
    return False


def restore(path: Path, library: Library, *, dry_run: bool = False) -> Report:
    """Restores everything that can be read, in one transaction; with `dry_run` it only reports what would change. Feeds
    aren't read here. Raises TransferError or LibraryError."""
    try:
        with regular_file.opened(path) as file:
            if path.stat().st_size > _LARGEST:
                raise TransferError(_("{file} is larger than 2 GB", file=path))
            made_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            return _restore(_Source(file.read), made_at, library, dry_run=dry_run)
    except OSError as error:
        raise TransferError(
            _("Can't read {file} ({reason})", file=path, reason=error.strerror or _("disk error")),
            _("Enter the path of a file that `earmark export --all` has written."),
        ) from error


class _Source:
    """The members of a file, and the data in its header."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self.ends_early = False
        self.later = False
        self.exported_at: datetime | None = None
        self._members = members(read)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """The members after the header. At their end `ends_early` is known."""
        try:
            for name, value in self._members:
                match name:
                    case "version":
                        self.later = isinstance(value, int) and value > VERSION
                    case "exported_at":
                        self.exported_at = moment_of_text(value)
                    case _ if name not in ("format", "earmark", "note"):
                        yield name, value
        except BrokenJson:
            self.ends_early = True


def _restore(source: _Source, made_at: datetime, library: Library, *, dry_run: bool) -> Report:
    """Members that only a later version has are ignored."""
    found = iter(source)
    first = list(islice(found, 1))  # this reads the header
    entries = cleaning.Entries()
    with library.personal.merging(source.exported_at or made_at, dry_run=dry_run) as marks:
        restorer = _Restorer(library, marks)
        kinds: dict[str, tuple[Callable[[Any], Any], Callable[[Any], None]]] = {
            "podcasts": (entries.podcast, restorer.podcast),
            "lists": (cleaning.saved_list, restorer.saved_list),
            "views": (cleaning.view, partial(show, library)),
            "bookmarks": (cleaning.bookmark, marks.bookmark),
            "removed": (entries.removed, marks.removed),
            "choices": (cleaning.choices, restorer.choices),
        }
        for name, value in chain(first, found):
            if name in kinds:
                _put(entries, *kinds[name], value)
        restored = restorer.finish()
    return Report(restored, entries.odd, source.later, source.ends_early)


def _put(entries: cleaning.Entries, clean: Callable[[Any], Any], put: Callable[[Any], None], value: Any) -> None:
    """Restores an entry. In a function of its own, so that the entry isn't held while the next entry is read."""
    if (entry := entries.read(clean, value)) is not None:
        put(entry)


class _Restorer:
    """Restores entries, which may come in any order. They are clean: texts fit for a terminal, addresses that can be
    opened, numbers within bounds. Values that are set here stay."""

    def __init__(self, library: Library, marks: EpisodeMarks) -> None:
        self._library = library
        self._marks = marks
        self._keys = {url_key(without_secrets(one.url)): one.id for one in library.podcasts.all()}
        self._added: list[PodcastId] = []
        self._unread: list[PodcastId] = []
        self._known = 0
        self._tags: dict[PodcastId, tuple[str, ...]] = {}
        self._lists = lists_here(library)
        self._new_lists = 0
        self._playlists: dict[str, ListId] = {}

    def podcast(self, wanted: ForeignPodcast) -> None:
        """Restores a subscription with its settings and its episodes."""
        library, podcast = self._library, self._subscribe(wanted)
        if wanted.own_title and not podcast.own_title:
            library.shelf.rename(podcast.id, wanted.own_title)
        if wanted.pinned:
            library.shelf.set_pinned(podcast.id, True)
        if wanted.tags:
            self._tags[podcast.id] = clean_tags((*self._tags.get(podcast.id, ()), *wanted.tags))
        if wanted.settings != AS_ALL:
            here = library.podcast_settings.get(podcast.id)
            unset = [name for name, value in asdict(here).items() if value == getattr(AS_ALL, name)]
            settings = replace(here, **{name: getattr(wanted.settings, name) for name in unset})
            library.podcast_settings.set(podcast.id, settings)
        show(library, ExportedView(View.of(ViewName.PODCAST, podcast.id).key, continues=wanted.continues))
        self._marks.episodes(library.podcasts.get(podcast.id), wanted.episodes)

    def _subscribe(self, wanted: ForeignPodcast) -> Podcast:
        """The address in an export has no name and password; the address in the library may have them."""
        library, key = self._library, url_key(without_secrets(wanted.url))
        if (number := self._keys.get(key)) is not None:
            podcast = library.podcasts.get(number)
            if number not in self._added and wanted.subscribed:
                self._known += 1
                self._unread += [number] if podcast.last_refreshed is None else []
            return podcast
        if not wanted.subscribed:
            return library.previews.add(wanted.url, wanted.title)
        podcast = library.podcasts.add(wanted.url, wanted.title, wanted.link)
        self._keys[key] = podcast.id
        self._added.append(podcast.id)
        return podcast

    def saved_list(self, wanted: ForeignList) -> None:
        made, is_new = make_list(self._library, self._lists, wanted)
        self._new_lists += is_new
        if made is not None and made.query is None:
            self._playlists[wanted.title] = made.id

    def choices(self, wanted: dict[str, str]) -> None:
        """Restores the choices that weren't made here."""
        for key in CHOICES:
            if key in wanted and self._library.state.get(key) is None:
                self._library.state.set(key, wanted[key])

    def finish(self) -> Restored:
        """Call it once all entries have been restored."""
        self._library.shelf.add_tags(self._tags)
        self._marks.finish()
        for title, ranked in self._marks.playlists.items():
            if title in self._playlists:
                self._library.lists.add_episodes(self._playlists[title], [one for _rank, one in sorted(ranked)])
        return Restored(tuple(self._added), self._known, tuple(self._unread), self._new_lists, self._marks.counts)


def sentences(report: Report) -> list[str]:
    """Sentences about what has changed, or would change, and about what couldn't be read."""
    restored, counts = report.restored, report.restored.counts
    found = [plural(len(restored.added), "{n:,} podcast added.", "{n:,} podcasts added.")]
    if restored.known:
        found.append(plural(restored.known, "{n:,} was already there.", "{n:,} were already there."))
    for number, sentence in (
        (counts.episodes, plural(counts.episodes, "{n:,} episode added.", "{n:,} episodes added.")),
        (counts.played, plural(counts.played, "{n:,} marked as played.", "{n:,} marked as played.")),
        (counts.starred, plural(counts.starred, "{n:,} starred.", "{n:,} starred.")),
        (counts.positions, plural(counts.positions, "{n:,} position restored.", "{n:,} positions restored.")),
        (counts.queued, plural(counts.queued, "{n:,} added to the queue.", "{n:,} added to the queue.")),
        (restored.lists, plural(restored.lists, "{n:,} list added.", "{n:,} lists added.")),
        (counts.bookmarks, plural(counts.bookmarks, "{n:,} bookmark added.", "{n:,} bookmarks added.")),
        (counts.segments, plural(counts.segments, "{n:,} segment added.", "{n:,} segments added.")),
        (
            counts.spans,
            plural(counts.spans, "{n:,} entry of your history added.", "{n:,} entries of your history added."),
        ),
    ):
        if number:
            found.append(sentence)
    return [*found, *_shortcomings(report)]


def _shortcomings(report: Report) -> Iterator[str]:
    forgotten, odd = report.restored.counts.forgotten, report.odd
    if forgotten:
        yield plural(
            forgotten,
            "{n:,} entry of your history is from before you deleted it here, and was left out.",
            "{n:,} entries of your history are from before you deleted it here, and were left out.",
        )
    if odd:
        yield plural(odd, "{n:,} entry couldn't be understood.", "{n:,} entries couldn't be understood.")
    if report.later:
        yield _("A later version of Earmark wrote this file: what this version knows was read.")
    if report.ends_early:
        yield _("The file isn't whole: it ends early, or is damaged. What comes before that was read.")
