"""Commands run in this process; what they print is caught."""

import json
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from player.library import Library
from player.paths import Paths
from tests.player.integrations.served import bus, session
from tui.cli.main import main

__all__ = ["bus", "session"]


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Earmark = Callable[..., Ended]


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """What a command sets up for its process goes with the test."""
    root = logging.getLogger()
    handlers, level, raising = root.handlers[:], root.level, logging.raiseExceptions
    hooks = threading.excepthook, sys.unraisablehook
    yield
    root.handlers[:], root.level, logging.raiseExceptions = handlers, level, raising
    threading.excepthook, sys.unraisablehook = hooks
    logging.captureWarnings(False)


@pytest.fixture
def earmark(capsys: pytest.CaptureFixture[str]) -> Earmark:
    """`earmark("add", url)`: the exit code and what was printed. No command ever shows a traceback."""

    def run(*arguments: str) -> Ended:
        capsys.readouterr()
        code = main(arguments)
        printed = capsys.readouterr()
        assert "Traceback" not in printed.out + printed.err
        return Ended(code, printed.out, printed.err)

    return run


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    """The library that the commands use."""
    library = Library(paths)
    library.open()
    yield library
    library.close()


def feed(title: str, *episodes: str, audio: str = "http://127.0.0.1:9/audio.mp3", duration: str = "10:00") -> bytes:
    """An RSS feed; the first episode is the newest."""
    items = "".join(
        f"<item><title>{name}</title><guid>{title}-{name}</guid>"
        f"<pubDate>{20 - place:02} Apr 2026 12:00:00 GMT</pubDate><itunes:duration>{duration}</itunes:duration>"
        f'<enclosure url="{audio}?{place}" type="audio/mpeg" length="1000"/>'
        f"<description>Notes of &lt;b&gt;{name}&lt;/b&gt;.</description></item>"
        for place, name in enumerate(episodes)
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?><rss version="2.0"'
        ' xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">'
        f"<channel><title>{title}</title>{items}</channel></rss>"
    ).encode()
