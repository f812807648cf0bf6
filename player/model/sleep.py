"""The sleep timer as everybody sees it: what was chosen, and how much of it is left."""

import re
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

MOST_MINUTES, MOST_EPISODES = 24 * 60, 99


class SleepUntil(StrEnum):
    """What a timer runs to, as the control socket names it."""

    MINUTES = "minutes"
    CHAPTER = "chapter"
    EPISODE = "episode"


_WRITTEN = re.compile(r"(minutes|chapter|episode) (\d{1,4})", re.ASCII)


class SleepChoice(Struct, frozen=True):
    """After `count` minutes, at the end of the chapter, or at the end of the last of `count` episodes, of which the
    current one is the first."""

    until: SleepUntil
    count: int = 1

    @property
    def possible(self) -> bool:
        most = {SleepUntil.MINUTES: MOST_MINUTES, SleepUntil.CHAPTER: 1, SleepUntil.EPISODE: MOST_EPISODES}
        return 1 <= self.count <= most[self.until]

    @property
    def text(self) -> str:
        """What `read` reads back."""
        return f"{self.until.value} {self.count}"

    @classmethod
    def read(cls, text: str) -> "SleepChoice | None":
        """None for what isn't the text of a choice that could be made."""
        found = _WRITTEN.fullmatch(text)
        choice = cls(SleepUntil(found[1]), int(found[2])) if found else None
        return choice if choice and choice.possible else None


USUAL_CHOICE = SleepChoice(SleepUntil.MINUTES, 30)


class SleepStatus(Struct, frozen=True):
    """`choice` is None while no timer runs. `left_ms` is how long it will be heard until then, in real time at the
    present speed; None where that isn't known. `episodes_left` counts the current one.

    `stops_after`: nothing follows this episode. `slept`: the timer has ended the sound, and nothing was heard since.
    """

    choice: SleepChoice | None = None
    left_ms: int | None = None
    episodes_left: int = 0
    fading: bool = False
    stops_after: bool = False
    slept: bool = False

    @property
    def nothing_follows(self) -> bool:
        """Whether the sound ends with this episode, or before."""
        if self.choice is None or self.choice.until is SleepUntil.MINUTES:
            return self.stops_after
        return self.stops_after or self.choice.until is SleepUntil.CHAPTER or self.episodes_left == 1

    def after(self, ms: int) -> "SleepStatus":
        """When so much more was heard."""
        return self if self.left_ms is None else replace(self, left_ms=max(0, self.left_ms - ms))


NO_SLEEP = SleepStatus()
