"""What the tests in a real terminal share: a silent player, and a podcast on loopback."""

import io
import sqlite3
import wave
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer

FEED = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
<title>Loopback Radio</title><description>Tones, all day.</description>
{items}</channel></rss>"""

ITEM = """<item><title>Tone {number}</title><guid>tone-{number}</guid>
<pubDate>Mon, {day:02} Jun 2026 10:00:00 +0000</pubDate><description>The notes of tone {number}.</description>
<enclosure url="{url}" type="audio/wav" length="1"/></item>"""


@pytest.fixture
def silent(paths: Paths) -> Iterator[Paths]:
    """The player's clock without sound; no refresh but what a key asks for. Prints the log in the end, for pytest to
    show if the test failed."""
    paths.config.mkdir(parents=True)
    paths.settings.write_text('[playback]\nengine = "silent"\n[feeds]\nrefresh_on_start = false\n', encoding="utf-8")
    yield paths
    with suppress(OSError):
        print(paths.log.read_text(errors="replace"))


@pytest.fixture
def feed_url(server: LoopbackServer) -> str:
    """A podcast of three episodes, ten minutes each."""
    url = server.audio("/tone.wav", silence(600), "audio/wav")
    items = "".join(ITEM.format(number=number, day=number, url=f"{url}?{number}") for number in (1, 2, 3))
    return server.page("/feed.xml", FEED.format(items=items).encode())


def silence(seconds: int, rate: int = 800) -> bytes:
    """A WAV file without a sound."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 1, rate, 0, "NONE", ""))
        file.writeframes(b"\x80" * rate * seconds)
    return out.getvalue()


def saved_position(library: Path) -> int:
    """The position saved last in the library, in ms; 0 when there is none."""
    with closing(sqlite3.connect(f"file:{library}?mode=ro", uri=True)) as connection:
        row = connection.execute("SELECT position_ms FROM progress ORDER BY saved_at DESC LIMIT 1").fetchone()
    return int(row[0]) if row else 0
