"""Asks several directories at once, reports the results as each of them answers, and makes one list of them: each
podcast or episode once, best first, none inside the listener's own network.
"""

import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial, reduce
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any, Generic

from msgspec import Struct
from msgspec.structs import replace

from player.directory import directory_errors
from player.directory.directory import Attempt, FoundEpisode, FoundPodcast, Item
from player.errors import DirectoryError, DirectoryLeftOut, EarmarkError
from player.links.addresses import url_key
from player.links.urls import host
from player.net.surroundings import is_inside_ip
from player.processes.threads import CancelToken
from player.text.cleaning import fold
from player.text.sentences import _

Found = Mapping[str, Sequence[Item]]
"""What each directory found, by its name; the directory whose fields count most comes first."""

_ARTICLES = ("a", "an", "the")
_FLAT = 20
"""The larger it is, the less a podcast's place in the answer of a directory matters."""


class _Group(Generic[Item]):
    """One podcast or episode, with its entry in each directory. Entries are numbered in the order of all results."""

    def __init__(self, number: int, item: Item, directory: str, place: int) -> None:
        self.entries: dict[int, Item] = {number: item}
        self.places: dict[str, int] = {directory: place}

    def absorb(self, other: "_Group[Item]") -> None:
        self.entries |= other.entries
        for directory, place in other.places.items():
            self.places[directory] = min(place, self.places.get(directory, place))

    @property
    def first(self) -> int:
        return min(self.entries)

    @property
    def score(self) -> float:
        """The score by the best places in each directory."""
        return round(sum(1 / (_FLAT + place) for place in self.places.values()), 9)

    def whole(self, fuller: Callable[[Item, Item], Item]) -> Item:
        whole: Item = reduce(fuller, (self.entries[number] for number in sorted(self.entries)))
        return whole


def search_results(found: Found[FoundPodcast], words: str) -> tuple[FoundPodcast, ...]:
    """The podcasts, in the order for a search for these words."""
    typed = _bare(words)

    def rank(group: tuple[FoundPodcast, float]) -> tuple[Any, ...]:
        podcast, score = group
        close = _closeness(typed, podcast.title, podcast.author)
        return not podcast.feed_url, close, -score, _bare(podcast.title), podcast.feed_url

    return tuple(podcast for podcast, _score in sorted(_merged(found, _keys, _fuller), key=rank))


def episode_results(found: Found[FoundEpisode], words: str) -> tuple[FoundEpisode, ...]:
    """The episodes, in the order for a search for these words; the newest first where nothing else decides. Episodes
    that have nothing but names are left out."""
    typed = _bare(words)

    def rank(group: tuple[FoundEpisode, float]) -> tuple[Any, ...]:
        one, score = group
        close = _closeness(typed, one.title, one.podcast, one.description)
        newest = -one.published.timestamp() if one.published else 0.0
        return not one.feed_url, close, -score, newest, _bare(one.title), one.feed_url

    merged = _merged(found, _episode_keys, _fuller_episode)
    return tuple(one for one, _score in sorted(merged, key=rank) if one.feed_url or one.url or one.link)


def chart(found: Found[FoundPodcast]) -> tuple[FoundPodcast, ...]:
    """The podcasts, in the order of the first directory; then the podcasts that only other directories have."""
    return tuple(podcast for podcast, _score in _merged(found, _keys, _fuller))


def _closeness(typed: str, title: str, *others: str) -> int:
    if _bare(title) == typed:
        return 0
    text = fold(" ".join((title, *others)))
    return 1 if all(word in text for word in typed.split()) else 2


def _bare(title: str) -> str:
    """A title for comparison: without case, accents and article."""
    first, *rest = fold(title).split() or [""]
    return " ".join(rest if rest and first in _ARTICLES else (first, *rest))


def _merged(
    found: Found[Item], keys: Callable[[Item], Iterator[Hashable]], fuller: Callable[[Item, Item], Item]
) -> list[tuple[Item, float]]:
    """Each podcast or episode with its score, in the order of their first entries."""
    numbers = count()
    groups: dict[Hashable, _Group[Item]] = {}
    for directory, items in found.items():
        for place, item in enumerate(items):
            group = _Group(next(numbers), item, directory, place)
            _join(groups, group, list(keys(item)) or [object()])
    in_order = sorted(set(groups.values()), key=lambda group: group.first)
    return [(group.whole(fuller), group.score) for group in in_order]


def _join(groups: dict[Hashable, _Group[Item]], group: _Group[Item], keys: list[Hashable]) -> None:
    """Adds the group to the group that shares a key with it. Several such groups are the same podcast or episode, and
    become one group."""
    same = list(dict.fromkeys(groups[key] for key in keys if key in groups))
    whole = same[0] if same else group
    for other in same[1:]:
        whole.absorb(other)
        groups.update((key, whole) for key, one in list(groups.items()) if one is other)
    if whole is not group:
        whole.absorb(group)
    groups.update((key, whole) for key in keys)


def _keys(podcast: FoundPodcast) -> Iterator[Hashable]:
    if podcast.guid:
        yield "guid", podcast.guid
    if podcast.apple_id is not None:
        yield "apple", podcast.apple_id
    if podcast.feed_url:
        yield "feed", url_key(podcast.feed_url)


def _fuller(one: FoundPodcast, other: FoundPodcast) -> FoundPodcast:
    """The data of both. If they differ, the first is right, except for the longest description, the newest episode and
    the larger number of episodes."""
    counts = [number for number in (one.episode_count, other.episode_count) if number is not None]
    newest = [moment for moment in (one.newest, other.newest) if moment is not None]
    secure = one.feed_url.replace("http://", "https://", 1) == other.feed_url
    return replace(
        one,
        author=one.author or other.author,
        feed_url=other.feed_url if secure else one.feed_url or other.feed_url,
        apple_id=one.apple_id if one.apple_id is not None else other.apple_id,
        guid=one.guid or other.guid,
        website=one.website or other.website,
        description=max(one.description, other.description, key=len),
        artwork_url=one.artwork_url or other.artwork_url,
        episode_count=max(counts, default=None),
        newest=max(newest, default=None),
        language=one.language or other.language,
        topics=one.topics or other.topics,
        explicit=one.explicit if one.explicit is not None else other.explicit,
        directories=tuple(dict.fromkeys((*one.directories, *other.directories))),
    )


def _episode_keys(episode: FoundEpisode) -> Iterator[Hashable]:
    """Keys by which the same episode is recognised. Each contains the title: in some feeds all episodes have the same
    guid, or the same enclosure."""
    title = fold(episode.title)
    if episode.url:
        yield "enclosure", url_key(episode.url), title
    if episode.guid and episode.feed_url:
        yield "guid", url_key(episode.feed_url), episode.guid, title
    if episode.podcast and episode.published:
        yield "named", fold(episode.podcast), title, episode.published.date()


def _fuller_episode(one: FoundEpisode, other: FoundEpisode) -> FoundEpisode:
    """The data of both. If they differ, the first is right, except for the longest description."""
    fields = {name: getattr(one, name) or getattr(other, name) for name in one.__struct_fields__}
    fields["description"] = max(one.description, other.description, key=len)
    fields["directories"] = tuple(dict.fromkeys((*one.directories, *other.directories)))
    if other.feed_url and not one.feed_url:  # a feed, and what its podcast is called, come from one directory
        fields["podcast"] = other.podcast or one.podcast
    return FoundEpisode(**fields)


_SUFFIXES = (".localhost", ".local", ".lan", ".internal", ".home.arpa")


def outside(found: Sequence[Item], directory_url: str) -> Sequence[Item]:
    """The results, without the addresses inside the listener's network that Earmark would fetch, unless the directory
    is inside as well. Resolves no host names."""
    return found if is_inside_address(directory_url) else tuple(map(_outside, found))


def _outside(one: Item) -> Item:
    inside = [name for name in one.FETCHED if is_inside_address(getattr(one, name))]
    return replace(one, **dict.fromkeys(inside, "")) if inside else one


def is_inside_address(address: str) -> bool:
    """Whether the address itself tells that it is inside: by its IP, or by a name that no public server has."""
    name = host(address).rstrip(".").lower()
    return bool(name) and (is_inside_ip(name) or name.endswith(_SUFFIXES) or not ("." in name or ":" in name))


log = logging.getLogger(__name__)

Question = Callable[[Attempt], Sequence[Item]]
"""Asks one directory, and blocks until it answers. Raises DirectoryError."""
Arrange = Callable[[Found[Item]], tuple[Item, ...]]


class Condition(StrEnum):
    """The progress of a directory."""

    ASKING = "asking"
    SLOW = "slow"
    """It is still being asked, and takes longer than usual."""
    ANSWERED = "answered"
    FAILED = "failed"


class DirectoryState(Struct, frozen=True):
    """`count` is the number of podcasts or episodes found there; `problem` is the reason for a failure."""

    name: str
    condition: Condition = Condition.ASKING
    count: int = 0
    problem: DirectoryError | None = None

    @property
    def done(self) -> bool:
        return self.condition in (Condition.ANSWERED, Condition.FAILED)


class SearchState(Struct, Generic[Item], frozen=True):
    """`found`: the podcasts or episodes found so far, each once, the best first. `over`: no more will come."""

    found: tuple[Item, ...] = ()
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


OnChange = Callable[[SearchState[Item]], None]
"""Called with each new state, on a thread of the search: it must only pass the state on."""


class Patience(Struct, frozen=True):
    """Seconds: after `slow` a directory counts as slow, after `total` as failed."""

    slow: float = 2.0
    total: float = 5.0


class Search(Generic[Item]):
    """A search, which begins at once, on threads of its own."""

    def __init__(
        self,
        questions: Mapping[str, Question[Item]],
        arrange: Arrange[Item],
        on_change: OnChange[Item],
        patience: Patience | None = None,
    ) -> None:
        """`questions` are by the names of their directories, the directory whose fields count most first. A directory
        whose question raises DirectoryLeftOut is removed from the search."""
        self._questions: Mapping[str, Question[Item]] = questions
        self._arrange: Arrange[Item] = arrange
        self._on_change: OnChange[Item] = on_change
        self._patience = patience or Patience()
        self._cancel = CancelToken()
        self._over = threading.Event()
        self._news: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._found: dict[str, Sequence[Item]] = {}
        self._states = {name: DirectoryState(name) for name in questions}
        self._state: SearchState[Item] = SearchState(directories=tuple(self._states.values()))
        threading.Thread(target=self._run, name="earmark-search", daemon=True).start()

    @property
    def state(self) -> SearchState[Item]:
        """The latest state. Never blocks."""
        return self._state

    def cancel(self) -> None:
        """Ends the search for good, at once and from any thread. `on_change` isn't called any more, but a call in
        progress may take a moment to end."""
        self._cancel.set()
        self._news.put(lambda: None)

    def wait(self, timeout_s: float | None = None) -> SearchState[Item]:
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

    def _answered(self, name: str, found: Sequence[Item]) -> None:
        self._found[name] = found
        self._tell(DirectoryState(name, Condition.ANSWERED, len(found)))

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

    def _ask(self, name: str, question: Question[Item]) -> None:
        try:
            found = question(Attempt(self._patience.total, self._cancel))
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
            self._news.put(partial(self._answered, name, found))
