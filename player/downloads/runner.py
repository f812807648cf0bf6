"""The thread that begins downloads when it is their turn, looks how far they are, and deals with their ends."""

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from player.downloads import retries
from player.downloads.attempt import Attempt
from player.downloads.making import FileMaker
from player.downloads.outcomes import Outcomes
from player.downloads.retries import NetworkSeen
from player.downloads.rows import Row, Rows
from player.events import Bus
from player.model.downloads import DownloadProgress, DownloadQueueChanged, DownloadsProgress, DownloadState
from player.model.episode import EpisodeId

log = logging.getLogger(__name__)

TICK_S = 0.3
"""How often progress is looked at."""


class Runner:
    """`paused` (by the listener) and `held` (nothing is to be fetched) are changed with the lock held; then
    `look_again` is called."""

    def __init__(
        self,
        bus: Bus,
        maker: FileMaker,
        outcomes: Outcomes,
        rows: Rows,
        changed: threading.Condition,
        at_once: int,
        reload: Callable[[Callable[[], None]], None],
    ) -> None:
        """`changed` is the lock over `rows`; `reload` renews them from the library, and calls what it is given first,
        with the lock held."""
        self.paused = self.held = self.closed = False
        self._bus = bus
        self._maker = maker
        self._outcomes = outcomes
        self._rows = rows
        self._changed = changed
        self.at_once = at_once
        self._reload = reload
        self._telling = threading.RLock()
        """Held while progress is published, so that none is after an end."""
        self._attempts: dict[EpisodeId, Attempt] = {}
        """Those that haven't ended, also of episodes that were taken out of the queue."""
        self._network_seen = NetworkSeen()
        self._thread = threading.Thread(target=self._run, name="earmark-downloads", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def look_again(self) -> None:
        """The queue is other than before."""
        with self._changed:
            stops = self.paused or self.held
            running = list(self._attempts.values())
            self._changed.notify_all()
        for attempt in running if stops else ():
            attempt.stop()
        self._bus.publish(DownloadQueueChanged())

    def close(self, timeout_s: float) -> None:
        with self._changed:
            self.closed = True
            attempts = list(self._attempts.values())
            self._changed.notify_all()
        for attempt in attempts:
            attempt.stop()
        for attempt in attempts:
            attempt.join(timeout_s / len(attempts))

    # -- inside -----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self.closed:
            try:
                for row in self._begin():
                    self._bus.publish(DownloadProgress(row.queued.episode_id, None, row.cause))
                    self._bus.publish(DownloadQueueChanged())
                    if row.attempt:
                        row.attempt.start()
                self._tell_progress()
            except Exception:
                log.exception("the downloads' thread met an error")
            with self._changed:
                if not self.closed:
                    self._changed.wait(self._pause_s())

    def _begin(self) -> list[Row]:
        # A disk may keep those waiting who ask it for its room.
        with self._changed:
            cramped = [row for row in self._rows if row.needs]
        no_room = [row for row in cramped if not self._maker.has_room(row.needs)]
        begun: list[Row] = []
        with self._changed:
            if self.paused or self.held or self.closed:
                return []
            now = datetime.now(UTC)
            for row in self._rows:
                if len(self._attempts) >= self.at_once:
                    break
                one = row.queued.episode_id
                if row.is_due(now) and one not in self._attempts and row not in no_room:
                    attempt = Attempt(self._maker, row.queued, row.episode, partial(self._ended, row))
                    self._attempts[one] = row.attempt = attempt
                    begun.append(row)
        return begun

    def _pause_s(self) -> float | None:
        """Until there is something to do; None: until something changes. With the lock held."""
        if self._attempts:
            return TICK_S
        if self.paused or self.held:
            return None
        now = datetime.now(UTC)
        waits = [
            max(retries.wait_s(row.queued.retry_at, now), retries.ROOM_S / 10 if row.needs else 0.0)
            for row in self._rows
            if row.queued.retry_at is not None and row.state is DownloadState.WAITING
        ]
        return max(TICK_S, min(waits)) if waits else None

    def _tell_progress(self) -> None:
        with self._changed:
            running = [(row, row.attempt) for row in self._rows.running if row.attempt]
        told = False
        for row, attempt in running:
            progress = attempt.look()
            with self._telling:
                if attempt.over:
                    continue
                if progress.done != row.progress.done:
                    self._network_seen.now()
                if progress != row.progress:
                    row.progress, told = progress, True
                    self._bus.publish(DownloadProgress(attempt.episode.id, progress.part, row.cause, progress))
                self._outcomes.waits(row, attempt.trouble)
        if told:
            with self._changed:
                together = self._rows.progress()
            self._bus.publish(DownloadsProgress(together, len(running)))

    def _ended(self, row: Row, attempt: Attempt) -> None:
        """On the attempt's thread."""
        verdict = self._outcomes.write(row, attempt, network_seen=self._network_seen.lately)

        def over() -> None:
            row.attempt, row.progress = None, attempt.look()
            if attempt.error is None:
                self._rows.finished(row)

        with self._telling:
            if verdict is not None or attempt.error is None:
                self._reload(over)
            else:
                with self._changed:
                    over()
        with self._changed:
            self._attempts.pop(attempt.episode.id, None)
            self._changed.notify_all()
        if not self.closed:
            self._outcomes.tell(row, attempt, verdict)
            self._bus.publish(DownloadQueueChanged())
