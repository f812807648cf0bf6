"""Answers of the last minutes: whoever goes back to a search asks no directory again."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from player.directory.found_podcast import FoundPodcast

_MOST = 64
"""Answers; the largest have about 100 KB."""
_FRESH_S = 600.0


class RecentAnswers:
    """For any thread. Failures aren't kept."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[float, Sequence[FoundPodcast]]] = OrderedDict()

    def get(self, question: Hashable, ask: Callable[[], Sequence[FoundPodcast]]) -> Sequence[FoundPodcast]:
        """The recent answer, else what `ask` returns. Raises what that raises."""
        with self._lock:
            at, answer = self._kept.get(question, (0.0, None))
            if answer is not None and self._clock() - at < _FRESH_S:
                return answer
        new = ask()
        with self._lock:
            self._kept[question] = self._clock(), new
            self._kept.move_to_end(question)
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return new
