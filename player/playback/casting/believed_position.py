"""The position on a device: what the device says of it, as far as that is possible."""

import math
from collections.abc import Callable
from enum import Enum, auto

from msgspec import Struct

RUN_ON_S = 2.5
"""For so long after the device's last answer its position is taken to go on."""
_BACK_MS, _AHEAD_MS = 1_500, 2_000
"""How far a position may be from the one expected: devices count what they have decoded, or what they have played."""
_ARRIVES_MS = 3_000
"""How much later than it was told a device may begin: at a frame or a key frame."""
_SURE_S, _SURE = 2.5, 3
"""For so long, and in so many answers, a position elsewhere has to go on in time before it is taken for a jump."""
_RESTARTS_MS = 10_000
"""A device that fails begins again at the start: so close to it nothing counts as a jump that somebody made."""
_LONGEST_MS = 10 * 24 * 3_600_000


class Verdict(Enum):
    """What is thought of a position that a device says."""

    BELIEVED = auto()
    AWAITED = auto()
    """It was told to jump, and hasn't arrived yet."""
    DOUBTED = auto()
    """It can't be there."""
    JUMPED = auto()
    """It is elsewhere and plays on from there: somebody has moved it at the device."""


class _Elsewhere(Struct, frozen=True):
    """A position that isn't where it should be, since when, and in how many answers it went on from there."""

    ms: float
    at: float
    since: float
    count: int = 1


class BelievedPosition:
    """The times are monotonic seconds, the positions ms. It never runs on for longer than RUN_ON_S without an answer.

    `step_ms`: what the device's positions are rounded down to.
    """

    def __init__(self, start_ms: int, speed: float, step_ms: int, now: float) -> None:
        self._ms, self._since = float(start_ms), now
        self._speed, self._step_ms = speed, step_ms
        self._runs = False
        self._sought_at: float | None = now
        self._doubted_at: float | None = None
        self._elsewhere: _Elsewhere | None = None

    @property
    def arrived(self) -> bool:
        """Whether it was where it was told to go, since it was told last."""
        return self._sought_at is None

    def awaited_s(self, now: float) -> float:
        """For how long it was expected somewhere."""
        return 0.0 if self._sought_at is None else now - self._sought_at

    def doubted_s(self, now: float) -> float:
        """For how long nothing was believed."""
        return 0.0 if self._doubted_at is None else now - self._doubted_at

    def at(self, now: float) -> int:
        if not self._runs:
            return int(self._ms)
        return int(self._ms + 1000 * self._speed * min(RUN_ON_S, max(0.0, now - self._since)))

    def hold(self, now: float) -> None:
        """It stands still from here on."""
        self._ms, self._since, self._runs = float(self.at(now)), now, False

    def sought(self, position_ms: int, now: float) -> None:
        """It was told to go there."""
        self._ms, self._since, self._runs = float(position_ms), now, False
        self._sought_at, self._doubted_at, self._elsewhere = now, None, None

    def with_speed(self, speed: float, now: float) -> None:
        runs = self._runs
        self.hold(now)
        self._speed, self._runs = speed, runs

    def told(
        self,
        position_s: float | None,
        now: float,
        *,
        plays: bool,
        duration_ms: int | None = None,
        has_bytes: Callable[[float], bool] = lambda _ms: True,
    ) -> Verdict:
        """The device says that it is there, and that it plays or doesn't. `has_bytes`: whether it was given the bytes
        for a position."""
        ms = _plausible_ms(position_s, duration_ms)
        elapsed_ms = 1000 * self._speed * max(0.0, now - self._since)
        ahead_ms = _ARRIVES_MS if self._sought_at is not None else _AHEAD_MS
        if ms is not None and self._ms - _BACK_MS - self._step_ms < ms <= self._ms + elapsed_ms + ahead_ms:
            self._believe(ms, now, plays=plays)
            return Verdict.BELIEVED
        if self._sought_at is not None:
            return Verdict.AWAITED
        if self._doubted_at is None:
            self._doubted_at = now
        return Verdict.JUMPED if ms is not None and self._goes_on(ms, now) and has_bytes(ms) else Verdict.DOUBTED

    def _believe(self, ms: float, now: float, *, plays: bool) -> None:
        """A position in steps says only that it isn't outside of the step."""
        expected = float(self.at(now))
        if self._step_ms > 1 and self._sought_at is None:
            ms = min(max(expected, ms), ms + self._step_ms - 1)
        self._ms, self._since, self._runs = ms, now, plays
        self._sought_at = self._doubted_at = self._elsewhere = None

    def _goes_on(self, ms: float, now: float) -> bool:
        """Whether the device has been there for some time."""
        before = self._elsewhere
        count, since = 1, now
        if before is not None:
            moved_ms, elapsed_ms = ms - before.ms, 1000 * self._speed * (now - before.at)
            if -self._step_ms <= moved_ms <= elapsed_ms + _AHEAD_MS and moved_ms >= elapsed_ms - _AHEAD_MS:
                count, since = before.count + 1, before.since
        self._elsewhere = _Elsewhere(ms, now, since, count)
        return count >= _SURE and now - since >= _SURE_S and ms >= _RESTARTS_MS


def _plausible_ms(position_s: float | None, duration_ms: int | None) -> float | None:
    """In ms; None for what is no position in the episode."""
    if position_s is None or not math.isfinite(position_s):
        return None
    ms = position_s * 1000
    latest = _LONGEST_MS if duration_ms is None else duration_ms + _AHEAD_MS
    return max(0.0, ms) if -_BACK_MS <= ms <= latest else None
