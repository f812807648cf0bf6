"""Which episodes a list shows."""

from dataclasses import dataclass
from enum import StrEnum

from player.model.podcast import PodcastId


class View(StrEnum):
    """What an episode list shows."""

    ALL = "all"
    IN_PROGRESS = "in_progress"
    STARRED = "starred"
    PODCAST = "podcast"


@dataclass(frozen=True, slots=True)
class EpisodeQuery:
    """Which episodes, newest first (in progress: the last heard first). `text` filters titles by folded text."""

    view: View = View.ALL
    podcast_id: PodcastId | None = None
    text: str = ""
    unplayed: bool = False
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ViewCounts:
    """How many episodes stand in each view; those in progress are all unplayed."""

    all: int = 0
    in_progress: int = 0
    starred: int = 0
    starred_unplayed: int = 0
