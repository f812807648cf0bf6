"""The protocols of directories and charts, podcasts and episodes as directories describe them, and the topics of
charts."""

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import ClassVar, Protocol, TypeVar

from msgspec import Struct

from player.model.podcast import PodcastId
from player.processes.threads import CancelToken
from player.text.cleaning import fold
from player.text.sentences import mark, translate


class FoundPodcast(Struct, frozen=True):
    """All text is clean, all addresses are http or https; "" or None if no directory has a value.

    A podcast without a `feed_url` can't be subscribed to. `newest` is the moment of its newest episode. `directories`
    are the names of the directories that know it, `podcast_id` is the listener's existing subscription.
    """

    FETCHED: ClassVar[tuple[str, ...]] = ("feed_url",)
    """The fields with addresses that Earmark fetches by itself."""

    title: str
    author: str = ""
    feed_url: str = ""
    apple_id: int | None = None
    guid: str = ""
    website: str = ""
    description: str = ""
    artwork_url: str = ""
    episode_count: int | None = None
    newest: datetime | None = None
    language: str = ""
    topics: tuple[str, ...] = ()
    explicit: bool | None = None
    directories: tuple[str, ...] = ()
    podcast_id: PodcastId | None = None


class FoundEpisode(Struct, frozen=True):
    """Text and addresses as in `FoundPodcast`. `url` is the enclosure's address, `link` the episode's web page, `guid`
    the guid in the feed, `podcast_id` the listener's existing subscription to its podcast.

    An episode without a `feed_url` can't be opened.
    """

    FETCHED: ClassVar[tuple[str, ...]] = ("feed_url", "url")

    title: str
    podcast: str = ""
    feed_url: str = ""
    url: str = ""
    guid: str = ""
    published: datetime | None = None
    duration_ms: int | None = None
    media_type: str = ""
    size: int | None = None
    link: str = ""
    description: str = ""
    image_url: str = ""
    directories: tuple[str, ...] = ()
    podcast_id: PodcastId | None = None


Item = TypeVar("Item", FoundPodcast, FoundEpisode)


class Attempt:
    """An attempt to ask one directory: it may take `seconds` from now on, and `cancel` ends it at once."""

    def __init__(self, seconds: float, cancel: CancelToken, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.cancel = cancel
        self._clock = clock
        self._end = clock() + seconds

    @property
    def left_s(self) -> float:
        return max(0.0, self._end - self._clock())


class Directory(Protocol):
    """Finds podcasts by words. Any thread may call it, and is blocked until the answer arrives."""

    @property
    def name(self) -> str:
        """Its name for people."""
        ...

    def search(self, words: str, limit: int, attempt: Attempt) -> Sequence[FoundPodcast]:
        """At most `limit` podcasts, the best first. Raises DirectoryError."""
        ...


class EpisodeSearch(Protocol):
    """Finds single episodes by words of their titles and descriptions, and by names of people in them. Any thread may
    call it, and is blocked until the answer arrives."""

    def find_episodes(self, words: str, limit: int, attempt: Attempt) -> Sequence[FoundEpisode]:
        """At most `limit` episodes, the best first. Raises DirectoryError."""
        ...


class Chart(Protocol):
    """Lists podcasts with many listeners. Any thread may call it, and is blocked until the answer arrives."""

    @property
    def name(self) -> str: ...

    def top(self, country: str, topic: str, limit: int, attempt: Attempt) -> Sequence[FoundPodcast]:
        """At most `limit` podcasts, the most popular first. `country` is a code of two letters (ISO 3166), `topic` the
        id of a topic in TOPICS, or "" for all topics. Raises DirectoryError."""
        ...


class Topic(Struct, frozen=True):
    """`marked` is the name, marked for translators; `genre` is Apple's number for the topic."""

    id: str
    marked: str
    genre: int

    @property
    def name(self) -> str:
        return translate(self.marked)


TOPICS = (
    Topic("technology", mark("Technology"), 1318),
    Topic("science", mark("Science"), 1533),
    Topic("education", mark("Education"), 1304),
    Topic("news", mark("News"), 1489),
    Topic("business", mark("Business"), 1321),
    Topic("society", mark("Society and culture"), 1324),
    Topic("history", mark("History", "topic"), 1487),
    Topic("comedy", mark("Comedy"), 1303),
    Topic("arts", mark("Arts"), 1301),
    Topic("fiction", mark("Fiction"), 1483),
    Topic("music", mark("Music"), 1310),
    Topic("tv-film", mark("TV and film"), 1309),
    Topic("true-crime", mark("True crime"), 1488),
    Topic("sports", mark("Sports"), 1545),
    Topic("leisure", mark("Leisure"), 1502),
    Topic("health", mark("Health and fitness"), 1512),
    Topic("kids", mark("Kids and family"), 1305),
    Topic("religion", mark("Religion and spirituality"), 1314),
    Topic("government", mark("Government"), 1511),
)


def topic_of(words: str) -> Topic | None:
    """The topic by its id or its name, in any case."""
    wanted = fold(words.strip())
    return next((topic for topic in TOPICS if wanted in (topic.id, fold(topic.marked), fold(topic.name))), None)
