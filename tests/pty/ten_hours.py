"""A world of podcasts for ten hours, the devices of its listener, and what their processes hold."""

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock

from player.errors import ControlError
from player.integrations.client import request
from player.paths import Paths
from tests.loopback import LoopbackServer, Request
from tests.player.artwork.images import halves
from tests.pty.census import Held
from tests.pty.terminal import Terminal
from tests.sound.pitch import pitch_coded, tone
from tui.cli.main import main
from tui.logs import append
from tui.terminal.capabilities import LOG_LIMIT

PODCASTS = 60
EPISODE_S = 40
LONG_S = 600
_LONGEST = 15
"""Episodes in a feed; older ones are in it no more."""
_FEED = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"
 xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
<title>Show {show:02}</title><description>About show {show}.</description><itunes:image href="{cover}"/>
{items}</channel></rss>"""
_ITEM = """<item><title>Show {show:02} part {part}</title><guid>{show}-{part}</guid><pubDate>{date}</pubDate>
<description>&lt;p&gt;Notes on part {part}, with a &lt;a href="{url}"&gt;link&lt;/a&gt;.&lt;/p&gt;</description>
<link>{url}?page-{show}-{part}</link><itunes:duration>{seconds}</itunes:duration>
<podcast:chapters url="{url}chapters.json?{show}-{part}" type="application/json+chapters"/>
<podcast:transcript url="{url}transcript.vtt?{show}-{part}" type="text/vtt"/>
<enclosure url="{url}audio.mp3?{show}-{part}" type="audio/mpeg" length="1"/></item>"""
_TRANSCRIPT = "WEBVTT\n\n" + "".join(
    f"00:{second:02}.000 --> 00:{second + 2:02}.000\nSentence {second} of all.\n\n" for second in range(0, EPISODE_S, 2)
)


class World:
    """`with World() as world`: shows on loopback with three episodes each, with covers, chapters and transcripts."""

    def __init__(self) -> None:
        self._server = LoopbackServer()
        self._port = self._server.server_port
        self._parts = [3] * PODCASTS
        marks = [{"startTime": number * EPISODE_S // 3, "title": f"Chapter {number + 1}"} for number in range(3)]
        self._server.audio("/audio.mp3", pitch_coded("mp3 vbr", EPISODE_S))
        self._server.page("/chapters.json", json.dumps({"chapters": marks}).encode(), "application/json+chapters")
        self._server.page("/transcript.vtt", _TRANSCRIPT.encode(), "text/vtt")
        self._server.page("/cover.png", halves(), "image/png")
        self._server.audio("/long.mp3", tone("mp3 vbr", 440.0, LONG_S))
        item = _ITEM.format(
            show=99, part=1, seconds=LONG_S, url=self._server.url("/"), date="Mon, 01 Jun 2026 10:00:00 GMT"
        )
        item = item.replace("audio.mp3", "long.mp3")
        long = _FEED.format(show=99, cover=self._server.url("/cover.png?99"), items=item)
        self.long = self._server.page("/long.xml", long.encode())
        """A show with one long episode."""
        self.urls = [
            self._server.answer(f"/{show}.xml", lambda request, show=show: self._send(request, show))  # type: ignore[misc]
            for show in range(PODCASTS)
        ]

    def publish(self, shows: Iterable[int]) -> list[str]:
        """One more episode of each: their titles."""
        titles = []
        for show in shows:
            self._parts[show] += 1
            titles.append(f"Show {show:02} part {self._parts[show]}")
        return titles

    def url(self, path: str) -> str:
        return self._server.url(path)

    @contextmanager
    def cut(self) -> Iterator[None]:
        """Connections end, and new ones are refused."""
        self._server.__exit__(None, None, None)
        self._server.hang_up()
        answers = self._server.answers
        yield
        self._server = LoopbackServer(self._port)
        self._server.answers = answers
        self._server.__enter__()

    def _send(self, request: Request, show: int) -> None:
        self._server.seen.clear()
        count = self._parts[show]
        tag = f'"{count}"'
        if request.headers.get("If-None-Match") == tag:
            request.reply(b"", "application/rss+xml", status=304, headers={"ETag": tag})
            return
        now = datetime.now(UTC)
        items = (
            _ITEM.format(
                show=show, part=part, seconds=EPISODE_S, url=self.url("/"),
                date=format_datetime(now - timedelta(hours=6 * (count - part), minutes=show)),
            )
            for part in range(count, max(0, count - _LONGEST), -1)
        )  # fmt: skip
        body = _FEED.format(show=show, cover=self.url(f"/cover.png?{show}"), items="".join(items)).encode()
        request.reply(body, "application/rss+xml", headers={"ETag": tag})

    def __enter__(self) -> "World":
        self._server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.__exit__(None, None, None)


@dataclass(frozen=True)
class Device:
    """A home of Earmark below `home`, whichever process plays there."""

    home: Path
    name: str

    def settle(self, world: World, more: str = "") -> None:
        """Its settings."""
        self.paths.config.mkdir(parents=True)
        self.temporary.mkdir()
        nowhere = "\n".join(
            f'{name}_url = "{world.url("/nothing")}"'
            for name in ("apple", "apple_charts", "fyyd", "gpodder", "podcast_index")
        )
        self.paths.settings.write_text(
            "[audio]\nnetwork = false\n[feeds]\nrefresh_on_start = false\n[downloads]\ndelete_played = \"at once\"\n"
            f"[directories]\n{nowhere}\n{more}",
            encoding="utf-8",
        )  # fmt: skip

    @property
    def paths(self) -> Paths:
        return Paths.of(self.environ)

    @property
    def temporary(self) -> Path:
        return self.home / "tmp"

    @property
    def environ(self) -> dict[str, str]:
        return {
            "EARMARK_HOME": str(self.home), "TMPDIR": str(self.temporary),
            "EARMARK_CENSUS": str(self.home / "census.json"),
        }  # fmt: skip

    def command(self, *arguments: str) -> str:
        """What the command prints. It runs in this process, which has loaded what it needs."""
        with mock.patch.dict(os.environ, self.environ), redirect_stdout(StringIO()) as out, redirect_stderr(out):
            code = main(arguments)
        assert code == 0, out.getvalue()
        return out.getvalue()

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """The answer of the Earmark that plays there; {} while none does."""
        try:
            return request(self.paths.socket, command, **arguments)
        except ControlError:
            return {}

    @property
    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("status").get("status") or {}
        return found

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"file:{self.paths.library}?mode=ro", uri=True)) as library:
            return library.execute(sql, values).fetchall()

    def fill_log(self, hour: int) -> int:
        """Up to the size at which it starts anew: with so many lines, each of 40 bytes with its number."""
        size = self.paths.log.stat().st_size if self.paths.log.exists() else 0
        count = max(0, LOG_LIMIT - size) // 40 + 1
        assert append(self.paths.log, "".join(f"filled {hour:>3} {number:>28}\n" for number in range(count)))
        return count

    def filled(self, hour: int) -> list[int]:
        """The numbers of that hour's lines, in the order in which the log and the one before have them."""
        lines = (line.split() for file in self.logs() for line in file.read_text(errors="replace").splitlines())
        return [int(words[2]) for words in lines if words[:2] == ["filled", str(hour)]]

    def logs(self) -> list[Path]:
        """The log, and before it the one that it was."""
        return sorted(self.paths.state.glob("earmark.log*"), reverse=True)

    def episodes(self, titles: Sequence[str]) -> list[int]:
        """The ids of those that are in the library, in that order."""
        marks = ", ".join("?" * len(titles))
        found = dict(self.query(f"SELECT title, id FROM episodes WHERE title IN ({marks})", *titles))
        return [found[title] for title in titles if title in found]


@dataclass(frozen=True)
class Measured:
    """Of one process and its home. Sizes are in kB."""

    resident: int
    private: int
    threads: int
    descriptors: int
    children: int
    temporary: int
    """Temporary files and folders, and what lies in the folder of the control socket."""
    log: int
    library_wal: int
    search_wal: int
    blocks: int = 0
    malloc: int = 0
    objects: int = 0
    held: Held | None = field(default=None, compare=False)

    def numbers(self) -> dict[str, int]:
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "held"}


def measure(device: Device, pid: int, held: Held | None = None) -> Measured:
    """What the system knows of that process, and what its home has."""
    proc, paths = Path(f"/proc/{pid}"), device.paths
    memory = dict(line.split(":", 1) for line in (proc / "smaps_rollup").read_text().splitlines()[1:])
    resident, private = (int(memory[name].split()[0]) for name in ("Rss", "Private_Dirty"))
    folders = (device.temporary, paths.runtime)
    parts = sum(1 for path in device.home.rglob("*.part"))
    return Measured(
        resident=resident,
        private=private,
        threads=len(list((proc / "task").iterdir())),
        descriptors=len(list((proc / "fd").iterdir())),
        children=len(children(pid)),
        temporary=sum(len(list(folder.rglob("*"))) for folder in folders) + parts,
        log=sum(_kb(path) for path in paths.state.glob("earmark.log*")),
        library_wal=_kb(paths.library.with_name("library.db-wal")),
        search_wal=_kb(paths.search.with_name("search.db-wal")),
        blocks=held.blocks if held else 0,
        malloc=held.malloc_kb if held else 0,
        objects=held.objects if held else 0,
        held=held,
    )


def census(device: Device, pid: int, until: Callable[[Callable[[], bool], str], None]) -> Held:
    """What the process says it holds (`tests/pty/census.py`). `until` waits for a condition."""
    path = Path(device.environ["EARMARK_CENSUS"])
    path.unlink(missing_ok=True)
    os.kill(pid, signal.SIGUSR2)
    until(path.exists, "the census")
    return Held(**json.loads(path.read_text()))


def children(pid: int) -> list[int]:
    """Also those that have ended and that nobody has waited for."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == pid:
                found.append(int(entry.name))
    return found


def table(rows: Sequence[Measured]) -> str:
    """Of the same process, hour by hour."""
    names = list(rows[0].numbers())
    lines = [" ".join(f"{name:>11}" for name in ("hour", *names))]
    lines += [" ".join(f"{value:>11}" for value in (hour, *row.numbers().values())) for hour, row in enumerate(rows, 1)]
    return "\n".join(lines)


def grown(before: Mapping[str, int], after: Mapping[str, int], most: int = 25) -> str:
    """By type: how many objects there are more of than before."""
    more = {kind: count - before.get(kind, 0) for kind, count in after.items()}
    return ", ".join(f"{kind} {by:+}" for kind, by in sorted(more.items(), key=lambda one: -one[1])[:most] if by > 0)


def app(device: Device, counts: bool = False) -> Terminal:
    """The app there, with what counts what it holds, or without."""
    module = "tests.pty.census" if counts else "tui"
    return Terminal(in_frames=True, environ=device.environ, command=(sys.executable, "-m", module))


def _kb(path: Path) -> int:
    return path.stat().st_size // 1024 if path.exists() else 0
