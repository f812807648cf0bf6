"""What opens the bytes of episodes."""

from collections.abc import Callable
from typing import Protocol

from player.media import EpisodeMedia
from player.model.episode import Episode


class Opener(Protocol):
    """The media store."""

    def open(self, episode: Episode, changed: Callable[[], None]) -> EpisodeMedia: ...
