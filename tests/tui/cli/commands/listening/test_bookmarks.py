"""`bookmarks`."""

import json

import pytest

from player.library import Library
from player.model.bookmark import Moment
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed


@pytest.fixture(autouse=True)
def bookmarked(earmark: Earmark, library: Library, server: LoopbackServer) -> None:
    """Two in “Rain”, one in “Wind”."""
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain", "Wind", "Fog"))).code == 0
    rain, wind = library.episodes.find("Rain"), library.episodes.find("Wind")
    library.bookmarks.put(rain.id, Moment(754_000, "Far", "It *rains*.", "look it up"))
    library.bookmarks.put(rain.id, Moment(5_000, "Near"))
    library.bookmarks.put(wind.id, Moment(60_000))


def test_all_are_listed_and_those_of_one_episode_in_its_order(earmark: Earmark) -> None:
    lines = [line.split() for line in earmark("bookmarks").out.splitlines()]
    assert [line[:2] for line in lines] == [["TIME", "EPISODE"], ["1:00", "Wind"], ["0:05", "Rain"], ["12:34", "Rain"]]
    assert lines[3][-3:] == ["look", "it", "up"]
    assert lines[2][-1] == "Near"
    assert [line.split()[0] for line in earmark("bookmarks", "rain").out.splitlines()] == ["TIME", "0:05", "12:34"]


def test_json_says_everything(earmark: Earmark, library: Library) -> None:
    (made,) = json.loads(earmark("bookmarks", "wind", "--json").out)
    assert made.pop("created").startswith("20")
    (stored,) = library.bookmarks.of_episode(library.episodes.find("Wind").id)
    assert made == {
        "id": stored.id,
        "episode_id": stored.episode_id,
        "episode": "Wind",
        "podcast": "Slow Radio",
        "position_ms": 60_000,
        "chapter": "",
        "line": "",
        "note": "",
        "link": f"{stored.link}#t=60",
    }


def test_markdown_comes_by_the_template_the_oldest_first(earmark: Earmark, paths: Paths) -> None:
    first, *rest = earmark("bookmarks", "--markdown").out.splitlines()
    assert first.startswith("- [12:34](<")
    assert first.endswith("#t=754>) Rain (Slow Radio)")
    assert rest[:3] == ["  - Far", "  - look it up", "  - “It \\*rains\\*.”"]
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text('[bookmarks]\ntemplate = "{time} {episode}"\n')
    assert earmark("bookmarks", "--markdown").out == "12:34 Rain\n0:05 Rain\n1:00 Wind\n"


def test_a_template_that_asks_for_something_unknown_is_a_sentence(earmark: Earmark, paths: Paths) -> None:
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text('[bookmarks]\ntemplate = "{tme}"\n')
    ended = earmark("bookmarks", "wind", "--markdown")
    assert "“bookmarks.template” can't contain {tme}. Earmark uses its own instead." in ended.err
    assert ended.out.startswith("- [1:00]")


def test_they_outlive_their_podcast(earmark: Earmark) -> None:
    assert earmark("remove", "Slow Radio", "--yes").code == 0
    found = json.loads(earmark("bookmarks", "rain", "--json").out)
    assert [(one["episode_id"], one["position_ms"]) for one in found] == [(None, 5_000), (None, 754_000)]


def test_none_is_no_failure_but_an_unknown_episode_is(earmark: Earmark) -> None:
    assert earmark("bookmarks", "fog").out == "No bookmarks in this episode.\n"
    ended = earmark("bookmarks", "snow")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("earmark: ")
