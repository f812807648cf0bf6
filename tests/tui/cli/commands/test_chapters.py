"""`chapters`."""

from datetime import UTC, datetime

import pytest

from player.library import Library
from tests.loopback import LoopbackServer
from tests.player.media.sounds import mp3
from tests.tui.cli.conftest import Earmark, feed

JSON = b"""{"chapters": [
    {"startTime": 0, "title": "Hello", "url": "https://example.org/hello"},
    {"startTime": 60, "title": "A picture", "toc": false},
    {"startTime": 90.5, "title": "Bye"}
]}"""


@pytest.fixture(autouse=True)
def slow_radio(earmark: Earmark, library: Library, server: LoopbackServer) -> None:
    """“Rain” has chapters in a file of their own, “Wind” some that aren't there, “Hail” a list of times, “Fog” none."""
    said = {
        "Rain": f'<podcast:chapters url="{server.page("/rain.json", JSON, "application/json")}" type=""/>',
        "Wind": f'<podcast:chapters url="{server.url("/gone.json")}" type=""/>',
        "Hail": "<content:encoded>0:00 Far&lt;br&gt;1:00 Near&lt;br&gt;2:00 Here, and on it goes</content:encoded>",
    }
    body = feed("Slow Radio", "Rain", "Wind", "Hail", "Fog").decode()
    for title, tags in said.items():
        body = body.replace(f"<item><title>{title}</title>", f"<item><title>{title}</title>{tags}")
    spaces = (
        ' xmlns:podcast="https://podcastindex.org/namespace/1.0"'
        ' xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    )
    assert earmark("add", server.page("/feed", body.replace("<rss ", f"<rss{spaces} ").encode())).code == 0


def test_they_are_fetched_and_printed_but_for_hidden_ones(earmark: Earmark, server: LoopbackServer) -> None:
    printed = (
        "   START  TITLE  LINK\n"
        "    0:00  Hello  https://example.org/hello\n"
        "    1:30  Bye\n"
    )  # fmt: skip
    assert earmark("chapters", "rain").out == printed
    server.answers.clear()
    assert earmark("chapters", "rain").out == printed


def test_without_an_episode_it_is_the_last_one_and_the_place_is_marked(earmark: Earmark, library: Library) -> None:
    ended = earmark("chapters")
    assert (ended.code, ended.err.partition(".")[0]) == (1, "earmark: Nothing has been played yet")
    hail = library.episodes.find("Hail")
    library.progress.start(hail.id)
    library.progress.save(hail.id, 70_000, None, datetime.now(UTC))
    assert earmark("chapters").out.splitlines()[1:] == [
        "    0:00  Far",
        "▶   1:00  Near",
        "    2:00  Here, and on it goes",
    ]


def test_json_has_all_of_it(earmark: Earmark, library: Library) -> None:
    rain = library.episodes.find("Rain")
    library.progress.save(rain.id, 60_500, None, datetime.now(UTC))
    found = earmark("chapters", "rain", "--json").json
    assert [one["current"] for one in found] == [False, True, False]
    assert [one["end_ms"] for one in found] == [90_500, 90_500, 600_000]
    assert found[0] == {
        "title": "Hello",
        "start_ms": 0,
        "end_ms": 90_500,
        "url": "https://example.org/hello",
        "image_url": "",
        "hidden": False,
        "current": False,
        "source": "json",
    }


def test_those_that_cannot_be_had_are_a_sentence(earmark: Earmark) -> None:
    ended = earmark("chapters", "wind")
    assert ended.code == 1
    assert ended.err.startswith("earmark: 127.0.0.1 no longer has the chapters (404).")


def test_an_episode_without_chapters_says_so(earmark: Earmark) -> None:
    ended = earmark("chapters", "fog")
    assert (ended.code, ended.out) == (0, "“Fog” has no chapters.\n")
    assert earmark("chapters", "fog", "--json").json == []


def test_the_built_in_show_has_chapters(earmark: Earmark) -> None:
    assert "0:10  Pause and jump" in earmark("chapters", "1. Press play").out


def test_a_download_brings_its_chapters_along(earmark: Earmark, server: LoopbackServer) -> None:
    body = feed("Fast Radio", "Snow", audio=server.audio("/snow.mp3", mp3(500))).decode()
    tag = f'<podcast:chapters url="{server.url("/rain.json")}" type=""/>'
    body = body.replace("<rss ", '<rss xmlns:podcast="https://podcastindex.org/namespace/1.0" ')
    body = body.replace("<title>Snow</title>", f"<title>Snow</title>{tag}")
    earmark("add", server.page("/fast", body.encode()))
    assert earmark("download", "snow").code == 0
    server.answers.clear()
    assert "Hello" in earmark("chapters", "snow").out
