"""Downloaded episodes, and those that are to be."""

from datetime import datetime
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from player.model.episode import EpisodeId

MANUAL = "manual"
"""Why an episode is downloaded: the listener asked for it. A rule has a name of its own: `newest`, `list:12`."""


NAME_TEMPLATE = "{podcast}/{date} {title}"
NAME_FIELDS = ("podcast", "title", "date", "year", "season", "episode", "guid")
"""What a template of file names can contain. `date` is the day of publication, `episode` the episode's number."""


class DownloadState(StrEnum):
    RUNNING = "running"
    WAITING = "waiting"
    """Its turn hasn't come, or the next attempt is made at `retry_at`."""
    PAUSED = "paused"
    FAILED = "failed"
    """It isn't tried again by itself."""
    DONE = "done"


class Original(Struct, frozen=True):
    """The file as the server sent it: its `length`, and the bytes of tags (`head`) that stood before the audio.

    Positions are known by its bytes. Tags that were written into a download have moved the audio.
    """

    length: int
    head: int


class Download(Struct, frozen=True):
    """A downloaded episode. What an Earmark before this one didn't note is None; `size` is in bytes."""

    episode_id: EpisodeId
    path: Path
    downloaded_at: datetime | None = None
    size: int | None = None
    why: str = MANUAL
    original: Original | None = None


class QueuedDownload(Struct, frozen=True):
    """A row of the queue, as the library has it: `state` is WAITING, PAUSED or FAILED.

    `attempts` have failed so far; `problem` and `advice` are the parts of the sentence about the last one. `path` is
    where the file is about to be put.
    """

    episode_id: EpisodeId
    state: DownloadState
    why: str
    asked_at: datetime
    attempts: int = 0
    retry_at: datetime | None = None
    problem: str = ""
    advice: str = ""
    path: Path | None = None

    @property
    def sentence(self) -> str:
        """What went wrong last; "" for nothing."""
        return f"{self.problem.rstrip('.')}. {self.advice}".strip() if self.problem else ""


class Progress(Struct, frozen=True):
    """How far a download is, or all of them together: `done` of `total` bytes, and `per_second` of late.

    `total` is None while nobody knows it, `seconds_left` also while nothing comes.
    """

    done: int = 0
    total: int | None = None
    per_second: float = 0.0
    seconds_left: float | None = None

    @property
    def part(self) -> float | None:
        """From 0 to 1; None while that isn't known."""
        return min(1.0, self.done / self.total) if self.total else None


class DownloadEntry(Struct, frozen=True):
    """An episode in the queue, as a screen shows it. `problem` is a sentence, "" for none."""

    episode_id: EpisodeId
    title: str
    podcast: str
    state: DownloadState
    why: str
    asked_at: datetime
    progress: Progress = Progress()
    attempts: int = 0
    retry_at: datetime | None = None
    problem: str = ""


class DownloadSnapshot(Struct, frozen=True):
    """The queue at one moment, in order; what was finished since the start comes last, until it is cleared.

    `paused`: the listener has paused all. `held`: nothing is fetched for another reason, such as offline mode.
    """

    entries: tuple[DownloadEntry, ...] = ()
    progress: Progress = Progress()
    paused: bool = False
    held: bool = False

    def count(self, state: DownloadState) -> int:
        return sum(entry.state is state for entry in self.entries)

    @property
    def under_way(self) -> bool:
        """Whether something is fetched, or is about to be."""
        if self.count(DownloadState.RUNNING):
            return True
        waiting = any(one.state is DownloadState.WAITING and one.retry_at is None for one in self.entries)
        return waiting and not (self.paused or self.held)
