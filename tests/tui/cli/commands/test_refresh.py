"""`refresh`."""

import pytest

from player.feeds.refresh_summary import RefreshSummary
from player.model.podcast import PodcastId
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed
from tui.cli.commands.refresh import result_rows

pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture(autouse=True)
def slow_radio(earmark: Earmark, server: LoopbackServer) -> None:
    earmark("add", server.page("/feed", feed("Slow Radio", "Rain")))


def test_new_episodes_are_counted(earmark: Earmark, server: LoopbackServer) -> None:
    server.page("/feed", feed("Slow Radio", "Wind", "Snow", "Rain"))
    ended = earmark("refresh")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "2 new episodes in 2 podcasts.\nPODCAST     NEW\nSlow Radio    2\n"


def test_only_those_named_are_refreshed(earmark: Earmark, server: LoopbackServer) -> None:
    asked = len(server.seen)
    assert earmark("refresh", "welcome").out == "0 new episodes in 1 podcast.\n"
    assert len(server.seen) == asked


def test_one_that_fails_is_told_and_the_others_go_on(earmark: Earmark, server: LoopbackServer) -> None:
    earmark("add", server.page("/other", feed("Fast Radio", "Horn")))
    del server.answers["/other"]
    server.page("/feed", feed("Slow Radio", "Wind", "Rain"))
    ended = earmark("refresh")
    assert ended.code == 1
    assert ended.out == (
        "1 new episode in 2 podcasts.\nPODCAST     NEW  FAILED\nSlow Radio    1\nFast Radio       Not found (404)\n"
    )
    assert ended.err.startswith("earmark: Fast Radio: ")
    assert ended.err.count("\n") == 1


def test_the_outcome_can_be_had_in_json(earmark: Earmark, server: LoopbackServer) -> None:
    del server.answers["/feed"]
    ended = earmark("refresh", "slow", "--json")
    assert ended.code == 1
    assert (ended.json["refreshed"], ended.json["new"]) == (0, 0)
    assert [list(failure) for failure in ended.json["failed"]] == [["podcast_id", "error"]]


def test_an_unknown_podcast_is_an_error_and_nothing_is_asked(earmark: Earmark, server: LoopbackServer) -> None:
    asked = len(server.seen)
    ended = earmark("refresh", "nothing like this")
    assert ended.code == 1
    assert "nothing like this" in ended.err
    assert len(server.seen) == asked


def test_the_table_has_the_most_news_first_and_equal_failures_together() -> None:
    one, two, three, four = map(PodcastId, range(1, 5))
    summary = RefreshSummary(
        failed=((one, "Gone: see it."), (two, "Slow."), (three, "Gone too.")),
        reasons=((one, "Not found (404)"), (two, "Timed out"), (three, "Not found (404)")),
        news=((two, 1), (four, 3)),
    )
    assert result_rows(summary, {one: "One", two: "Two", three: "Three", four: "Four"}) == [
        ("Four", "3", ""),
        ("Two", "1", ""),
        ("One", "", "Not found (404)"),
        ("Three", "", "Not found (404)"),
        ("Two", "", "Timed out"),
    ]
