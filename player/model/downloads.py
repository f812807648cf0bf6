"""Downloaded episodes, the queue of downloads and transcripts, its events, and the values that the download rules work
with."""

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from player.model.episode import EpisodeId
from player.model.playback import Cause
from player.model.podcast import PodcastId
from player.text.durations import parse_time
from player.text.sizes import parse_size
from player.text.times import parse_days, parse_hours

MANUAL = "manual"
"""Why an episode is downloaded: the listener asked for it. A rule has a name of its own: `newest`, `list:12`."""


NAME_TEMPLATE = "{podcast}/{date} {title}"
NAME_FIELDS = ("podcast", "title", "date", "year", "season", "episode", "guid")
"""What a template of file names can contain. `date` is the day of publication, `episode` the episode's number."""


class Work(StrEnum):
    """What is done with an episode in the queue. An episode that is to be both is downloaded first."""

    DOWNLOAD = "download"
    TRANSCRIPT = "transcript"


class DownloadState(StrEnum):
    RUNNING = "running"
    WAITING = "waiting"
    """Its turn hasn't come, or the next attempt is made at `retry_at`."""
    PAUSED = "paused"
    FAILED = "failed"
    """It isn't tried again automatically."""
    DONE = "done"


class Original(Struct, frozen=True):
    """The file as the server sent it: its `length`, and how many bytes of tags (`head`) came before the audio.

    Positions are stored with bytes of this file. Tags that were written into a download have moved the audio.
    """

    length: int
    head: int


class Download(Struct, frozen=True):
    """A downloaded episode. Fields that an earlier Earmark didn't record are None; `size` is in bytes."""

    episode_id: EpisodeId
    path: Path
    downloaded_at: datetime | None = None
    size: int | None = None
    why: str = MANUAL
    original: Original | None = None


class QueuedDownload(Struct, frozen=True):
    """A row of the queue, as stored in the library: `state` is WAITING, PAUSED or FAILED.

    `attempts` have failed so far; `problem` and `advice` are the parts of the sentence about the last one. `path` is
    where the file is about to be put. `downloads` and `transcribes`: what is still to be done.
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
    downloads: bool = True
    transcribes: bool = False

    @property
    def work(self) -> Work:
        """What is to be done next."""
        return Work.DOWNLOAD if self.downloads else Work.TRANSCRIPT

    @property
    def sentence(self) -> str:
        """Why the last attempt failed; "" if it didn't."""
        return f"{self.problem.rstrip('.')}. {self.advice}".strip() if self.problem else ""


class Progress(Struct, frozen=True):
    """The progress of one download, or of all together: `done` of `total` bytes, and the recent `per_second`. That of a
    transcript is in ms of its episode.

    `total` is None while it isn't known, `seconds_left` also while no bytes arrive.
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
    work: Work = Work.DOWNLOAD


class DownloadSnapshot(Struct, frozen=True):
    """The queue at one moment, in order; downloads finished since the start come last, until they are cleared.

    `progress` is that of the downloads. `paused`: the listener has paused everything. `held`: nothing is fetched for
    another reason, such as offline mode. `transcripts_wait`: why the transcripts among the entries aren't made now, a
    sentence; "" if nothing keeps them waiting.
    """

    entries: tuple[DownloadEntry, ...] = ()
    progress: Progress = Progress()
    paused: bool = False
    held: bool = False
    transcripts_wait: str = ""

    def count(self, state: DownloadState) -> int:
        return sum(entry.state is state for entry in self.entries)

    @property
    def under_way(self) -> bool:
        """Whether something is fetched or transcribed, or is about to be."""
        return any(self.is_under_way(work) for work in Work)

    def is_under_way(self, work: Work) -> bool:
        """The same for one kind of work."""
        entries = [one for one in self.entries if one.work is work]
        if any(one.state is DownloadState.RUNNING for one in entries):
            return True
        held = self.held if work is Work.DOWNLOAD else bool(self.transcripts_wait)
        waiting = any(one.state is DownloadState.WAITING and one.retry_at is None for one in entries)
        return waiting and not (self.paused or held)


class DownloadProgress(Struct, frozen=True):
    """A download has begun, or has come to `part` of its file (0 to 1; None: that isn't known yet).

    Published a few times a second for each running download, until it is finished, fails, waits or is cancelled.
    `cause` says who wanted it.
    """

    episode_id: EpisodeId
    part: float | None
    cause: Cause
    progress: Progress = Progress()


class DownloadsProgress(Struct, frozen=True):
    """The progress of the whole queue; published a few times a second while something runs, and once when nothing does
    any more."""

    progress: Progress
    running: int


class DownloadQueueChanged(Struct, frozen=True):
    """Episodes entered the queue or left it, changed their order, or are now paused, waiting, running or failed:
    `Downloader.snapshot` has the present state."""


class DownloadFinished(Struct, frozen=True):
    """The episode is now a file that belongs to the listener."""

    episode_id: EpisodeId
    cause: Cause


class DownloadFailed(Struct, frozen=True):
    """The download isn't tried again automatically. `error` is a sentence for the user."""

    episode_id: EpisodeId
    error: str
    cause: Cause


class DownloadCancelled(Struct, frozen=True):
    """The bytes received so far are kept for a while."""

    episode_id: EpisodeId
    cause: Cause


class DownloadDeleted(Struct, frozen=True):
    """The file is gone; the episode stays."""

    episode_id: EpisodeId
    cause: Cause


class Source(StrEnum):
    """Where a rule's episodes come from. The values are stored in the library."""

    QUEUE = "queue"
    LIST = "list"
    INBOX = "inbox"
    PODCAST = "podcast"


class Rule(Struct, frozen=True):
    """Downloads `most` episodes of its source: the newest of a podcast or the inbox, the first of a list or the queue.
    `number` is the id of the podcast or list, `title` its title."""

    source: Source
    most: int
    number: int = 0
    title: str = ""

    @property
    def key(self) -> str:
        """The library's name for the rule: `queue`, `podcast:3`, `list:7`."""
        return f"{self.source}:{self.number}" if self.number else self.source.value


class Candidate(Struct, frozen=True):
    """An episode that a rule may want. `size` is its file's size in the feed; None if the feed doesn't say."""

    episode_id: EpisodeId
    podcast_id: PodcastId
    title: str
    sort: int
    size: int | None = None
    duration_ms: int | None = None
    played: bool = False


class Offer(Struct, frozen=True):
    """A rule and the first episodes of its source, in its order: more than it wants, because some may not qualify."""

    rule: Rule
    candidates: tuple[Candidate, ...]


class Protection(StrEnum):
    """What protects a download: a rule never deletes a protected one."""

    MANUAL = "manual"
    PLAYING = "playing"
    STARRED = "starred"
    QUEUED = "queued"
    IN_PROGRESS = "in progress"


class Stored(Struct, frozen=True):
    """A download. `rule` is the key of the rule that began it, "" for a download by hand. `played_at`: None if
    unplayed."""

    episode_id: EpisodeId
    size: int
    at: int
    rule: str = ""
    played_at: int | None = None
    protection: Protection | None = None


class Trashed(Struct, frozen=True):
    """A file that a clean-up has moved aside."""

    episode_id: EpisodeId
    size: int
    at: int


class Refusal(StrEnum):
    """Why no rule downloads an episode again. The values are stored in the library."""

    DELETED = "deleted"
    """The listener deleted or cancelled it."""
    FAILED = "failed"
    """It can't be downloaded."""
    CLEANED = "cleaned"
    """A clean-up deleted it after its time. The queue may bring it back."""


class Coming(Struct, frozen=True):
    """A download that waits or is under way. `left` is what will still be written to the disk, in bytes. `is_held`: the
    listener has paused it, or it waits for another attempt, so that other downloads needn't wait for it."""

    episode_id: EpisodeId
    size: int
    left: int
    rule: str = ""
    is_held: bool = False


MOST_NEWEST = 500
"""The most episodes that one rule downloads."""


class DownloadRules(Struct, frozen=True):
    """A part of [downloads]."""

    newest: Annotated[int, Meta(ge=0, le=MOST_NEWEST)] = 0
    """How many of the newest episodes of every podcast are downloaded by themselves. 0: none. A podcast can have its
    own number (`earmark set PODCAST download=3`)."""
    inbox: Annotated[int, Meta(ge=0, le=MOST_NEWEST)] = 0
    """How many of the newest episodes in New. 0: none."""
    queue: Annotated[int, Meta(ge=0, le=MOST_NEWEST)] = 0
    """How many from the head of the queue. 0: none."""
    include: str = ""
    exclude: str = ""
    """Of the newest and of New, only titles with one of these words or "quoted phrases", or with none of them."""
    longer_than: str = ""
    shorter_than: str = ""
    """Likewise only episodes that are at least so long, or shorter: TIME. Empty: of any length."""
    hours: str = ""
    """When rules download: `01:00-06:00`, also across midnight. Empty: at any hour."""
    limit: str = "10 GB"
    """How much of the disk downloads of rules may take together. What you download yourself doesn't count. Empty: any
    amount."""
    keep_free: str = "2 GB"
    """How much of the disk rules leave free."""
    delete_played: str = "1 day"
    """How long after an episode was played its download by a rule is deleted: `at once`, `2 days`, `never`."""
    delete_after: str = "never"
    """How long after a download by a rule it is deleted in any case: `30 days`, `never`."""


RULES_WRITTEN: dict[str, Callable[[str], object]] = {
    "downloads.limit": lambda text: parse_size(text or "0"),
    "downloads.keep_free": lambda text: parse_size(text or "0"),
    "downloads.hours": parse_hours,
    "downloads.longer_than": lambda text: parse_time(text or "0"),
    "downloads.shorter_than": lambda text: parse_time(text or "0"),
    "downloads.delete_played": parse_days,
    "downloads.delete_after": parse_days,
}
"""Functions that parse settings; each raises ValueError for text that it can't understand."""
