"""What came of a command: what was done, or why not. Whoever gave it shows that, and guesses nothing."""

from enum import Enum, auto

from msgspec import Struct

from player.model.chapters import Chapter
from player.model.playback import PlaybackStatus


class Why(Enum):
    """Why nothing was done."""

    NO_EPISODE = auto()
    """No episode is the current one."""
    ALREADY = auto()
    """It is so already."""
    LIVE = auto()
    """A live stream has no positions to jump to, and one speed."""
    NO_CHAPTERS = auto()
    LAST_CHAPTER = auto()
    NO_NEXT = auto()
    """Nothing is queued, and no list continues."""
    NO_PREVIOUS = auto()
    NO_JUMP = auto()
    """There is no jump to undo."""
    PAST_END = auto()
    """The episode is known to be shorter."""
    NO_TIMER = auto()
    """No sleep timer is running."""
    NO_END = auto()
    """It isn't known when the sleep timer would end the sound."""
    OFFLINE = auto()
    """None of it is on this computer, and there is no network."""
    FAILED = auto()
    """The library failed, or Earmark did. A Notice says so as well."""


class Done(Struct, frozen=True):
    """`status` is that right after the command; `chapter` is the one that was gone to."""

    status: PlaybackStatus
    chapter: Chapter | None = None


class Refused(Struct, frozen=True):
    """Nothing has changed. `sentence` is for the listener."""

    why: Why
    sentence: str


Outcome = Done | Refused
