"""fyyd, a directory with good notes about German podcasts: https://fyyd.de/api-doc. One person pays for its server."""

from collections.abc import Sequence
from itertools import islice

from player.directory.adapter import Access, Adapter, Opened
from player.directory.adapters.json_fields import address, block, count, language, line, moment
from player.directory.answers import Answers, RateLimit, Record
from player.directory.directory import Attempt, FoundPodcast

NAME = "fyyd"
_MOST = 30


class Fyyd:
    name = NAME

    def __init__(self, answers: Answers, base: str, limit: RateLimit) -> None:
        self._answers = answers
        self._base = base.rstrip("/")
        self._limit = limit

    def search(self, words: str, limit: int, attempt: Attempt) -> Sequence[FoundPodcast]:
        most = max(1, min(limit, _MOST))
        asked: dict[str, str | int] = {"title": words, "count": most}
        answer = self._answers.ask(NAME, f"{self._base}/0.2/search/podcast", asked, attempt, limit=self._limit)
        return tuple(islice(filter(None, map(_podcast, answer.records("data"))), most))


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
    return Opened(Fyyd(access.answers, access.urls["fyyd_url"], RateLimit(10, 60.0)))


ADAPTER = Adapter(name="fyyd", title=NAME, urls={"fyyd_url": "https://api.fyyd.de"}, open=_open, trust=1)
