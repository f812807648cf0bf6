"""The result of a refresh, for the caller that started it."""

from msgspec import Struct

from player.model.podcast import PodcastId


class RefreshSummary(Struct, frozen=True):
    """`failed` are podcasts with the sentence on their row; `left` are podcasts that weren't reached because the
    refresh was cancelled; `resting` are podcasts whose servers asked for a pause. `reasons` say in a few words why each
    failed; `news` are podcasts with new episodes, and how many."""

    refreshed: int = 0
    new: int = 0
    failed: tuple[tuple[PodcastId, str], ...] = ()
    left: int = 0
    resting: int = 0
    reasons: tuple[tuple[PodcastId, str], ...] = ()
    news: tuple[tuple[PodcastId, int], ...] = ()
