"""The bytes of episodes: what is cached on disk, and fetching the rest."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from player.media.store import CACHE_LIMIT, EpisodeMedia, MediaStore

__all__ = ["CACHE_LIMIT", "EpisodeMedia", "MediaStore"]


def __getattr__(name: str) -> Any:
    """Loaded at first use: code that only looks at bytes on this disk needs none of the modules that fetch them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.store"), name)
