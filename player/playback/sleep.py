"""The sleep timer: how it runs, fades and ends the sound, and when it starts by itself."""

from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, time, timedelta

from msgspec import Struct
from msgspec.structs import replace

from player.events import Notice
from player.model.effects import Span, heard_ms
from player.model.episode import Chapters, EpisodeId
from player.model.playback import USUAL_CHOICE, Offer, PlaybackState, SleepChoice, SleepStatus, SleepUntil
from player.playback.current_episode import CurrentEpisode
from player.playback.navigation import Navigation
from player.playback.outcomes import Done, Outcome, Refused, Why
from player.playback.saver import Remember, Saver
from player.playback.transport import Transport
from player.settings import Sleep
from player.text.durations import clock as clock_text
from player.text.sentences import _, plural


class SleepHours(Struct, frozen=True):
    """From `start` until just before `end`, across midnight if `end` is earlier; the whole day if both are the same."""

    start: time
    end: time
    choice: SleepChoice

    def night(self, now: datetime) -> date | None:
        """The date on which the current night began; None outside these hours. `now` is the listener's local time."""
        clock = now.time().replace(tzinfo=None)
        if self.start < self.end:
            return now.date() if self.start <= clock < self.end else None
        if clock >= self.start:
            return now.date()
        return now.date() - timedelta(days=1) if clock < self.end else None


def sleep_hours(settings: Sleep) -> SleepHours | None:
    """Read from config.toml; None: the timer never starts by itself."""
    if not settings.from_:
        return None
    choice = SleepChoice(SleepUntil.MINUTES, settings.minutes)
    return SleepHours(time.fromisoformat(settings.from_), time.fromisoformat(settings.to), choice)


FADE_MS = 20_000
_MINUTE_MS = 60_000
_LANDING_MS = 1_000
"""A listener who lands this close before the end of a chapter wants the next one."""


class Heard(Struct, frozen=True):
    """What is being heard at one moment. `duration_ms` is the episode's; `exact`: it isn't a guess. The parts
    `left_out` aren't heard."""

    position_ms: int
    speed: float = 1.0
    duration_ms: int | None = None
    exact: bool = False
    left_out: tuple[Span, ...] = ()


class SleepTimer(Struct, frozen=True):
    """`left_ms` is for minutes, `end_ms` (a position) for a chapter, `episodes` for episodes.

    `fades_over_ms`: how much was left when the fade began; None if it hasn't.
    """

    choice: SleepChoice
    left_ms: int = 0
    end_ms: int | None = None
    episodes: int = 0
    fades_over_ms: int | None = None

    @classmethod
    def started(cls, choice: SleepChoice) -> "SleepTimer":
        match choice.until:
            case SleepUntil.MINUTES:
                return cls(choice, left_ms=choice.count * _MINUTE_MS)
            case SleepUntil.EPISODE:
                return cls(choice, episodes=choice.count)
            case SleepUntil.CHAPTER:
                return cls(choice)

    # -- what it says -------------------------------------------------------------------------------------------

    def remaining_ms(self, heard: Heard) -> int | None:
        """The real time that is left; None where that isn't known."""
        match self.choice.until:
            case SleepUntil.MINUTES:
                return self.left_ms
            case SleepUntil.CHAPTER:
                end_ms = self.end_ms if self.end_ms is not None else heard.duration_ms
            case SleepUntil.EPISODE:
                end_ms = heard.duration_ms if self.episodes == 1 else None
        return None if end_ms is None else round(heard_ms(heard.position_ms, end_ms, heard.left_out) / heard.speed)

    @property
    def fading(self) -> bool:
        return self.fades_over_ms is not None

    def gain(self, heard: Heard) -> float:
        """From 1 down to 0."""
        left = self.remaining_ms(heard)
        return 1.0 if not self.fades_over_ms or left is None else max(0.0, min(1.0, left / self.fades_over_ms))

    def over(self, heard: Heard) -> bool:
        """Whether to end the sound in the middle of the episode."""
        match self.choice.until:
            case SleepUntil.MINUTES:
                return self.left_ms <= 0
            case SleepUntil.CHAPTER:
                return self.end_ms is not None and heard.position_ms >= self.end_ms
            case SleepUntil.EPISODE:
                return False

    # -- moves --------------------------------------------------------------------------------------------------

    def heard(self, ms: int) -> "SleepTimer":
        """After this much more real time in which something was heard."""
        return replace(self, left_ms=max(0, self.left_ms - ms)) if self.choice.until is SleepUntil.MINUTES else self

    def faded(self, heard: Heard) -> "SleepTimer":
        """Begins the fade if it is time to; cancels it if more lies ahead again.

        It goes from the full gain to silence in the time left, which after an interruption is less than usual.
        """
        left = self.remaining_ms(heard)
        to_end = self.choice.until is SleepUntil.EPISODE or (
            self.choice.until is SleepUntil.CHAPTER and self.end_ms is None
        )
        guessed = to_end and not heard.exact
        if left is None or left > FADE_MS or guessed:
            return replace(self, fades_over_ms=None)
        return self if self.fading else replace(self, fades_over_ms=max(1, left))

    def interrupted(self) -> "SleepTimer":
        """After a pause, a jump or another episode, a fade starts again from the full gain."""
        return replace(self, fades_over_ms=None)

    def towards(self, chapters: Chapters, landed: Heard) -> "SleepTimer":
        """After a jump, or when chapters change: aims at the end of the chapter that is heard there, which for the last
        one is the end of the episode."""
        if self.choice.until is not SleepUntil.CHAPTER:
            return self
        return replace(self, end_ms=chapter_end(chapters, landed.position_ms, landed.duration_ms))

    def longer(self, ms: int, heard: Heard) -> "SleepTimer | None":
        """A timer for `ms` more than what is left; None where that isn't known."""
        left = self.remaining_ms(heard)
        if left is None:
            return None
        minutes = max(1, round((left + ms) / _MINUTE_MS))
        return SleepTimer(SleepChoice(SleepUntil.MINUTES, minutes), left_ms=left + ms)

    def episode_ended(self, *, counts: bool) -> "SleepTimer | None":
        """None if it was the last one. `counts`: something of it was heard.

        If a timer for minutes is fading, it ends here, as the beginning of the next episode could hardly be heard.
        """
        if self.choice.until is SleepUntil.CHAPTER or (self.choice.until is SleepUntil.MINUTES and self.fading):
            return None
        if self.choice.until is SleepUntil.MINUTES or not counts:
            return self
        return replace(self.interrupted(), episodes=self.episodes - 1) if self.episodes > 1 else None


def chapter_end(chapters: Chapters, position_ms: int, duration_ms: int | None) -> int | None:
    """Where the listed chapter at that position ends; None at the end of the episode, or without chapters."""
    landed_ms = position_ms + _LANDING_MS
    later = [one for one in chapters.listed if one.start_ms > landed_ms]
    current = [one for one in chapters.listed if one.start_ms <= landed_ms]
    ends = [one.start_ms for one in later[:1]]
    if current and (stated := current[-1].end_ms) is not None and stated > landed_ms:
        ends.append(stated)
    end_ms = min(ends, default=None)
    return None if end_ms is None or (duration_ms is not None and end_ms >= duration_ms) else end_ms


_CHOICE_KEY, _NIGHT_KEY = "sleep", "sleep_night"
LONGER_MS = 5 * 60_000
_LONGEST_TICK_S = 2.0
"""Longer than this between two ticks wasn't listening: the computer slept, or there was a pause."""
_SILENT_S = 0.5
"""After this much silence, nothing that the engine still holds can be heard when the gain is restored."""


class SleepMemory(Struct, frozen=True):
    """A timer as it runs. Each place is an episode and a position in ms; `gain`: how far it has faded.

    `aimed`: it has aimed at the end of what is heard, so that only a jump makes it aim anew.
    """

    timer: SleepTimer | None = None
    origin: tuple[EpisodeId, int] | None = None
    return_to: tuple[EpisodeId, int] | None = None
    slept_at: tuple[EpisodeId, int] | None = None
    stops_after: EpisodeId | None = None
    heard_id: EpisodeId | None = None
    gain: float = 1.0
    aimed: bool = False
    last_choice: SleepChoice = USUAL_CHOICE
    night: date | None = None


class Sleeper:
    """`clock` is monotonic, in seconds; `now` is the time of day."""

    def __init__(
        self,
        current: CurrentEpisode,
        navigation: Navigation,
        transport: Transport,
        saver: Saver,
        hours: Callable[[], SleepHours | None],
        notify: Callable[[Notice], None],
        clock: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        self._current = current
        self._navigation = navigation
        self._transport = transport
        self._saver = saver
        self._hours = hours
        self._notify = notify
        self._clock = clock
        self._now = now
        self.last_choice = USUAL_CHOICE
        """The last choice, from now or an earlier session."""
        self._night: date | None = None
        """The last night in which the timer may have started by itself."""
        self._timer: SleepTimer | None = None
        self._origin: tuple[EpisodeId, int] | None = None
        """Where the timer started."""
        self._return_to: tuple[EpisodeId, int] | None = None
        """Where the timer started that has ended the sound."""
        self._stops_after: EpisodeId | None = None
        self._slept_at: tuple[EpisodeId, int] | None = None
        """Where a timer ended the sound; None once something is heard again."""
        self._gain = 1.0
        self._heard_at: float | None = None
        """When something was last heard; None once it has been silent since."""
        self._sounded_at = 0.0
        self._heard_id: EpisodeId | None = None
        self._aimed: tuple[EpisodeId, int, Chapters] | None = None
        """The sound's start and the chapters from which the end of the chapter was computed."""
        current.sleep = lambda: self.status

    def restore(self, remembered: Callable[[str], str | None]) -> None:
        """Restores what earlier sessions saved, ignoring what can't be read."""
        self.last_choice = SleepChoice.read(remembered(_CHOICE_KEY) or "") or self.last_choice
        with suppress(ValueError):
            self._night = date.fromisoformat(remembered(_NIGHT_KEY) or "")

    def memory(self) -> SleepMemory:
        """Everything heard until now must have been counted by a `tick`."""
        return SleepMemory(
            self._timer, self._origin, self._return_to, self._slept_at, self._stops_after, self._heard_id, self._gain,
            self._aimed is not None, self.last_choice, self._night,
        )  # fmt: skip

    def recall(self, memory: SleepMemory) -> None:
        """The episode is the current one, and its sound has been begun, if it is to sound."""
        self._timer, self._origin, self._return_to = memory.timer, memory.origin, memory.return_to
        self._slept_at, self._stops_after, self._heard_id = memory.slept_at, memory.stops_after, memory.heard_id
        self._gain, self._sounded_at = memory.gain, self._clock()
        self.last_choice, self._night = memory.last_choice, memory.night
        self._transport.set_gain(memory.gain)
        episode = self._current.episode
        if memory.aimed and episode is not None:
            self._aimed = episode.id, self._current.position.begun_ms, self._navigation.chapters

    # -- what is shown ------------------------------------------------------------------------------------------

    @property
    def status(self) -> SleepStatus:
        episode = self._current.episode
        stops = episode is not None and episode.id == self._stops_after
        if (timer := self._timer) is None:
            return SleepStatus(stops_after=stops, slept=self._slept)
        left_ms = timer.heard(self._since_heard_ms()).remaining_ms(self._audible())
        return SleepStatus(timer.choice, left_ms, timer.episodes, timer.fading, stops)

    @property
    def _slept(self) -> bool:
        episode = self._current.episode
        return episode is not None and self._slept_at == (episode.id, self._current.position.ms)

    @property
    def restoring(self) -> bool:
        """Whether the gain remains to be restored after the sound has ended."""
        return self._gain < 1.0

    # -- the listener's commands --------------------------------------------------------------------------------

    def set(self, choice: SleepChoice) -> Outcome:
        """Starts a timer, replacing one that is running."""
        if (refused := self._refused(choice)) is not None:
            return refused
        self.last_choice = choice
        self._saver.put(Remember(_CHOICE_KEY, choice.text))
        self._begin(choice)
        return Done(self._current.status)

    def longer(self) -> Outcome:
        """Adds five minutes. A timer for a chapter or episodes becomes one for minutes."""
        if self._timer is None:
            return Refused(Why.NO_TIMER, _("No sleep timer is running"))
        timer = self._timer.heard(self._since_heard_ms()).longer(LONGER_MS, self._audible())
        if timer is None:
            return Refused(Why.NO_END, _("It isn't known when that will be. Choose minutes for the sleep timer."))
        self._timer = timer
        self._heard_at = self._clock() if self._heard_at is not None else None
        self._apply_gain()
        return Done(self._current.status)

    def off(self) -> Outcome:
        if self._timer is None:
            return Refused(Why.ALREADY, _("No sleep timer is running"))
        self._timer = None
        self._apply_gain()
        return Done(self._current.status)

    def stop_after(self) -> Outcome:
        """Ends the sound after the current episode, or cancels that."""
        if (episode := self._current.episode) is None:
            return Refused(Why.NO_EPISODE, _("There is no episode to resume"))
        self._stops_after = None if self._stops_after == episode.id else episode.id
        return Done(self._current.status)

    def return_to(self) -> tuple[EpisodeId, int] | None:
        """Where the timer started, if it has ended the sound in a later episode, until the listener jumps elsewhere."""
        episode = self._current.episode
        if self._return_to is None or episode is None or self._return_to[0] == episode.id:
            return None
        return None if self._navigation.jumped_from_ms is not None else self._return_to

    def returned(self) -> None:
        self._return_to = self._slept_at = None

    def _refused(self, choice: SleepChoice) -> Refused | None:
        if not choice.possible:
            return Refused(Why.FAILED, _("The sleep timer can't be set to that"))
        if choice.until is SleepUntil.MINUTES:
            return None
        if self._current.episode is None:
            return Refused(Why.NO_EPISODE, _("There is no episode to resume"))
        if self._current.live:
            return Refused(Why.LIVE, _("A live stream has no end. Choose minutes for the sleep timer."))
        if choice.until is SleepUntil.CHAPTER and not self._navigation.chapters.listed:
            return Refused(Why.NO_CHAPTERS, _("This episode has no chapters"))
        return None

    def _begin(self, choice: SleepChoice) -> None:
        episode = self._current.episode
        self._origin = (episode.id, self._current.listener_ms) if episode else None
        self._timer, self._aimed = SleepTimer.started(choice), None
        self._return_to = self._slept_at = None
        self._heard_at = self._clock() if self._heard_at is not None else None
        self._aim()
        self._apply_gain()

    # -- time passes --------------------------------------------------------------------------------------------

    def tick(self) -> bool:
        """True if it has ended the sound."""
        state = self._current.state
        passed_ms = self._since_heard_ms()
        if state is not PlaybackState.PLAYING:
            self._heard_at = None
            self._apply_gain()
            return False
        assert self._current.episode is not None
        now = self._clock()
        self._heard_at = self._sounded_at = now
        self._heard_id, self._slept_at = self._current.episode.id, None
        if self._stops_after not in (None, self._heard_id) and not self._navigation.in_clip:
            self._stops_after = None
        self._start_by_itself()
        if self._timer is not None:
            if self._origin is None:
                self._origin = self._heard_id, self._current.listener_ms
            self._timer = self._timer.heard(passed_ms)
            self._aim()
            if self._timer.over(self._audible()):
                self._end()
                return True
            self._timer = self._timer.faded(self._audible())
        self._apply_gain()
        return False

    def _start_by_itself(self) -> None:
        hours = self._hours()
        night = hours.night(self._now().astimezone()) if hours else None
        if night is None or night == self._night or hours is None:
            return
        self._night = night
        self._saver.put(Remember(_NIGHT_KEY, night.isoformat()))
        if self._timer is None:
            self._begin(hours.choice)
            minutes = hours.choice.count
            self._notify(Notice(plural(minutes, "Sleep timer: {n} minute", "Sleep timer: {n} minutes")))

    def _aim(self) -> None:
        """A jump, other than a clip's, restarts the fade and aims at the end of the chapter that it leads to."""
        episode, timer = self._current.episode, self._timer
        if episode is None or timer is None or self._navigation.in_clip:
            return
        aimed = episode.id, self._current.position.begun_ms, self._navigation.chapters
        before, self._aimed = self._aimed, aimed
        if before is None or before[:2] != aimed[:2]:
            self._timer = timer.interrupted().towards(aimed[2], self._audible())
        elif before[2] is not aimed[2]:
            self._timer = timer.towards(aimed[2], self._audible())

    def _end(self) -> None:
        """Ends the sound and the timer. The gain stays low until there is silence."""
        if self._navigation.in_clip:
            self._navigation.end_clip()
        else:
            self._current.pause()
        self._over(_("The sleep timer has paused at {time}", time=clock_text(self._current.position.ms)))

    def episode_ended(self, *, finished: bool) -> bool:
        """Called at the end of an episode, before anything else plays. True if nothing should follow.

        `finished`: it was heard to its end; otherwise it can't be played, or not any further.
        """
        assert self._current.episode is not None
        ended_id = self._current.episode.id
        stops = self._stops_after == ended_id
        self._stops_after = None
        if self._timer is None:
            return stops
        timer = self._timer.heard(self._since_heard_ms())
        left = timer.episode_ended(counts=finished or self._heard_id == ended_id)
        self._heard_at = self._heard_id = None
        if left is None:
            self._over(_("The sleep timer has ended with the episode"))
            return True
        self._timer = left
        return stops

    def _over(self, sentence: str) -> None:
        """The timer is over. In a live stream there is no way back."""
        episode, live = self._current.episode, self._current.live
        self._timer, self._heard_at = None, None
        if episode is None:  # after a clip, if nothing was heard before it
            self._notify(Notice(sentence))
            return
        self._return_to = back = None if live else self._origin
        self._slept_at = None if live else (episode.id, self._current.position.ms)
        self._navigation.way_back(back[1] if back and back[0] == episode.id else None)
        self._notify(Notice(sentence, offer=Offer.SLEEP_START if back else None))

    # -- inside -------------------------------------------------------------------------------------------------

    def _audible(self) -> Heard:
        duration_ms, exact = self._current.duration()
        return Heard(
            self._current.current_ms(), self._transport.sounding_speed, duration_ms, exact, self._transport.left_out
        )

    def _since_heard_ms(self) -> int:
        if self._heard_at is None or self._current.state is not PlaybackState.PLAYING:
            return 0
        return round(min(_LONGEST_TICK_S, max(0.0, self._clock() - self._heard_at)) * 1000)

    def _apply_gain(self) -> None:
        """Leaves the gain as it is while waiting for bytes; restores it once there is silence, whatever ended the
        sound."""
        if self._current.state is PlaybackState.PLAYING:
            gain = self._timer.gain(self._audible()) if self._timer else 1.0
        else:
            awaits = self._current.active and self._timer is not None
            if awaits or (not self._current.active and self._clock() - self._sounded_at < _SILENT_S):
                return
            gain = 1.0
        if gain != self._gain:
            self._gain = gain
            self._transport.set_gain(gain)
