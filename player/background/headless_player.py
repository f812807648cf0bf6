"""A player opened without a screen and without a terminal: what it opens, what it plays, and when it ends."""

from __future__ import annotations

import logging
import os
import select
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Protocol

from msgspec import Struct

from player.automatic import AutomaticRefresh, NotifiesElsewhere
from player.background.report_lines import Idle, line_of, problem_of
from player.errors import EarmarkError
from player.events import Notice, PlaybackChanged, PodcastRefreshed, QuitAsked, Seeked, SettingsChanged
from player.library import Library
from player.model.episode import EpisodeId
from player.model.playback import ACTIVE, PlaybackState, PlaybackStatus, Severity
from player.model.podcast import WELCOME_URL
from player.playback.outcomes import Outcome, Refused, Why
from player.player import Player
from player.processes.ending import LAST_S, end_by, wakeups
from player.settings import ends_after_s
from player.text.durations import clock
from player.text.sentences import _, plural


class Beginning(Protocol):
    """The first thing that `Headless` does. Another implementation may take over from a running Earmark."""

    def open(self, player: Player) -> None:
        """Takes the lock and opens the library. Raises AlreadyRunning, LibraryError, or another error that keeps the
        player from starting; then nothing is held."""
        ...

    def play(self, player: Player) -> Future[Outcome] | None:
        """Called once the player has been started; None if it waits to be told what to play."""
        ...


class Waiting:
    """Nothing plays until a command asks for it."""

    def open(self, player: Player) -> None:
        player.open()

    def play(self, _player: Player) -> Future[Outcome] | None:
        return None


class Playing:
    """An episode that `choose` finds in the library; `open` raises the exceptions of `choose`."""

    def __init__(
        self, choose: Callable[[Library], EpisodeId], *, at_ms: int | None = None, speed: float | None = None
    ) -> None:
        self._choose = choose
        self._at_ms = at_ms
        self._speed = speed
        self._episode_id: EpisodeId | None = None

    def open(self, player: Player) -> None:
        player.open()
        try:
            self._episode_id = self._choose(player.library)
        except BaseException:
            player.close()
            raise

    def play(self, player: Player) -> Future[Outcome] | None:
        if self._episode_id is None:
            return None
        playing = player.session.play(self._episode_id, self._at_ms)
        if self._speed is not None:  # after loading, because the podcast may have its own speed
            player.session.set_speed(self._speed)
        return playing


class TakingOver:
    """Continues the sound of another Earmark; if that has ended, from the position that it last saved. `word`: the word
    that the other Earmark expects from the process that it has started."""

    def __init__(self, word: str) -> None:
        self._word = word

    def open(self, player: Player) -> None:
        player.claim.word = self._word
        player.open()

    def play(self, player: Player) -> Future[Outcome] | None:
        return None if player.claim.arrival is not None else player.session.resume()


log = logging.getLogger(__name__)

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SAVE_S = 0.3
_ORDERLY_S = 1.7
"""Seconds for an orderly end after a signal. After that the process is ended, even if something hangs."""
_BUSY_S = 5.0
"""Seconds between checks whether downloads and refreshes have ended, once nothing else keeps the player running."""
_AT_REST = (PlaybackState.PAUSED, PlaybackState.STOPPED, PlaybackState.ENDED)
_NO_POSITION = (PlaybackState.STOPPED, PlaybackState.ENDED)

_Event = PlaybackStatus | Notice | Seeked | PodcastRefreshed | QuitAsked | Refused


class Begun(Struct, frozen=True):
    """The outcome of the start. `problem`: the sentence that says why nothing plays; None if something plays, or if it
    waits to be told what to play."""

    status: PlaybackStatus
    problem: str | None = None


class Headless:
    """`open`, `run`, `close`, each once, on the main thread.

    `beginning` decides what is opened and played first. `say` gets a line for each event, `complain` for each problem:
    they mustn't block. `started` is called once other programs can control the player, then `began`, once an episode is
    heard or can't be played, or once the player waits to be told what to play. `stays`: it doesn't end by itself,
    neither for lack of sound nor because the first episode can't be played. `run` returns the exit code: 0 when it was
    asked to quit or nothing has played for as long as set, 1 when nothing could be played at first, 128 + N for signal
    N.
    """

    def __init__(
        self,
        player: Player,
        beginning: Beginning,
        *,
        say: Callable[[str], None],
        complain: Callable[[str], None],
        started: Callable[[], None] = lambda: None,
        began: Callable[[Begun], None] = lambda _begun: None,
        stays: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._player = player
        self._beginning = beginning
        self._say = say
        self._complain = complain
        self._started = started
        self._began = began
        self._stays = stays
        self._clock = clock
        self._idle = Idle(clock())
        self._timers: list[_Timer] = []
        self._refreshing = AutomaticRefresh(player, every=self._every)
        self._events: deque[_Event] = deque()
        self._wake: int | None = None
        self._told: PlaybackStatus | None = None
        """The status that the last line was about."""
        self._seen: object = None
        self._is_begun = False
        self._failed = False
        self._waits = False
        self._signal: int | None = None

    def open(self) -> None:
        """Raises the exceptions of `beginning`; then nothing is held."""
        self._beginning.open(self._player)

    def run(self) -> int:
        with wakeups() as (woken, wake), self._listening(wake):
            self._take_signals()
            self._player.start()
            self._started()
            self._refresh_by_itself()
            self._notify_by_itself()
            playing = self._beginning.play(self._player)
            if playing is None:
                self._waits = True
                self._begin_with(None)
            else:
                playing.add_done_callback(self._answered)
            self._take_status(self._player.session.status)
            while (code := self._step()) is None:
                ready, _, _ = select.select([woken], [], [], self._pause_s())
                if ready:
                    os.read(woken, 4096)
            self._player.save_position(_SAVE_S)
            self._take_events()  # the events of the session before it was asked to save
        self._say_goodbye(code)
        return code

    @property
    def is_gone(self) -> bool:
        """Whether another Earmark has taken over the sound that played here."""
        return self._player.claim.is_gone

    def close(self) -> None:
        self._player.close()

    # -- on any thread ----------------------------------------------------------------------------------------

    @contextmanager
    def _listening(self, wake: int) -> Iterator[None]:
        bus, self._wake = self._player.bus, wake
        subscriptions = (
            bus.subscribe(PlaybackChanged, lambda changed: self._take_status(changed.status)),
            bus.subscribe(Notice, self._take),
            bus.subscribe(Seeked, self._take),
            bus.subscribe(PodcastRefreshed, self._take_refreshed),
            bus.subscribe(QuitAsked, self._take),
        )
        try:
            yield
        finally:
            self._wake = None
            for unsubscribe in subscriptions:
                unsubscribe()

    def _take(self, event: _Event) -> None:
        self._events.append(event)
        if (wake := self._wake) is not None:
            with suppress(OSError):  # a full pipe wakes the loop as well
                os.write(wake, b"\0")

    def _take_status(self, status: PlaybackStatus) -> None:
        """Called twice a second while something plays, but only real changes wake the loop."""
        episode = status.episode
        seen = (status.state, episode and episode.id, status.error, status.waiting, status.clip)
        if seen != self._seen:
            self._seen = seen
            self._take(status)

    def _take_refreshed(self, event: PodcastRefreshed) -> None:
        if event.new and not event.first:
            self._take(event)

    def _answered(self, playing: Future[Outcome]) -> None:
        match playing.result():
            case Refused(why) as refused if why is not Why.ALREADY:
                self._take(refused)

    # -- on the main thread -----------------------------------------------------------------------------------

    def _step(self) -> int | None:
        """Handles the events since the last call; returns the exit code once the player is to end."""
        if (code := self._take_events()) is not None:
            return code
        if self._signal is not None:
            return 128 + self._signal
        if self._failed:
            return 1
        for timer in self._timers:
            timer.run_if_due(self._clock())
        return self._end_if_idle()

    def _take_events(self) -> int | None:
        """Reports the events since the last call; returns 0 if the player was asked to end."""
        for _round in range(len(self._events)):  # including events just before a signal
            match self._events.popleft():
                case QuitAsked():
                    return 0
                case PlaybackStatus() as status:
                    self._show(status)
                case Notice(text, severity):
                    (self._say if severity is Severity.INFORMATION else self._complain)(text)
                case Seeked(_, _, to_ms) if self._told is not None:  # otherwise it is where playback begins
                    self._say(_("Jumped to {position}", position=clock(to_ms)))
                case PodcastRefreshed() as refreshed:
                    self._show_new(refreshed)
                case Refused(why, sentence):
                    if why is not Why.FAILED:  # a Notice says this
                        self._complain(sentence)
                    self._begin_with(sentence)
        return None

    def _show(self, status: PlaybackStatus) -> None:
        if self._told is None and not self._waits and status.state in _AT_REST:
            return  # where the listener left off last time, until the first episode is opened
        if (problem := problem_of(self._told, status)) is not None:
            self._complain(problem)
        if (line := line_of(self._told, status)) is not None:
            self._say(line)
        self._told = status
        if status.state is PlaybackState.PLAYING or status.state in _AT_REST:
            self._begin_with(None)
        elif status.state is PlaybackState.ERROR:
            self._begin_with(problem_of(None, status))

    def _show_new(self, event: PodcastRefreshed) -> None:
        with suppress(EarmarkError):
            title = self._player.library.podcasts.get(event.podcast_id).title
            count = len(event.new)
            self._say(plural(count, "{n:,} new episode: {podcast}", "{n:,} new episodes: {podcast}", podcast=title))

    def _begin_with(self, problem: str | None) -> None:
        """Reports the outcome of the start, once."""
        if not self._is_begun:
            self._is_begun = True
            self._failed = problem is not None and not self._stays
            self._began(Begun(self._player.session.status, problem))

    def _end_if_idle(self) -> int | None:
        if self._plays:
            self._idle.heard(self._clock())
        elif self._left_s() == 0 and not self._busy:
            self._say(_("Nothing has played for a while."))
            log.info("nothing has played for a while: the player without a screen ends")
            return 0
        return None

    @property
    def _plays(self) -> bool:
        return self._player.session.status.state is PlaybackState.PLAYING

    def _left_s(self) -> float | None:
        """Seconds until the player ends by itself, if nothing plays until then."""
        tries = not self._is_begun or self._player.session.status.state in ACTIVE
        limit_s = None if self._stays else ends_after_s(self._player.settings.background.ends_after)
        return self._idle.left_s(self._clock(), limit_s, tries=tries)

    @property
    def _busy(self) -> bool:
        services = self._player.services
        return services.jobs.busy or services.downloads.snapshot().under_way

    def _pause_s(self) -> float | None:
        """The longest time in seconds to wait for an event; None for no limit."""
        now = self._clock()
        waits = [timer.left_s(now) for timer in self._timers]
        left_s = self._left_s()
        if left_s is not None and not self._plays:
            waits.append(left_s or _BUSY_S)
        return min(waits, default=None)

    def _say_goodbye(self, code: int) -> None:
        if self.is_gone:
            self._say(_("Another Earmark has taken over."))
            return
        status = self._player.session.status
        if code == 1 or status.episode is None or status.state in _NO_POSITION:
            return
        title, at = status.episode.title, clock(status.position_ms)
        self._say(_("{title}: stopped at {position}. Resume: earmark play", title=title, position=at))

    def _notify_by_itself(self) -> None:
        """Nobody is looking, so every kind of notification that is switched on is shown, if there is a desktop."""
        elsewhere = NotifiesElsewhere(self._player)
        elsewhere.follow()
        self._player.bus.subscribe(SettingsChanged, lambda _event: elsewhere.follow())

    # -- timers -----------------------------------------------------------------------------------------------

    def _refresh_by_itself(self) -> None:
        try:
            unread = self._refreshing.never_read(WELCOME_URL)
        except EarmarkError as error:
            self._complain(str(error))
            unread = []
        self._refreshing.begin(unread)

    def _every(self, seconds: float, call: Callable[[], None]) -> None:
        self._timers.append(_Timer(seconds, call, self._clock() + seconds))

    # -- signals ----------------------------------------------------------------------------------------------

    def _take_signals(self) -> None:
        """Signals end the loop, which saves the position; ignored signals (nohup) stay ignored. Signals while it closes
        don't interrupt that."""

        def note(number: int, _frame: FrameType | None) -> None:
            if self._signal is None:
                end_by(_ORDERLY_S, LAST_S, number)
                self._signal = number

        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, note)


class _Timer:
    def __init__(self, seconds: float, call: Callable[[], None], due: float) -> None:
        self._seconds = seconds
        self._call = call
        self._due = due

    def left_s(self, now: float) -> float:
        return max(0.0, self._due - now)

    def run_if_due(self, now: float) -> None:
        if now >= self._due:
            self._due = now + self._seconds
            self._call()
