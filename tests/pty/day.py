"""A small world of podcasts to spend a day with, and a listener who has a keyboard, eyes, and a shell beside."""

import json
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from io import StringIO
from typing import Any

from player.text.durations import parse_time
from tests.loopback import LoopbackServer
from tests.pty.conftest import silence
from tests.pty.terminal import Terminal
from tui.cli.main import main

_FEED = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"
 xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
<title>{title}</title><description>Made for a day.</description>{items}</channel></rss>"""
_ITEM = """<item><title>{title}</title><guid>{title}</guid><pubDate>{date}</pubDate>
<description>The notes of {title}.</description><itunes:duration>{seconds}</itunes:duration>
<podcast:chapters url="{chapters}" type="application/json+chapters"/>
<enclosure url="{audio}" type="audio/wav" length="1"/></item>"""

_VIEWS = ("New", "Queue", "Bookmarks", "History", "All episodes")
PODCASTS = {
    "Morning Tones": (600, ("Allocators", "Barriers")),
    "Evening Hum": (1800, ("Lighthouses", "Night trains", "Slow rivers")),
    "Short Waves": (40, ("Ink", "Rain", "Tea")),
}
"""By title: how long the episodes are, in s, and their titles. All sort before the built-in show."""


class World:
    """Podcasts on loopback: `with World() as world`. Their newest episodes are some days old; `publish` adds one that
    is new today."""

    def __init__(self) -> None:
        self._server = LoopbackServer()
        self._port = self._server.server_port
        self._today: list[tuple[str, str]] = []
        for seconds, _titles in PODCASTS.values():
            self._server.audio(f"/{seconds}.wav", silence(seconds), "audio/wav")
            marks = enumerate(("Hello", "The middle", "Goodbye"))
            chapters = [{"startTime": number * seconds // 3, "title": title} for number, title in marks]
            self._server.page(f"/{seconds}.json", json.dumps({"chapters": chapters}).encode(), "application/json")
        self.urls = [self._serve(title) for title in PODCASTS]

    def publish(self, podcast: str, title: str) -> None:
        self._today.append((podcast, title))
        self._serve(podcast)

    def turn_to_html(self, podcast: str) -> None:
        self._server.page(self._path(podcast), b"<html><title>Buy this domain</title></html>", "text/html")

    def turn_back(self, podcast: str) -> None:
        self._serve(podcast)

    def cut(self) -> None:
        """Connections end, and new ones are refused."""
        self._server.__exit__(None, None, None)
        self._server.hang_up()

    def mend(self) -> None:
        answers = self._server.answers
        self._server = LoopbackServer(self._port)
        self._server.answers = answers
        self._server.__enter__()

    def _serve(self, podcast: str) -> str:
        seconds, titles = PODCASTS[podcast]
        now = datetime.now(UTC)
        # Minutes before now for those of today, days for the others: the order of New.
        dates = {title: now - timedelta(minutes=1 + number) for number, (_, title) in enumerate(self._today)}
        first = 1 + 10 * list(PODCASTS).index(podcast)
        dates |= {title: now - timedelta(days=first + number) for number, title in enumerate(titles)}
        today = [title for one, title in self._today if one == podcast]
        items = (
            _ITEM.format(
                title=title,
                date=format_datetime(dates[title]),
                seconds=seconds,
                chapters=self._server.url(f"/{seconds}.json"),
                audio=self._server.url(f"/{seconds}.wav?{title.replace(' ', '-')}"),
            )
            for title in [*today, *titles]
        )
        return self._server.page(self._path(podcast), _FEED.format(title=podcast, items="".join(items)).encode())

    def _path(self, podcast: str) -> str:
        return f"/{podcast.split()[0].lower()}.xml"

    def __enter__(self) -> "World":
        self._server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.__exit__(None, None, None)


def beside(*arguments: str) -> Any:
    """What the command says to a program. It runs in this process, which has loaded what it needs."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = main([*arguments, "--json"])
    assert code == 0, err.getvalue()
    return json.loads(out.getvalue())


def queued() -> list[str]:
    return [one["title"] for one in beside("queue")]


class Listener:
    """`sees` what is anywhere on the screen, `is_told` what its last line says; both wait for it."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def press(self, *keys: str) -> None:
        self.terminal.press(*keys)

    def sees(self, wanted: str) -> str:
        return self.terminal.wait_for(wanted)

    def sees_no(self, unwanted: str) -> None:
        self.terminal.wait_gone(unwanted)

    def is_told(self, words: str, *, instead_of: str = "") -> None:
        """The last line is cut where there is little room. What it says already may begin with the same words: it is
        told apart by what it says `instead_of` that."""
        least = words[: self.terminal.columns - 26]

        def told() -> bool:
            line = self.terminal.lines[-1]
            return least in line and not (instead_of and instead_of in line)

        self.terminal.wait_until(told, f"“{words}” in the last line")

    def stands_on(self, title: str) -> None:
        """The cursor of the list is on that episode."""
        self.sees(rf"▌. {title}")

    def is_at(self) -> int:
        """The position in the bar, ms."""
        return parse_time(self.sees(r"(\d+:\d\d) [^\n]*?[●━─]{3}"))

    def hears_until(self, least_ms: int) -> None:
        self.terminal.wait_until(lambda: self.is_at() >= least_ms, f"{least_ms} ms to have been played")

    def plays(self, title: str) -> None:
        self.sees(rf"(?m)^  (?: {{8}})?[▶◌] {title}")

    def opens(self, view: str) -> None:
        """By the sidebar, row by row: the focus is in its list then."""
        self.goes_to(view)
        self.press("l")

    def goes_to(self, view: str) -> None:
        end, there, step = ("G", "Welcome", "k") if view not in _VIEWS else ("g", "● New", "j")
        self.press("h", "h", end)
        self.sees(rf"(?m)^ ▌(?:. )?{there}")
        while view not in (row := self._row()):
            self.press(step)
            self.terminal.wait_until(lambda: self._row() != row, f"the row after {row!r}")

    def _row(self) -> str:
        """The first row with a cursor, without its number: that of the sidebar, if it is shown."""
        return self.sees(r"(?m)^ ▌(.+?)(?:  |$)")
