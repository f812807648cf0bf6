"""One attempt at a download or a transcript: its thread, its progress, the time it still needs, and what happens if it
fails."""

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import datetime, timedelta
from math import exp
from typing import ClassVar, Protocol

from msgspec import Struct

from player.downloads.making import Fetched, FileMaker
from player.errors import DiskFull, EarmarkError, FileChanged, MediaError, NoNetwork, NoRoom, NotWritable
from player.model.downloads import DownloadState, Progress, QueuedDownload, Work
from player.model.episode import Episode
from player.model.moments import left
from player.processes.threads import CancelToken
from player.text.sentences import _

_SMOOTH_S = 4.0
"""The time after which earlier measurements count for a third."""
_LEAST = 1.0
"""Bytes per second below which the download counts as stalled."""


class Meter:
    """The speed of one download. Times are in seconds of a clock that never goes back."""

    def __init__(self) -> None:
        self.moved_at: float | None = None
        """When bytes last arrived, or when the attempt began."""
        self._at = 0.0
        self._done = 0
        self._rate = self._weight = 0.0

    def update(self, done: int, total: int | None, now: float) -> Progress:
        """`done` of `total` bytes have arrived."""
        if self.moved_at is None or done < self._done:
            # Bytes that were cached before didn't arrive now; and a file that has changed is started again.
            self.moved_at, self._at, self._done = now, now, done
        elapsed = now - self._at
        if elapsed > 0:
            rate, kept = (done - self._done) / elapsed, exp(-elapsed / _SMOOTH_S)
            if rate or self._weight:  # before the first bytes it was waiting for the server
                self._rate = self._rate * kept + rate * (1 - kept)
                self._weight = self._weight * kept + 1 - kept
            if done > self._done:
                self.moved_at = now
            self._at, self._done = now, done
        return progress(done, total, self._rate / self._weight if self._weight else 0.0)


def progress(done: int, total: int | None, per_second: float) -> Progress:
    per_second = per_second if per_second >= _LEAST else 0.0
    left = (total - done) / per_second if total is not None and per_second else None
    return Progress(done, total, per_second, left)


def together(some: list[Progress]) -> Progress:
    """The progress of all together; if the size of one is unknown, so is the total, but its bytes so far are
    counted."""
    known = all(one.total is not None for one in some)
    total = sum(one.total or 0 for one in some) if known and some else None
    return progress(sum(one.done for one in some), total, sum(one.per_second for one in some))


PATIENCE_S = 60.0
"""How long an attempt continues without receiving a byte. In this time, fetching is retried several times already."""


class Attempt(ABC):
    """Runs from `start` on, and calls `ended` with itself when it is over: then `error` says what went wrong, if
    anything did. `stop` and the properties are for any thread."""

    work: ClassVar[Work]

    def __init__(self, episode: Episode, ended: "Ended") -> None:
        self.episode = episode
        self.error: Exception | None = None
        self.passing = False
        """Whether it was ended because no bytes arrived, which may be temporary."""
        self.over = False
        self.stopped = False
        """Whether it was told to stop."""
        self.progressed = False
        self._ended = ended
        self._cancel = CancelToken()
        self._thread = threading.Thread(target=self._run, name=f"earmark-{self.work}-{episode.id}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends it soon; returns at once."""
        self.stopped = True
        self._cancel.set()

    def join(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)

    @property
    def trouble(self) -> MediaError | None:
        """Why no bytes arrive at the moment."""
        return None

    @abstractmethod
    def look(self) -> Progress:
        """The progress."""

    @abstractmethod
    def _do(self) -> None:
        """What is attempted, on the thread; raises what went wrong."""

    def _run(self) -> None:
        try:
            self._do()
            self.error, self.passing, self.stopped = None, False, False
        except Exception as error:  # noqa: BLE001 - the downloader says what it means
            self.error = self.error or error
        finally:
            self.over = True
            self._ended(self)


Ended = Callable[[Attempt], None]


class Transcriber(Protocol):
    """Begins what makes transcripts."""

    def attempt(self, episode: Episode, ended: Ended) -> Attempt:
        """Ready to be started."""
        ...

    @property
    def waits(self) -> str:
        """Why none is made now, a sentence; "" if nothing is in the way."""
        ...

    def try_again(self) -> None:
        """The listener asks for transcripts, so what was in the way may be gone."""
        ...


class DownloadAttempt(Attempt):
    work = Work.DOWNLOAD

    def __init__(self, maker: FileMaker, queued: QueuedDownload, episode: Episode, ended: Ended) -> None:
        super().__init__(episode, ended)
        self._maker = maker
        self._queued = queued
        self._media: Fetched | None = None
        self._meter = Meter()

    @property
    def trouble(self) -> MediaError | None:
        return self._media.trouble if self._media else None

    def look(self) -> Progress:
        """Ends the attempt if no bytes have arrived for too long, or if the server has asked for a longer pause."""
        media, now = self._media, time.monotonic()
        if media is None:
            return Progress()
        done, total = media.amount
        moved_before = self._meter.moved_at
        progress = self._meter.update(done, total, now)
        moved_at = self._meter.moved_at or now
        self.progressed = self.progressed or (moved_before is not None and moved_at > moved_before)
        trouble = media.trouble
        asked = trouble is not None and trouble.pause_s > PATIENCE_S
        if (asked or now - moved_at > PATIENCE_S) and not (done and done == total):
            self._give_up(trouble or MediaError(_("The server stopped sending")))
        return progress

    def _give_up(self, error: MediaError) -> None:
        if not self.over and not self._cancel.is_set:
            self.passing, self.error = True, error
            self._cancel.set()

    def _do(self) -> None:
        self._maker.make(self.episode, self._cancel, why=self._queued.why, watch=self._watch, planned=self._queued.path)

    def _watch(self, media: Fetched) -> None:
        self._media = media


log = logging.getLogger(__name__)

PAUSES_S = (60.0, 120.0, 300.0, 600.0, 1200.0, 2400.0, 3600.0)
"""Seconds before the next attempt."""

NETWORK_S = 300.0
"""The longest pause while there is no network, which is nobody's fault and temporary."""

LATELY_S = 600.0
"""For this long after any bytes from the network, it counts as present."""

LONGEST_S = 3600.0
"""The longest pause, whatever a server asks for; a stored moment further ahead was written while the clock was
ahead."""
ROOM_S = 60.0
"""How often to check whether there is room again, or whether the folder can be written to."""


class Verdict(Struct, frozen=True):
    """`pause_s` is None if it isn't tried again automatically."""

    state: DownloadState
    attempts: int
    pause_s: float | None


def after(error: EarmarkError, attempts: int, *, passing: bool, progressed: bool, network_seen: bool) -> Verdict:
    """`attempts` have failed before this one. `passing`: the failure may be temporary. `progressed`: this attempt
    brought bytes, which starts the count again. `network_seen`: bytes have just arrived from the network."""
    if isinstance(error, (NoRoom, NotWritable)):
        return Verdict(DownloadState.WAITING, attempts, ROOM_S)
    if isinstance(error, FileChanged):
        passing = attempts < len(PAUSES_S)
    if not passing:
        return Verdict(DownloadState.FAILED, attempts + 1, None)
    made = 0 if progressed else attempts
    away = isinstance(error, NoNetwork) and not network_seen
    if away:
        pause_s = min(PAUSES_S[min(made, len(PAUSES_S) - 1)], NETWORK_S)
        return Verdict(DownloadState.WAITING, min(made + 1, len(PAUSES_S)), pause_s)
    if made >= len(PAUSES_S):
        return Verdict(DownloadState.FAILED, made + 1, None)
    return Verdict(DownloadState.WAITING, made + 1, min(max(PAUSES_S[made], getattr(error, "pause_s", 0.0)), LONGEST_S))


def wait_s(retry_at: datetime | None, now: datetime) -> float:
    """Seconds until the next attempt; 0: it is due."""
    return left(retry_at, now, timedelta(seconds=LONGEST_S)).total_seconds()


def in_words(error: Exception) -> EarmarkError:
    """The sentence for an error; an unforeseen error is logged."""
    match error:
        case DiskFull():
            return NoRoom(error.what, error.advice)
        case EarmarkError():
            return error
        case _:
            log.error("work on an episode failed", exc_info=error)
            return MediaError(_("Something went wrong inside Earmark"), _("See the log."))
