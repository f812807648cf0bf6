"""Maps positions of an MP3 or ADTS file to bytes and back, and finds where to cut the file to play from a position.

Frames are counted from the start of the file as bytes arrive: within them the answer is exact. Beyond them, it is a
guess from the table in an encoder's header, or from the mean bit rate of the counted frames. Near a position whose byte
is known (a BytePosition), frames are counted from that byte, and the answer is as good as that position.
"""

import threading
import time
from collections.abc import Callable
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from player.media.formats.mpeg import FrameRun, Read
from player.media.formats.sniff import HEAD, LONG_HEAD
from player.model.episode import BytePosition

_SLICE_S = 0.005
_NEAR_MS = 120_000
"""The greatest distance from a known byte position over which frames are counted."""
_BEFORE_MS = 500
"""Playback starts at least this long before the end."""
_GUESSED_BEFORE_MS = 10_000
"""A guess stays this far from the end, so that it can't mark an episode as played."""
_STEP_BACK = 32 * 1024
_LEAST_FOR_MEAN_MS = 2_000
_USUAL_RATE = 16.0
"""Bytes per millisecond: 128 kbit/s."""


class Cut(Struct, frozen=True):
    """Where to start reading a file: from `byte`, where a frame begins, it plays from `position_ms` (`exact`, or
    guessed)."""

    byte: int
    position_ms: float
    exact: bool


class _Island(Struct, frozen=True):
    """Frames counted further on in the file, with a gap after the frames from its start; the first of them plays at
    `start_ms`."""

    run: FrameRun
    start_ms: float
    exact: bool


class Timeline:
    """One file. Any thread may call; only `cut` may wait for bytes, and only one thread at a time may call it."""

    def __init__(self, run: FrameRun, available: Read, size: int | None) -> None:
        """`run` has counted the first frames; `size` is the file's, in bytes."""
        self._main = run
        self._available = available
        self._size = size
        self._lock = threading.Lock()
        self._island: _Island | None = None
        self._claimed_ms: int | None = None

    @property
    def form(self) -> str:
        """`mp3` or `aac`."""
        return self._main.form

    @property
    def frame_ms(self) -> float:
        """The duration of each frame."""
        return self._main.frame_ms

    # -- duration and position ----------------------------------------------------------------------------------

    def count(self, budget_s: float = _SLICE_S) -> None:
        """Counts more of the available bytes, for `budget_s` at most."""
        with self._lock:
            self._main.advance(self._available, self._size, until=time.monotonic() + budget_s)

    def duration(self) -> tuple[int, bool] | None:
        """The episode's duration in ms, and whether that is exact; None while the size is unknown."""
        with self._lock:
            if self._main.ended(self._size):
                return round(self._main.ms), True
            return (round(self._guessed_duration()), False) if self._size is not None else None

    def position_after(self, cut: Cut, ms: float) -> BytePosition:
        """The position that is reached `ms` after the start of a cut."""
        with self._lock:
            main, island = self._main, self._island
            start_ms, exact = cut.position_ms, cut.exact
            if main.at > cut.byte:
                start_ms, exact = main.index_of(cut.byte) * main.frame_ms, True
            byte = cut.byte
            if exact and start_ms + ms < main.ms:
                byte = main.byte(main.index_at(start_ms + ms))
            elif island is not None and island.run.start <= cut.byte < island.run.at:
                ms_in_run = island.run.index_of(cut.byte) * island.run.frame_ms + ms
                island.run.advance(self._available, self._size, until=time.monotonic() + _SLICE_S, ms=ms_in_run)
                byte = island.run.byte(island.run.index_at(ms_in_run))
            return BytePosition(round(start_ms + ms), byte, self._size or 0, exact)

    # -- cutting ------------------------------------------------------------------------------------------------

    def claim(self, duration_ms: int | None) -> None:
        """Sets a duration from elsewhere (the feed), which is used for guesses if it is plausible."""
        self._claimed_ms = duration_ms

    def cut(self, position_ms: int, nearby: BytePosition | None, read: Read, *, seekable: bool) -> Cut:
        """Where to start reading to play from `position_ms` (or from near the end): a little early, never late.

        `read` waits for bytes; its exceptions are raised here.
        """
        if nearby is not None and (nearby.size != self._size or abs(position_ms - nearby.position_ms) > _NEAR_MS):
            nearby = None
        if self._main.ms <= position_ms and seekable and self._size is not None:
            found = (
                self._cut_in_island(position_ms)
                or (nearby and self._cut_near(position_ms, nearby, read))
                or self._count_to(position_ms)
                or self._guess(position_ms, nearby, read)
            )
            if found is not None:
                return found
        else:
            self._read_on(position_ms, read)
        return self._cut_in_main(position_ms)

    def _count_to(self, position_ms: float) -> Cut | None:
        """Counts all available bytes, in slices so that no other thread waits long for the lock."""
        more = True
        while more:
            with self._lock:
                more = self._main.advance(
                    self._available, self._size, until=time.monotonic() + _SLICE_S, ms=position_ms + _BEFORE_MS
                )
        reached = self._main.ms > position_ms or self._main.ended(self._size)
        return self._cut_in_main(position_ms) if reached else None

    def _read_on(self, position_ms: int, read: Read) -> None:
        """Waits for all bytes up to the position, or to the end."""
        while self._main.ms <= position_ms and not self._count_to(position_ms):
            if not _brought(self._main, self._available, read):
                return

    def _cut_in_main(self, position_ms: float) -> Cut:
        with self._lock:
            main = self._main
            if main.ended(self._size):
                position_ms = min(position_ms, main.ms - _BEFORE_MS)
            index = main.index_before(main.index_at(position_ms), self._available)
            return Cut(main.byte(index), index * main.frame_ms, exact=True)

    def _cut_in_island(self, position_ms: float) -> Cut | None:
        with self._lock:
            island = self._island
            if island is None or position_ms < island.start_ms:
                return None
            run, ms_in_run = island.run, position_ms - island.start_ms
            if ms_in_run > run.ms + _NEAR_MS:
                return None
            run.advance(self._available, self._size, ms=ms_in_run + _BEFORE_MS)
            if ms_in_run >= run.ms:
                return None
            index = run.index_before(run.index_at(ms_in_run), self._available)
            return Cut(run.byte(index), island.start_ms + index * run.frame_ms, island.exact)

    def _cut_near(self, position_ms: int, nearby: BytePosition, read: Read) -> Cut | None:
        """Counts from `nearby`, or up to it; None if that doesn't lead to the position."""
        back = int(max(0, nearby.position_ms - position_ms) * self._rate(nearby) * 1.2) + _STEP_BACK // 2
        while True:
            start = max(self._main.start, nearby.byte - back)
            run = self._run_from(start, nearby.byte, read)
            index = run.index_of(nearby.byte)
            if not run.count or run.byte(index) != nearby.byte:
                # No frame begins there, so it is another file.
                return None
            start_ms = nearby.position_ms - index * run.frame_ms
            if start_ms <= position_ms or start == self._main.start:
                break
            back *= 2
        with self._lock:
            self._island = _Island(run, max(0.0, start_ms), nearby.exact)
        return self._cut_in_island(position_ms)

    def _guess(self, position_ms: int, nearby: BytePosition | None, read: Read) -> Cut:
        with self._lock:
            knots = self._knots(nearby)
        last = max(knots[0][0], knots[-1][0] - _GUESSED_BEFORE_MS)
        start = int(_between(min(float(position_ms), last), knots))
        while not (run := self._run_from(start, start, read)).count:
            # No frame begins there: these bytes are tags at the end.
            start = max(self._main.at, start - _STEP_BACK)
            if start == self._main.at:
                return self._cut_in_main(position_ms)
        start_ms = _between(run.byte(0), [(byte, ms) for ms, byte in knots])
        with self._lock:
            self._island = _Island(run, start_ms, exact=False)
        return Cut(run.byte(0), start_ms, exact=False)

    def _run_from(self, start: int, to: int, read: Read) -> FrameRun:
        """The frames from byte `start` to beyond byte `to`; waits for those bytes."""
        run = FrameRun(self._main.form, start)
        while not run.count or run.at <= to:
            run.advance(self._available, self._size, byte=max(to, run.at))
            far = run.at > max(to, start) + LONG_HEAD
            if (not run.count or run.at <= to) and (far or not _brought(run, self._available, read)):
                break
        return run

    # -- guesses (with the lock held) ---------------------------------------------------------------------------

    def _rate(self, nearby: BytePosition | None = None) -> float:
        """The mean bit rate, in bytes per millisecond."""
        main = self._main
        if main.ms < _LEAST_FOR_MEAN_MS and nearby is not None and nearby.position_ms > _LEAST_FOR_MEAN_MS:
            return (nearby.byte - main.start) / nearby.position_ms
        return (main.at - main.byte(0)) / main.ms if main.ms else _USUAL_RATE

    def _guessed_duration(self) -> float:
        main = self._main
        if main.header and main.header.frames * main.frame_ms > main.ms:
            return main.header.frames * main.frame_ms
        rate, left, claimed = self._rate(), max(0, (self._size or 0) - main.at), self._claimed_ms or 0
        if claimed > main.ms and left / 2 <= rate * (claimed - main.ms) <= left * 2:
            return claimed
        return main.ms + left / rate

    def _knots(self, nearby: BytePosition | None) -> list[tuple[float, float]]:
        """Pairs of position (ms) and byte, known or claimed, both ascending."""
        main, size = self._main, float(self._size or 0)
        points: list[tuple[float, float]] = []
        if main.header and main.header.points:
            step = main.header.frames * main.frame_ms / len(main.header.points)
            points = [(number * step, main.header_at + byte) for number, byte in enumerate(main.header.points)]
        if nearby is not None:
            known_ms, byte = float(nearby.position_ms), float(nearby.byte)
            points = [point for point in points if (point[0] > known_ms) == (point[1] > byte)]
            points = sorted([*points, (known_ms, byte)])
        knots = [(main.ms, float(main.at))]
        for ms, byte in points:
            if ms > knots[-1][0] and knots[-1][1] < byte < size:
                knots.append((ms, byte))
        return [*knots, (max(self._guessed_duration(), knots[-1][0] + 1), max(size, knots[-1][1] + 1))]


class Stretch(Struct, frozen=True):
    """A part of a recording whose times are known: its first byte, and the positions at which it starts and ends."""

    byte: int
    start_ms: int
    end_ms: int


class RunTimeline(Timeline):
    """The timeline of the frames from one part of a recording on, in which the times of each part are known: positions
    are right in every part, even if it is a little longer or shorter than stated. `stretch_of` finds the part that
    contains a byte."""

    def __init__(self, run: FrameRun, available: Read, first: Stretch, stretch_of: Callable[[int], Stretch]) -> None:
        super().__init__(run, available, None)
        self._first = first
        self._stretch_of = stretch_of

    def cut(self, position_ms: int, nearby: BytePosition | None, read: Read, *, seekable: bool) -> Cut:  # noqa: ARG002
        found = super().cut(position_ms - self._first.start_ms, None, read, seekable=False)
        return replace(found, position_ms=self._placed(found.byte, found.position_ms))

    def position_after(self, cut: Cut, ms: float) -> BytePosition:
        with self._lock:
            main = self._main
            ms += main.index_of(cut.byte) * main.frame_ms
            main.advance(self._available, None, until=time.monotonic() + _SLICE_S, ms=ms)
            byte = main.byte(main.index_at(ms))
        return BytePosition(round(self._placed(byte, ms)), byte, 0, exact=True)

    def _placed(self, byte: int, ms: float) -> float:
        """The position in the recording, in ms, of the frame at `byte`, which plays `ms` after the run's start."""
        there = self._stretch_of(byte)
        before_ms = self._main.index_of(there.byte) * self._main.frame_ms
        return there.start_ms + min(max(0.0, ms - before_ms), there.end_ms - there.start_ms)


def timeline_of(form: str, read: Read, available: Read, size: int | None, start: int = 0) -> Timeline | None:
    """The timeline of a file of that format; waits with `read` for its first frames.

    `start` is the first byte after the tags at the beginning. None for formats that have an index of their own, and for
    files whose frames can't be counted.
    """
    if form not in ("mp3", "aac"):
        return None
    run = _begun(form, read, available, size, start)
    return Timeline(run, available, size) if run else None


def run_timeline(
    form: str, read: Read, available: Read, first: Stretch, stretch_of: Callable[[int], Stretch]
) -> RunTimeline | None:
    """The same for a recording in parts, from its part `first` on."""
    run = _begun(form, read, available, None, first.byte)
    return RunTimeline(run, available, first, stretch_of) if run else None


def _begun(form: str, read: Read, available: Read, size: int | None, start: int) -> FrameRun | None:
    """A run that has counted the first frames; None if there are none."""
    run = FrameRun(form, start)
    while not run.count:
        run.advance(available, size, byte=run.at)
        if not run.count and (run.at - start > LONG_HEAD or not _brought(run, available, read)):
            return None
    return run


def _brought(run: FrameRun, available: Read, read: Read) -> bool:
    """Waits for bytes that the run hasn't seen yet; False at the end of the file."""
    return bool(read(run.at + len(available(run.at, HEAD)), 1))


def _between(value: float, knots: list[tuple[float, float]]) -> float:
    """Interpolates between the knots at `value`; beyond the last knot, its value."""
    for (x, y), (next_x, next_y) in pairwise(knots):
        if value < next_x:
            return y + (next_y - y) * max(0.0, value - x) / (next_x - x)
    return knots[-1][1]
