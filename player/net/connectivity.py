"""Whether Earmark is offline: because the listener wants it so, or because the network is gone."""

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Protocol

from msgspec import Struct

from player.net.failures import FailureReason

_WINDOW_S = 120.0
"""Older failures are no evidence any more."""
_ANSWERED_S = 5.0
"""If any server has answered this recently, the network is there, even if other requests fail."""
_MANY = 3
"""This many servers don't fail at the same time by coincidence."""

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
"""Failures that a missing network can cause."""
_SURE = frozenset({FailureReason.NO_NAME_SERVER, FailureReason.UNREACHABLE})
"""Failures on this side: no name server answers, or there is no route."""


class Seen(Struct, frozen=True):
    """The result of one request: the server at `origin` answered (`reason` is None), or why it couldn't be reached."""

    origin: str
    reason: FailureReason | None = None


class Evidence:
    """Which servers answered and which didn't. `clock` is monotonic, in seconds. For one thread at a time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failed: dict[str, tuple[FailureReason, float]] = {}
        self._answered: dict[str, float] = {}
        self._last_answer = float("-inf")

    def note(self, seen: Seen) -> None:
        now = self._clock()
        if seen.reason is None:
            self._failed.clear()
            self._answered.pop(seen.origin, None)  # keeps the latest answer last
            self._answered[seen.origin] = self._last_answer = now
        elif seen.reason in SUSPICIOUS:
            self._failed[seen.origin] = seen.reason, now

    def forget_failures(self) -> None:
        self._failed.clear()

    @property
    def failing(self) -> list[str]:
        """The servers that recently couldn't be reached, if no server has answered since."""
        now = self._clock()
        return [origin for origin, (_reason, at) in self._failed.items() if now - at <= _WINDOW_S]

    @property
    def is_suspicious(self) -> bool:
        """Whether the network may be gone, so that it is worth asking another server."""
        return bool(self.failing) and self._clock() - self._last_answer > _ANSWERED_S

    def others(self, used: Iterable[str], most: int) -> list[str]:
        """Servers that the listener uses and that haven't failed, most recent answer first."""
        failing = set(self.failing)
        found = dict.fromkeys([*reversed(self._answered), *used])
        return [origin for origin in found if origin not in failing][:most]

    def says_gone(self, *, asked: bool) -> bool:
        """Whether the network is gone. `asked`: other servers have been asked, and are among the failing ones if they
        didn't answer."""
        failing = self.failing
        if not failing:
            return False
        sure = all(self._failed[origin][0] in _SURE for origin in failing)
        return sure or (asked and len(failing) > 1) or len(failing) >= _MANY


log = logging.getLogger(__name__)

_PAUSES_S = (15.0, 30.0, 60.0, 120.0, 300.0)
"""Seconds between checks whether the network is back; the last value is repeated."""
_SUSPECT_EVERY_S = 20.0
"""Seconds without another check after a check that found the network."""
_ROUTE_S = 5.0
"""Seconds between checks whether this computer has a route again; these send nothing."""
_ASKED = 2
"""Servers asked in one check, one after the other."""


class Watch(Protocol):
    """Asked by a network client before each request, and told the outcome."""

    @property
    def offline(self) -> bool:
        """Whether no request may be made now."""
        ...

    def seen(self, seen: Seen) -> None: ...


class Connectivity:
    """Implements Watch. Any thread may call.

    `reach` sends a server any request and returns whether it answered, after it has called `seen`; `used` returns the
    origins that the listener uses. Both may block; they are called on a thread of this class. `changed` is called, on
    any thread, when `offline` or `by_hand` has changed. `clock` is monotonic, in seconds; `has_route` tells whether
    this computer has a route, without sending anything.
    """

    def __init__(
        self,
        reach: Callable[[str], bool],
        used: Callable[[], Sequence[str]],
        changed: Callable[[], None],
        *,
        clock: Callable[[], float] = time.monotonic,
        has_route: Callable[[], bool] | None = None,
    ) -> None:
        self._reach = reach
        self._used = used
        self._changed = changed
        self._clock = clock
        self._has_route = has_route or _has_route
        self._news = threading.Condition()
        self._evidence = Evidence(clock)
        self._by_hand = self._gone = self._closed = False
        self._thread: threading.Thread | None = None
        self._checked_at = float("-inf")
        self._checks = 0
        """How many checks have failed since the network went away."""

    @property
    def offline(self) -> bool:
        return self._by_hand or self._gone

    @property
    def by_hand(self) -> bool:
        """Whether the listener wants to be offline."""
        return self._by_hand

    def choose(self, offline: bool) -> bool:
        """The listener goes offline, or online again; once online, requests tell whether there is a network. False if
        nothing changes."""
        with self._news:
            if self._by_hand == offline:
                return False
            self._by_hand, self._gone = offline, False
            self._evidence.forget_failures()
            self._news.notify_all()
        self._changed()
        return True

    def seen(self, seen: Seen) -> None:
        with self._news:
            self._evidence.note(seen)
            back = self._gone and seen.reason is None
            if back:
                self._gone = False
                log.info("the network is back: %s answers", seen.origin)
            self._watch()
            self._news.notify_all()
        if back:
            self._changed()

    def close(self) -> None:
        with self._news:
            self._closed = True
            self._news.notify_all()

    # -- checking -----------------------------------------------------------------------------------------------

    def due_in(self) -> float | None:
        """Seconds until the next check; None: there is nothing to check."""
        if self._closed or self._by_hand:
            return None
        if self._gone:
            pause = _PAUSES_S[min(self._checks, len(_PAUSES_S) - 1)]
        elif self._evidence.is_suspicious:
            pause = _SUSPECT_EVERY_S
        else:
            return None
        return max(0.0, self._checked_at + pause - self._clock())

    def check(self) -> None:
        """Asks other servers, one after the other, whether the network is there. Blocks until a server has answered or
        all have failed."""
        self._checked_at = self._clock()
        with self._news:
            was_gone, failing = self._gone, self._evidence.failing
        used = self._used()
        with self._news:
            others = self._evidence.others(used, _ASKED)
        # While the network is gone, the servers that failed are as good as any other.
        asked = [*others, *failing][:_ASKED] if was_gone else others
        answered = any(self._reach(origin) for origin in asked)
        with self._news:
            self._checks += 1
            gone = not answered and (was_gone or self._evidence.says_gone(asked=bool(asked)))
            if gone == was_gone or gone == self._gone or self._by_hand:
                return
            self._gone, self._checks = gone, 0
            log.info("the network is gone" if gone else "the network is back")
        self._changed()

    def _watch(self) -> None:
        """With the lock held."""
        if self._thread is None and self.due_in() is not None:
            self._thread = threading.Thread(target=self._run, name="earmark-connectivity", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        routed = self._has_route()
        while True:
            with self._news:
                due = self.due_in()
                if due is None:
                    self._thread = None
                    return
                if due > 0:
                    self._news.wait(min(due, _ROUTE_S))
                    due = self.due_in()
            before, routed = routed, self._has_route()
            if due is not None and (due == 0 or (routed and not before)):
                try:
                    self.check()
                except Exception:
                    log.exception("the network can't be checked")
                    self._checked_at = self._clock()


def _has_route() -> bool:
    """Whether this computer has a route to the internet, as far as it knows: connecting a datagram socket sends
    nothing. The addresses are reserved for documentation (RFC 5737, RFC 3849)."""
    for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 9))
            return True
    return False
