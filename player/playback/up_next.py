"""What plays after an episode has ended. Neither the screen nor the controller decides it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from player.model.episode import EpisodeId
from player.settings import Playback


class EndedBy(Enum):
    """Why an episode is over."""

    FINISHED = "finished"
    """It was heard to its end."""
    FAILED = "failed"
    """It can't be played, or not any further."""
    SKIPPED = "skipped"
    """The listener wants the next one."""


@dataclass(frozen=True, slots=True)
class Ended:
    episode_id: EpisodeId
    by: EndedBy


@dataclass(frozen=True, slots=True)
class Nothing:
    """It is silent from here on."""


@dataclass(frozen=True, slots=True)
class Play:
    """That episode, from `position_ms`; None: from where the listener left it."""

    episode_id: EpisodeId
    position_ms: int | None = None


UpNext = Callable[[Ended], Nothing | Play]
"""Asked on the session's thread right after the end, when that is on its way to the disk."""


def up_next(_ended: Ended, _settings: Playback) -> Nothing | Play:
    """There is no queue yet: nothing follows."""
    return Nothing()
