"""`search`."""

from pathlib import Path

import pytest

from player.library import Library
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed

pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture(autouse=True)
def slow_radio(earmark: Earmark, server: LoopbackServer) -> None:
    earmark("add", server.page("/feed", feed("Slow Radio", "Rain", "Wind and rain", "雪の音", "Café Müller")))


def titles(earmark: Earmark, *arguments: str) -> list[str]:
    return [episode["title"] for episode in earmark("search", "--json", *arguments).json]


def test_words_of_titles_and_notes_are_found_newest_first(earmark: Earmark) -> None:
    assert titles(earmark, "rain") == ["Rain", "Wind and rain"]
    assert titles(earmark, "notes", "cafe") == ["Café Müller"]
    assert titles(earmark, '"and rain"') == ["Wind and rain"]
    assert titles(earmark, "rain -wind") == ["Rain"]
    assert titles(earmark, "--limit", "1", "rain") == ["Rain"]
    assert titles(earmark, "nothing like that") == []


def test_the_best_can_come_first(earmark: Earmark) -> None:
    assert titles(earmark, "--best", "wind")[0] == "Wind and rain"


def test_json_tells_where_the_words_stand(earmark: Earmark) -> None:
    found = earmark("search", "--json", "mul").json[0]
    assert found["excerpt"] == "Notes of Café Müller ."
    assert found["podcast"] == "Slow Radio"


def test_what_is_said_is_found_with_its_time(earmark: Earmark, library: Library, tmp_path: Path) -> None:
    vtt = tmp_path / "rain.vtt"
    vtt.write_text("WEBVTT\n\n00:05.000 --> 00:09.000\nHello.\n\n01:02:03.000 --> 01:02:09.000\nWe hear walruses.\n")
    episode = earmark("search", "--json", "wind").json[0]
    assert earmark("transcript", str(episode["id"]), str(vtt)).code == 0
    (found,) = earmark("search", "--json", "walruses").json
    assert (found["title"], found["at_ms"]) == ("Wind and rain", 3_723_000)
    assert found["excerpt"] == "We hear walruses."
    assert earmark("search", "--json", "wind").json[0]["at_ms"] is None
    out = earmark("search", "walruses").out
    assert "1:02:03  Hello. We hear walruses." in out, "with the sentence before"
    assert "earmark play ID --at TIME" in out
    assert "SAID" not in earmark("search", "wind").out


def test_the_hits_of_an_episode_are_printed_together(earmark: Earmark, tmp_path: Path) -> None:
    vtt = tmp_path / "rain.vtt"
    cues = [f"00:{at:02}.000 --> 00:{at:02}.900\n<v Ann>Walrus {at}. Not {at}.\n" for at in range(12)]
    vtt.write_text("\n".join(["WEBVTT\n", *cues]))
    episode = earmark("search", "--json", "wind").json[0]
    assert earmark("transcript", str(episode["id"]), str(vtt)).code == 0
    out = earmark("search", "speaker:ann walrus").out
    assert f"\n{episode['id']}  Wind and rain\n  0:00  Ann · Walrus 0. Not 0.\n" in out
    assert "\n  0:01  Ann · Not 0. Walrus 1. Not 1.\n" in out
    assert "\n  9 more\nPlay it: earmark play ID --at TIME\n" in out
    (found,) = earmark("search", "--json", "said:walrus").json
    assert (len(found["hits"]), found["hit_count"]) == (10, 12)
    assert found["hits"][1] == {
        "text": "Walrus 1.", "before": "Not 0.", "after": "Not 1.", "at_ms": 1000, "speaker": "Ann",
        "link": f"{episode['link'] or episode['url']}#t=1",
    }  # fmt: skip
    (only,) = earmark("search", "--json", "wind").json
    assert (only["hits"], only["hit_count"]) == ([], 0)


def test_what_was_added_just_now_is_found(earmark: Earmark, server: LoopbackServer) -> None:
    assert titles(earmark, "hail") == []
    earmark("add", server.page("/other", feed("Fast Radio", "Hail")))
    assert titles(earmark, "hail") == ["Hail"]
    assert titles(earmark, "podcast:slow", "hail") == []


def test_for_a_reader_it_is_a_table(earmark: Earmark, library: Library) -> None:
    ended = earmark("search", "rain")
    assert ended.code == 0
    assert "Wind and rain" in ended.out
    assert "Slow Radio" in ended.out
    assert earmark("search", "zzz").out == "No results.\n"


def test_what_is_not_understood_is_said(earmark: Earmark) -> None:
    ended = earmark("search", "rain", "is:wet", "x")
    assert ended.code == 1
    assert ended.err.startswith("earmark: Unknown filter “is:wet”")
    assert earmark("search", "after:soon", "x").code == 1
    assert earmark("search").code == 2
