"""The benchmark's feeds on loopback, in a separate process: 200 with 250 episodes each, and one with 10,000."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from tests.bench.house import ROOT

FEEDS, EPISODES, LARGE = 200, 250, 10_000
_ITEM = """<item><title>Episode {n} of show {i}</title><guid isPermaLink="false">g-{i}-{n}</guid>
<pubDate>{day:02} Jan 2024 10:{minute:02}:00 +0000</pubDate><link>http://127.0.0.1/{i}/{n}</link>
<enclosure url="http://127.0.0.1:9/{i}/{n}.mp3" length="1000" type="audio/mpeg"/>
<itunes:duration>1:02:03</itunes:duration><description>{notes}</description></item>"""
_FEED = """<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"
xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Show {i}</title><link>http://127.0.0.1/{i}</link>
<description>About {i}</description>{items}</channel></rss>"""
_SENTENCE = "&lt;p&gt;Notes {n} on people, places and things, with a &lt;a href='http://127.0.0.1/{n}'&gt;link&lt;/a&gt;.&lt;/p&gt;"


@dataclass
class FeedServer:
    """`large_bytes`: size of the feed with 10,000 episodes. `episodes`: how many the other 200 have in total."""

    url: str
    large_bytes: int
    episodes: int = FEEDS * EPISODES

    @property
    def feeds(self) -> list[str]:
        return [f"{self.url}/{number}" for number in range(FEEDS)]

    @property
    def large(self) -> str:
        return f"{self.url}/large"

    def grow(self, feeds: int) -> None:
        """Adds an episode to each of `feeds` feeds."""
        connection = HTTPConnection(self.url.removeprefix("http://"), timeout=60)
        try:
            connection.request("GET", f"/grow/{feeds}")
            status = connection.getresponse().status
            assert status == 204, f"the server of feeds answered {status}"
        finally:
            connection.close()
        self.episodes += feeds


def write_opml(path: Path, urls: Sequence[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    outlines = "".join(f'<outline type="rss" text="Show {url.rpartition("/")[2]}" xmlUrl="{url}"/>' for url in urls)
    path.write_text(f'<opml version="2.0"><head/><body>{outlines}</body></opml>', encoding="utf-8")
    return path


@contextmanager
def feed_server() -> Iterator[FeedServer]:
    command = [sys.executable, "-m", "tests.bench.feed_server"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            port, large = process.stdout.readline().split()
            yield FeedServer(f"http://127.0.0.1:{port}", int(large))
        finally:
            process.kill()


# -- the process ----------------------------------------------------------------------------------------------


def _feed(name: int | str, episodes: int, sentences: int = 2) -> bytes:
    items = "".join(
        _ITEM.format(i=name, n=n, day=n % 28 + 1, minute=n % 60, notes=_SENTENCE.format(n=n) * sentences)
        for n in range(episodes, 0, -1)
    )
    return _FEED.format(i=name, items=items).encode()


class _Shelf:
    def __init__(self) -> None:
        self.bodies = {f"/{number}": _feed(number, EPISODES) for number in range(FEEDS)}
        self.bodies["/large"] = _feed("large", LARGE, 35)
        self.tags = dict.fromkeys(self.bodies, '"1"')

    def answer(self, head: bytes) -> bytes:
        path = head.split()[1].decode()
        if path.startswith("/grow/"):
            self._grow(int(path.removeprefix("/grow/")))
            return b"HTTP/1.1 204 No Content\r\n\r\n"
        body, tag = self.bodies[path], self.tags[path]
        if f"if-none-match: {tag}".encode() in head.lower():
            return f"HTTP/1.1 304 Not Modified\r\nETag: {tag}\r\n\r\n".encode()
        about = f"Content-Type: text/xml\r\nETag: {tag}\r\nContent-Length: {len(body)}"
        return f"HTTP/1.1 200 OK\r\n{about}\r\n\r\n".encode() + body

    def _grow(self, feeds: int) -> None:
        for number in range(0, FEEDS, FEEDS // feeds):
            episodes = self.bodies[f"/{number}"].count(b"<item>") + 1
            self.bodies[f"/{number}"] = _feed(number, episodes)
            self.tags[f"/{number}"] = f'"{episodes}"'

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                writer.write(self.answer(await reader.readuntil(b"\r\n\r\n")))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


async def _main() -> None:
    shelf = _Shelf()
    server = await asyncio.start_server(shelf.serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], len(shelf.bodies["/large"]), flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
