"""What turns audio into words: an engine, and the kinds of engine that there are."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from msgspec import Struct

from player.errors import TranscriptionError
from player.model.episode import Transcript
from player.net.requester import Login
from player.processes.threads import CancelToken
from player.settings import Transcribe
from player.text.sentences import _

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop


T = TypeVar("T")


MODEL_IS_KEPT_MS = 120_000
"""The longest piece for an engine that keeps its model from one to the next. faster-whisper needs 270 MB for a minute
and a half with the smallest model, 745 MB for ten minutes."""


class Engine(Protocol):
    """For one thread; any thread may call `close`."""

    @property
    def name(self) -> str:
        """What makes the words, shown to people: `whisper-cli, ggml-tiny.en.bin`."""
        ...

    @property
    def longest_ms(self) -> int:
        """The longest piece that is worth while: longer ones need more memory, and are lost in a crash."""
        ...

    def transcribe(self, audio: Path, length_ms: int, cancel: CancelToken) -> Transcript:
        """The words in a WAV file of that length (16 kHz, one channel, 16 bits), with times in ms from its start; no
        lines if nothing is said. Setting `cancel` ends it at once. Raises TranscriptionError, also when it is
        cancelled."""
        ...

    def close(self) -> None:
        """Ends what waits for the next piece, once a piece that is under way is done. It may be called twice, and
        `transcribe` starts it again."""
        ...


class Choice(Struct, frozen=True):
    """A way to make transcripts that was found on this computer: `title` says what it is, `settings` choose it."""

    title: str
    settings: Transcribe


class EngineKind(Struct, frozen=True):
    """A kind of engine: `is_set_up` says whether the settings have what it needs, `open` makes one of them without
    touching network, disk or processes yet. `found` looks on this computer for ways to use it."""

    is_set_up: Callable[[Transcribe], bool]
    open: Callable[[Transcribe, NetworkLoop, Login], Engine]
    found: Callable[[Transcribe, NetworkLoop], Iterable[Choice]]


class Kept(Generic[T]):
    """What an engine keeps from one piece to the next. It is made for the first, and ended by `close`, though not while
    it is used. One thread uses it; any may close it."""

    def __init__(self, make: Callable[[], T], end: Callable[[T], object]) -> None:
        self._make, self._end = make, end
        self._lock = threading.Lock()
        self._kept: T | None = None
        self._uses = False
        self._over = False

    @contextmanager
    def used(self) -> Iterator[T]:
        with self._lock:
            kept = self._kept = self._make() if self._kept is None else self._kept
            self._uses, self._over = True, False
        try:
            yield kept
        finally:
            with self._lock:
                self._uses = False
            if self._over:
                self.close()

    def close(self) -> None:
        with self._lock:
            self._over = True
            if self._uses:
                return
            ended, self._kept = self._kept, None
        if ended is not None:
            self._end(ended)


class Patience:
    """How long to wait for a piece: there is no limit that is right for all computers and models.

    The first piece gets a minute for each of its seconds: whatever is slower needs more than two days for an episode of
    an hour, which helps nobody. From then on the engine's own pace counts, so that hanging is noticed much sooner: a
    piece gets `_SLACK` times what the slowest so far took, as the computer may be busier or warmer now. The slowest may
    have been silence, so it gets a few seconds for each of its own anyway.
    """

    _FIRST, _LEAST, _SLACK, _ANYWAY_S = 60.0, 3.0, 20.0, 120.0

    def __init__(self) -> None:
        self._slowest = 0.0

    def limit_s(self, length_ms: int) -> float:
        pace = max(self._LEAST, self._slowest * self._SLACK) if self._slowest else self._FIRST
        pace = min(pace, self._FIRST)
        return self._ANYWAY_S + pace * length_ms / 1000

    @contextmanager
    def waiting(self, length_ms: int) -> Iterator[float]:
        """Inside, a piece of that length is worked on, for at most the seconds that this yields. It counts if it was
        done, or wasn't done in time; not if it failed or was cancelled before."""
        began, limit_s, done = time.monotonic(), self.limit_s(length_ms), False
        try:
            yield limit_s
            done = True
        finally:
            seconds = time.monotonic() - began
            if done or seconds >= limit_s:
                self.took(length_ms, seconds)

    def took(self, length_ms: int, seconds: float) -> None:
        self._slowest = max(self._slowest, seconds * 1000 / max(1, length_ms))


def cancelled() -> TranscriptionError:
    return TranscriptionError(_("Making the transcript was stopped"))


def spoken(settings: Transcribe) -> str:
    """The language that is set, as engines know it: `pt` for `pt-BR`; "" for none."""
    return settings.language.replace("_", "-").partition("-")[0].lower()


def threads_of(settings: Transcribe) -> int:
    """How many threads an engine may use."""
    return settings.threads or max(1, (os.cpu_count() or 1) // 2)
