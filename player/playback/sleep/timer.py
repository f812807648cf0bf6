"""A running sleep timer: one value, and the transitions that produce the next. It has no clock.

A timer for minutes counts what is heard, and stops during pauses and while waiting for bytes. Whoever pauses is awake
and wants the rest of the time afterwards, and a connection lost for an hour mustn't use up time in which nothing was
heard.

The end of a chapter means the chapter being heard: a jump or a skipped intro leads into another one, and the timer then
aims at its end. An end is reached only by listening up to it.

The fade covers the last 20 seconds of every kind of timer, including an episode's end, as a loud outro wakes people up.
"""

from msgspec import Struct
from msgspec.structs import replace

from player.model.chapters import Chapters
from player.model.sleep import SleepChoice, SleepUntil

FADE_MS = 20_000
_MINUTE_MS = 60_000
_LANDING_MS = 1_000
"""A listener who lands this close before the end of a chapter wants the next one."""


class Heard(Struct, frozen=True):
    """What is being heard at one moment. `duration_ms` is the episode's; `exact`: it isn't a guess."""

    position_ms: int
    speed: float = 1.0
    duration_ms: int | None = None
    exact: bool = False


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
        return None if end_ms is None else max(0, round((end_ms - heard.position_ms) / heard.speed))

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

        If a timer for minutes is fading, it ends here, as what would begin now could hardly be heard.
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
