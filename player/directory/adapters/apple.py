"""Apple Podcasts by the iTunes Search API: https://performance-partners.apple.com/search-api. It knows nearly every
podcast, but says little about each: no description, no language.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from player.directory.adapters.fields import (
    address,
    apple_id,
    count,
    line,
    moment,
    topics,
)
from player.directory.answer import Answer, Record
from player.directory.answers import Answers
from player.directory.directory import Attempt
from player.directory.found_podcast import FoundPodcast
from player.directory.rate_limit import RateLimit

NAME = "Apple Podcasts"
_MOST = 100
"""Results of a search; there is no second page."""
_BATCH = 50
"""Ids in a look-up: its address stays short enough for any server between."""
_EXPLICIT = {"explicit": True, "clean": False, "cleaned": False}


def apple_limit() -> RateLimit:
    """Apple refuses more than about 20 requests a minute."""
    return RateLimit(20, 60.0)


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

    def look_up(self, ids: Sequence[int], attempt: Attempt, country: str = "") -> Mapping[int, FoundPodcast]:
        """What Apple knows of podcasts by their ids. It leaves out those that it doesn't have in that country."""
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
        # Apple's own page is worth something only where the podcast is heard nowhere else.
        website="" if feed_url else address(record.get("collectionViewUrl")),
        artwork_url=address(record.get("artworkUrl600")) or address(record.get("artworkUrl100")),
        episode_count=count(record.get("trackCount")),
        newest=moment(record.get("releaseDate")),
        topics=topics(record.get("genres")) or topics(record.get("primaryGenreName")),
        explicit=_EXPLICIT.get(line(record.get("contentAdvisoryRating")).lower()),
        directories=(NAME,),
    )
