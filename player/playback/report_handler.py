"""Handles an engine's reports: states of the current episode, durations, and ends, which may be false."""

from collections.abc import Callable

from player.errors import NoSoundDevice
from player.events import Notice
from player.model.effects import Boost, Effects, Trim
from player.model.playback import PlaybackState
from player.playback.current_episode import CurrentEpisode
from player.playback.engine import (
    EngineFailed,
    EngineReport,
    Finished,
    JumpedThere,
    Measured,
    Playing,
    PlaysElsewhere,
    Ready,
    Starving,
    SwitchedThere,
)
from player.playback.navigation import Navigation
from player.playback.rules import began_past_end, broke_off, is_the_end
from player.playback.transport import Transport
from player.text.sentences import _


class ReportHandler:
    """Runs on the session's thread.

    `reopen` starts the sound again at the listener's position; `finished` is called when the episode was heard to its
    end, `failed` when it can't be played any further. `notify` takes sentences for the listener.
    """

    def __init__(
        self,
        transport: Transport,
        current: CurrentEpisode,
        navigation: Navigation,
        *,
        reopen: Callable[[], None],
        finished: Callable[[], None],
        failed: Callable[[], None],
        notify: Callable[[Notice], None] = lambda _notice: None,
    ) -> None:
        self._transport = transport
        self._current = current
        self._navigation = navigation
        self._reopen = reopen
        self._finished = finished
        self._failed = failed
        self._notify = notify
        self._told: set[str] = set()
        """What was said of devices: each sentence is said once."""

    def on_report(self, report: EngineReport) -> None:
        """Reports on an older load are dropped."""
        if not self._transport.is_current(report):
            return
        current = self._current
        match report:
            case Ready():
                self._transport.poll()
            case Playing():
                if current.state is PlaybackState.OPENING:
                    current.enter(PlaybackState.PLAYING)
                    self._navigation.refuse_jump_past_end()
            case Starving(waiting=True):
                if current.state is PlaybackState.PLAYING:
                    current.note_position()
                    current.enter(PlaybackState.BUFFERING)
            case Starving():
                if current.state is PlaybackState.BUFFERING:
                    current.enter(PlaybackState.PLAYING)
            case Measured():
                self._transport.measured(report)
                self._navigation.refuse_jump_past_end()
                self._navigation.duration_changed()
                self._navigation.nothing_left(ended=False)
            case Finished():
                self._on_end()
            case EngineFailed():
                current.fail(report.error)
                # No other episode would sound without a device either, so this one waits for it.
                if current.state is PlaybackState.ERROR and not isinstance(report.error, NoSoundDevice):
                    self._failed()
            case PlaysElsewhere():
                self._transport.elsewhere = report
                self.tell_shortcomings()
            case SwitchedThere(playing=False):
                if current.active:
                    current.pause()
            case SwitchedThere():
                if current.state is PlaybackState.PAUSED:
                    current.begin(current.position.ms)
            case JumpedThere():
                self._navigation.seek_to(report.position_ms)

    def tell_shortcomings(self) -> None:
        """Tells the listener what the device that plays can't do of what is chosen now, each thing once."""
        there = self._transport.elsewhere
        if there is None:
            return
        for sentence in shortcomings(there, self._transport.speed, self._transport.wanted_effects):
            if sentence not in self._told:
                self._told.add(sentence)
                self._notify(Notice(sentence))

    def on_cached(self) -> None:
        """Called when more bytes have arrived: while paused, they may show where a guessed position really is."""
        current = self._current
        if current.state is not PlaybackState.PAUSED or not self._transport.loaded:
            return
        self._transport.poll()
        found, guessed = self._transport.byte_position(), current.position.nearby
        if found and guessed and found != guessed and found.byte == guessed.byte:
            current.position = current.position.corrected(found)
            current.save(announce=True)

    def _on_end(self) -> None:
        """The engine reports the end; the position tells whether that is true."""
        if self._navigation.refuse_jump_past_end():
            return
        current = self._current
        if self._navigation.nothing_left(ended=True):
            self._reopen()
            return
        ms, (duration, exact) = current.current_ms(), current.duration()
        started, sounded = current.position.origin_ms, current.state is not PlaybackState.OPENING
        all_bytes = self._transport.reached_end
        if began_past_end(started, duration, exact=exact):
            current.fail(broke_off(started, duration), heard=False)
        elif not is_the_end(ms, duration, exact=exact, all_bytes=all_bytes, sounded=sounded):
            current.fail(broke_off(ms, duration))
        elif self._navigation.in_clip:
            self._transport.release()
            self._navigation.end_clip()
        else:
            self._finished()


def shortcomings(there: PlaysElsewhere, speed: float, effects: Effects) -> list[str]:
    """What of the listener's wishes a device can't do, as sentences."""
    said = []
    if not there.slowest <= speed <= there.fastest:
        if there.slowest == there.fastest:
            said.append(_("“{device}” plays at normal speed only", device=there.device))
        else:
            slowest, fastest = f"{there.slowest:g}", f"{there.fastest:g}"
            said.append(
                _("“{device}” plays at speeds from {slowest} to {fastest}", device=there.device, slowest=slowest,
                  fastest=fastest)
            )  # fmt: skip
    left_out = [
        words
        for words, is_on in (
            (_("levelling"), effects.gain_db is not None),
            (_("voice boost"), effects.boost is not Boost.OFF),
            (_("trimmed pauses"), effects.trim is not Trim.OFF),
            (_("mono"), effects.mono),
        )
        if is_on
    ]
    if left_out:
        what = ", ".join(left_out)
        said.append(_("“{device}” plays the episode as it is, without {effects}", device=there.device, effects=what))
    return said
