"""Folders and files of this computer as podcasts, with `file:` addresses. A disk that hangs blocks no other work."""

import asyncio
import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from player.errors import BadAddress, FeedError, NoAudio, NotThere
from player.feeds.check import CheckResult
from player.feeds.feed_fetch import Connections
from player.feeds.source import NoFeed
from player.links.addresses import file_address, is_file_address, path_of, typed_path
from player.model.feed import FeedSchedule, FeedState
from player.model.filters import Order, ViewSettings
from player.model.podcast_settings import NewEpisodeRules, NewEpisodes, PodcastSettings
from player.net.fetch import MemoryBudget
from player.processes.threads import DaemonThreads
from player.sources.local.assemble import feed_of
from player.sources.local.file_tags import UNREADABLE, FileTags, ReadBefore, read_tags
from player.sources.local.walk import TYPES, Found, find_audio
from player.text.cleaning import clean_line
from player.text.sentences import _

T = TypeVar("T")

_LOOK_S = 0.2


class Stalled(Exception):
    """The work has shown no sign of life for too long."""


class _Abandoned(Exception):
    """The result of the work is no longer wanted."""


class Pulse:
    """Signs of life from work, which calls `beat` before every step that may take long."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._abandoned = threading.Event()

    @property
    def silent_s(self) -> float:
        """Seconds since the last sign of life."""
        return time.monotonic() - self._last

    def beat(self) -> None:
        """Raises _Abandoned once the result of the work is no longer wanted."""
        if self._abandoned.is_set():
            raise _Abandoned
        self._last = time.monotonic()

    def abandon(self) -> None:
        self._abandoned.set()


async def watched(work: Callable[[Callable[[], None]], T], patience_s: float) -> T:
    """Runs `work` on a daemon thread of its own, with the function to call as a sign of life, and returns its result.

    Raises Stalled after `patience_s` without a sign of life, and the exceptions of the work. When this stalls or is
    cancelled, the thread ends at its next sign of life.
    """
    pulse = Pulse()
    threads = DaemonThreads(1, "earmark-disk")
    waiting = asyncio.wrap_future(threads.submit(work, pulse.beat))
    threads.shutdown(wait=False)
    try:
        while not waiting.done():
            await asyncio.wait((waiting,), timeout=_LOOK_S)
            if not waiting.done() and pulse.silent_s > patience_s:
                raise Stalled
        return waiting.result()
    finally:
        pulse.abandon()
        waiting.cancel()


log = logging.getLogger(__name__)

_PATIENCE_S = 20.0
"""Seconds that a disk may take for one access."""
_READING = "1"
"""The version of what is read from a file: increased when more is read, so that unchanged files are read again."""


class LocalAudio:
    """Implements player.feeds.source.Source. Reads files, and changes none."""

    def __init__(self, cache: Path | None = None, patience_s: float = _PATIENCE_S) -> None:
        """The tags of large folders are cached in `cache`."""
        self._cache = cache
        self._patience_s = patience_s

    def serves(self, url: str) -> bool:
        return is_file_address(url)

    def address(self, text: str) -> str:
        try:
            path = typed_path(text)
        except ValueError as error:
            raise BadAddress(_("“{text}” isn't the name of a folder", text=clean_line(text, 120))) from error
        return file_address(path) if path else ""

    async def behind(self, there: NoFeed, connections: Connections) -> CheckResult | None:  # noqa: ARG002
        """None: no web address leads to a file on this computer."""
        return None

    def settings(self) -> PodcastSettings:
        """The settings of an audiobook: oldest episode first, and files that are added to the folder go neither to the
        inbox nor to the queue."""
        return PodcastSettings(
            new_episodes=NewEpisodeRules(to=NewEpisodes.NOWHERE), view=ViewSettings(order=Order.OLDEST)
        )

    async def ask(
        self,
        url: str,
        state: FeedState,
        schedule: FeedSchedule,
        load: MemoryBudget,  # noqa: ARG002
        connections: Connections,  # noqa: ARG002
    ) -> CheckResult:
        """Reads no file while none of them has changed. Raises BadAddress, NotThere, NoAudio."""
        try:
            root = os.fspath(path_of(url))
        except ValueError as error:
            raise BadAddress(_("“{text}” isn't the name of a folder", text=clean_line(url, 120))) from error
        try:
            return await watched(lambda beat: _check(url, root, state, schedule, self._cache, beat), self._patience_s)
        except Stalled as error:
            raise NotThere(
                _(
                    "The disk with {path} hasn't responded for {seconds:g} s",
                    path=_shown(root),
                    seconds=self._patience_s,
                ),
                _("Check its connection, then refresh."),
            ) from error


def _check(
    url: str, root: str, state: FeedState, schedule: FeedSchedule, cache: Path | None, beat: Callable[[], None]
) -> CheckResult:
    try:
        found = find_audio(root, beat)
    except OSError as error:
        log.info("%s can't be read: %s", _shown(root), error)
        raise _not_there(root, error) from error
    if not found.files:
        raise _nothing_to_hear(root, is_known=bool(schedule.digest))
    digest = _digest(found)
    if digest == schedule.digest:
        return CheckResult(url, state, digest=digest)
    before = ReadBefore(cache, root, _READING)
    before.load()
    read = {file: before.tags(file) or _tags(file.path, beat) for file in found.files}
    before.save(read)
    return CheckResult(url, state, feed_of(root, found, tuple(read.values())), digest=digest)


def _tags(path: str, beat: Callable[[], None]) -> FileTags:
    try:
        return read_tags(path, beat)
    except MemoryError:
        log.info("the tags of %s are too large", _shown(path))
        return UNREADABLE


def _digest(found: Found) -> str:
    """Changes with the path, size or version of any file, with its transcripts, and with the cover."""
    digest = hashlib.blake2b(digest_size=12)
    for file in sorted(found.files):
        digest.update(f"{file.path}\0{file.size}\0{file.version}\0".encode(errors="surrogateescape"))
        for text in file.transcripts:
            digest.update(f"{text.path}\0{text.version}\0".encode(errors="surrogateescape"))
    digest.update(f"{found.cover}\0{found.whole}".encode(errors="surrogateescape"))
    return _READING + digest.hexdigest()


def _not_there(root: str, error: OSError) -> FeedError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return NotThere(
            _("{path} isn't there", path=_shown(root)),
            _("Connect the disk it is on, or check the name; then refresh."),
        )
    return NotThere(
        _("{path} can't be read: {reason}", path=_shown(root), reason=error.strerror or error),
        _("Check its permissions and its disk, then refresh."),
    )


def _nothing_to_hear(root: str, *, is_known: bool) -> NoAudio:
    if os.path.isfile(root):  # noqa: PTH113 - the name may not be UTF-8
        return NoAudio(
            _("{path} is not an audio file that Earmark knows", path=_shown(root)),
            _("It plays files that end in {endings}.", endings=", ".join(TYPES)),
        )
    if is_known:
        return NoAudio(
            _("No audio files are left in {path}", path=_shown(root)),
            _("Connect the disk they are on, or bring them back; the podcast keeps its episodes meanwhile."),
        )
    return NoAudio(
        _("There are no audio files in {path}", path=_shown(root)),
        _("Earmark plays files that end in {endings}.", endings=", ".join(TYPES)),
    )


def _shown(path: str) -> str:
    return clean_line(path.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), 200)
