"""One episode played to its end in the foreground: keys, a progress line, and signals that save the position first."""

import os
import select
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from threading import Timer
from types import FrameType

from player.events import Notice, PlaybackChanged, QuitAsked
from player.model.episode import Episode
from player.model.playback import ACTIVE, Offer, PlaybackState, PlaybackStatus, Severity
from player.playback.outcomes import Outcome, Refused, Why
from player.player import Player
from player.processes.ending import LAST_S, end_by, wakeups
from player.text.durations import clock, parse_time
from player.text.sentences import _
from tui.cli.command import complain
from tui.cli.describe import STATES, position_text
from tui.cli.keyboard import Keyboard
from tui.drawing.cells import cut
from tui.shutdown import ClosedTerminal, say_where_it_plays
from tui.terminal.capabilities import in_foreground, is_terminal

_REDRAW_S = 0.25
_SAVE_S = 0.3
_DETACH_S = 5.0
"""How long handing over to the background player may take, once the terminal is closed and all is saved."""
_ORDERLY_S = 1.7
"""Time to end in after a signal. Then the process is ended, even if libvlc or an unread terminal hangs."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_CLOSED = 128 + signal.SIGHUP
"""The exit code of one whose terminal was closed."""
_BAR_FROM = 72
_BAR = 16
_TITLE_FROM = 12
_HINT = _("space pause · left right seek · , . chapters · [ ] speed · - = volume · q quit")


class Foreground:
    """`run` returns the exit code: 0 at the end or when stopped, 1 after an error, 128 + N for signal N."""

    def __init__(self, player: Player, episode: Episode, *, at_ms: int | None, speed: float | None) -> None:
        self._player = player
        self._session = player.session
        self._episode = episode
        self._at_ms = at_ms
        self._speed = speed
        self._events: deque[PlaybackStatus | Notice | QuitAsked] = deque()
        self._wake: int | None = None
        self._started = False
        self._error: str | None = None
        self._quit: int | None = None
        self._end: Timer | None = None
        self._live = is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb"
        self._reported: tuple[PlaybackState, int] | None = None
        self._waiting: str | None = None
        times = player.settings.playback
        self._jumps = {
            "left": -parse_time(times.seek_back),
            "right": parse_time(times.seek_forward),
            "shift+left": -parse_time(times.seek_back_far),
            "shift+right": parse_time(times.seek_forward_far),
        }

    def run(self) -> int:
        with wakeups() as (woken, wake), self._listening(wake), self._signals_quit(), Keyboard() as keyboard:
            self._player.start()
            playing = self._play()
            # Set after loading, because the podcast may have its own speed.
            if self._speed is not None:
                self._session.set_speed(self._speed)
            if playing is not None:
                self._answer(playing)
            if self._live and keyboard.handle() is not None:
                print(_HINT)
            while (code := self._step()) is None:
                handles = [handle for handle in (woken, keyboard.handle()) if handle is not None]
                ready, _, _ = select.select(handles, [], [], _REDRAW_S if self._live else None)
                if woken in ready:
                    os.read(woken, 4096)
                if len(ready) > (woken in ready):
                    for key in keyboard.read():
                        self._press(key)
                # A parent may keep SIGHUP from this process: a lost terminal counts as one, unless nohup ignores it.
                if keyboard.lost and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
                    self._quit = _CLOSED
            self._session.save_now(_SAVE_S)
            if code == _CLOSED:
                self._detach()
        if self._player.claim.is_gone:
            say_where_it_plays(self._session.status)
        else:
            with suppress(OSError):  # The terminal may be what went away.
                self._print_position(code)
        return code

    # -- inside -----------------------------------------------------------------------------------------------

    def _play(self) -> Future[Outcome] | None:
        """None where it plays already, taken over from the background."""
        status = self._session.status
        same = status.episode is not None and status.episode.id == self._episode.id
        if self._player.claim.arrival is not None and same and self._at_ms is None and status.state in ACTIVE:
            self._on_event(status)
            return None
        return self._session.play(self._episode.id, self._at_ms)

    @contextmanager
    def _listening(self, wake: int) -> Iterator[None]:
        bus, self._wake = self._player.bus, wake
        subscriptions = (
            bus.subscribe(PlaybackChanged, lambda changed: self._on_event(changed.status)),
            bus.subscribe(Notice, self._on_event),
            bus.subscribe(QuitAsked, self._on_event),
        )
        try:
            yield
        finally:
            self._wake = None
            for unsubscribe in subscriptions:
                unsubscribe()

    def _on_event(self, event: PlaybackStatus | Notice | QuitAsked) -> None:
        """In any thread."""
        self._events.append(event)
        if (wake := self._wake) is not None:
            # A full pipe wakes the loop as well; a closed one belongs to a loop that has ended.
            with suppress(OSError):
                os.write(wake, b"\0")

    def _step(self) -> int | None:
        """Handles what has happened since and redraws; returns the exit code once playback is over."""
        code = self._quit
        while self._events and code is None:
            event = self._events.popleft()
            if isinstance(event, QuitAsked):
                code = 0
                continue
            if isinstance(event, Notice):
                code = self._show_notice(event)
                continue
            code = self._exit_code(event)
            if not self._live and self._started:
                self._report(event)
        if self._live and self._started and code is None and in_foreground(sys.stdout.fileno()):
            self._draw(self._session.status)
        return code

    def _exit_code(self, status: PlaybackStatus) -> int | None:
        """The exit code if this status ends playback. Before the episode is opened, it is the previous one's."""
        if status.state in (PlaybackState.OPENING, PlaybackState.PLAYING, PlaybackState.BUFFERING):
            self._started = True
        if status.state in (PlaybackState.ENDED, PlaybackState.STOPPED) and self._started:
            return 0
        if status.state is PlaybackState.ERROR:
            sentence = status.error or _("This can't be played.")
            self._complain(f"{status.episode.title}: {sentence}" if status.episode else sentence)
            return 1
        if status.error and status.error != self._error:
            self._complain(_("{problem} Press space, or run earmark toggle, to resume.", problem=status.error))
        self._error = status.error
        if status.waiting and status.waiting != self._waiting:
            self._complain(_("{problem} Playback resumes automatically.", problem=status.waiting))
        self._waiting = status.waiting
        return None

    def _show_notice(self, notice: Notice) -> int | None:
        """Prints the notice. An error before anything was opened means that nothing will play: exit code 1."""
        if notice.severity is Severity.INFORMATION:
            self._clear_line()
            then = {Offer.RESUME: _("space resumes where you were"), Offer.UNDO_JUMP: _("u returns")}
            print(f"{notice.text} · {then[notice.offer]}" if notice.offer else notice.text, flush=True)
        else:
            self._complain(notice.text)
        return 1 if notice.severity is Severity.ERROR and not self._started else None

    def _complain(self, sentence: str) -> None:
        self._clear_line()
        complain(sentence)

    def _clear_line(self) -> None:
        if self._live:
            sys.stdout.write("\r\x1b[K")
            sys.stdout.flush()

    def _press(self, key: str) -> None:
        session = self._session
        commands: dict[str, Callable[[], Future[Outcome]]] = {
            "space": session.toggle,
            "[": lambda: session.change_speed(-0.1),
            "]": lambda: session.change_speed(0.1),
            "-": lambda: session.change_volume(-5),
            "=": lambda: session.change_volume(5),
            "+": lambda: session.change_volume(5),
            ",": session.previous_chapter,
            ".": session.next_chapter,
            "0": session.restart,
            "u": session.undo_jump,
        }
        if key in self._jumps:
            self._answer(session.seek_by(self._jumps[key]))
        elif key in commands:
            self._answer(commands[key]())
        elif key in ("q", "ctrl+d"):
            self._quit = 0

    def _answer(self, command: Future[Outcome]) -> None:
        """The progress line shows what was done; a refusal is printed as a sentence."""

        def answered(done: Future[Outcome]) -> None:
            match done.result():
                case Refused(why, sentence) if why is not Why.FAILED:
                    self._on_event(Notice(sentence))

        command.add_done_callback(answered)

    def _draw(self, status: PlaybackStatus) -> None:
        width = os.get_terminal_size(sys.stdout.fileno()).columns
        sys.stdout.write(f"\r{progress_line(status.at(time.monotonic()), width - 1)}\x1b[K")
        sys.stdout.flush()

    def _report(self, status: PlaybackStatus) -> None:
        """Prints a line whenever the state or the episode changes."""
        if status.episode is None or status.state is PlaybackState.ERROR:
            return
        if self._reported != (shown := (status.state, status.episode.id)):
            self._reported = shown
            print(state_line(status), flush=True)

    def _print_position(self, code: int) -> None:
        self._clear_line()
        status = self._session.status
        if code != 1 and status.state is not PlaybackState.ENDED and status.episode is not None:
            position = position_text(status.position_ms, status.duration_ms)
            print(
                _("{title}: stopped at {position}. Resume: earmark play", title=status.episode.title, position=position)
            )
        sys.stdout.flush()

    def _detach(self) -> None:
        """What plays goes on in the background, where that is wanted of a closed terminal."""
        if (closed := ClosedTerminal(self._player)).plays_on:
            self._end_by(_DETACH_S)
            closed.detach(_DETACH_S)
            self._end_by(0)

    def _end_by(self, more_s: float, number: int = signal.SIGHUP) -> None:
        """The process ends in any case, so much later than it otherwise would."""
        if self._end is not None:
            self._end.cancel()
        self._end = end_by(more_s + _ORDERLY_S, more_s + LAST_S, number)

    @contextmanager
    def _signals_quit(self) -> Iterator[None]:
        """Signals end the loop, which saves the position; ignored ones (nohup) stay ignored."""

        def note(number: int, _frame: FrameType | None) -> None:
            if self._quit is None:
                self._end_by(0, number)
            self._quit = 128 + number

        before = {number: signal.getsignal(number) for number in _SIGNALS}
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, note)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def progress_line(status: PlaybackStatus, width: int) -> str:
    """Title, position, speed and volume in `width` cells; a bar where there is room for one."""
    episode = status.episode
    title = f"{episode.title} · {episode.podcast}" if episode else ""
    facts = [STATES[status.state]]
    if status.duration_ms and width >= _BAR_FROM:
        filled = min(_BAR, status.position_ms * _BAR // status.duration_ms)
        facts.append("━" * filled + "─" * (_BAR - filled))
    total = clock(status.duration_ms) if status.duration_ms else "?"
    facts.append(f"{clock(status.position_ms)} / {total}")
    for more in (f"{status.speed:g}x", f"{status.volume}%"):
        if len("  ".join([*facts, more])) + 2 + _TITLE_FROM <= width:
            facts.append(more)
    tail = "  ".join(facts)
    room = width - len(tail) - 2
    return f"{cut(title, room)}  {tail}" if room > 0 else cut(tail, width)


def state_line(status: PlaybackStatus) -> str:
    """`Playing: Title · Podcast, at 8:12 of 45:00 (18%)`."""
    title = f"{status.episode.title} · {status.episode.podcast}" if status.episode else ""
    if status.state is PlaybackState.ENDED:
        return f"{STATES[status.state]}: {title}"
    position = position_text(status.position_ms, status.duration_ms)
    return _("{state}: {title}, at {position}", state=STATES[status.state], title=title, position=position)
