"""Opens the bytes of episodes, and keeps what was fetched within a limit."""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Protocol
from weakref import WeakValueDictionary

from player.errors import EarmarkError, LibraryError, MediaError
from player.links.urls import web_address
from player.media.available import AvailableBytes, key_of, on_disk
from player.media.built_in import BuiltInMedia, NoMedia
from player.media.cache.cache_file import DATA, RECORD, CacheFile, data_of, is_held, key_in
from player.media.export import OnProgress, export_file
from player.media.fetching.broadcast import LiveMedia
from player.media.fetching.fetched_media import FetchedMedia
from player.media.fetching.live_streams import is_stream
from player.media.fetching.media_errors import bad_address_failure, disk_error
from player.media.fetching.range_request import CONNECT_S, READ_S
from player.media.local_file import LocalMedia
from player.media.protocol import Media
from player.model.episode import Episode
from player.model.podcast import WELCOME_URL
from player.net.cancel import CancelToken
from player.net.loop import NetworkLoop
from player.paths import Paths
from player.text.cleaning import clean_line
from player.text.sentences import _
from player.welcome import resource

log = logging.getLogger(__name__)

CACHE_LIMIT = 2 * 1024**3
"""Bytes."""


class EpisodeMedia(Media, Protocol):
    """The bytes of an episode, as the session sees them. None of this blocks; any thread."""

    @property
    def cached(self) -> tuple[tuple[float, float], ...]:
        """What is at hand, as fractions (from, to) of the whole."""
        ...

    @property
    def complete(self) -> bool: ...

    @property
    def reached_end(self) -> bool:
        """Whether the last `read` was given the last byte."""
        ...

    @property
    def error(self) -> MediaError | None:
        """Why no more bytes come; what is kept can be read all the same."""
        ...

    @property
    def trouble(self) -> MediaError | None:
        """Why no bytes come just now, while it is tried again and again by itself."""
        ...

    def close(self) -> None:
        """Lets go of reads, ends the fetching; returns at once. May be called twice."""
        ...


class MediaStore:
    """All kept files; `open` may be called from any thread."""

    def __init__(
        self,
        paths: Paths,
        limit: int = CACHE_LIMIT,
        *,
        wanted: Callable[[], Iterable[Episode]] = tuple,
        tell: Callable[[str], None] = lambda _sentence: None,
        login: Callable[[str], tuple[str, str] | None] = lambda _address: None,
        downloaded: Callable[[Episode], Path | None] = lambda _episode: None,
        feed: Callable[[Episode], str] = lambda _episode: "",
    ) -> None:
        """All are called from any thread.

        `wanted`: the episodes whose bytes are never deleted; it may raise LibraryError. `tell` takes sentences for the
        listener though nothing is wrong. `login`: name and password for the server at an address. `downloaded`: the
        file of a download; it may raise LibraryError. `feed`: the address of the feed that the episode came in; it may
        raise as well.
        """
        self.login = login
        self.network = NetworkLoop(CONNECT_S, READ_S)
        self._downloaded = downloaded
        self._feed = feed
        self._folder = paths.media
        self._wanted = wanted
        self._streams: dict[str, str] = {}
        self._tell = tell
        self._limit = limit
        self._lock = threading.Lock()
        self._open: WeakValueDictionary[str, CacheFile] = WeakValueDictionary()

    def close(self) -> None:
        """Ends all fetching."""
        self.network.close()

    def open(self, episode: Episode, changed: Callable[[], None]) -> EpisodeMedia:
        """Starts to fetch what isn't kept. Never blocks on the network and never raises: what fails is in `error`.

        `changed` is called, from any thread and about ten times a second at most, when `cached` or `error` are others.
        """
        url = episode.url
        if url.startswith(f"{WELCOME_URL}/"):
            return _built_in(url.removeprefix(f"{WELCOME_URL}/"))
        if local := self._local(episode):
            return local
        if not web_address(url):
            return NoMedia(bad_address_failure().error)
        if stream := self._streams.get(key_of(episode)) or (url if is_stream(url, episode.media_type) else ""):
            return LiveMedia(stream, self.network, self.login, partial(self._feed_of, episode))
        try:
            with self._lock:
                kept = self._take_up(key_of(episode))
        except OSError as error:
            log.warning("the cache can't be used: %s", error)
            return NoMedia(disk_error(error))
        return FetchedMedia(episode, self, kept, changed)

    @contextlib.contextmanager
    def available(self, episode: Episode) -> Iterator[AvailableBytes | None]:
        """What is on this disk already, to be looked at; None for nothing. Any thread, waits for nothing.

        Raises OSError where the disk does.
        """
        path = self._download_of(episode)
        if path is None and (kept := self._in_use(key_of(episode))):
            try:
                yield AvailableBytes(kept.read, kept.origin.length if kept.origin else None)
            finally:
                kept.release()
        else:
            with on_disk(self._folder, episode, path) as some:
                yield some

    def download(
        self, episode: Episode, folder: Path, record: Callable[[Path], None], told: OnProgress, stop: CancelToken
    ) -> None:
        """Fetches what isn't kept, waiting for a bad network as long as it takes, and makes it a file under `folder`.

        `record` is given the file, and what was kept is let go of only after that. `told` is called about ten times a
        second while bytes come. Raises MediaError, also on `stop`, and what `record` raises.
        """
        opened: list[EpisodeMedia] = []

        def changed() -> None:
            for media in opened:
                told(sum(end - start for start, end in media.cached) if media.cached else None, media.trouble)

        media = self.open(episode, changed)
        opened.append(media)
        try:
            if not isinstance(media, FetchedMedia):
                raise media.error or _nothing_to_download(episode, media)
            with stop.ending(media.wake):
                kept = media.fetch_all(lambda: stop.is_set)
            try:
                record(export_file(kept, folder, episode, media.format))
                kept.discard()
            finally:
                kept.release()
        finally:
            media.close()

    def renew(self, old: CacheFile, episode: Episode) -> CacheFile:
        if episode.position_ms:
            title = clean_line(episode.title, 60)
            self._tell(
                _("“{title}” has changed on its server. Your position in it may be slightly off now.", title=title)
            )
        with self._lock:
            old.discard()
            kept = self._open[old.key] = CacheFile(self._folder, old.key)
            return kept

    def remember_stream(self, episode: Episode, address: str) -> None:
        self._streams[key_of(episode)] = address

    def make_room(self, *, everything: bool = False) -> bool:
        """Deletes kept files that nobody uses or wants, the one opened longest ago first; True when some were deleted.

        Down to the limit, or (`everything`) all of them.
        """
        try:
            wanted = {key_of(episode) for episode in self._wanted()}
        except LibraryError as error:
            log.warning("no room is made: %s", error)
            return False
        with self._lock, contextlib.suppress(FileNotFoundError):
            used = {kept.name for kept in self._open.values() if not kept.closed}
            return _shrink(self._folder, used, wanted, 0 if everything else self._limit)
        return False

    def _local(self, episode: Episode) -> LocalMedia | None:
        """The download, if there is one and it still can be read: else the network stands in."""
        path = self._download_of(episode)
        try:
            return LocalMedia(path) if path else None
        except OSError as error:
            log.warning("the download can't be used: %s", error)
            return None

    def _feed_of(self, episode: Episode) -> str:
        try:
            return self._feed(episode)
        except EarmarkError as error:
            log.warning("the feed of an episode can't be found: %s", error)
            return ""

    def _download_of(self, episode: Episode) -> Path | None:
        try:
            return self._downloaded(episode)
        except LibraryError as error:
            log.warning("the download can't be found: %s", error)
            return None

    def _take_up(self, key: str) -> CacheFile:
        """The kept file, held for the caller. Two who play the same episode, one of them just ending, share it."""
        kept = self._in_use(key)
        if kept is None:
            kept = self._open[key] = CacheFile(self._folder, key)
        return kept

    def _in_use(self, key: str) -> CacheFile | None:
        """The kept file that somebody in this process reads or fills, held for the caller."""
        kept = self._open.get(key)
        if kept is not None and not kept.discarded:
            with contextlib.suppress(OSError):
                kept.acquire()
                return kept
        return None


def _built_in(name: str) -> EpisodeMedia:
    try:
        return BuiltInMedia(resource(name))
    except FileNotFoundError:
        return NoMedia(MediaError(_("This version of Earmark doesn't include this episode"), _("Refresh the podcast.")))


def _shrink(folder: Path, used: set[str], wanted: set[str], limit: int) -> bool:
    """Deletes data files, without a record first, then the oldest, until all of them take `limit` bytes of disk."""
    records = {data_of(path): path for path in folder.glob(f"*{RECORD}")}
    found = []
    for path in folder.glob(f"*{DATA}"):
        status, record = path.stat(), records.get(path.name)
        opened = record.stat().st_mtime if record else 0.0
        found.append((opened, status.st_blocks * 512, path, record))
    total = sum(size for _, size, _, _ in found)
    deleted = False
    for opened, size, path, record in sorted(found, key=lambda entry: entry[0]):
        is_needed = path.name in used or (bool(opened) and (total <= limit or key_in(path.name) in wanted))
        if is_needed or is_held(path):
            continue
        if record is not None:
            record.unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        total -= size
        deleted = True
    return deleted


def _nothing_to_download(episode: Episode, media: EpisodeMedia) -> MediaError:
    title = clean_line(episode.title, 60)
    if media.complete:
        return MediaError(_("“{title}” needs no download", title=title), _("It is already on this computer."))
    return MediaError(_("“{title}” can't be downloaded", title=title), _("It is a live stream."))
