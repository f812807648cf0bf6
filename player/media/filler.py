"""The thread that brings missing bytes, one gap after the other."""

import logging
import threading
from typing import Protocol

from player.errors import MediaError
from player.media.failures import Failure, Kind, disk_error, page_failure
from player.media.fetcher import Answer, Line, Wanted
from player.media.formats import is_page

log = logging.getLogger(__name__)

PAUSES_S = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)


class Desk(Protocol):
    """Who hands out the work and takes the bytes. All of it is called on the filler's thread."""

    @property
    def heard(self) -> bool:
        """Whether any bytes came since the episode was opened."""
        ...

    def next_gap(self, filler: "Filler") -> Wanted | None: ...

    def accept(self, filler: "Filler", answer: Answer) -> None:
        """Raises Failure when the answer is of another file than the one that is kept."""
        ...

    def take(self, filler: "Filler", offset: int, data: bytes) -> int:
        """Keeps the bytes; returns how many of them are new. Raises Failure (another file), OSError (the disk)."""
        ...

    def ended(self, filler: "Filler", answer: Answer, end: int) -> None:
        """A body came to its end: where a server told no length, this is it."""
        ...

    def expired(self) -> None:
        """Redirects are to be followed afresh."""
        ...

    def done(self, filler: "Filler", error: MediaError | None) -> None:
        """The last call."""
        ...


def pause_before(attempt: int, kind: Kind, *, heard: bool) -> float | None:
    """Seconds to wait before trying again for the `attempt`-th time (0 is the first); None: give up.

    A server that never answered since the episode was opened is told of at once: the listener has just pressed play.
    """
    if kind is Kind.FINAL or (kind is Kind.UNREACHABLE and not heard):
        return None
    return PAUSES_S[attempt] if attempt < len(PAUSES_S) else None


class Filler(threading.Thread):
    """Fetches what its desk hands out until there is nothing more, it fails, or `stop` is called."""

    def __init__(self, desk: Desk, start_at: int, end_at: int | None = None) -> None:
        """`start_at` is where it goes first; with `end_at` it is for that part alone."""
        super().__init__(name="earmark-fetch", daemon=True)
        self.start_at = start_at
        self.end_at = end_at
        self.position: int | None = None
        """Where the next byte will stand; None while no answer is there."""
        self._desk = desk
        self._line = Line()
        self._stopped = threading.Event()
        self._taken = 0

    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        """Ends the thread soon; returns at once."""
        self._stopped.set()
        self._line.hang_up()

    def run(self) -> None:
        error: MediaError | None = None
        try:
            self._work()
        except Failure as failure:
            error = failure.error
        except OSError as failure:
            log.warning("the cache can't be written to: %s", failure)
            error = disk_error(failure)
        except Exception:
            log.exception("fetching failed")
            error = MediaError("Something went wrong inside Earmark while fetching", "The log tells more.")
        finally:
            self._line.close()
            self._desk.done(self, None if self.is_stopped() else error)

    def _work(self) -> None:
        attempt = 0
        while not self.is_stopped() and (wanted := self._desk.next_gap(self)):
            before = self._taken
            try:
                self._fetch(wanted)
                if self._taken == before and not self.is_stopped():
                    raise Failure(Kind.DROPPED, "The server sends nothing of the episode")
                attempt = 0
            except Failure as failure:
                if self.is_stopped():
                    return
                if failure.kind is Kind.EXPIRED:
                    self._desk.expired()
                    continue
                attempt = 0 if self._taken > before else attempt
                pause = pause_before(attempt, failure.kind, heard=self._desk.heard)
                if pause is None:
                    raise
                log.info("fetching goes on in %.1f s: %s", pause, failure)
                attempt += 1
                self.position = None
                self._stopped.wait(pause)

    def _fetch(self, wanted: Wanted) -> None:
        self.start_at = wanted.start if self.end_at is None else self.start_at
        with self._line.ask(wanted) as (answer, body):
            first = next(body, b"")
            if answer.start == 0 and is_page(answer.content_type, first):
                raise page_failure(answer.origin.resolved or wanted.url)
            self._desk.accept(self, answer)
            self.position = answer.start
            self._take(first)
            for data in body:
                if self.is_stopped():
                    return
                self._take(data)
            self._desk.ended(self, answer, self.position)

    def _take(self, data: bytes) -> None:
        if data and self.position is not None:
            self._taken += self._desk.take(self, self.position, data)
            self.position += len(data)
