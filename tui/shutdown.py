"""Ends the app on a signal, or when its terminal is lost: in an orderly way if possible, and within 2 s in any case.

Python runs signal handlers between two instructions of the main thread, and asyncio runs its own in the event loop:
neither happens while the main thread is blocked. So the signal itself wakes a separate thread (`signal.set_wakeup_fd`).
"""

import logging
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from player.processes.ending import LAST_S, end_by
from player.text.cleaning import clean_line
from player.text.sentences import _

if TYPE_CHECKING:
    from player.model.playback import PlaybackStatus
    from player.player import Player

log = logging.getLogger(__name__)

_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_ORDERLY_S = 1.2
"""How long after the signal the app may take to save, restore the terminal and close."""
_QUIT_S = 5.0
"""The same after the listener quits. Everything is saved by then; this ends an app that hangs, which the listener would
otherwise have to kill."""
_SAVE_S = 1.0
_DETACH_S = 5.0
"""How long handing over to the background player may take, once the terminal is gone and the position is saved."""
_TITLE = 60
"""The number of characters of a title in the sentence."""
_LOST = 0
"""Stands for a lost terminal on the pipe, in place of a signal's number."""
AGAIN = 75
"""The exit code of an app that is to be started again (EX_TEMPFAIL of sysexits.h)."""
_ENDING = (*_SIGNALS, _LOST)
_CLOSED = (signal.SIGHUP, _LOST)
"""The numbers that mean that the terminal was closed."""


def say_where_it_plays(status: "PlaybackStatus") -> None:
    """Prints to the restored terminal that the sound plays on in the background."""
    title = clean_line(status.episode.title, _TITLE) if status.episode else ""
    with suppress(OSError):  # the terminal may be gone
        print(
            _("“{title}” plays on in the background. Open Earmark to take it back.", title=title),
            _("Control it with: earmark toggle, earmark seek +30, earmark quit"),
            sep="\n",
            flush=True,
        )


class ClosedTerminal:
    """What happens to the sound when the terminal is closed. Methods may be called from any thread."""

    def __init__(self, player: "Player") -> None:
        self._player = player

    @property
    def plays_on(self) -> bool:
        """Whether the listener wants the sound to play on in the background, or handing it over has begun."""
        from player.model.playback import ACTIVE  # the last screen of before is shown without it

        wanted = self._player.settings.background.on_close == "detach" and self._player.status.state in ACTIVE
        return wanted or self._player.claim.is_going

    def detach(self, timeout_s: float) -> None:
        from player.background.launching import Detaching

        if (problem := Detaching(self._player).run(timeout_s)) is not None:
            log.warning("what played ends with the app: %s", problem)


class Shutdown:
    """One object per process. Until `install` is called it does nothing, as in tests of the app.

    Between `install` and `attach`, a signal ends the process at once, because nothing is playing yet.
    """

    def __init__(self) -> None:
        self._save: Callable[[float], None] | None = None
        self._ask: Callable[[], None] = lambda: None
        self._restore: Callable[[], None] = lambda: None
        self._closed: ClosedTerminal | None = None
        self._attaching = threading.Lock()
        """Held while a signal ends the process at once, so that the app doesn't take over the terminal meanwhile."""
        self._pipe: tuple[int, int] | None = None
        self._quit: threading.Timer | None = None

    def install(self, restore: Callable[[], None] = lambda: None) -> None:
        """Call this on the main thread, before any slow work. Child processes handle signals as usual.

        `restore` gives the terminal back, until `attach` replaces it.
        """
        self._restore = restore
        reader, writer = self._pipe = os.pipe()
        os.set_blocking(writer, False)
        threading.Thread(target=self._run, args=(reader,), name="earmark-shutdown", daemon=True).start()
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in _SIGNALS:
            signal.signal(number, lambda *_: None)  # Python writes the number to the pipe

    def attach(
        self,
        *,
        save: Callable[[float], None],
        ask: Callable[[], None],
        restore: Callable[[], None],
        closed: "ClosedTerminal | None" = None,
    ) -> None:
        """`ask` makes the app end soon, without waiting; `save` writes the position, and returns within the given
        number of seconds; `restore` gives the terminal back, and is called only if the app doesn't end by itself.
        `closed` decides whether the sound plays on after the terminal is closed."""
        if self._quit is not None:  # the library was damaged, and the app runs a second time
            self._quit.cancel()
            signal.setitimer(signal.ITIMER_REAL, 0)
        with self._attaching:
            self._ask, self._restore, self._save = ask, restore, save
            self._closed = closed

    def terminal_lost(self) -> None:
        """Ends the app. May be called from any thread, more than once."""
        if self._pipe is not None:
            with suppress(BlockingIOError):
                os.write(self._pipe[1], bytes([_LOST]))

    def quitting(self) -> None:
        """The app is ending by itself; if it hangs, the process is ended."""
        if self._pipe is not None:
            self._quit = self._end_by(_QUIT_S, _QUIT_S + LAST_S - _ORDERLY_S, signal.SIGTERM)

    # -- internals --------------------------------------------------------------------------------------------

    def _run(self, reader: int) -> None:
        started = False
        while numbers := os.read(reader, 64):
            for number in numbers:
                # A closed terminal is reported as a signal, as the end of input, or as both.
                if number in _ENDING and not started:
                    started = True
                    self._begin(number)

    def _begin(self, number: int) -> None:
        with self._attaching:
            if self._save is None:
                self._restore()
                os._exit(128 + number)
        if number in _CLOSED and self._closed is not None and self._closed.plays_on:
            self._detach_first(number, self._save, self._closed)
        self._end_by(_ORDERLY_S, LAST_S, number)
        self._ask()
        log.info("ending: %s", signal.Signals(number).name if number else "the terminal is gone")
        self._save(_SAVE_S)

    def _detach_first(self, number: int, save: Callable[[float], None], closed: "ClosedTerminal") -> None:
        """Saves at once, then hands the sound over to the background player, for a limited time."""
        longest_s = _SAVE_S + _DETACH_S
        end = self._end_by(longest_s + _ORDERLY_S, longest_s + LAST_S, number)
        log.info("the terminal is closed: what plays is handed over")
        save(_SAVE_S)
        try:
            closed.detach(_DETACH_S)
        except Exception:
            log.exception("what played can't be handed over")
        end.cancel()

    def _end_by(self, orderly_s: float, last_s: float, number: int) -> threading.Timer:
        return end_by(orderly_s, last_s, number or signal.SIGHUP, lambda: self._restore())
