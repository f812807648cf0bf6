"""The bytes of episodes: what is kept on disk, and what fetches the rest."""

from player.media.downloads import Stop
from player.media.store import CACHE_LIMIT, EpisodeMedia, MediaStore

__all__ = ["CACHE_LIMIT", "EpisodeMedia", "MediaStore", "Stop"]
