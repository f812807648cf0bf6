"""Apple Podcasts: its search (https://performance-partners.apple.com/search-api) and its charts
(https://rss.marketingtools.apple.com).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec.structs import replace

from player.directory import directory_errors
from player.directory.adapter import Access, Adapter, Opened
from player.directory.adapters.json_fields import (
    address,
    apple_id,
    block,
    count,
    duration_ms,
    guid_in_feed,
    inner,
    line,
    moment,
    records,
    topics,
)
from player.directory.answers import Answer, Answers, RateLimit, Record
from player.directory.directory import TOPICS, Attempt, FoundEpisode, FoundPodcast
from player.errors import DirectoryError
from player.text.sentences import mark

NAME = "Apple Podcasts"
_MOST = 100
"""The most results of a search; there is no second page."""
_MOST_EPISODES = 50
"""Most episodes in an answer: a hundred, with their whole descriptions, could exceed the limit for answers."""
_BATCH = 50
"""The most ids in a look-up, so that its address is short enough for any server in between."""
_EXPLICIT = {"explicit": True, "clean": False, "cleaned": False}
_MEDIA_TYPES = {"mp3": "audio/mpeg", "m4a": "audio/mp4", "mp4": "video/mp4", "m4v": "video/mp4"}
"""Media types by the suffix of the file's name."""


class Apple:
    name = NAME

    def __init__(self, answers: Answers, base: str, country: str, limit: RateLimit) -> None:
        self._answers = answers
        self._base = base.rstrip("/")
        self._country = country
        self._limit = limit

    def search(self, words: str, limit: int, attempt: Attempt) -> Sequence[FoundPodcast]:
        most = max(1, min(limit, _MOST))
        country = self._country
        answer = self._ask("search", {"media": "podcast", "term": words, "country": country, "limit": most}, attempt)
        return tuple(islice(_podcasts(answer), most))

    def find_episodes(self, words: str, limit: int, attempt: Attempt) -> Sequence[FoundEpisode]:
        most = max(1, min(limit, _MOST_EPISODES))
        asked: dict[str, str | int] = {"media": "podcast", "entity": "podcastEpisode", "term": words}
        answer = self._ask("search", {**asked, "country": self._country, "limit": most}, attempt)
        return tuple(islice(filter(None, map(_episode, answer.records("results"))), most))

    def look_up(self, ids: Sequence[int], attempt: Attempt, country: str = "") -> Mapping[int, FoundPodcast]:
        """Apple's data about podcasts, by their ids. Podcasts that Apple doesn't have in that country are left out."""
        found: dict[int, FoundPodcast] = {}
        for start in range(0, len(ids), _BATCH):
            batch = ",".join(map(str, ids[start : start + _BATCH]))
            answer = self._ask("lookup", {"id": batch, "country": country or self._country}, attempt)
            podcasts = islice(_podcasts(answer), 2 * _BATCH)
            found.update((one.apple_id, one) for one in podcasts if one.apple_id is not None)
        return found

    def _ask(self, what: str, parameters: Mapping[str, str | int], attempt: Attempt) -> Answer:
        return self._answers.ask(NAME, f"{self._base}/{what}", parameters, attempt, limit=self._limit)


def _podcasts(answer: Answer) -> Iterator[FoundPodcast]:
    return filter(None, map(_podcast, answer.records("results")))


def _podcast(record: Record) -> FoundPodcast | None:
    title = line(record.get("collectionName")) or line(record.get("trackName"))
    feed_url = address(record.get("feedUrl"))
    if not title:
        return None
    return FoundPodcast(
        title,
        line(record.get("artistName")),
        feed_url,
        apple_id(record.get("collectionId")) or apple_id(record.get("trackId")),
        # Apple's own page is of use only if the podcast can't be heard anywhere else.
        website="" if feed_url else address(record.get("collectionViewUrl")),
        artwork_url=address(record.get("artworkUrl600")) or address(record.get("artworkUrl100")),
        episode_count=count(record.get("trackCount")),
        newest=moment(record.get("releaseDate")),
        topics=topics(record.get("genres")) or topics(record.get("primaryGenreName")),
        explicit=_EXPLICIT.get(line(record.get("contentAdvisoryRating")).lower()),
        directories=(NAME,),
    )


def _episode(record: Record) -> FoundEpisode | None:
    title, feed_url = line(record.get("trackName")), address(record.get("feedUrl"))
    if not title or record.get("kind") == "podcast":
        return None
    return FoundEpisode(
        title,
        line(record.get("collectionName")),
        feed_url,
        address(record.get("episodeUrl")),
        guid_in_feed(record.get("episodeGuid")),
        moment(record.get("releaseDate")),
        duration_ms(record.get("trackTimeMillis")),
        _MEDIA_TYPES.get(line(record.get("episodeFileExtension")).lower(), ""),
        link="" if feed_url else address(record.get("trackViewUrl")),
        description=block(record.get("description")) or block(record.get("shortDescription")),
        image_url=address(record.get("artworkUrl600")) or address(record.get("artworkUrl160")),
        directories=(NAME,),
    )


_SIZES = (10, 25, 50)
"""The numbers of podcasts that the newer address can be asked for. It answers 503 to 100."""
_GENRES = {topic.id: topic.genre for topic in TOPICS}
_SHARE = 0.5
"""The share of the remaining time that the first address may take: the second address and the look-up need the rest."""


_Way = Callable[[Attempt], list[FoundPodcast]]


class AppleCharts:
    name = NAME

    def __init__(self, answers: Answers, base: str, old_base: str, apple: Apple, limit: RateLimit) -> None:
        """`limit` is the limit of the iTunes Store, for the older address and look-ups."""
        self._answers = answers
        self._base = base.rstrip("/")
        self._old_base = old_base.rstrip("/")
        self._apple = apple
        self._limit = limit
        self._chart_limit = RateLimit(20, 60.0)

    def top(self, country: str, topic: str, limit: int, attempt: Attempt) -> Sequence[FoundPodcast]:
        most = max(1, min(limit, _SIZES[-1]))
        genre = _GENRES.get(topic)
        # Only the older address has charts by topic; the podcasts of that topic in the newer address's chart are better
        # than nothing.
        ways: list[_Way] = [
            lambda one: self._newer(country, genre, most, one),
            lambda one: self._older(country, genre, most, one),
        ]
        first, second = ways if genre is None else reversed(ways)
        try:
            chart = first(Attempt(attempt.left_s * _SHARE, attempt.cancel))
        except DirectoryError:
            if attempt.cancel.is_set:
                raise
            chart = self._or_none_there(second, country, attempt)
        return self._with_feeds(chart, country, attempt)

    def _or_none_there(self, way: _Way, country: str, attempt: Attempt) -> list[FoundPodcast]:
        try:
            return way(attempt)
        except DirectoryError as error:
            if error.status not in (400, 404):
                raise
            raise directory_errors.no_chart(NAME, country) from error

    def _newer(self, country: str, genre: int | None, most: int, attempt: Attempt) -> list[FoundPodcast]:
        size = _SIZES[-1] if genre else next(size for size in _SIZES if size >= most)
        address = f"{self._base}/api/v2/{country.lower()}/podcasts/top/{size}/podcasts.json"
        results = self._answers.ask(NAME, address, {}, attempt, limit=self._chart_limit).records("feed", "results")
        of_genre = (one for one in results if genre is None or str(genre) in _genre_ids(one))
        return list(islice(filter(None, map(_entry, of_genre)), most))

    def _older(self, country: str, genre: int | None, most: int, attempt: Attempt) -> list[FoundPodcast]:
        of_genre = f"genre={genre}/" if genre else ""
        address = f"{self._old_base}/{country.lower()}/rss/toppodcasts/limit={most}/{of_genre}explicit=true/json"
        entries = self._answers.ask(NAME, address, {}, attempt, limit=self._limit).one_or_more("feed", "entry")
        return list(islice(filter(None, map(_old_entry, entries)), most))

    def _with_feeds(self, chart: Sequence[FoundPodcast], country: str, attempt: Attempt) -> Sequence[FoundPodcast]:
        ids = [one.apple_id for one in chart if one.apple_id is not None]
        known = self._apple.look_up(ids, attempt, country) if ids else {}
        return tuple(_completed(one, known.get(one.apple_id or 0)) for one in chart)


def _completed(entry: FoundPodcast, known: FoundPodcast | None) -> FoundPodcast:
    """The entry of a chart, completed with the data of the look-up, which has no description."""
    if known is None:
        return entry
    return replace(known, description=entry.description, artwork_url=known.artwork_url or entry.artwork_url)


def _genre_ids(record: Record) -> Iterator[str]:
    return (line(one.get("genreId")) for one in records(record.get("genres")))


def _entry(record: Record) -> FoundPodcast | None:
    title = line(record.get("name"))
    if not title:
        return None
    return FoundPodcast(
        title,
        line(record.get("artistName")),
        apple_id=apple_id(record.get("id")),
        website=address(record.get("url")),
        artwork_url=address(record.get("artworkUrl100")),
        topics=topics(record.get("genres")),
        directories=(NAME,),
    )


def _old_entry(record: Record) -> FoundPodcast | None:
    title = line(inner(record, "im:name", "label"))
    if not title:
        return None
    images: Any = record.get("im:image")
    return FoundPodcast(
        title,
        line(inner(record, "im:artist", "label")),
        apple_id=apple_id(inner(record, "id", "attributes", "im:id")),
        website=address(inner(record, "id", "label")),
        description=block(inner(record, "summary", "label")),
        artwork_url=address(inner(images, len(images) - 1, "label")) if isinstance(images, list) and images else "",
        topics=topics(inner(record, "category", "attributes", "label")),
        directories=(NAME,),
    )


def _open(access: Access) -> Opened:
    """Apple refuses more than about 20 requests a minute."""
    limit = RateLimit(20, 60.0)
    server = access.urls["apple_url"]
    apple = Apple(access.answers, server, access.country, limit)
    charts = AppleCharts(access.answers, access.urls["apple_charts_url"], server, apple, limit)
    return Opened(apple, charts, apple)


ADAPTER = Adapter(
    name="apple",
    title=NAME,
    urls={"apple_url": "https://itunes.apple.com", "apple_charts_url": "https://rss.marketingtools.apple.com"},
    open=_open,
    charts=mark("Apple's charts"),
    finds_episodes=True,
    trust=3,
)
