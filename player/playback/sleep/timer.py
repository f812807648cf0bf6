"""A sleep timer that runs: one value, and the moves that make the next one of it. It has no clock.

A timer of minutes counts what is heard: it stands still in a pause and while bytes are awaited. Whoever pauses is
awake, and wants the rest of the time afterwards; and a connection that is lost for an hour must not use up the time in
which nothing was heard.

The end of a chapter is that of the chapter being heard: a jump, or a skipped intro, leads into another one and to its
end. An end is reached only by listening up to it.

The fade softens the last 20 seconds of every kind of timer, an episode's end too: a loud outro wakes people up.
"""

from msgspec import Struct
from msgspec.structs import replace

from player.model.chapters import Chapters
from player.model.sleep import SleepChoice, SleepUntil

FADE_MS = 20_000
_MINUTE_MS = 60_000
_LANDING_MS = 1_000
"""Whoever lands this close to the end of a chapter has come for the next one."""


class Heard(Struct, frozen=True):
    """What is heard at one moment. `duration_ms` is that of the episode; `exact`: it is no guess."""

    position_ms: int
    speed: float = 1.0
    duration_ms: int | None = None
    exact: bool = False


class SleepTimer(Struct, frozen=True):
    """`left_ms` is for minutes, `end_ms` (a position) for a chapter, `episodes` for episodes.

    `fades_over_ms`: how much was left when the fade began; None: it hasn't begun.
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
        """How long it takes until then, in real time; None where that isn't known."""
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
        """Whether the sound is to end in the middle of the episode."""
        match self.choice.until:
            case SleepUntil.MINUTES:
                return self.left_ms <= 0
            case SleepUntil.CHAPTER:
                return self.end_ms is not None and heard.position_ms >= self.end_ms
            case SleepUntil.EPISODE:
                return False

    # -- moves --------------------------------------------------------------------------------------------------

    def heard(self, ms: int) -> "SleepTimer":
        """After so much more real time in which something was heard."""
        return replace(self, left_ms=max(0, self.left_ms - ms)) if self.choice.until is SleepUntil.MINUTES else self

    def faded(self, heard: Heard) -> "SleepTimer":
        """With the fade begun, if it is time for that; ended, if a longer way lies ahead again.

        It runs from the full gain to silence in what is left, which is less than the usual after an interruption.
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
        """By a pause, a jump, another episode: a fade begins again from the full gain."""
        return replace(self, fades_over_ms=None)

    def towards(self, chapters: Chapters, landed: Heard) -> "SleepTimer":
        """After a jump, or with other chapters: to the end of the one that is heard there. The last one's end is that
        of the episode."""
        if self.choice.until is not SleepUntil.CHAPTER:
            return self
        return replace(self, end_ms=chapter_end(chapters, landed.position_ms, landed.duration_ms))

    def longer(self, ms: int, heard: Heard) -> "SleepTimer | None":
        """A timer of minutes with `ms` more than what is left; None where what is left isn't known."""
        left = self.remaining_ms(heard)
        if left is None:
            return None
        minutes = max(1, round((left + ms) / _MINUTE_MS))
        return SleepTimer(SleepChoice(SleepUntil.MINUTES, minutes), left_ms=left + ms)

    def episode_ended(self, *, counts: bool) -> "SleepTimer | None":
        """None: it was the last. `counts`: something of it was heard.

        What would begin while a timer of minutes fades would hardly be heard: it ends there.
        """
        if self.choice.until is SleepUntil.CHAPTER or (self.choice.until is SleepUntil.MINUTES and self.fading):
            return None
        if self.choice.until is SleepUntil.MINUTES or not counts:
            return self
        return replace(self.interrupted(), episodes=self.episodes - 1) if self.episodes > 1 else None


def chapter_end(chapters: Chapters, position_ms: int, duration_ms: int | None) -> int | None:
    """Where the listed chapter that is heard there ends; None: with the episode, or there are none."""
    landed_ms = position_ms + _LANDING_MS
    later = [one for one in chapters.listed if one.start_ms > landed_ms]
    current = [one for one in chapters.listed if one.start_ms <= landed_ms]
    ends = [one.start_ms for one in later[:1]]
    if current and (stated := current[-1].end_ms) is not None and stated > landed_ms:
        ends.append(stated)
    end_ms = min(ends, default=None)
    return None if end_ms is None or (duration_ms is not None and end_ms >= duration_ms) else end_ms
