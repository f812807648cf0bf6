"""Signals: ending this process whatever hangs, and waking a loop that waits."""

import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

log = logging.getLogger(__name__)

LAST_S = 1.9
"""Seconds from the signal on: then the system ends the process, whatever still holds it."""


def end_by(orderly_s: float, last_s: float, number: int, restore: Callable[[], None] = lambda: None) -> threading.Timer:
    """Ends the process after `orderly_s`, unless it has ended by itself: `restore` gives the terminal back. After
    `last_s` the system ends it. May be called in a signal handler; `number` is the signal that the process then ends
    by."""
    signal.setitimer(signal.ITIMER_REAL, last_s)  # SIGALRM, for which there is no handler
    timer = threading.Timer(orderly_s, _leave, (number, restore))
    timer.daemon = True
    timer.start()
    return timer


def _leave(number: int, restore: Callable[[], None]) -> None:
    """The system closes everything that is still open; the library survives that, like a crash."""
    log.warning("ended without waiting for what was still at work:\n%s", _stacks())
    with suppress(Exception):
        restore()
    os._exit(128 + number)


def _stacks() -> str:
    """The stack of each thread, for the log."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return "\n".join(
        f"{names.get(thread, thread)}:\n{''.join(traceback.format_stack(frame))}"
        for thread, frame in sys._current_frames().items()
    )


@contextmanager
def wakeups() -> Iterator[tuple[int, int]]:
    """A pipe that signals and other threads write to, so that waiting ends at once."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield reader, writer
    finally:
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)
