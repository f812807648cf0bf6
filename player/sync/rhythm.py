"""When the next round of syncing is due. Pure; in seconds of a clock that never goes back."""

from msgspec import Struct
from msgspec.structs import replace

from player.sync.target import SyncFailure

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
