"""The outcome of a command: what was done, or why nothing was. The caller shows it to the listener."""

from enum import Enum, auto

from msgspec import Struct

from player.model.episode import Chapter
from player.model.playback import PlaybackStatus
from player.model.segments import Segment


class Why(Enum):
    """Why nothing was done."""

    NO_EPISODE = auto()
    """There is no current episode."""
    ALREADY = auto()
    """It already is so."""
    LIVE = auto()
    """Live streams have no positions to jump to, and only one speed."""
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
    """No part of it is on this computer, and there is no network."""
    DEVICE = auto()
    """The device on the network that plays can't do it."""
    FAILED = auto()
    """The library or Earmark failed, which a Notice also says."""


class Done(Struct, frozen=True):
    """`status` is the status right after the command; `chapter` is the chapter that was reached, and `segments` are
    those that a skip had passed over, and that are now heard."""

    status: PlaybackStatus
    chapter: Chapter | None = None
    segments: tuple[Segment, ...] = ()


class Refused(Struct, frozen=True):
    """Nothing has changed. `sentence` is shown to the listener."""

    why: Why
    sentence: str


Outcome = Done | Refused
