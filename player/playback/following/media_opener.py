"""What opens the bytes of episodes."""

from collections.abc import Callable
from typing import Protocol

from player.errors import MediaError
from player.media import EpisodeMedia
from player.model.episode import Episode


class Opener(Protocol):
    """The media store."""

    def open(self, episode: Episode, changed: Callable[[], None]) -> EpisodeMedia: ...

    def why_not(self, episode: Episode) -> MediaError | None:
        """Why it can't be played now, as while Earmark is offline."""
        ...
