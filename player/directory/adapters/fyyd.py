"""fyyd, a directory with good notes about German podcasts: https://fyyd.de/api-doc. One person pays for its server."""

import logging
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from player.directory.adapter import Access, Adapter, Opened
from player.directory.adapters.json_fields import (
    address,
    block,
    count,
    duration_ms,
    guid_in_feed,
    language,
    line,
    media_type,
    moment,
    whole,
)
from player.directory.answers import Answers, RateLimit, Record
from player.directory.directory import Attempt, FoundEpisode, FoundPodcast
from player.errors import DirectoryError

log = logging.getLogger(__name__)

NAME = "fyyd"
_MOST = 30
_MOST_EPISODES = 20
_LOOKED_UP = 4
"""The most podcasts that are looked up for one search: fyyd's episodes name only the id of their podcast."""
_MOST_KNOWN = 1_000
_NO_PODCAST = FoundPodcast("")


class Fyyd:
    name = NAME

    def __init__(self, answers: Answers, base: str, limit: RateLimit) -> None:
        self._answers = answers
        self._base = base.rstrip("/")
        self._limit = limit
        self._known: dict[int, FoundPodcast] = {}
        """The podcasts that have been looked up, by their ids at fyyd."""

    def search(self, words: str, limit: int, attempt: Attempt) -> Sequence[FoundPodcast]:
        most = max(1, min(limit, _MOST))
        asked: dict[str, str | int] = {"title": words, "count": most}
        answer = self._answers.ask(NAME, f"{self._base}/0.2/search/podcast", asked, attempt, limit=self._limit)
        return tuple(islice(filter(None, map(_podcast, answer.records("data"))), most))

    def find_episodes(self, words: str, limit: int, attempt: Attempt) -> Sequence[FoundEpisode]:
        """Only some of the episodes have a podcast and a feed: fyyd is asked for a few podcasts, first for those with
        the most episodes in the answer."""
        most = max(1, min(limit, _MOST_EPISODES))
        asked: dict[str, str | int] = {"term": words, "count": most}
        answer = self._answers.ask(NAME, f"{self._base}/0.2/search/episode", asked, attempt, limit=self._limit)
        records = list(islice((one for one in answer.records("data") if line(one.get("title"))), most))
        ids = Counter(id for one in records if (id := whole(one.get("podcast_id"))))
        self._look_up([id for id, _number in ids.most_common() if id not in self._known][:_LOOKED_UP], attempt)
        return tuple(_episode(one, self._known.get(whole(one.get("podcast_id")) or 0, _NO_PODCAST)) for one in records)

    def _look_up(self, ids: Sequence[int], attempt: Attempt) -> None:
        """Asks for these podcasts, until a request fails."""
        for id in ids:
            asked: dict[str, str | int] = {"podcast_id": id, "count": 1}
            try:
                answer = self._answers.ask(NAME, f"{self._base}/0.2/podcast", asked, attempt, limit=self._limit)
                podcast = next(filter(None, map(_podcast, answer.one_or_more("data"))), None)
            except DirectoryError as error:
                log.info("a podcast can't be looked up at %s: %s", NAME, error)
                return
            if podcast is not None and len(self._known) < _MOST_KNOWN:
                self._known[id] = podcast


def _episode(record: Record, podcast: FoundPodcast) -> FoundEpisode:
    return FoundEpisode(
        line(record.get("title")),
        podcast.title,
        podcast.feed_url,
        address(record.get("enclosure")),
        guid_in_feed(record.get("guid")),
        moment(record.get("pubdate")),
        duration_ms(record.get("duration"), 1000),
        media_type(record.get("content_type")),
        link=address(record.get("url")),
        description=block(record.get("description")),
        image_url=address(record.get("imgURL")),
        directories=(NAME,),
    )


def _podcast(record: Record) -> FoundPodcast | None:
    title = line(record.get("title"))
    if not title:
        return None
    return FoundPodcast(
        title,
        line(record.get("author")),
        address(record.get("xmlURL")),
        website=address(record.get("htmlURL")),
        description=block(record.get("description")) or line(record.get("subtitle")),
        artwork_url=address(record.get("imgURL")) or address(record.get("layoutImageURL")),
        episode_count=count(record.get("episode_count")),
        newest=moment(record.get("lastpub")),
        language=language(record.get("language")),
        directories=(NAME,),
    )


def _open(access: Access) -> Opened:
    fyyd = Fyyd(access.answers, access.urls["fyyd_url"], RateLimit(20, 60.0))
    return Opened(fyyd, episodes=fyyd)


ADAPTER = Adapter(
    name="fyyd",
    title=NAME,
    urls={"fyyd_url": "https://api.fyyd.de"},
    open=_open,
    finds_episodes=True,
    trust=1,
)
