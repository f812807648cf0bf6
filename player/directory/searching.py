"""Asks several directories at once, and reports the results as each of them answers."""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from queue import Empty, SimpleQueue

from msgspec import Struct
from msgspec.structs import replace

from player.directory import directory_errors
from player.directory.directory import Attempt, FoundPodcast
from player.directory.merging import Found
from player.errors import DirectoryError, DirectoryLeftOut, EarmarkError
from player.net.cancel import CancelToken
from player.text.sentences import _

log = logging.getLogger(__name__)

Question = Callable[[Attempt], Sequence[FoundPodcast]]
"""Asks one directory, and blocks until it answers. Raises DirectoryError."""
Arrange = Callable[[Found], tuple[FoundPodcast, ...]]


class Condition(StrEnum):
    """The progress of a directory."""

    ASKING = "asking"
    SLOW = "slow"
    """It is still being asked, and takes longer than usual."""
    ANSWERED = "answered"
    FAILED = "failed"


class DirectoryState(Struct, frozen=True):
    """`count` is the number of podcasts found there; `problem` is the reason for a failure."""

    name: str
    condition: Condition = Condition.ASKING
    count: int = 0
    problem: DirectoryError | None = None

    @property
    def done(self) -> bool:
        return self.condition in (Condition.ANSWERED, Condition.FAILED)


class SearchState(Struct, frozen=True):
    """`podcasts`: the podcasts found so far, each once, the best first. `over`: no more will come."""

    podcasts: tuple[FoundPodcast, ...] = ()
    directories: tuple[DirectoryState, ...] = ()
    over: bool = False
    cancelled: bool = False

    @property
    def problems(self) -> tuple[str, ...]:
        """Why directories failed: a sentence for each reason."""
        return directory_errors.in_sentences([(one.name, one.problem) for one in self.directories if one.problem])

    @property
    def failed(self) -> bool:
        """Whether every directory failed."""
        return bool(self.directories) and all(one.condition is Condition.FAILED for one in self.directories)


OnChange = Callable[[SearchState], None]
"""Called with each new state, on a thread of the search: it must only pass the state on."""


class Patience(Struct, frozen=True):
    """Seconds: after `slow` a directory counts as slow, after `total` as failed."""

    slow: float = 2.0
    total: float = 5.0


class Search:
    """A search, which begins at once, on threads of its own."""

    def __init__(
        self,
        questions: Mapping[str, Question],
        arrange: Arrange,
        on_change: OnChange,
        patience: Patience | None = None,
    ) -> None:
        """`questions` are by the names of their directories, the directory whose fields count most first. A directory
        whose question raises DirectoryLeftOut is removed from the search."""
        self._questions = questions
        self._arrange = arrange
        self._on_change = on_change
        self._patience = patience or Patience()
        self._cancel = CancelToken()
        self._over = threading.Event()
        self._news: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._found: dict[str, Sequence[FoundPodcast]] = {}
        self._states = {name: DirectoryState(name) for name in questions}
        self._state = SearchState(directories=tuple(self._states.values()))
        threading.Thread(target=self._run, name="earmark-search", daemon=True).start()

    @property
    def state(self) -> SearchState:
        """The latest state. Never blocks."""
        return self._state

    def cancel(self) -> None:
        """Ends the search for good, at once and from any thread. `on_change` isn't called any more, but a call in
        progress may take a moment to end."""
        self._cancel.set()
        self._news.put(lambda: None)

    def wait(self, timeout_s: float | None = None) -> SearchState:
        """Waits for the end of the search and returns the last state; after the timeout, the latest state."""
        self._over.wait(timeout_s)
        return self._state

    # -- on the search's thread -----------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            for name, question in self._questions.items():
                work = partial(self._ask, name, question)
                threading.Thread(target=work, name="earmark-directory", daemon=True).start()
            begun = time.monotonic()
            if not self._questions:
                self._tell()
            for limit, late in ((self._patience.slow, self._slow), (self._patience.total, self._too_slow)):
                self._listen(begun + limit)
                if not self._cancel.is_set and not self._all_done:
                    late()
        finally:
            # Directories that are still being asked are no longer needed.
            cancelled = self._cancel.is_set
            self._cancel.set()
            self._state = replace(self._state, over=True, cancelled=cancelled)
            self._over.set()

    def _listen(self, until: float) -> None:
        """Handles news until that time, or until there will be no more."""
        while not self._cancel.is_set and not self._all_done:
            try:
                news = self._news.get(timeout=max(0.0, until - time.monotonic()))
            except Empty:
                return
            if not self._cancel.is_set:
                news()

    @property
    def _all_done(self) -> bool:
        return all(state.done for state in self._states.values())

    def _answered(self, name: str, podcasts: Sequence[FoundPodcast]) -> None:
        self._found[name] = podcasts
        self._tell(DirectoryState(name, Condition.ANSWERED, len(podcasts)))

    def _failed(self, name: str, problem: DirectoryError) -> None:
        self._tell(DirectoryState(name, Condition.FAILED, problem=problem))

    def _left_out(self, name: str) -> None:
        del self._states[name]
        self._tell()

    def _slow(self) -> None:
        self._tell(*(replace(one, condition=Condition.SLOW) for one in self._states.values() if not one.done))

    def _too_slow(self) -> None:
        seconds = self._patience.total
        late = [one.name for one in self._states.values() if not one.done]
        problems = {name: directory_errors.too_slow(name, seconds) for name in late}
        self._tell(*(DirectoryState(name, Condition.FAILED, problem=why) for name, why in problems.items()))

    def _tell(self, *changed: DirectoryState) -> None:
        self._states.update((one.name, one) for one in changed)
        in_order = {name: self._found[name] for name in self._questions if name in self._found}
        self._state = SearchState(self._arrange(in_order), tuple(self._states.values()), over=self._all_done)
        try:
            self._on_change(self._state)
        except Exception:
            log.exception("a listener to a search failed")

    # -- on a thread for each directory ---------------------------------------------------------------------------

    def _ask(self, name: str, question: Question) -> None:
        try:
            podcasts = question(Attempt(self._patience.total, self._cancel))
        except DirectoryLeftOut:
            self._news.put(partial(self._left_out, name))
        except DirectoryError as error:
            self._news.put(partial(self._failed, name, error))
        except EarmarkError as error:
            self._news.put(partial(self._failed, name, DirectoryError(error.what, error.advice)))
        except Exception:
            log.exception("asking %s failed", name)
            what = _("Something went wrong inside Earmark while asking {directory}", directory=name)
            self._news.put(partial(self._failed, name, DirectoryError(what, _("See the log."))))
        else:
            self._news.put(partial(self._answered, name, podcasts))
