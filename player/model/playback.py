"""The state of playback: its states, the status that everything else sees, and the sleep timer."""

import re
from datetime import datetime
from enum import Enum, StrEnum

from msgspec import Struct
from msgspec.structs import replace

from player.model.effects import Boost, Span, Trim, heard_ms
from player.model.episode import Episode, EpisodeId
from player.model.segments import Segment

MOST_MINUTES, MOST_EPISODES = 24 * 60, 99


class SleepUntil(StrEnum):
    """What a timer runs until, as the control socket names it."""

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
        """The text that `read` reads."""
        return f"{self.until.value} {self.count}"

    @classmethod
    def read(cls, text: str) -> "SleepChoice | None":
        """None if the text isn't that of a possible choice."""
        found = _WRITTEN.fullmatch(text)
        choice = cls(SleepUntil(found[1]), int(found[2])) if found else None
        return choice if choice and choice.possible else None


USUAL_CHOICE = SleepChoice(SleepUntil.MINUTES, 30)


class SleepStatus(Struct, frozen=True):
    """`choice` is None while no timer runs. `left_ms` is how long playback will continue, in real time at the present
    speed; None if that isn't known. `episodes_left` counts the current one.

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
        """The status after that much more was heard."""
        return self if self.left_ms is None else replace(self, left_ms=max(0, self.left_ms - ms))


NO_SLEEP = SleepStatus()


SLOWEST, FASTEST = 0.5, 3.0
"""The speeds at which an engine keeps the pitch well."""


class Cause(StrEnum):
    """Who or what caused an event."""

    PERSON = "person"
    """A key, a command, or a command over the control socket."""
    RULE = "rule"
    """Something that Earmark does by itself, because of a setting, a timer or a built-in rule."""
    FEED = "feed"
    SYNC = "sync"
    ENGINE = "engine"
    """The sound itself: it ended, or can't be played."""


class Role(StrEnum):
    """In which role an Earmark plays; `runs_in` in the status of the control socket.

    A background player gives its sound to any other Earmark that asks, a screen only to a process that it has started
    itself.
    """

    SCREEN = "app"
    FOREGROUND = "foreground"
    """`earmark play` in a terminal, or as a job of a script."""
    BACKGROUND = "background"
    """The player without a screen."""


class Running(Struct, frozen=True):
    """The process that plays."""

    role: Role
    pid: int
    since: datetime


# -- playback -------------------------------------------------------------------------------------------------


class PlaybackState(StrEnum):
    """The states of the contract, as `status` names them."""

    STOPPED = "stopped"
    OPENING = "opening"
    PLAYING = "playing"
    PAUSED = "paused"
    BUFFERING = "buffering"
    ENDED = "ended"
    ERROR = "error"


ACTIVE = frozenset({PlaybackState.OPENING, PlaybackState.PLAYING, PlaybackState.BUFFERING})
"""The listener wants to hear something, and either hears it or waits for it."""

HOLDS_PLACE = ACTIVE | {PlaybackState.PAUSED}
"""In these states an episode is playing, or resumes with a key: the bar has its position."""


class Offer(Enum):
    """What the listener may want to do about something that has just happened; the screen names the key for it."""

    RESUME = "resume where they were"
    UNDO_JUMP = "go back to before the jump"
    SLEEP_START = "go back to where the sleep timer started"


class NextFrom(StrEnum):
    """Why an episode is next."""

    QUEUE = "queue"
    LIST = "list"
    """The list that the last episode was played from continues."""


class NextUp(Struct, frozen=True):
    """What plays after the current episode, and why."""

    episode: Episode
    source: NextFrom


class Severity(Enum):
    INFORMATION = "information"
    WARNING = "warning"
    ERROR = "error"


class PlaybackStatus(Struct, frozen=True):
    """Everything the bar, `status` and a remote control show.

    `position_ms` was true at `measured_at` (time.monotonic, seconds). `cached` are the parts of the file that are on
    this disk, as (from, to) fractions of it. `error` is a whole sentence for the user, in state ERROR; `waiting` is one
    in state BUFFERING, if it is known why no bytes arrive. `live`: a stream, which has no position to save. `next_up`
    plays after the episode, unless `sleep` says that nothing does. `clip`: a part of the episode is playing, and the
    earlier state is restored after it. `gain_db` levels the episode, None if nothing is levelled; of its pauses the
    parts `left_out` aren't heard. `asked` is the segment that plays or begins soon, of which the listener is asked
    whether it should be skipped. `unsure`: the position is at the second where the listener was, but the audio has
    changed since. `plays_on` is the device on the network that plays, "" on this computer, and `served_at` the address
    of this computer at which it fetches the bytes.
    """

    state: PlaybackState = PlaybackState.STOPPED
    episode: Episode | None = None
    position_ms: int = 0
    duration_ms: int | None = None
    approximate: bool = False
    speed: float = 1.0
    volume: int = 100
    cached: tuple[tuple[float, float], ...] = ()
    error: str | None = None
    waiting: str | None = None
    live: bool = False
    sleep: SleepStatus = NO_SLEEP
    measured_at: float = 0.0
    next_up: NextUp | None = None
    clip: bool = False
    gain_db: float | None = None
    boost: Boost = Boost.OFF
    trim: Trim = Trim.OFF
    left_out: tuple[Span, ...] = ()
    asked: Segment | None = None
    unsure: bool = False
    plays_on: str = ""
    served_at: str = ""

    @property
    def heard(self) -> EpisodeId | None:
        """The episode that is playing, or resumes with a key: in the queue it no longer counts as to come. None while a
        clip plays."""
        return self.episode.id if self.episode and not self.clip and self.state in HOLDS_PLACE else None

    @property
    def buffered_ms(self) -> int:
        """How far the cached bytes reach without a gap from the position, in ms from the start of the episode."""
        if not self.duration_ms:
            return self.position_ms
        part = self.position_ms / self.duration_ms
        ends = (end for start, end in self.cached if start <= part <= end)
        return max(self.position_ms, int(max(ends, default=0.0) * self.duration_ms))

    def until_ms(self, end_ms: float) -> float:
        """The real time until `end_ms` is heard, at the present speed and with pauses trimmed."""
        return heard_ms(self.position_ms, end_ms, self.left_out) / self.speed

    def at(self, now: float) -> "PlaybackStatus":
        """The status with its position carried forward to `now` (time.monotonic, seconds)."""
        if self.state is not PlaybackState.PLAYING:
            return self
        passed_ms = int(max(0.0, now - self.measured_at) * 1000)
        position_ms = self.position_ms + int(passed_ms * self.speed)
        if self.duration_ms is not None:
            position_ms = min(position_ms, max(self.position_ms, self.duration_ms))
        return replace(self, position_ms=position_ms, sleep=self.sleep.after(passed_ms), measured_at=now)
