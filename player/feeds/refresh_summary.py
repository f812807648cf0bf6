"""What a refresh came to: all that who asked for one needs to know of how it is done."""

from dataclasses import dataclass

from player.model.podcast import PodcastId


@dataclass(frozen=True, slots=True)
class RefreshSummary:
    """What a refresh came to. `failed` are podcasts with the sentence that stands on their row now; `left` those that
    were not reached because it was cancelled; `resting` those whose servers asked for a pause that isn't over.
    `reasons` say for each that failed why, in a few words."""

    refreshed: int = 0
    new: int = 0
    failed: tuple[tuple[PodcastId, str], ...] = ()
    left: int = 0
    resting: int = 0
    reasons: tuple[tuple[PodcastId, str], ...] = ()
