"""gpodder.net: https://gpoddernet.readthedocs.io/en/latest/api/reference/directory.html. It knows the podcasts to which
its users subscribe.
"""

from collections.abc import Sequence
from itertools import islice
from urllib.parse import quote

from player.directory.adapter import Access, Adapter, Opened
from player.directory.adapters.json_fields import address, block, line
from player.directory.answers import Answers, RateLimit, Record
from player.directory.directory import Attempt, FoundPodcast
from player.text.sentences import mark

NAME = "gpodder.net"
_MOST = 100


class Gpodder:
    name = NAME

    def __init__(self, answers: Answers, base: str, limit: RateLimit) -> None:
        self._answers = answers
        self._base = base.rstrip("/")
        self._limit = limit

    def search(self, words: str, limit: int, attempt: Attempt) -> Sequence[FoundPodcast]:
        return self._podcasts("search.json", {"q": words}, limit, attempt)

    def top(self, country: str, topic: str, limit: int, attempt: Attempt) -> Sequence[FoundPodcast]:
        """The chart of all countries: there are no charts of single countries."""
        del country
        most = max(1, min(limit, _MOST))
        path = f"api/2/tag/{quote(topic, safe='')}/{most}.json" if topic else f"toplist/{most}.json"
        return self._podcasts(path, {}, most, attempt)

    def _podcasts(self, path: str, asked: dict[str, str | int], limit: int, attempt: Attempt) -> Sequence[FoundPodcast]:
        answer = self._answers.ask(NAME, f"{self._base}/{path}", asked, attempt, limit=self._limit)
        return tuple(islice(filter(None, map(_podcast, answer.records())), max(1, min(limit, _MOST))))


def _podcast(record: Record) -> FoundPodcast | None:
    title, feed_url = line(record.get("title")), address(record.get("url"))
    if not title or title == feed_url:
        return None  # gpodder.net has never managed to read this feed
    return FoundPodcast(
        title,
        line(record.get("author")),
        feed_url,
        website=address(record.get("website")),
        description=block(record.get("description")),
        artwork_url=address(record.get("logo_url")) or address(record.get("scaled_logo_url")),
        directories=(NAME,),
    )


def _open(access: Access) -> Opened:
    gpodder = Gpodder(access.answers, access.urls["gpodder_url"], RateLimit(20, 60.0))
    return Opened(gpodder, gpodder)


ADAPTER = Adapter(
    name="gpodder",
    title=NAME,
    urls={"gpodder_url": "https://gpodder.net"},
    open=_open,
    charts=mark("then those of gpodder.net, which are of all countries"),
)
