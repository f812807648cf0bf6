"""What requests tell about the network. Pure: one broken server isn't a missing network."""

import time
from collections.abc import Callable, Iterable

from msgspec import Struct

from player.net.failures import FailureReason

_WINDOW_S = 120.0
"""Older failures tell nothing any more."""
_ANSWERED_S = 5.0
"""While anything has answered so lately, the network is there, whatever fails."""
_MANY = 3
"""So many servers don't fail at the same time by themselves."""

SUSPICIOUS = frozenset(
    {
        FailureReason.UNKNOWN_HOST,
        FailureReason.NO_NAME_SERVER,
        FailureReason.TIMED_OUT,
        FailureReason.STALLED,
        FailureReason.REFUSED,
        FailureReason.UNREACHABLE,
        FailureReason.PROXY,
        FailureReason.CONNECTION_LOST,
        FailureReason.CUT_SHORT,
    }
)
"""Failures that a missing network may be behind."""
_SURE = frozenset({FailureReason.NO_NAME_SERVER, FailureReason.UNREACHABLE})
"""Failures of this side: no name server answers, or there is no route."""


class Seen(Struct, frozen=True):
    """What one request told: the server at `origin` answered (`reason` is None), or why it couldn't be reached."""

    origin: str
    reason: FailureReason | None = None


class Evidence:
    """Who answered and who didn't. `clock` is monotonic, in seconds. For one thread at a time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: dict[str, tuple[FailureReason, float]] = {}
        self._answered: dict[str, float] = {}
        self._last_answer = float("-inf")

    def note(self, seen: Seen) -> None:
        now = self._clock()
        if seen.reason is None:
            self._failed.clear()
            self._answered.pop(seen.origin, None)  # the latest stands last
            self._answered[seen.origin] = self._last_answer = now
        elif seen.reason in SUSPICIOUS:
            self._failed[seen.origin] = seen.reason, now

    def forget_failures(self) -> None:
        self._failed.clear()

    @property
    def failing(self) -> list[str]:
        """The servers that couldn't be reached lately, and after which nothing has answered."""
        now = self._clock()
        return [origin for origin, (_reason, at) in self._failed.items() if now - at <= _WINDOW_S]

    @property
    def is_suspicious(self) -> bool:
        """Whether the network may be gone: that is worth asking another server."""
        return bool(self.failing) and self._clock() - self._last_answer > _ANSWERED_S

    def others(self, used: Iterable[str], most: int) -> list[str]:
        """Servers that the listener uses and that haven't failed, those that answered last first."""
        failing = set(self.failing)
        found = dict.fromkeys([*reversed(self._answered), *used])
        return [origin for origin in found if origin not in failing][:most]

    def says_gone(self, *, asked: bool) -> bool:
        """Whether the network is gone. `asked`: other servers were asked, and are among the failing ones now."""
        failing = self.failing
        if not failing:
            return False
        sure = all(self._failed[origin][0] in _SURE for origin in failing)
        return sure or (asked and len(failing) > 1) or len(failing) >= _MANY
