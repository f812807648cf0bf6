"""The podcast directories on 127.0.0.1: they answer as their documentation says, or as a test wants it."""

import json
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from player.directory.adapters import settings_kind
from player.settings import DirectorySettings
from tests.loopback import Answer, LoopbackServer, Request

APPLE, FYYD, GPODDER = "/apple", "/fyyd", "/gpodder"
CHARTS, INDEX = "/charts", "/index"
KEY, SECRET = "KEYKEYKEY", "s3cret^$#"

ONE_FEED = "https://feeds.example.com/pytorch"
ONE_GUID = "9b024349-ccf0-5f69-a609-6b82873eab3c"


def apple_podcast(id: int, title: str, feed: str | None, **more: Any) -> dict[str, Any]:
    record = {
        "wrapperType": "track", "kind": "podcast", "collectionId": id, "trackId": id, "artistName": "Some One",
        "collectionName": title, "trackName": title, "collectionViewUrl": f"https://podcasts.apple.com/podcast/id{id}",
        "artworkUrl100": "https://art.example.com/100.jpg", "artworkUrl600": "https://art.example.com/600.jpg",
        "releaseDate": "2026-09-01T06:00:00Z", "trackCount": 83, "country": "USA", "primaryGenreName": "Technology",
        "contentAdvisoryRating": "Clean", "genreIds": ["1318", "26"], "genres": ["Technology", "Podcasts"],
        **({} if feed is None else {"feedUrl": feed}),
    }  # fmt: skip
    return record | more


def apple_answer(*podcasts: Any) -> dict[str, Any]:
    return {"resultCount": len(podcasts), "results": list(podcasts)}


def fyyd_answer(*podcasts: Any) -> dict[str, Any]:
    return {"status": 1, "msg": "ok", "meta": {"paging": {"count": 10, "page": 0}}, "data": list(podcasts)}


def fyyd_podcast(title: str, feed: str, **more: Any) -> dict[str, Any]:
    record = {
        "title": title, "id": 85, "xmlURL": feed, "htmlURL": "https://example.com/show", "subtitle": "About it",
        "imgURL": "https://example.com/cover.png", "status": 200, "slug": "show", "language": "de-de",
        "lastpub": "2026-08-02T10:00:00.000Z", "rank": 3, "description": "What fyyd says.", "author": "Jemand",
        "episode_count": 90, "categories": [55],
    }  # fmt: skip
    return record | more


def gpodder_podcast(title: str, feed: str, **more: Any) -> dict[str, Any]:
    record = {
        "url": feed, "title": title, "author": "", "description": "A <b>long</b> description, from gpodder.net.",
        "subscribers": 55, "logo_url": "https://example.com/logo.png", "scaled_logo_url": None,
        "website": "https://example.com/", "mygpo_link": "http://gpodder.net/podcast/x",
    }  # fmt: skip
    return record | more


def index_answer(*podcasts: Any) -> dict[str, Any]:
    return {"status": "true", "feeds": list(podcasts), "count": len(podcasts), "description": "Found matching feeds."}


def index_podcast(title: str, feed: str, **more: Any) -> dict[str, Any]:
    record = {
        "id": 75075, "podcastGuid": ONE_GUID, "title": title, "url": feed, "originalUrl": feed,
        "link": "https://example.com/home", "description": "As in the feed.", "author": "Some One", "ownerName": "One",
        "image": "https://example.com/i.jpg", "artwork": "https://example.com/a.jpg", "lastUpdateTime": 1754000000,
        "newestItemPubdate": 1754000000, "itunesId": 1, "language": "en-us", "explicit": False, "medium": "podcast",
        "dead": 0, "episodeCount": 84, "categories": {"102": "Technology"}, "locked": 0,
    }  # fmt: skip
    return record | more


ONE_EPISODE = "https://media.example.com/one.mp3"


def apple_episode(title: str, feed: str | None, url: str, **more: Any) -> dict[str, Any]:
    record = {
        "wrapperType": "podcastEpisode", "kind": "podcast-episode", "collectionId": 1, "trackId": 1000742770142,
        "trackName": title, "collectionName": "A show", "releaseDate": "2026-09-01T06:00:00Z", "episodeUrl": url,
        "trackTimeMillis": 1247000, "episodeGuid": f"guid of {title}", "episodeFileExtension": "mp3",
        "episodeContentType": "audio", "description": "What Apple says.", "shortDescription": "In short.",
        "trackViewUrl": "https://podcasts.apple.com/podcast/id1?i=1000742770142", "country": "USA",
        "artworkUrl600": "https://art.example.com/600.jpg", "genres": [{"name": "Technology", "id": "1318"}],
        **({} if feed is None else {"feedUrl": feed}),
    }  # fmt: skip
    return record | more


def fyyd_episode(title: str, podcast_id: int, url: str, **more: Any) -> dict[str, Any]:
    record = {
        "id": 16021018, "title": title, "guid": f"guid of {title}", "url": "https://example.com/one", "enclosure": url,
        "podcast_id": podcast_id, "imgURL": "https://example.com/one.jpg", "pubdate": "2026-09-01T08:00:00+02:00",
        "duration": 1247, "duration_string": "20:47", "status": 200, "num_season": 0, "num_episode": 7,
        "url_fyyd": "https://fyyd.de/episode/16021018", "content_type": "audio/mpeg",
        "description": "<p>What fyyd says, which is more.</p>",
    }  # fmt: skip
    return record | more


def index_episodes(*episodes: Any) -> dict[str, Any]:
    return {"status": "true", "items": list(episodes), "count": len(episodes), "description": "Found matching items."}


def index_episode(title: str, feed: str, url: str, **more: Any) -> dict[str, Any]:
    record = {
        "id": 5621, "title": title, "link": "https://example.com/one", "description": "As in the feed.",
        "guid": f"guid of {title}", "datePublished": 1788242400, "enclosureUrl": url, "enclosureType": "audio/mpeg",
        "enclosureLength": 19_000_000, "duration": 1247, "explicit": 0, "image": "", "feedImage": "https://e.com/f.jpg",
        "feedItunesId": 1, "feedId": 75075, "feedUrl": feed, "feedTitle": "A show", "feedLanguage": "en",
    }  # fmt: skip
    return record | more


def newer_chart(*ids: int) -> dict[str, Any]:
    return {"feed": {"title": "Top Shows", "country": "us", "results": [
        {"artistName": "Some One", "id": str(id), "name": f"Show {id}", "kind": "podcasts",
         "artworkUrl100": "https://art.example.com/100.png",
         "genres": [{"genreId": "1318" if id % 2 else "1489", "name": "Technology" if id % 2 else "News", "url": "x"}],
         "url": f"https://podcasts.apple.com/us/podcast/id{id}"} for id in ids
    ]}}  # fmt: skip


def older_chart(*ids: int) -> dict[str, Any]:
    entries: list[Any] = [
        {"im:name": {"label": f"Show {id}"}, "im:artist": {"label": "Some One"}, "summary": {"label": "In short."},
         "im:image": [{"label": "https://art.example.com/55.png"}, {"label": "https://art.example.com/170.png"}],
         "id": {"label": f"https://podcasts.apple.com/id{id}", "attributes": {"im:id": str(id)}},
         "category": {"attributes": {"im:id": "1318", "label": "Technology"}}} for id in ids
    ]  # fmt: skip
    return {"feed": {"author": {}, **({"entry": entries[0] if len(entries) == 1 else entries} if entries else {})}}


def asked(request: Request) -> dict[str, str]:
    """The parameters of a request."""
    return {name: values[0] for name, values in parse_qs(urlsplit(request.path).query, keep_blank_values=True).items()}


class Directories:
    """All of them, on one server. Each answers with nothing found until a test sets something else."""

    def __init__(self, server: LoopbackServer) -> None:
        self.server = server
        self.says(f"{APPLE}/search", apple_answer(), "text/javascript; charset=utf-8")
        self.says(f"{APPLE}/lookup", apple_answer(), "text/javascript; charset=utf-8")
        self.says(f"{FYYD}/0.2/search/podcast", fyyd_answer())
        self.says(f"{GPODDER}/search.json", [])
        self.says(f"{INDEX}/api/1.0/search/byterm", index_answer())
        self.says(f"{FYYD}/0.2/search/episode", fyyd_answer())
        self.says(f"{INDEX}/api/1.0/search/byperson", index_episodes())

    @property
    def settings(self) -> DirectorySettings:
        """With a key for Podcast Index."""
        made: DirectorySettings = settings_kind()(
            ask=("apple", "fyyd", "gpodder", "podcastindex"),
            country="US",
            podcast_index_key=KEY,
            podcast_index_secret=SECRET,
            apple_url=self.server.url(APPLE),
            apple_charts_url=self.server.url(CHARTS),
            fyyd_url=self.server.url(FYYD),
            gpodder_url=self.server.url(GPODDER),
            podcast_index_url=self.server.url(INDEX),
        )
        return made

    @property
    def toml(self) -> str:
        """The same for config.toml."""
        values = {name: getattr(self.settings, name) for name in self.settings.__struct_fields__ if name != "ask"}
        return "\n".join(["[directories]", *(f"{name} = {json.dumps(value)}" for name, value in values.items())])

    def says(self, path: str, answer: Any, content_type: str = "application/json", **more: Any) -> None:
        """The answer as JSON, or bytes as they are."""
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.server.page(path, body, content_type, **more)

    def does(self, path: str, answer: Answer) -> None:
        self.server.answer(path, answer)

    def looks_up(self, *feeds: tuple[int, str | None]) -> None:
        """Apple knows these podcasts by their ids, when it is asked for them."""
        known = {id: apple_podcast(id, f"Show {id}", feed) for id, feed in feeds}

        def answer(request: Request) -> None:
            wanted = [known[int(id)] for id in asked(request)["id"].split(",") if int(id) in known]
            request.reply(json.dumps(apple_answer(*wanted)).encode(), "text/javascript; charset=utf-8")

        self.does(f"{APPLE}/lookup", answer)

    def seen(self, path: str) -> list[Request]:
        """The requests for a path."""
        return [request for request in self.server.seen if urlsplit(request.path).path == path]


EPISODES_AT = (f"{APPLE}/search", f"{FYYD}/0.2/search/episode", f"{INDEX}/api/1.0/search/byperson")
"""Where single episodes are searched for."""


def _in(text: str) -> bytes:
    """That list under each name under which a directory has its results."""
    return f'{{"status": "true", "results": {text}, "data": {text}, "items": {text}}}'.encode()


def _records(count: int) -> str:
    one = apple_episode("Noise", "javascript:alert(1)", "javascript:alert(2)", guid="7", episodeGuid="7")
    one["title"] = "Noise"
    return f"[{','.join([json.dumps(one)] * count)}]"


def _written(request: Request, body: bytes, content_type: str = "application/json") -> None:
    """A body that ends where the connection does."""
    request.send_response(200)
    request.send_header("Content-Type", content_type)
    request.send_header("Connection", "close")
    request.end_headers()
    request.wfile.write(body)
    request.close_connection = True


def _endless(request: Request) -> None:
    _written(request, b'{"results": [')
    while True:  # until the other side closes the connection
        request.wfile.write(b'{"trackName": "Again"},' * 1000)


def _slow(request: Request) -> None:
    _written(request, b'{"results": [')
    threading.Event().wait(20)


def _cut(request: Request) -> None:
    request.send_response(200)
    request.send_header("Content-Length", "9000")
    request.end_headers()
    request.wfile.write(b'{"results": [')
    request.close_connection = True


HOSTILE_HOSTS: dict[str, Callable[[Request], None]] = {
    "wrong types": lambda one: _written(one, _in('[7, null, [], "x", {"trackName": [], "title": 1}, {"title": {}}]')),
    "no list": lambda one: _written(one, _in('{"trackName": "x"}')),
    "a page": lambda one: _written(one, b"<!DOCTYPE html><html>Welcome to the hotel</html>", "text/html"),
    "nan": lambda one: _written(
        one, _in('[{"trackName": "x", "title": "x", "trackTimeMillis": NaN, "duration": NaN}]')
    ),
    "endless": _endless,
    "slow": _slow,
    "scripts": lambda one: _written(one, _in(_records(3))),
    "repeated": lambda one: _written(one, _in(_records(150))),
    "a million": lambda one: _written(one, _in("[" + "1," * 999_999 + "1]")),
    "broken UTF-8": lambda one: _written(
        one, _in('[{"trackName": "\xff\xfe", "title": "\xc3"}]').replace(b"\xc3", b"\xff")
    ),
    "deep": lambda one: _written(one, _in("[" * 50_000 + "]" * 50_000)),
    "cut": _cut,
}
"""Broken answers in place of a directory's, by what is wrong with them."""


POD_SHELF = """
from player.directory.adapter import Adapter, KeySettings, Opened
from player.directory.adapters.json_fields import address, line
from player.directory.answers import RateLimit
from player.directory.directory import FoundEpisode, FoundPodcast


class PodShelf:
    name = "Pod Shelf"

    def __init__(self, access):
        self._answers, self._base, self._key = access.answers, access.urls["podshelf_url"], access.key

    def search(self, words, limit, attempt):
        return self._podcasts("search", {"words": words, "key": "/".join(self._key())}, attempt)

    def top(self, country, topic, limit, attempt):
        return self._podcasts("top", {"country": country}, attempt)

    def find_episodes(self, words, limit, attempt):
        found = self._podcasts("episodes", {"words": words}, attempt)
        return tuple(FoundEpisode(one.title, feed_url=one.feed_url, directories=(self.name,)) for one in found)

    def _podcasts(self, what, asked, attempt):
        answer = self._answers.ask(self.name, f"{self._base}/{what}", asked, attempt, limit=RateLimit(9, 60.0))
        return tuple(
            FoundPodcast(line(one["title"]), feed_url=address(one["feed"]), directories=(self.name,))
            for one in answer.records()
        )


def opened(access):
    shelf = PodShelf(access)
    return Opened(shelf, shelf, shelf)


ADAPTER = Adapter(
    name="podshelf",
    title="Pod Shelf",
    urls={"podshelf_url": "https://shelf.example"},
    open=opened,
    key=KeySettings("podshelf_key", "podshelf_secret", "Your API key of Pod Shelf and its secret."),
    charts="then those of Pod Shelf",
    finds_episodes=True,
)
"""
"""The module of a directory that isn't Earmark's, with a key and charts."""
