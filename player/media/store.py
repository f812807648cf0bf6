"""Opens the bytes of episodes, and caches what is fetched, up to a limit."""

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Protocol
from weakref import WeakSet, WeakValueDictionary

from player.errors import EarmarkError, LibraryError, MediaError, NothingToDownload
from player.links.addresses import RADIO_TYPE, is_file_address, stream_of
from player.links.urls import web_address
from player.media.available import AvailableBytes, key_of, on_disk
from player.media.built_in import BuiltInMedia, NoMedia
from player.media.cache import DATA, RECORD, CacheFile, RemoteVersion, WholeFiles, data_of, is_held, key_in, read_record
from player.media.fetching.broadcast import LiveMedia, is_stream
from player.media.fetching.fetched_media import FetchedMedia
from player.media.fetching.media_errors import bad_address_failure, changed_failure, disk_error
from player.media.fetching.range_request import CONNECT_S, READ_S
from player.media.fetching.recording import HlsRecording
from player.media.formats.audio_length import duration_ms
from player.media.local_file import LocalMedia, OwnFile, own_file
from player.media.protocol import Media, NoPages, Pages
from player.model.downloads import Download
from player.model.episode import Episode
from player.model.moments import used_at
from player.model.podcast import WELCOME_URL
from player.net.connectivity import Watch
from player.net.loop import NetworkLoop
from player.paths import Paths
from player.regular_file import private_folder
from player.text.cleaning import clean_line
from player.text.sentences import _
from player.welcome import resource

log = logging.getLogger(__name__)

_REMOTE = ("http://", "https://")
_CLIPPED = ("mp3", "aac")
"""The formats of live streams whose last minutes can be written to a file."""
CACHE_LIMIT = 2 * 1024**3
"""Bytes."""


class EpisodeMedia(Media, Protocol):
    """The bytes of an episode, as playback sees them. None of this blocks; any thread."""

    @property
    def cached(self) -> tuple[tuple[float, float], ...]:
        """What is cached, as fractions (from, to) of the whole."""
        ...

    @property
    def complete(self) -> bool: ...

    @property
    def reached_end(self) -> bool:
        """Whether the last `read` was given the last byte."""
        ...

    @property
    def error(self) -> MediaError | None:
        """Why no more bytes come; what is cached can still be read."""
        ...

    @property
    def trouble(self) -> MediaError | None:
        """Why no bytes come at the moment, while fetching is retried."""
        ...

    def close(self) -> None:
        """Ends reads and fetching; returns at once. May be called twice."""
        ...


class MediaStore:
    """All cached files; `open` may be called from any thread."""

    def __init__(
        self,
        paths: Paths,
        limit: int = CACHE_LIMIT,
        *,
        protected: Callable[[], Iterable[Episode]] = tuple,
        notify: Callable[[str], None] = lambda _sentence: None,
        login: Callable[[str], tuple[str, str] | None] = lambda _address: None,
        downloaded: Callable[[Episode], Download | None] = lambda _episode: None,
        lost: Callable[[Download], None] = lambda _download: None,
        feed: Callable[[Episode], str] = lambda _episode: "",
        watch: Watch | None = None,
        cached_changed: Callable[[], None] = lambda: None,
        now_at: Callable[[Episode], str] = lambda episode: episode.url,
        pages: Callable[[NetworkLoop], Pages] = lambda _network: NoPages(),
    ) -> None:
        """All are called from any thread.

        `protected`: the episodes whose bytes are never deleted; may raise LibraryError. `notify` takes sentences for
        the listener that report no failure. `login`: name and password for the server at an address. `downloaded`: the
        episode as a download; may raise LibraryError. `lost`: its file is missing or damaged. `feed`: the address of
        the feed that lists the episode; may raise LibraryError. `watch` says whether there is a network.
        `cached_changed`: other episodes are cached whole than before. `now_at`: the episode's address in the library,
        for a local file may have been renamed meanwhile; may raise LibraryError. `pages` finds the audio of episodes
        whose address is a web page.
        """
        self.login = login
        self.network = NetworkLoop(CONNECT_S, READ_S, watch)
        self.whole = WholeFiles(paths.media, cached_changed)
        self._watch = watch
        self._fetching: WeakSet[FetchedMedia | HlsRecording] = WeakSet()
        self._downloaded = downloaded
        self._lost = lost
        self._feed = feed
        self._now_at = now_at
        self.pages = pages(self.network)
        self._folder = paths.media
        self._protected = protected
        self._streams: dict[str, str] = {}
        self._playlists: set[str] = set()
        """Keys of episodes whose address turned out to be one of HLS."""
        self._live: set[str] = set()
        """Keys of playlists that were live a moment ago. A live stream may be a recording the next time."""
        self._on_air: WeakValueDictionary[str, LiveMedia] = WeakValueDictionary()
        self._notify = notify
        self.limit = limit
        self._lock = threading.Lock()
        self._files: WeakValueDictionary[str, CacheFile] = WeakValueDictionary()

    @property
    def folder(self) -> Path:
        """The cache."""
        return self._folder

    def close(self) -> None:
        """Ends all fetching."""
        self.network.close()

    def open(self, episode: Episode, on_change: Callable[[], None]) -> EpisodeMedia:
        """Starts to fetch what isn't cached. Never blocks on the network and never raises: a failure is stored in
        `error`.

        `on_change` is called, from any thread and about ten times a second at most, when `cached` or `error` change.
        """
        return self._open(episode, on_change, background=False)

    def is_here(self, episode: Episode) -> bool:
        """Whether all of it can be played without a network. Reads no disk."""
        return episode.downloaded or not episode.url.startswith(_REMOTE) or key_of(episode) in self.whole

    def why_not(self, episode: Episode) -> MediaError | None:
        """Why it can't be played now; None if it can, or if only trying will tell. Reads the disk."""
        if self._watch is None or not self._watch.offline or self.is_here(episode) or self._download_of(episode):
            return None
        if self._has_some(key_of(episode)):
            return None
        title = clean_line(episode.title, 40)
        return MediaError(
            _("Offline: “{title}” isn't on this computer", title=title), _("Download it when there is a network.")
        )

    def reach(self, origin: str) -> bool:
        """Whether a server answers at all. Waits for that."""
        return self.network.reach(origin)

    def cut_network(self) -> None:
        """Ends all requests that run."""
        self.network.cut()

    def network_is_back(self) -> None:
        """Requests that wait for a network are made again at once."""
        with self._lock:
            waiting = tuple(self._fetching)
        for media in waiting:
            media.hurry()

    def keep_recent(self, episode: Episode) -> tuple[Path, str] | None:
        """A file with the last minutes of an open live stream, which the caller has to delete, and its format; None if
        none of the stream's bytes are stored. Raises OSError."""
        import tempfile  # takes 5 ms

        live = self._on_air.get(key_of(episode))
        form, data = live.recent.all() if live is not None else ("", b"")
        if form not in _CLIPPED or not data:
            return None
        private_folder(self.folder)
        # Because of this name the cache deletes the file when it needs room, if the caller hasn't.
        handle, name = tempfile.mkstemp(prefix="recent-", suffix=DATA, dir=self.folder)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        return Path(name), form

    def file_of(self, episode: Episode) -> Path | None:
        """The episode's own file: its download, or a file of the listener's."""
        download = self._download_of(episode)
        return download.path if download else self._own_file(episode)

    @contextlib.contextmanager
    def available(self, episode: Episode) -> Iterator[AvailableBytes | None]:
        """The bytes that are on this disk already; None if there are none. Any thread; waits for nothing.

        Raises OSError where the disk does.
        """
        path = self.file_of(episode)
        if path is None and (file := self._in_use(key_of(episode))):
            if file.origin and file.origin.slot:
                file.release()
                yield None
                return
            try:
                length = file.origin.length if file.origin else None
                yield AvailableBytes(file.read, length, file.path, file.ranges.spans, file.name)
            finally:
                file.release()
        else:
            with on_disk(self._folder, episode, path) as some:
                yield some

    def fetch(self, episode: Episode, on_change: Callable[[], None] = lambda: None) -> FetchedMedia | HlsRecording:
        """Like `open`, for a whole file that nobody waits to hear: bytes being fetched to be played aren't fetched
        twice.

        Raises MediaError if it isn't a file from the network. The caller closes it.
        """
        media = self._open(episode, on_change, background=True)
        if isinstance(media, FetchedMedia | HlsRecording):
            return media
        media.close()
        raise media.error or _nothing_to_download(episode, media)

    def discard(self, episode: Episode) -> None:
        """Deletes the cached bytes of the episode, unless they are in use. Raises OSError."""
        key = key_of(episode)
        with self._lock:
            record = read_record(self._folder, key)
            if not record or is_held(self._folder / record["data"]):
                return
            file = CacheFile(self._folder, key)
        file.discard()
        self.note_cached(file)
        file.release()

    def renew(self, old: CacheFile, episode: Episode) -> CacheFile:
        if episode.position_ms:
            title = clean_line(episode.title, 60)
            self._notify(
                _("“{title}” has changed on its server. Your position in it may be slightly off now.", title=title)
            )
        with self._lock:
            old.discard()
            file = self._files[old.key] = CacheFile(self._folder, old.key)
            return file

    def note_cached(self, file: CacheFile) -> None:
        """The file has got bytes, or was discarded."""
        self.whole.note(file.key, file.complete and not file.discarded)

    def put_together(self, old: CacheFile, offsets: list[tuple[int, int]]) -> CacheFile:
        with self._lock:
            if old.discarded:
                file = self._open_file(old.key)
                if not file.complete:
                    file.release()
                    raise changed_failure().error
                return file
            old.discard()
            file = self._files[old.key] = CacheFile(self._folder, old.key)
            at = 0
            for start, end in offsets:
                at += len(data := old.read(start, end - start))
                file.write(at - len(data), data)
            file.origin = RemoteVersion(length=at)
            file.duration_ms = duration_ms(file.read, at, complete=True)
        file.save()
        self.note_cached(file)
        return file

    def remember_stream(self, episode: Episode, address: str, *, hls: bool = False) -> None:
        if hls:
            self._playlists.add(key_of(episode))
        else:
            self._streams[key_of(episode)] = address

    def remember_live(self, episode: Episode) -> None:
        self._live.add(key_of(episode))

    def make_room(self, *, everything: bool = False) -> bool:
        """Deletes cached files that are neither in use nor protected, least recently opened first; True if any were.

        Down to the limit, or (`everything`) all of them.
        """
        try:
            protected = {key_of(episode) for episode in self._protected()}
        except LibraryError as error:
            log.warning("no room is made: %s", error)
            return False
        deleted = False
        with self._lock, contextlib.suppress(FileNotFoundError):
            used = {file.name for file in self._files.values() if not file.closed}
            deleted = _shrink(self._folder, used, protected, 0 if everything else self.limit)
        if deleted:
            self.whole.scan()
        return deleted

    def _has_some(self, key: str) -> bool:
        """Whether any of its bytes are cached."""
        if key in self.whole:
            return True
        with self._lock:
            if file := self._in_use(key):
                file.release()
                return bool(file.ranges.spans)
        return bool(read_record(self._folder, key).get("ranges"))

    def _open(self, episode: Episode, on_change: Callable[[], None], *, background: bool) -> EpisodeMedia:
        url = episode.url
        if url.startswith(f"{WELCOME_URL}/"):
            return _built_in(url.removeprefix(f"{WELCOME_URL}/"))
        if local := self._local(episode):
            return local
        if own := self._own_file(episode):
            return OwnFile(own, on_change)
        if not web_address(url):
            return NoMedia(bad_address_failure().error)
        if not background and (missing := self.why_not(episode)):
            return NoMedia(missing)
        key, feed = key_of(episode), partial(self._feed_of, episode)
        is_radio = episode.media_type == RADIO_TYPE
        if (
            stream := self._streams.get(key) or (url if is_radio or key in self._live else "")
        ) and key not in self.whole:
            self._live.discard(key)
            live = self._on_air[key] = LiveMedia(stream, self.network, self.login, feed)
            return live
        try:
            with self._lock:
                file = self._open_file(key)
        except OSError as error:
            log.warning("the cache can't be used: %s", error)
            return NoMedia(disk_error(error))
        in_segments = is_stream(url, episode.media_type) or key in self._playlists or (file.origin and file.origin.slot)
        media: FetchedMedia | HlsRecording
        if in_segments and not file.complete:
            media = HlsRecording(episode, self, file, on_change, feed, background=background)
        else:
            media = FetchedMedia(episode, self, file, on_change, background=background)
        with self._lock:
            self._fetching.add(media)
        return media

    def _local(self, episode: Episode) -> LocalMedia | None:
        """The download, if there is one and it is whole; otherwise the episode comes from the network."""
        download = self._download_of(episode)
        if download is None:
            return None
        try:
            local = LocalMedia(download.path, download.original)
        except OSError as error:
            log.warning("the download can't be used: %s", error)
            self._lost(download)
            return None
        if local.damaged(download.size):
            log.warning("the download is damaged: %s", download.path)
            local.close()
            self._lost(download)
            return None
        return local

    def _own_file(self, episode: Episode) -> Path | None:
        if not is_file_address(episode.url):
            return None
        try:
            return own_file(self._now_at(episode), self._feed(episode))
        except LibraryError as error:
            log.warning("a local file can't be found: %s", error)
            return None

    def _feed_of(self, episode: Episode) -> str:
        try:
            return stream_of(self._feed(episode))
        except EarmarkError as error:
            log.warning("the feed of an episode can't be found: %s", error)
            return ""

    def _download_of(self, episode: Episode) -> Download | None:
        try:
            return self._downloaded(episode)
        except LibraryError as error:
            log.warning("the download can't be found: %s", error)
            return None

    def _open_file(self, key: str) -> CacheFile:
        """The cached file, held for the caller. It is shared when the last use of the same episode is just ending."""
        file = self._in_use(key)
        if file is None:
            file = self._files[key] = CacheFile(self._folder, key)
        return file

    def _in_use(self, key: str) -> CacheFile | None:
        """The cached file that is in use in this process, held for the caller."""
        file = self._files.get(key)
        if file is not None and not file.discarded:
            with contextlib.suppress(OSError):
                file.acquire()
                return file
        return None


def _built_in(name: str) -> EpisodeMedia:
    try:
        return BuiltInMedia(resource(name))
    except FileNotFoundError:
        return NoMedia(MediaError(_("This version of Earmark doesn't include this episode"), _("Refresh the podcast.")))


def _shrink(folder: Path, used: set[str], protected: set[str], limit: int) -> bool:
    """Deletes data files, without a record first, then the oldest, until all of them take `limit` bytes of disk."""
    records = {data_of(path): path for path in folder.glob(f"*{RECORD}")}
    found = []
    for path in folder.glob(f"*{DATA}"):
        status, record = path.stat(), records.get(path.name)
        opened = record.stat().st_mtime if record else 0.0
        found.append((opened, status.st_blocks * 512, path, record))
    total = sum(size for _, size, _, _ in found)
    deleted = False
    now = time.time()
    for opened, size, path, record in sorted(found, key=lambda entry: used_at(entry[0], now)):
        is_needed = path.name in used or (bool(opened) and (total <= limit or key_in(path.name) in protected))
        if is_needed or is_held(path):
            continue
        if record is not None:
            record.unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        total -= size
        deleted = True
    return deleted


def _nothing_to_download(episode: Episode, media: EpisodeMedia) -> NothingToDownload:
    title = clean_line(episode.title, 60)
    if media.complete:
        return NothingToDownload(_("“{title}” needs no download", title=title), _("It is already on this computer."))
    return NothingToDownload(_("“{title}” can't be downloaded", title=title), _("It is a live stream."))
