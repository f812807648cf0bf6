"""How the app ends on a signal, or when its terminal is lost: in order if it can, and within 2 s in any case.

Python runs a signal's handler between two steps of the main thread, and asyncio's when its loop comes round: neither
happens while that thread waits for something. So a thread of its own is woken by the signal itself.
"""

import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress

log = logging.getLogger(__name__)

_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_ORDERLY_S = 1.2
"""From the signal on: how long the app may take to save, give the terminal back and close."""
LAST_S = 1.9
"""From the signal on: then the system ends the process, whatever still holds it."""
_QUIT_S = 5.0
"""The same for an app that a listener quit. Nothing is lost by then, and nobody should have to kill it."""
_SAVE_S = 1.0
_LOST = 0
"""On the pipe, in place of a signal's number."""
_ENDING = (*_SIGNALS, _LOST)


class Shutdown:
    """One for a process. Until it is installed it does nothing, as for an app inside a test.

    From `install` to `attach` a signal ends the process at once, for nothing is played yet.
    """

    def __init__(self) -> None:
        self._save: Callable[[float], None] | None = None
        self._ask: Callable[[], None] = lambda: None
        self._restore: Callable[[], None] = lambda: None
        self._pipe: tuple[int, int] | None = None
        self._quit: threading.Timer | None = None

    def install(self, restore: Callable[[], None] = lambda: None) -> None:
        """On the main thread, before anything takes long. Child processes get the signals as they always do.

        `restore` gives the terminal back, until `attach` says how.
        """
        self._restore = restore
        reader, writer = self._pipe = os.pipe()
        os.set_blocking(writer, False)
        threading.Thread(target=self._run, args=(reader,), name="earmark-shutdown", daemon=True).start()
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in _SIGNALS:
            signal.signal(number, lambda *_: None)  # what counts is that the number is written to the pipe

    def attach(self, *, save: Callable[[float], None], ask: Callable[[], None], restore: Callable[[], None]) -> None:
        """`ask` makes the app end soon, without waiting; `save` writes the position and returns within that many
        seconds; `restore` gives the terminal back, and is called only when the app didn't end by itself.
        """
        if self._quit is not None:  # a damaged library: the app opens once more
            self._quit.cancel()
            signal.setitimer(signal.ITIMER_REAL, 0)
        self._ask, self._restore, self._save = ask, restore, save

    def terminal_lost(self) -> None:
        """Ends the app. May be called from any thread, more than once."""
        if self._pipe is not None:
            with suppress(BlockingIOError):
                os.write(self._pipe[1], bytes([_LOST]))

    def quitting(self) -> None:
        """The app ends by itself; should it hang, it is ended."""
        if self._pipe is not None:
            self._quit = self._end_by(_QUIT_S, _QUIT_S + LAST_S - _ORDERLY_S, signal.SIGTERM)

    # -- inside -----------------------------------------------------------------------------------------------

    def _run(self, reader: int) -> None:
        started = False
        while numbers := os.read(reader, 64):
            for number in numbers:
                # A closed terminal comes as a signal, as the end of input, or as both.
                if number in _ENDING and not started:
                    started = True
                    self._begin(number)

    def _begin(self, number: int) -> None:
        if self._save is None:
            self._restore()
            os._exit(128 + number)
        self._end_by(_ORDERLY_S, LAST_S, number)
        self._ask()
        log.info("ending: %s", signal.Signals(number).name if number else "the terminal is gone")
        self._save(_SAVE_S)

    def _end_by(self, orderly_s: float, last_s: float, number: int) -> threading.Timer:
        return end_by(orderly_s, last_s, number or signal.SIGHUP, lambda: self._restore())


def end_by(orderly_s: float, last_s: float, number: int, restore: Callable[[], None] = lambda: None) -> threading.Timer:
    """Ends the process after `orderly_s`, unless it has ended by itself: `restore` gives the terminal back. After
    `last_s` the system ends it. In a signal's handler as well; `number` is the signal that it ends by."""
    signal.setitimer(signal.ITIMER_REAL, last_s)  # SIGALRM, which nobody takes
    timer = threading.Timer(orderly_s, _leave, (number, restore))
    timer.daemon = True
    timer.start()
    return timer


def _leave(number: int, restore: Callable[[], None]) -> None:
    """Whatever is still open is closed by the system; the library stands that, as it stands a crash."""
    log.warning("ended without waiting for what was still at work:\n%s", _stacks())
    with suppress(Exception):
        restore()
    os._exit(128 + number)


def _stacks() -> str:
    """Where each thread is, for whoever reads the log."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return "\n".join(
        f"{names.get(thread, thread)}:\n{''.join(traceback.format_stack(frame))}"
        for thread, frame in sys._current_frames().items()
    )
