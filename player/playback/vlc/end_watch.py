"""Makes libvlc notice at once that the last sample has been played."""

import logging
from collections.abc import Callable
from threading import Event, Thread

log = logging.getLogger(__name__)

_EVERY_S = 0.01


class EndWatch:
    """Sends libvlc commands that change nothing, so that it notices the end of playback sooner.

    Once it has read the last byte, libvlc 3 only checks every 0.1 s whether all was played (input.c, INPUT_IDLE_SLEEP),
    which is silence before the next episode; any command makes it check at once. `order` sends one. Measured at the
    sink of a sound server, between two episodes: 0.03 to 0.09 s of silence instead of 0.09 to 0.15 s, of which 0.04 to
    0.07 s are silence that MP3 and AAC files themselves have at both ends.
    """

    def __init__(self, order: Callable[[], None]) -> None:
        self._order = order
        self._over = Event()
        self._thread: Thread | None = None

    def begin(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="earmark-end", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """No command is sent after this."""
        thread, self._thread = self._thread, None
        if thread:
            self._over.set()
            thread.join()
            self._over.clear()

    def _run(self) -> None:
        while not self._over.wait(_EVERY_S):
            try:
                self._order()
            except Exception:
                log.exception("libvlc takes no orders near the end")
                return
