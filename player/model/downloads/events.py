"""What happens to downloads. `player.events` hands these on with all other events."""

from msgspec import Struct

from player.model.downloads.download import Progress
from player.model.episode import EpisodeId
from player.model.playback import Cause


class DownloadProgress(Struct, frozen=True):
    """A download has begun, or has come to `part` of its file (0 to 1; None: that isn't known yet).

    A few times a second for each download that runs, which then is finished, fails, waits or is cancelled. `cause` says
    who wanted it.
    """

    episode_id: EpisodeId
    part: float | None
    cause: Cause
    progress: Progress = Progress()


class DownloadsProgress(Struct, frozen=True):
    """How far all that is in the queue is; a few times a second while something runs, and once when nothing does."""

    progress: Progress
    running: int


class DownloadQueueChanged(Struct, frozen=True):
    """Episodes came into the queue or left it, stand in another order, or are paused, waiting, running or failed now:
    `Downloader.snapshot` has it as it is."""


class DownloadFinished(Struct, frozen=True):
    """The episode is a file of the listener's own now."""

    episode_id: EpisodeId
    cause: Cause


class DownloadFailed(Struct, frozen=True):
    """It isn't tried again by itself. `error` is a sentence for the user."""

    episode_id: EpisodeId
    error: str
    cause: Cause


class DownloadCancelled(Struct, frozen=True):
    """What has come by then is kept for a while."""

    episode_id: EpisodeId
    cause: Cause


class DownloadDeleted(Struct, frozen=True):
    """The file is gone; the episode stays."""

    episode_id: EpisodeId
    cause: Cause
