"""`queue`."""

import pytest

from player.library import Library
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed


@pytest.fixture(autouse=True)
def subscribed(earmark: Earmark, server: LoopbackServer) -> None:
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain", "Wind", "Fog"))).code == 0


def titles(earmark: Earmark) -> list[str]:
    return [one["title"] for one in earmark("queue", "--json").json]


def test_an_empty_queue_says_how_to_fill_it(earmark: Earmark) -> None:
    assert earmark("queue").out == "The queue is empty. Add an episode with: earmark queue add EPISODE\n"
    assert earmark("queue", "list", "--json").json == []


def test_episodes_are_added_put_next_moved_and_taken_out(earmark: Earmark) -> None:
    assert earmark("queue", "add", "rain", "wind").out == "2 episodes queued.\n"
    assert earmark("queue", "add", "rain").out == "0 episodes queued.\n"
    assert earmark("queue", "next", "fog").out == "“Fog” plays next.\n"
    assert titles(earmark) == ["Fog", "Rain", "Wind"]
    assert earmark("queue", "move", "fog", "2").out == "It is now number 2 of 3.\n"
    assert titles(earmark) == ["Rain", "Fog", "Wind"]
    assert earmark("queue", "remove", "rain").out == "1 episode taken out of the queue.\n"
    shown = earmark("queue").out.splitlines()
    assert [line.split()[2] for line in shown[1:3]] == ["Fog", "Wind"]
    assert shown[3].startswith("2 episodes")
    assert earmark("queue", "clear").out == "2 episodes taken out of the queue.\n"


def test_it_is_sorted_and_what_is_in_order_already_is_said_so(earmark: Earmark) -> None:
    earmark("queue", "add", "rain", "wind", "fog")
    earmark("queue", "sort", "oldest")
    oldest = titles(earmark)
    earmark("queue", "sort", "newest")
    assert titles(earmark) == oldest[::-1]
    assert earmark("queue", "sort", "newest").out == "The queue is in that order already.\n"
    assert sorted(titles(earmark)) == ["Fog", "Rain", "Wind"]


def test_what_a_command_did_can_be_undone(earmark: Earmark, library: Library) -> None:
    earmark("queue", "add", "rain", "wind")
    earmark("queue", "clear")
    assert library.acts.undo() is not None
    assert titles(earmark) == ["Rain", "Wind"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["add"], "No episode is named"),
        (["move", "rain"], "Moving needs an episode and its new rank"),
        (["move", "rain", "0"], "Moving needs an episode and its new rank"),
        (["sort", "weight"], "Sort by one of oldest"),
        (["clear", "rain"], "Unexpected argument “rain”"),
        (["fly"], "invalid choice"),
    ],
)
def test_wrong_usage_is_named_and_ends_with_2(earmark: Earmark, arguments: list[str], problem: str) -> None:
    ended = earmark("queue", *arguments)
    assert ended.code == 2
    assert problem in ended.err


def test_an_episode_that_is_nowhere_changes_nothing(earmark: Earmark) -> None:
    ended = earmark("queue", "add", "rain", "no such thing")
    assert (ended.code, titles(earmark)) == (1, [])
