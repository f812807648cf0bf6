"""Sources of podcasts besides feeds: each folder here contains a source and the functions that create it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING

from player.feeds.source import Means, Sources
from player.media.protocol import NoPages, Pages

if TYPE_CHECKING:
    from player.net.credentials import Credentials
    from player.net.loop import NetworkLoop


def all_sources(cache: Path | None = None, credentials: Credentials | None = None) -> Sources:
    """All sources, sorted by the names of their folders. Each is created by the function `source` of its folder, and is
    a `Source` or a `Shortcut`. `cache` is the cache folder; None: nothing is cached."""
    means = Means(cache, credentials)
    made = [room.source(means) for room in _rooms()]
    shortcuts = [one for one in made if hasattr(one, "feed_of")]
    return Sources([one for one in made if one not in shortcuts], shortcuts)


def all_pages(credentials: Credentials | None = None) -> Callable[[NetworkLoop], Pages]:
    """Finds the audio of episodes whose address is that of a page. Sources that have such episodes have a function
    `pages` in their folder."""
    return partial(_pages, credentials)


def _pages(credentials: Credentials | None, network: NetworkLoop) -> Pages:
    return _AllPages(room.pages(network, credentials) for room in _rooms() if hasattr(room, "pages"))


def _rooms() -> Iterable[ModuleType]:
    names = sorted(found.name for found in iter_modules(__path__) if found.ispkg)
    return [import_module(f"{__name__}.{name}") for name in names]


class _AllPages:
    """Implements Pages; each page goes to the first of several that serves it."""

    def __init__(self, pages: Iterable[Pages]) -> None:
        self._pages = tuple(pages)

    def serves(self, url: str) -> bool:
        return any(one.serves(url) for one in self._pages)

    def in_pieces(self, page: str) -> bool:
        return self._of(page).in_pieces(page)

    def lasts(self, page: str) -> bool:
        return self._of(page).lasts(page)

    def audio(self, page: str, stopped: Callable[[], bool]) -> str:
        return self._of(page).audio(page, stopped)

    def attachment(self, url: str, stopped: Callable[[], bool]) -> bytes | str:
        return self._of(url).attachment(url, stopped)

    def _of(self, url: str) -> Pages:
        return next((one for one in self._pages if one.serves(url)), NoPages())
