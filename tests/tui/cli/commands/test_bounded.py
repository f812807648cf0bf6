"""Whatever a podcast and its episodes are made of, no command takes a second to list, show, search or export them."""

import json
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import pytest

from player.library import Library
from tests.loopback import LoopbackServer
from tests.player.feeds.parsing.making import NAMESPACES
from tests.quick import shortest
from tests.tui.cli.conftest import Earmark, Ended

MB_2 = 2_000_000
SHORT = 300_000
UNITS = ("a", "<", "&", "[", "(", "*", "`", " ", "1", "\u0301", "日", "\u202e\u2066", "日 ", "a ", "a\u0301 ", "日a")
HANDFUL = ("日 ", "*", "a\u0301 ")
BOUND_S = 2.0
FIELDS = ("title", "content:encoded", "description", "itunes:author", "itunes:summary", "guid", "link", "itunes:title")


def long(unit: str, length: int) -> str:
    return unit * (length // len(unit.encode()))


def hostile_feed(server: LoopbackServer, units: tuple[str, ...], length: int) -> str:
    """The address of a podcast with an episode for each of `units`, which all its fields repeat, and its files too."""
    items = ""
    for number, text in enumerate(long(unit, length) for unit in units):
        chapters = {"chapters": [{"startTime": at, "title": text, "url": text, "img": text} for at in range(2)]}
        lines = [{"startTime": at, "endTime": at + 1, "speaker": text, "body": text} for at in range(2)]
        files = (
            server.page(f"/{number}/chapters", json.dumps(chapters, ensure_ascii=False).encode(), "application/json"),
            server.page(
                f"/{number}/transcript",
                json.dumps({"segments": lines}, ensure_ascii=False).encode(),
                "application/json",
            ),
        )
        items += (
            f"<item><enclosure url='http://127.0.0.1:9/{number}' type='audio/mpeg'/>{_fields(text)}"
            f"<podcast:person href={quoteattr(text)}>{escape(text)}</podcast:person>"
            f"<podcast:chapters url='{files[0]}' type='application/json+chapters'/>"
            f"<podcast:transcript url='{files[1]}' type='application/json'/></item>"
        )
    channel = _fields(long(units[0], length))
    return server.page("/feed", f"<rss version='2.0' {NAMESPACES}><channel>{channel}{items}</channel></rss>".encode())


def _fields(text: str) -> str:
    return "".join(f"<{name}><![CDATA[{text}]]></{name}>" for name in FIELDS)


@dataclass
class Measured:
    """Runs commands, and notes which took too long."""

    earmark: Earmark
    slow: list[str]

    def __call__(self, *arguments: str) -> Ended:
        answers: list[Ended] = []
        if (took := shortest(lambda: answers.append(self.earmark(*arguments)), BOUND_S)) >= BOUND_S:
            self.slow.append(f"{' '.join(arguments)[:60]}: {took:.2f} s")
        assert all(one.code in {0, 1} for one in answers), answers[-1].err
        return answers[0]


def all_commands(run: Measured, units: tuple[str, ...]) -> None:
    episodes = [one for one in run("episodes", "--json").json if one["url"].startswith("http://127.0.0.1:9/")]
    assert len(episodes) == len(units)
    for arguments in (["episodes"], ["podcasts"], ["podcasts", "--json"], ["export"]):
        assert run(*arguments).out
    for unit in units:
        for words in filter(None, (unit.strip(), long(unit, 2_000).strip())):
            run("search", "--", words)
            run("search", "--json", "--", words)
    for episode in episodes:
        for command in ("show", "chapters", "transcript"):
            run(command, str(episode["id"]))
            run(command, str(episode["id"]), "--json")


@pytest.mark.long
def test_a_handful_of_hostile_episodes(earmark: Earmark, library: Library, server: LoopbackServer) -> None:
    assert earmark("add", hostile_feed(server, HANDFUL, SHORT)).code == 0
    run = Measured(earmark, [])
    all_commands(run, HANDFUL)
    assert not run.slow


@pytest.mark.long
@pytest.mark.parametrize("unit", UNITS)
def test_two_megabytes_in_every_field(unit: str, earmark: Earmark, library: Library, server: LoopbackServer) -> None:
    assert earmark("add", hostile_feed(server, (unit,), MB_2)).code == 0
    run = Measured(earmark, [])
    all_commands(run, (unit,))
    assert not run.slow
