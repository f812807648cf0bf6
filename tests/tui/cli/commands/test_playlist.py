"""`playlist`: made, and changed."""

import pytest

from player.library import Library
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed


@pytest.fixture(autouse=True)
def episodes(earmark: Earmark, server: LoopbackServer, library: Library) -> None:
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain", "Wind", "Fog"))).code == 0
    assert library.episodes.find("Rain")


def titles(earmark: Earmark) -> list[str]:
    return [one["title"] for one in earmark("playlist", "list", "evening", "--json").json]


def test_a_playlist_is_made_and_changed(earmark: Earmark) -> None:
    assert earmark("playlist", "new", "Evening", "rain", "fog").out == "Made the playlist “Evening” with 2 episodes.\n"
    assert titles(earmark) == ["Rain", "Fog"]
    assert earmark("playlist", "add", "eve", "wind", "rain").out == "1 episode added to “Evening”.\n"
    assert earmark("playlist", "add", "evening", "rain").out == "Already in “Evening”.\n"
    assert earmark("playlist", "move", "evening", "wind", "1").out == "It is now number 1 of 3.\n"
    assert titles(earmark) == ["Wind", "Rain", "Fog"]
    assert earmark("playlist", "remove", "evening", "rain").out == "1 episode taken out of “Evening”.\n"
    assert earmark("playlist", "move", "evening", "rain", "1").out == "That episode isn't in “Evening”.\n"
    assert earmark("playlist", "list", "evening").out.splitlines()[1].find("Wind") > 0


def test_an_empty_one_says_how_to_fill_it(earmark: Earmark) -> None:
    assert earmark("playlist", "new", "Evening").code == 0
    assert (
        earmark("playlist", "list", "evening").out == "“Evening” is empty. Add an episode with: earmark playlist add\n"
    )
    taken = earmark("playlist", "new", "evening", "rain")
    assert (taken.code, taken.err[:45]) == (1, "earmark: There is a list called “evening” alr")
    assert titles(earmark) == []


def test_only_playlists_are_changed(earmark: Earmark, library: Library) -> None:
    library.lists.add("Short", "duration:<20m")
    for name in ("short", "queue"):
        ended = earmark("playlist", "add", name, "rain")
        assert (ended.code, ended.err) == (
            1, f"earmark: “{name}” isn't a playlist. Make one with: earmark playlist new NAME\n",
        )  # fmt: skip
    for wrong in (("add", "short"), ("move", "short", "rain"), ("list", "short", "rain")):
        assert earmark("playlist", *wrong).code == 2
