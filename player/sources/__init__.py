"""Sources of podcasts besides feeds: each folder here contains a source and the function that creates it."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from player.feeds.source import Sources


def all_sources(cache: Path | None = None) -> Sources:
    """All sources, sorted by the names of their folders. Each is created by the function `source` of its folder, and is
    a `Source` or a `Shortcut`. `cache` is the cache folder; None: nothing is cached."""
    rooms = sorted(found.name for found in iter_modules(__path__) if found.ispkg)
    made = [import_module(f"{__name__}.{name}").source(cache) for name in rooms]
    shortcuts = [one for one in made if hasattr(one, "feed_of")]
    return Sources([one for one in made if one not in shortcuts], shortcuts)
