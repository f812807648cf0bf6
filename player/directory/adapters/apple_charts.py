"""The charts of Apple Podcasts: https://rss.marketingtools.apple.com, and the older feed of the iTunes Store, which
alone has charts by topic. Neither says where the feeds are: that is looked up.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec.structs import replace

from player.directory import directory_errors
from player.directory.adapters.apple import NAME, Apple
from player.directory.adapters.fields import address, apple_id, block, inner, line, records, topics
from player.directory.answer import Record
from player.directory.answers import Answers
from player.directory.directory import Attempt
from player.directory.found_podcast import FoundPodcast
from player.directory.rate_limit import RateLimit
from player.directory.topics import TOPICS
from player.errors import DirectoryError

_SIZES = (10, 25, 50)
"""What the newer address can be asked for. It says 503 to 100."""
_GENRES = {topic.id: topic.genre for topic in TOPICS}
_SHARE = 0.5
"""How much of the time that is left the first address may take: the second one and the look-up need the rest."""


_Way = Callable[[Attempt], list[FoundPodcast]]


class AppleCharts:
    name = NAME

    def __init__(self, answers: Answers, base: str, old_base: str, apple: Apple, limit: RateLimit) -> None:
        """`limit` is that of the iTunes Store, for the older address and look-ups."""
        self._answers = answers
        self._base = base.rstrip("/")
        self._old_base = old_base.rstrip("/")
        self._apple = apple
        self._limit = limit
        self._chart_limit = RateLimit(20, 60.0)

    def top(self, country: str, topic: str, limit: int, attempt: Attempt) -> Sequence[FoundPodcast]:
        most = max(1, min(limit, _SIZES[-1]))
        genre = _GENRES.get(topic)
        # Only the older one has charts by topic; of the newer one, what belongs to the topic is better than nothing.
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
    """The entry of a chart with what the look-up says; that has no description."""
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
