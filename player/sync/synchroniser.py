"""Syncing in the background of a running Earmark, on a thread of its own, and when the next round is due, in seconds
of a clock that never goes back.
"""

import logging
import threading
import time
from collections.abc import Callable, Set
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from player.errors import EarmarkError, LibraryError
from player.events import Bus, Notice, SyncChanged
from player.library import Library
from player.model.episode import EpisodeId
from player.model.playback import Severity
from player.model.syncing import SyncAccount, SyncStatus, Taken
from player.sync.round import Round, alone, utc_now
from player.sync.target import SyncError, SyncFailure, SyncTarget
from player.sync.ways import needs_network
from player.text.sentences import _

EVERY_S = 300.0
"""How long after a round the next one begins if nothing happens."""
GATHER_S, GATHER_MOST_S = 4.0, 20.0
"""How long it has to be quiet after a change; and how long a round waits for that at most."""
FIRST_RETRY_S, LONGEST_RETRY_S = 30.0, 3600.0
"""The wait after a failure; each further failure doubles it."""
MOST_PATIENCE_S = 24 * 3600.0
"""The longest wait that a server can ask for."""


class Rhythm(Struct, frozen=True):
    """`by_itself`: when a round begins if nothing happens; before `closed_until` none begins. `asked`: a person wants a
    round now. Changes have been waiting since `changed_at`, the last one came at `last_change`. `failures` in a row."""

    by_itself: float
    closed_until: float = float("-inf")
    asked: bool = False
    changed_at: float | None = None
    last_change: float = 0.0
    failures: int = 0

    @property
    def due(self) -> float:
        """When the next round begins."""
        if self.asked:
            return float("-inf")
        at = self.by_itself
        if self.changed_at is not None:
            at = min(at, self.last_change + GATHER_S, self.changed_at + GATHER_MOST_S)
        return max(at, self.closed_until)

    def wanted(self) -> "Rhythm":
        """A person wants a round."""
        return replace(self, asked=True)

    def changed(self, now: float) -> "Rhythm":
        """There is something to send: soon, together with changes that follow closely."""
        return replace(self, changed_at=now if self.changed_at is None else self.changed_at, last_change=now)

    def begun(self) -> "Rhythm":
        """A round begins. Requests and changes during it are for the next round."""
        return Rhythm(float("inf"), failures=self.failures)

    def put_off(self, now: float, by_s: float) -> "Rhythm":
        """No round was possible."""
        return replace(self, by_itself=now + by_s)

    def succeeded(self, now: float) -> "Rhythm":
        return replace(self, by_itself=now + EVERY_S, failures=0)

    def failed(self, now: float, failure: SyncFailure, retry_s: float = 0.0) -> "Rhythm":
        """`retry_s`: how long the target asked us to wait. A refused login isn't retried soon, because servers lock
        accounts for that."""
        wait = min(FIRST_RETRY_S * 2.0 ** min(self.failures, 20), LONGEST_RETRY_S)
        if failure is SyncFailure.LOGIN:
            wait = LONGEST_RETRY_S
        then = now + max(wait, min(retry_s, MOST_PATIENCE_S))
        return replace(self, by_itself=then, closed_until=then, failures=self.failures + 1)


log = logging.getLogger(__name__)

MAY_HOLD_UP_S = 60.0
"""How long other devices' changes are waited for at most: the target may be dead."""
_BUSY_S = 5.0
"""When to look again after another process was found syncing."""
_ABORTED_S = 0.2

MakeTarget = Callable[[SyncAccount], SyncTarget]


class Synchroniser:
    """For any thread; rounds happen on its one thread, and in one process at a time (`lock`). State is published as
    SyncChanged. A target that needs no network, such as a folder, is synced offline, too.

    `make_target` may raise EarmarkError. `playing`, `around` and `taken` are as in Round.
    """

    def __init__(
        self,
        library: Library,
        bus: Bus,
        lock: Path,
        make_target: MakeTarget,
        *,
        offline: Callable[[], bool] = lambda: False,
        playing: Callable[[], Set[EpisodeId]] = frozenset,
        around: Callable[[EpisodeId, int, int], str] = lambda *_position: "",
        taken: Callable[[Taken], object] = lambda _taken: None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._library = library
        self._bus = bus
        self._lock = lock
        self._make_target = make_target
        self._offline = offline
        self._playing = playing
        self._around = around
        self._taken = taken
        self._clock = clock
        self._now = now
        self._news = threading.Condition()
        self._rhythm = Rhythm(clock())
        self._target: SyncTarget | None = None
        self._account: SyncAccount | None = None
        self._other_account = True
        self._closing = self._sends_last = False
        self._said_login = False
        self._said_unread: set[str] = set()
        self._waits_since: float | None = clock()
        """Since when the first round, or the first one with a network again, has been due; None once it has ended."""
        self.status = SyncStatus()
        """The latest status; it is set before SyncChanged is published."""
        self._thread = threading.Thread(target=self._work, name="earmark-sync", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def is_settled(self) -> bool:
        """Whether other devices' changes are here, as far as that can be waited for. No rule downloads anything
        before."""
        since = self._waits_since
        return since is None or self._clock() - since >= MAY_HOLD_UP_S

    @property
    def is_offline(self) -> bool:
        """Whether the target needs a network, and there is none."""
        account = self._account
        return account is not None and needs_network(account) and self._offline()

    @property
    def rests(self) -> bool:
        """Whether no round may begin: there is no network, or no account."""
        return self._account is None or self.is_offline

    def now(self) -> None:
        """A person wants a round. It has ended when `status.rounds` exceeds the earlier value of
        `SyncStatus.under_way`."""
        self._turn(lambda rhythm, _now: rhythm.wanted())

    def changed(self) -> None:
        """There may be something to send."""
        self._turn(lambda rhythm, now: rhythm.changed(now))

    def account_changed(self) -> None:
        """Looks again which account there is, and syncs with a different one at once."""
        self._other_account = True
        self._turn(lambda rhythm, _now: rhythm)

    def network_changed(self) -> None:
        """Earmark is offline now, or has a network again: then there is a round at once."""
        if self.rests:
            self._abort()
        else:
            self._waits_since = self._clock()
            self._turn(lambda _rhythm, now: Rhythm(now))

    def close(self, within_s: float, *, sends: bool = True) -> None:
        """With `sends`, changes are sent if the target takes them in that time; otherwise that happens at the next
        start. May be called twice. Call it after the position has been saved."""
        with self._news:
            if not self._closing:
                self._sends_last = sends and not self._rhythm.failures
            self._closing = True
            self._news.notify_all()
        if self._thread.is_alive():
            self._thread.join(max(0.0, within_s - _ABORTED_S))
            self._abort()
            self._thread.join(_ABORTED_S)

    # -- inside -----------------------------------------------------------------------------------------------

    def _turn(self, change: Callable[[Rhythm, float], Rhythm]) -> None:
        with self._news:
            self._rhythm = change(self._rhythm, self._clock())
            self._news.notify_all()

    def _abort(self) -> None:
        if (target := self._target) is not None:
            target.abort()

    # -- its thread -------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            self._look_for_account()
            if not self._wait():
                break
            if not self._other_account:
                self._sync()
        if self._sends_last and not self.rests:
            self._send_last()

    def _look_for_account(self) -> None:
        if not self._other_account:
            return
        self._other_account = False
        try:
            account = self._library.syncing.account()
        except LibraryError as error:
            log.warning("the account for syncing can't be read: %s", error)
            return
        if account != self._account:
            self._account, self._target = account, None
            self._turn(lambda _rhythm, now: Rhythm(now))
            self._publish(busy=False)

    def _wait(self) -> bool:
        """Waits until a round is due, or the account may have changed; False when Earmark ends."""
        with self._news:
            while not (self._closing or self._other_account):
                left_s = None if self.rests else self._rhythm.due - self._clock()
                if left_s is not None and left_s <= 0:
                    break
                self._news.wait(left_s)
            return not self._closing

    def _sync(self) -> None:
        """One round, whatever its outcome. Changes made meanwhile are for the next one."""
        self._turn(lambda rhythm, _now: rhythm.begun())
        try:
            with alone(self._lock) as is_alone:
                if not is_alone:
                    self._turn(lambda rhythm, now: rhythm.put_off(now, _BUSY_S))
                    return
                self._publish(busy=True)
                self._round().run()
            self._said_login = False
            self._turn(lambda rhythm, now: rhythm.succeeded(now))
        except SyncError as error:
            self._failed(error)
        except EarmarkError as error:
            self._failed(SyncError(SyncFailure.FAULT, error.what, error.advice))
        except Exception:
            log.exception("syncing failed")
            self._failed(SyncError(SyncFailure.FAULT, _("Something went wrong inside Earmark"), _("See the log.")))
        self._waits_since = None
        self._publish(busy=False, ended=1)

    def _round(self) -> Round:
        assert self._account is not None
        if self._target is None:
            self._target = self._make_target(self._account)
        return Round(
            self._library,
            self._target,
            now=self._now,
            playing=self._playing,
            around=self._around,
            taken=self._taken,
            unread=self._say_unread,
        )

    def _say_unread(self, sentence: str) -> None:
        """Logs each sentence only once."""
        if sentence not in self._said_unread:
            self._said_unread.add(sentence)
            self._bus.publish(Notice(sentence, Severity.WARNING))

    def _failed(self, error: SyncError) -> None:
        log.info("syncing failed (%s): %s", error.failure, error)
        self._target = None
        if self._closing or self.rests:  # that is why it failed
            self._turn(lambda rhythm, now: rhythm.put_off(now, FIRST_RETRY_S))
            return
        self._turn(lambda rhythm, now: rhythm.failed(now, error.failure, error.retry_s))
        with suppress(LibraryError):
            self._library.syncing.failed(self._now(), error.failure, error.what, error.advice)
        if error.failure is SyncFailure.LOGIN and not self._said_login:
            self._said_login = True
            self._bus.publish(Notice(str(error), Severity.WARNING))

    def _send_last(self) -> None:
        try:
            if self._library.syncing.collect(self._now()) or self._library.syncing.counts().outgoing:
                with alone(self._lock) as is_alone:
                    if is_alone:
                        self._round().push()
        except EarmarkError as error:
            log.info("what changed last is sent at the next start: %s", error)
        except Exception:
            log.exception("the last sending failed")

    def _next_at(self) -> datetime | None:
        left_s = self._rhythm.due - self._clock()
        if not self._rhythm.failures or not 0 < left_s <= MOST_PATIENCE_S:
            return None
        return self._now() + timedelta(seconds=left_s)

    def _publish(self, *, busy: bool, ended: int = 0) -> None:
        """`ended` is how many more rounds have ended. All fields change at once, because a thread that waits for a
        round then reads its outcome."""
        try:
            syncing = self._library.syncing
            state, counts = syncing.state(), syncing.counts()
        except LibraryError as error:
            log.warning("how syncing stands can't be read: %s", error)
            state, counts = self.status.state, self.status.counts
        self.status = SyncStatus(self._account, busy, self.status.rounds + ended, state, counts, self._next_at())
        self._bus.publish(SyncChanged(self.status))
