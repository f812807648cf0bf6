"""Where the index of all words is brought up to date: here, or in a process beside."""

from collections.abc import Callable

from player.events import (
    AttachmentsChanged,
    Bus,
    LibraryChanged,
    PodcastAdded,
    PodcastRefreshed,
    PodcastRemoved,
    PodcastsImported,
)
from player.jobs.runner import JobRunner
from player.library import Library
from player.library.search.index import SearchIndexer
from player.library.search.search import EpisodeSearch

_CHANGES = (PodcastAdded, PodcastsImported, PodcastRefreshed, PodcastRemoved, AttachmentsChanged, LibraryChanged)


class ChangesIndexed:
    """Takes in a few changes here; many in a process beside, for the screen's interpreter has better things to do."""

    FEW = 50

    def __init__(self, searches: EpisodeSearch, jobs: JobRunner) -> None:
        self._searches = searches
        self._jobs = jobs

    def catch_up(self, enough: Callable[[], bool]) -> bool:
        if self._searches.left() > self.FEW:
            return self._jobs.index()
        return self._searches.catch_up(enough)


def follow_library(index: SearchIndexer, library: Library, jobs: JobRunner, bus: Bus) -> None:
    """Starts the indexer, which follows whatever changes the library from now on."""
    index.start(ChangesIndexed(library.search, jobs))
    for kind in _CHANGES:
        bus.subscribe(kind, index.poke)
