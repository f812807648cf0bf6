"""`earmark run` and `earmark open`: what the running Earmark is asked, and what is refused here already."""

from collections.abc import Iterator

import pytest

from player.paths import Paths
from player.player import Player
from player.settings import Desktop, Playback, Settings
from tests.player.library.helpers import URL, apply_feed, episode
from tests.tui.cli.conftest import Earmark
from tui.actions.table import ACTIONS


@pytest.fixture
def player(paths: Paths) -> Iterator[Player]:
    """Without a screen."""
    made = Player(paths, Settings(playback=Playback(engine="silent"), desktop=Desktop(media_keys=False)))
    made.open()
    apply_feed(made.library, made.library.podcasts.add(URL, "A show"), episode(0))
    made.start()
    yield made
    made.close()


def test_a_player_without_a_screen_does_what_is_about_playback(earmark: Earmark, player: Player) -> None:
    volume = player.status.volume
    assert earmark("run", "quieter", "--count", "2").code == 0
    assert player.status.volume == volume - 10
    refused = earmark("run", "star")
    assert (refused.code, refused.out) == (1, "")
    assert "“star” needs the app" in refused.err
    opened = earmark(f"earmark://play?feed={URL}")
    assert (opened.code, opened.out) == (0, "It plays.\n")
    assert player.status.episode is not None
    assert "can't show that" in earmark("open", f"earmark://show?feed={URL}").err


def test_actions_are_listed_and_the_nearest_named(earmark: Earmark) -> None:
    listed = earmark("run", "--list", "--json").json
    assert {one["id"] for one in listed} == {action.id for action in ACTIONS} - {"suspend"}
    assert {one["id"] for one in listed if one["without_screen"]} > {"pause", "skip"}
    assert earmark("run", "--list", "--format", "{id}").out.splitlines() == [one["id"] for one in listed]
    assert "star" in earmark("run", "--list").out
    assert "Did you mean “star”?" in earmark("run", "strr").err
    assert "isn't running" in earmark("run", "star").err


@pytest.mark.parametrize(
    "words", [(), ("star", "--count", "0"), ("star", "--count", "51"), ("star", "--list"), ("star", "--json")]
)
def test_wrong_usage(earmark: Earmark, words: tuple[str, ...]) -> None:
    assert earmark("run", *words).code == 2


@pytest.mark.parametrize(
    "address", ["earmark:", "earmark://delete?feed=x", "file:///etc/passwd", "earmark://play?" + "x" * 9_000]
)
def test_what_is_no_address_is_refused_before_anything_else(earmark: Earmark, address: str) -> None:
    done = earmark("open", address)
    assert (done.code, done.out) == (1, "")


def test_without_a_running_earmark_the_app_would_open_and_needs_a_terminal(earmark: Earmark) -> None:
    assert "needs a terminal" in earmark("EARMARK://subscribe?feed=https://a.example/feed").err
