"""200 feeds of 250 episodes and one of 10,000: taken in, refreshed, and keys pressed meanwhile; castero beside it."""

import os
import re
import select
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from player.library import Library
from player.paths import Paths
from tests.bench import castero
from tests.bench.house import BUILD
from tests.bench.table import ms, print_table, ratio
from tests.pty.terminal import KEYS, Terminal

FEEDS, EPISODES = 200, 250
_ROUNDS = 3
_SETTINGS = "[feeds]\nrefresh_on_start = false\nrefresh_minutes = 0\n"
_SERVER = r'''
import asyncio, sys
FEEDS, EPISODES = 200, 250
ITEM = """<item><title>Episode {n} of show {i}</title><guid isPermaLink="false">g-{i}-{n}</guid>
<pubDate>{day:02} Jan 2024 10:{minute:02}:00 +0000</pubDate><link>http://127.0.0.1/{i}/{n}</link>
<enclosure url="http://127.0.0.1:9/{i}/{n}.mp3" length="1000" type="audio/mpeg"/>
<itunes:duration>1:02:03</itunes:duration><description>{notes}</description></item>"""
FEED = """<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"
xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Show {i}</title><link>http://127.0.0.1/{i}</link>
<description>About {i}</description>{items}</channel></rss>"""
SENTENCE = "&lt;p&gt;Notes {n} on people, places and things, with a &lt;a href='http://127.0.0.1/{n}'&gt;link&lt;/a&gt;.&lt;/p&gt;"

def feed(i, episodes, sentences=2):
    items = "".join(
        ITEM.format(i=i, n=n, day=n % 28 + 1, minute=n % 60, notes=SENTENCE.format(n=n) * sentences)
        for n in range(episodes, 0, -1)
    )
    return FEED.format(i=i, items=items).encode()

bodies = {f"/{i}": feed(i, EPISODES) for i in range(FEEDS)}
bodies["/large"] = feed("large", 10_000, 35)
tags = dict.fromkeys(bodies, '"1"')

async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split()[1].decode()
            if path.startswith("/grow/"):
                for i in range(0, FEEDS, FEEDS // int(path[6:])):
                    extra = bodies[f"/{i}"].count(b"<item>") + 1
                    bodies[f"/{i}"] = feed(i, extra)
                    tags[f"/{i}"] = f'"{extra}"'
                path, body, tag = path, b"", '""'
            else:
                body, tag = bodies[path], tags[path]
            if f"if-none-match: {tag}".encode() in head.lower():
                writer.write(f"HTTP/1.1 304 Not Modified\r\nETag: {tag}\r\n\r\n".encode())
            else:
                head = f"Content-Type: text/xml\r\nETag: {tag}\r\nContent-Length: {len(body)}"
                writer.write(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode() + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], len(bodies["/large"]), flush=True)
    await server.serve_forever()

asyncio.run(main())
'''


def measure() -> None:
    folder = BUILD / "feeds"
    with _server() as (url, large):
        opml = _opml(folder, url)
        print(f"  castero {castero.install()}, the large feed has {large / 1e6:.0f} MB", flush=True)
        rounds = [_round(folder / f"home-{number}", opml, url) for number in range(_ROUNDS)]
        theirs = [_castero(folder / f"castero-{number}", opml) for number in range(_ROUNDS)]
        keys = [_keys(folder / f"keys-{number}", url) for number in range(_ROUNDS)]
    peer = statistics.median(theirs)
    rows: list[list[str]] = []
    for name in rounds[0]:
        ours = [one[name] for one in rounds]
        beside = name == "import, findable" or name.startswith("refresh")
        medians = (ms(statistics.median(ours)), ms(min(ours)), ms(max(ours)))
        theirs_too = (ms(peer), ratio(statistics.median(ours), peer)) if beside else ("", "")
        rows.append([name, *medians, *theirs_too])
    heads = ["", "median", "least", "most", "castero", "ratio"]
    print_table(f"Feeds: {FEEDS} of {EPISODES} episodes, over loopback", heads, rows, "castero imports at each refresh")
    heads = ["", "median", "p99", "worst"]
    rows = []
    for name in keys[0]:
        waits = sorted(wait for one in keys for wait in one[name])
        rows.append([name, *(ms(waits[int((len(waits) - 1) * share)]) for share in (0.5, 0.99, 1))])
    print_table("Keys in the app, in a terminal", heads, rows)


@contextmanager
def _server() -> Iterator[tuple[str, int]]:
    process = subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        port, large = process.stdout.readline().split()
        yield f"http://127.0.0.1:{port}", int(large)
    finally:
        process.kill()
        process.wait()


def _opml(folder: Path, url: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    outlines = "".join(f'<outline type="rss" text="Show {n}" xmlUrl="{url}/{n}"/>' for n in range(FEEDS))
    path = folder / "list.opml"
    path.write_text(f'<opml version="2.0"><head/><body>{outlines}</body></opml>')
    return path


def _home(folder: Path) -> dict[str, str]:
    shutil.rmtree(folder, ignore_errors=True)
    paths = Paths.of({"EARMARK_HOME": str(folder)})
    paths.config.mkdir(parents=True)
    paths.settings.write_text(_SETTINGS, encoding="utf-8")
    library = Library(paths)
    library.open()
    for podcast in library.podcasts.all():
        library.podcasts.remove(podcast.id)
    library.close()
    return {**os.environ, "HOME": str(folder), "EARMARK_HOME": str(folder), "PULSE_SERVER": "unix:/nowhere"}


def _earmark(environ: dict[str, str], *arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "tui", *arguments], env=environ, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _round(folder: Path, opml: Path, url: str) -> dict[str, float]:
    environ = _home(folder)
    times = {"import": _earmark(environ, "import", str(opml))}
    library = Library(Paths.of(environ))
    library.open()
    start = time.perf_counter()
    library.search.catch_up()
    times["import, findable"] = times["import"] + time.perf_counter() - start
    assert library.episodes.counts().all == FEEDS * EPISODES or folder.name != "home-0"
    library.close()
    times["refresh, nothing new (304)"] = _earmark(environ, "refresh")
    httpx.get(f"{url}/grow/2")
    times["refresh, 1 % with a new episode"] = _earmark(environ, "refresh")
    times["add 10,000 episodes"] = _earmark(environ, "add", f"{url}/large")
    return times


def _castero(folder: Path, opml: Path) -> float:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    python = BUILD / "castero" / "bin" / "python"
    start = time.perf_counter()
    subprocess.run(
        [python, "-m", "castero", "--import", opml], check=True, stdout=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(folder)},
    )  # fmt: skip
    return time.perf_counter() - start


# -- keys -----------------------------------------------------------------------------------------------------


def _keys(folder: Path, url: str) -> dict[str, list[float]]:
    """With one podcast read, keys at rest; then while 200 are taken in, and while all of them have something new."""
    environ = _home(folder)
    _earmark(environ, "add", f"{url}/0")
    library = Library(Paths.of(environ))
    library.open()
    with library.transaction():
        for number in range(1, FEEDS):
            library.podcasts.add(f"{url}/{number}", f"Show {number}")
    library.close()
    with Terminal(environ=environ) as terminal:
        terminal.wait_for("Episode \\d+")
        _settle(terminal)
        terminal.press("j")
        _settle(terminal)
        found = {"at rest": [_key(terminal, key) for key in ["j", "k"] * 40]}
        found["while 200 feeds are taken in"] = _keys_in_refresh(terminal)
        httpx.get(f"{url}/grow/{FEEDS}", timeout=60)
        found["while 200 feeds bring something new"] = _keys_in_refresh(terminal)
        terminal.press("q")
        terminal.wait_exit()
    return found


def _keys_in_refresh(terminal: Terminal) -> list[float]:
    terminal.press("R")
    terminal.wait_for("Refreshing")
    waits: list[float] = []
    while not re.search("new episodes|Nothing new", terminal.text):
        waits.append(_key(terminal, "jk"[len(waits) % 2]))
    _settle(terminal)
    return waits


def _key(terminal: Terminal, key: str) -> float:
    """From the key until the cursor stands on another episode; what else is drawn meanwhile doesn't count."""
    before = _under_cursor(terminal)
    start = time.perf_counter()
    terminal.process.write(KEYS.get(key, key).encode())
    while time.perf_counter() - start < 5.0:
        if not select.select([terminal.process.fd], [], [], 0.02)[0]:
            continue
        came = time.perf_counter()
        terminal._stream.feed(terminal.process.read(65536))
        if _under_cursor(terminal) not in (before, ""):
            return came - start
    return 5.0


def _under_cursor(terminal: Terminal) -> str:
    found = (re.search("▌.*?(Episode \\d+ of show \\d+)", line[25:]) for line in terminal._screen.display)
    return next((match[1] for match in found if match), "")


def _settle(terminal: Terminal) -> None:
    while select.select([terminal.process.fd], [], [], 0.5)[0]:
        terminal._read(0.01)
