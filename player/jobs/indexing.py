"""Where the index of all words is brought up to date: here, or in a process beside."""

from collections.abc import Callable

from player.jobs.runner import JobRunner
from player.library.search.search import EpisodeSearch


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
