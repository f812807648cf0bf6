"""A stand-in for yt-dlp, and a YouTube on loopback."""

import json
import os
import stat
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.loopback import LoopbackServer

FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns:media="http://search.yahoo.com/mrss/"
 xmlns="http://www.w3.org/2005/Atom">
 <id>yt:channel:UCabcdefghijklmnopqrstuv</id><yt:channelId>UCabcdefghijklmnopqrstuv</yt:channelId>
 <title>A Channel</title><author><name>A Channel</name></author><published>2020-01-01T00:00:00+00:00</published>
 {entries}</feed>"""
ENTRY = """<entry><id>yt:video:{id}</id><yt:videoId>{id}</yt:videoId><title>{title}</title>
 <link rel="alternate" href="https://www.youtube.com/watch?v={id}"/>
 <author><name>A Channel</name></author><published>2026-0{number}-01T10:00:00+00:00</published>
 <updated>2026-03-02T10:00:00+00:00</updated>
 <media:group><media:title>{title}</media:title>
  <media:content url="https://www.youtube.com/v/{id}?version=3" type="application/x-shockwave-flash"/>
  <media:thumbnail url="https://i.ytimg.com/vi/{id}/hqdefault.jpg" width="480" height="360"/>
  <media:description>About {title}.</media:description></media:group></entry>"""
IDS = ("aaaaaaaaaaa", "bbb-bbb_bbb")
CHANNEL = "UCabcdefghijklmnopqrstuv"


class YtDlp:
    """An executable on PATH that does what the test says, and notes what it was asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "yt-dlp"
        self._asked = folder / "asked"

    def does(self, code: str) -> None:
        """Python, with `sys`, `json`, `time`, `os` and `subprocess` imported."""
        self._file.write_text(
            f"#!{sys.executable}\nimport json, os, subprocess, sys, time\n"
            f"with open({str(self._asked)!r}, 'a') as asked:\n    print(json.dumps(sys.argv[1:]), file=asked)\n{code}\n"
        )
        self._file.chmod(self._file.stat().st_mode | stat.S_IXUSR)

    def answers(self, **what: Any) -> None:
        self.does(f"sys.stdout.write({json.dumps(what)!r})")

    def fails(self, errors: str) -> None:
        self.does(f"sys.stderr.write({errors!r})\nsys.exit(1)")

    @property
    def asked(self) -> list[list[str]]:
        """The arguments of each time."""
        return [json.loads(line) for line in self._asked.read_text().splitlines()] if self._asked.exists() else []


@pytest.fixture
def path_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH on which nothing is installed."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def yt_dlp(path_without: Path) -> YtDlp:
    made = YtDlp(path_without)
    made.answers()
    return made


@pytest.fixture
def channel(server: LoopbackServer) -> Callable[[Sequence[str]], str]:
    """Serves the feed of a channel with these videos; returns its address."""

    def serve(titles: Sequence[str]) -> str:
        entries = "".join(
            ENTRY.format(id=IDS[number], title=title, number=9 - number) for number, title in enumerate(titles)
        )
        return server.page("/feeds/videos.xml", FEED.format(entries=entries).encode(), "text/xml; charset=UTF-8")

    return serve


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return (
        Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z" if Path("/proc").is_dir() else True
    )
