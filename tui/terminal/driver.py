"""The terminal driver: Textual's driver for Linux and macOS, made robust against terminals that stop reading or
disappear.

Textual's driver blocks while a terminal doesn't read, forever if it was closed, and keeps reading from a closed one.
This driver never blocks, reports when the terminal is lost, and redraws everything when a terminal reads again. It also
writes less.
"""

import logging
import os
import select
import signal
import termios
import tty
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import ceil
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from textual import constants, events
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.message import Message
from textual.messages import TerminalSupportsSynchronizedOutput

from tui.terminal.anchors import anchored
from tui.terminal.bidi import orders
from tui.terminal.capabilities import ASK_GROUND, in_foreground
from tui.terminal.input import FOLLOW, UNFOLLOW, TerminalAnswer, TerminalGround, TerminalInput
from tui.terminal.output import TerminalOutput
from tui.terminal.style_codes import fewer

log = logging.getLogger(__name__)

_PUSH_KEYS, _POP_KEYS = ("", "") if constants.DISABLE_KITTY_KEY else ("\x1b[>25u", "\x1b[<u")
"""Pushes kitty's keyboard protocol on top of the previous mode: unambiguous escape codes, all keys, with their text."""
_MODES = f"\x1b[?25l\x1b[?1004h{_PUSH_KEYS}\x1b[?2004h\x1b[?7l"
"""Hides the cursor, turns on focus reports, the keyboard protocol and bracketed paste, and turns off wrapping of long
lines."""
_ENTER = f"\x1b[?1049h{_MODES}"
"""The same on the alternate screen, which is cleared."""
_LEAVE = (
    "\x1b[0m\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1016l\x1b[?1006l\x1b[?1015l\x1b[?1003l\x1b[?1000l"
    f"{_POP_KEYS}\x1b[?1049l\x1b[?25h\x1b[?1004l"
)
"""Undoes these modes, and the modes that are set only in terminals that report support for them.

The keyboard mode is reset before leaving the alternate screen, because each screen of a terminal has its own.
"""
_READ_S = 0.1
"""How often the reading thread checks whether it should end."""
_READ = 4096
_LOGGED = 200
_MOST_COLUMNS, _MOST_ROWS = 1_000, 500
"""A terminal may claim 65,535 columns and rows, for which the cells would take 20 GB."""
_NEWEST_COUNTS = (
    events.MouseMove,
    (events.AppFocus, events.AppBlur),
    TerminalGround,
    events.Resize,
    TerminalSupportsSynchronizedOutput,
)
_REPORTS = (events.MouseEvent, events.AppFocus, events.AppBlur, TerminalGround, events.Resize)
_MOST_WAITING = 50
"""The most mouse events (clicks, turns of the wheel) that wait if a terminal sends more than the app can handle."""
_PATIENCE_S = 0.5


class TerminalDriver(LinuxDriver):
    """`lost` is called once, on any thread, when the terminal is gone.

    `farewell`, called on any thread, returns what to write before the terminal is given back. `adopt` returns the
    terminal's attributes from before the start changed them; `covered`: the start has drawn something that stays until
    the first frame. `typed` is the input that was read from the terminal before.

    `answered` is called, on the reading thread, with each answer to a query; `drawn_anew` when the contents of the
    screen may be lost, just before the whole screen is drawn again. `follows_ground`: the terminal is asked for its
    background, and to report changes; nothing waits for an answer.
    """

    lost: Callable[[], None] = staticmethod(lambda: None)
    farewell: Callable[[], str] = staticmethod(lambda: "")
    adopt: Callable[[], list[Any] | None] = staticmethod(lambda: None)
    answered: Callable[[str], None] = staticmethod(lambda _answer: None)
    drawn_anew: Callable[[], None] = staticmethod(lambda: None)
    follows_ground = False
    covered = False
    typed = b""

    def __init__(self, app: Any, **more: Any) -> None:
        super().__init__(app, **more)
        self._output: TerminalOutput | None = None
        self._suspended = False
        self._sent = Size(0, 0)
        self._waiting: deque[Message] = deque()
        self._guard = Lock()
        self._handing_on, self._handed_on_at = False, 0.0
        self._reorders = False
        self._rows_taken = 0
        self._explicit, self._implicit = orders(os.environ)

    # -- output -----------------------------------------------------------------------------------------------

    def reordered(self) -> None:
        """Call this before writing text that Earmark has reordered, so that the terminal doesn't reorder it again."""
        if not self._reorders:
            self._reorders = True
            self.write(self._explicit)

    def take_rows(self, rows: int) -> None:
        """Keeps the last rows of the terminal from the app's screens. Call this before the start."""
        self._rows_taken = rows
        self._size = self._get_terminal_size()

    def _get_terminal_size(self) -> tuple[int, int]:
        """The terminal knows it, whatever COLUMNS and LINES a shell once exported: those don't follow its window. A
        terminal may have no size; then they count."""
        columns = rows = 0
        with suppress(OSError):
            columns, rows = os.get_terminal_size(self.fileno)
        if not (columns and rows):
            columns, rows = super()._get_terminal_size()
        return columns, max(1, rows - self._rows_taken)

    def write(self, data: str) -> None:
        if self._output is not None:
            self._output.write(anchored(fewer(data)))

    def _redraw(self) -> None:
        """May be called from any thread."""
        with suppress(RuntimeError):  # the event loop has ended
            self._loop.call_soon_threadsafe(self._refresh_screen)

    def _refresh_screen(self) -> None:
        self.drawn_anew()
        if self._app.screen_stack:
            self._app.screen.refresh()

    def follow_ground(self, follows: bool) -> None:
        """Asks for the terminal's background and for reports of changes, or ends these reports."""
        if follows:
            self._ask_ground()
        elif self.follows_ground:
            self.write(UNFOLLOW)
        self.follows_ground = follows

    def _ask_ground(self) -> None:
        self.write(ASK_GROUND + FOLLOW)

    # -- starting and stopping --------------------------------------------------------------------------------

    def start_application_mode(self) -> None:
        """Takes over the terminal.

        If Earmark is a background job, the system stops the process here until it is in the foreground.
        """
        adopted = self.adopt()
        with suppress(termios.error):
            self.attrs_before = adopted or termios.tcgetattr(self.fileno)
        self._set_raw()
        assert self._file is not None, "the app is only opened where it can draw"
        self._output = TerminalOutput(self._file.fileno(), lost=self._lose, caught_up=self._redraw)
        self._output.start()
        self._suspended = False
        signal.signal(signal.SIGWINCH, self._resized)
        self._send_size()
        self.write((_MODES if adopted and self.covered else _ENTER) + self._explicit * self._reorders)
        self._key_thread = Thread(target=self._run_input_thread, name="textual-input", daemon=True)
        self._key_thread.start()
        self._request_terminal_sync_mode_support()
        if self.follows_ground:
            self._ask_ground()
        # Last: iTerm 3.5.0 forgets the mouse modes when a query follows them.
        self._enable_mouse_support()
        if self._must_signal_resume:
            self._must_signal_resume = False
            self.send_message(self.SignalResume())

    def disable_input(self) -> None:
        if self._key_thread is not None and not self.exit_event.is_set():
            signal.signal(signal.SIGWINCH, signal.SIG_DFL)
            self.exit_event.set()
            self._key_thread.join(2 * _READ_S)
            self._key_thread = None
            self.exit_event = Event()
            if in_foreground(self.fileno):
                with suppress(termios.error):
                    termios.tcflush(self.fileno, termios.TCIFLUSH)

    def stop_application_mode(self) -> None:
        self.disable_input()
        self.restore()

    def close(self) -> None:
        """Does nothing: `stop_application_mode` has written everything."""

    def restore(self) -> None:
        """Restores the terminal, within 0.6 s even if it doesn't read. May be called from any thread."""
        output, self._output = self._output, None
        # If the shell is in the foreground again, it has set the attributes that it needs.
        if self.attrs_before is not None and in_foreground(self.fileno):
            with suppress(termios.error):
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
        if output is not None:
            undone = UNFOLLOW * self.follows_ground + self._implicit * self._reorders
            output.finish(undone + self.farewell() + _LEAVE)

    def _set_raw(self) -> None:
        with suppress(termios.error):
            raw = termios.tcgetattr(self.fileno)
            raw[tty.LFLAG] = self._patch_lflag(raw[tty.LFLAG])
            raw[tty.IFLAG] = self._patch_iflag(raw[tty.IFLAG])
            raw[tty.CC][termios.VMIN] = 1
            termios.tcsetattr(self.fileno, termios.TCSANOW, raw)

    def _resized(self, *_: object) -> None:
        """A signal handler. It doesn't read the size itself: the next signal may interrupt it anywhere, so that an
        older size could be sent after a newer one."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._send_size)

    def _send_size(self) -> None:
        columns, rows = self._get_terminal_size()
        size = Size(min(columns, _MOST_COLUMNS), min(rows, _MOST_ROWS))
        if size == self._sent:  # it had another size meanwhile, and may have cut off what it shows
            self._redraw()
        self._sent = size
        self.send_message(events.Resize(size, size))

    def _lose(self) -> None:
        self.lost()

    # -- SIGTSTP and SIGCONT ----------------------------------------------------------------------------------

    def _sigtstp_application(self, *_: object) -> None:
        if self._auto_restart and self._output is not None:
            self._suspended = True
            self._must_signal_resume = True
            self.stop_application_mode()
        os.kill(os.getpid(), signal.SIGSTOP)

    def _sigcont_application(self, *_: object) -> None:
        """Takes the terminal over again after ctrl+z, or after a stop without a warning (SIGSTOP). Other programs may
        have drawn on it meanwhile."""
        if self._suspended:
            self.start_application_mode()
        elif self._output is not None:
            self._set_raw()
            self.write(_POP_KEYS + _ENTER + self._explicit * self._reorders)
            self._enable_mouse_support()
        self._redraw()

    # -- input ------------------------------------------------------------------------------------------------

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except Exception as error:
            log.exception("the terminal can't be read any more")
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._app._handle_exception, error)

    def run_input_thread(self) -> None:
        """Reads until `exit_event` is set or the terminal is closed."""
        ending = self.exit_event
        parser = TerminalInput()
        decode = getincrementaldecoder("utf-8")("replace").decode
        poll = select.poll()
        poll.register(self.fileno, select.POLLIN)
        early, self.typed = self.typed, b""
        while not ending.is_set():
            wait_s = _READ_S if parser.wait_s is None else parser.wait_s
            if early or poll.poll(ceil(wait_s * 1000)):
                data, early = early or self._read(), b""
                if not data:
                    self._lose()
                    return
                parser = self._take(parser, decode(data))
            else:
                parser = self._take(parser, "")

    def _take(self, parser: TerminalInput, text: str) -> TerminalInput:
        """Parses input, and returns the parser to continue with. No input can end the app or this thread: after an
        error a new parser takes over."""
        try:
            for message in parser.feed(text) if text else parser.tick():
                if isinstance(message, TerminalAnswer):
                    self.answered(message.text)
                else:
                    self.process_message(message)
        except Exception:
            log.exception("what the terminal sent can't be read: %r", text[:_LOGGED])
            return TerminalInput()
        return parser

    def send_message(self, message: Message) -> None:
        """Sends a message to the app; may be called from any thread. A report waits until the app has handled the
        previous one. Meanwhile a newer report replaces a waiting one of its kind, and only a limited number of mouse
        events wait. If the app doesn't confirm within `_PATIENCE_S` (Textual drops calls while no screen is open), the
        next message is sent anyway."""
        kind = next((kind for kind in _NEWEST_COUNTS if isinstance(message, kind)), None)
        with self._guard:
            for older in [one for one in self._waiting if kind is not None and isinstance(one, kind)]:
                self._waiting.remove(older)
            if not isinstance(message, events.MouseEvent) or len(self._waiting) < _MOST_WAITING:
                self._waiting.append(message)
            if self._handing_on and monotonic() - self._handed_on_at < _PATIENCE_S:
                return
            self._handing_on, self._handed_on_at = True, monotonic()
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._hand_on)

    def _hand_on(self) -> None:
        while True:
            with self._guard:
                if not self._waiting:
                    self._handing_on = False
                    return
                message = self._waiting.popleft()
                self._handed_on_at = monotonic()
            self._app.post_message(message)
            if isinstance(message, _REPORTS) and self._app.call_later(self._hand_on):
                return

    def _read(self) -> bytes:
        """Returns b"" if the terminal is closed, or no longer belongs to this process (EIO)."""
        try:
            return os.read(self.fileno, _READ)
        except OSError:
            return b""
