"""The bytes of episodes: what is kept on disk, and what fetches the rest."""

from player.media.export import Stop
from player.media.store import CACHE_LIMIT, EpisodeMedia, MediaStore

__all__ = ["CACHE_LIMIT", "EpisodeMedia", "MediaStore", "Stop"]
