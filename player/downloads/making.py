"""Makes a file that belongs to the listener from an episode: fetched, checked, named and tagged, as set in
config.toml."""

import errno
import logging
import math
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Protocol

from msgspec import Struct

from player.attachments.fetch_queue import Fetcher
from player.downloads.files import folder_of, free_path, name_of, part_of, put, suffix_of
from player.downloads.tagger import ProcessTagger
from player.errors import MediaError, NoFile, NotFound
from player.library import Library
from player.media import MediaStore
from player.media.cache import CacheFile
from player.media.fetching.fetched_media import FetchedMedia
from player.media.fetching.media_errors import disk_error
from player.media.fetching.recording import HlsRecording
from player.media.formats.sniff import HEAD, no_audio, tags_length
from player.media.local_file import LocalMedia
from player.model.downloads import MANUAL, NAME_TEMPLATE, Original
from player.model.episode import Chapters, Episode
from player.paths import Paths
from player.processes.threads import CancelToken
from player.settings import Settings
from player.text.sentences import _

log = logging.getLogger(__name__)

Fetched = FetchedMedia | HlsRecording
Watch = Callable[[Fetched], None]
"""Is called with the media that is being fetched, to watch its progress; called on the thread of the download, again if
the media turns out to be of another kind."""

_FRAMED = ("mp3", "aac")
"""Formats in which positions are stored with bytes."""


class FileRules(Struct, frozen=True):
    """The folder for downloads, and how files are named."""

    folder: Path
    template: str = NAME_TEMPLATE


class _Wanted(Struct, frozen=True):
    episode: Episode
    why: str
    planned: Path | None
    cancel: CancelToken


class Tagger(Protocol):
    def write(self, episode: Episode, source: Path, form: str, part: Path, cancel: CancelToken) -> bool:
        """Makes `part` a copy of `source`, a file of the format `form`, with the tags that it lacks.

        False if it lacks none, or if they can't be written; then there is no `part`.
        """
        ...


class FileMaker:
    """Makes downloads. Any thread; each call waits until its file is there."""

    def __init__(self, library: Library, store: MediaStore, rules: FileRules, tagger: Tagger | None = None) -> None:
        self._library = library
        self._store = store
        self._rules = rules
        self._tagger = tagger

    def follow(self, rules: FileRules, tagger: Tagger | None) -> None:
        """Uses these rules for later files."""
        self._rules, self._tagger = rules, tagger

    @property
    def folder(self) -> Path:
        return self._rules.folder

    def has_room(self, needed: int) -> bool:
        """Whether that many bytes fit on the disks of the cache and of the downloads, as far as that can be told."""
        return not needed or all(_free(folder) > needed for folder in (self._rules.folder, self._store.folder))

    def tidy(self, episode: Episode) -> None:
        """Deletes the cached bytes of an episode that is already downloaded, which a crash kept from being deleted."""
        try:
            self._store.discard(episode)
        except OSError as error:
            log.warning("what is cached of a download can't be deleted: %s", error)

    def make(
        self,
        episode: Episode,
        cancel: CancelToken,
        *,
        why: str = MANUAL,
        watch: Watch = lambda _media: None,
        planned: Path | None = None,
    ) -> Path:
        """Fetches the bytes that aren't cached, however long the network takes, and makes a file of the whole.

        `planned` is where an interrupted attempt was about to put it. Raises MediaError, also on `cancel`, and
        LibraryError.
        """
        for _kind in range(2):
            # Only fetching shows whether it is a file, a recording in segments or a live stream.
            with suppress(NoFile):
                return self._made(_Wanted(episode, why, planned, cancel), watch)
        return self._made(_Wanted(episode, why, planned, cancel), watch)

    # -- inside -----------------------------------------------------------------------------------------------

    def _made(self, wanted: "_Wanted", watch: Watch) -> Path:
        cancel = wanted.cancel
        self._check_folder(wanted)
        media = self._store.fetch(wanted.episode)
        try:
            watch(media)
            with cancel.ending(media.cancel):
                form = media.format
                if not form:
                    raise self._no_audio(media)
                file = media.fetch_all(lambda: cancel.is_set)
            try:
                path = self._keep(wanted, file, form)
                file.discard()
                self._store.note_cached(file)
                return path
            finally:
                file.release()
        finally:
            media.close()

    def _check_folder(self, wanted: "_Wanted") -> None:
        """Nothing is fetched that couldn't be put into its folder. Raises NotWritable."""
        if wanted.planned is not None and wanted.planned.exists():
            return  # an interrupted attempt has put it there
        folder = self._rules.folder / self._name(wanted.episode).parent
        standing = next(one for one in (folder, *folder.parents) if one.exists())
        if standing.is_dir() and not os.access(standing, os.W_OK | os.X_OK):
            code = errno.EROFS if os.statvfs(standing).f_flag & os.ST_RDONLY else errno.EACCES
            raise self._unsaved(OSError(code, os.strerror(code)))

    def _unsaved(self, error: OSError) -> MediaError:
        what = _("The episode can't be saved in the downloads folder {folder}", folder=self._rules.folder)
        return disk_error(error, what)

    def _no_audio(self, media: Fetched) -> MediaError:
        """The fetched bytes aren't kept: by the next attempt there may be another file."""
        error = no_audio(media.available(0, HEAD))
        media.discard()
        return error

    def _keep(self, wanted: "_Wanted", file: CacheFile, form: str) -> Path:
        episode, planned = wanted.episode, wanted.planned
        original = self._original(file, form)
        try:
            if planned:
                part_of(planned, episode.id).unlink(missing_ok=True)
            path = planned if planned and _is_ours(planned, file, original) else self._placed(wanted, file, form)
            size = path.stat().st_size
        except OSError as error:
            log.warning("the download can't be written: %s", error)
            raise self._unsaved(error) from error
        self._library.downloads.put(episode.id, path, size=size, why=wanted.why, original=original)
        if self._library.downloads.path(episode.id) != path:
            path.unlink(missing_ok=True)
            raise MediaError(_("The episode is no longer in the library"))
        return path

    def _placed(self, wanted: "_Wanted", file: CacheFile, form: str) -> Path:
        episode, cancel = wanted.episode, wanted.cancel
        rules, tagger, name = self._rules, self._tagger, self._name(episode)
        while True:
            path = free_path(rules.folder, name, suffix_of(file.path, form))
            part = part_of(path, episode.id)
            self._library.downloads.queue.set_path(episode.id, path)
            tagged = tagger is not None and tagger.write(episode, file.path, form, part, cancel)
            if cancel.is_set:
                part.unlink(missing_ok=True)
                raise MediaError("Downloading was stopped")
            try:
                put(part if tagged else file.path, path, part)
                return path
            except FileExistsError:
                continue

    def _name(self, episode: Episode) -> PurePosixPath:
        try:
            details = self._library.episodes.details(episode.id)
            season, number = details.season, details.number
        except NotFound:
            season, number = None, ""
        return name_of(self._rules.template, episode, season, number)

    def _original(self, file: CacheFile, form: str) -> Original | None:
        if form not in _FRAMED or file.origin is None or file.origin.length is None:
            return None
        return Original(file.origin.length, tags_length(file.read))


def _free(folder: Path) -> float:
    """Free bytes; infinite if that isn't known."""
    try:
        return shutil.disk_usage(next(one for one in (folder, *folder.parents) if one.exists())).free
    except (OSError, StopIteration):
        return math.inf


def _is_ours(path: Path, file: CacheFile, original: Original | None) -> bool:
    """Whether an interrupted attempt has put the file there."""
    try:
        if path.samefile(file.path):
            return True
        local = LocalMedia(path, original)
    except OSError:
        return False
    try:
        # The path was free when it was recorded, so only a plausible file has to be told from a broken one.
        return not local.damaged(file.origin.length if file.origin else None)
    finally:
        local.close()


class ConfiguredMaker(FileMaker):
    """`chapters` reads fetched chapters; `fetcher` creates the fetcher for a file's picture."""

    def __init__(
        self,
        paths: Paths,
        settings: Settings,
        library: Library,
        store: MediaStore,
        chapters: Callable[[Episode], Chapters],
        fetcher: Callable[[], Fetcher],
    ) -> None:
        self._paths = paths
        self._tags = library, chapters, fetcher
        super().__init__(library, store, *self._as_set(settings))

    def configure(self, settings: Settings) -> None:
        """Applies changed settings."""
        self.follow(*self._as_set(settings))

    def _as_set(self, settings: Settings) -> tuple[FileRules, ProcessTagger | None]:
        rules = FileRules(folder_of(settings.media.downloads, self._paths.data), settings.downloads.name)
        return rules, ProcessTagger(*self._tags) if settings.downloads.tags else None
