"""`history`, `stats`, `forget-history`."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from player.library import Library
from player.model.listening import ListeningSpan
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed

MINUTE = 60_000
AT = datetime(2025, 6, 10, 12, tzinfo=UTC)


@pytest.fixture
def heard(earmark: Earmark, library: Library, server: LoopbackServer) -> None:
    """“Rain” for 20 minutes at twice the speed, “Wind” for 3."""
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain", "Wind"))).code == 0
    rain, wind = library.episodes.find("Rain"), library.episodes.find("Wind")
    first = ListeningSpan(rain.id, 0, 40 * MINUTE, AT, 2.0)
    then = ListeningSpan(wind.id, MINUTE, 4 * MINUTE, AT + timedelta(hours=1))
    for span in (first, then):
        library.progress.save(span.episode_id, span.to_ms, None, span.began_at, heard=[span])


@pytest.mark.usefixtures("heard")
def test_history_lists_the_latest_first(earmark: Earmark) -> None:
    lines = [line.split() for line in earmark("history").out.splitlines()]
    assert [line[-4:] for line in lines[1:]] == [["3m", "Wind", "Slow", "Radio"], ["20m", "Rain", "Slow", "Radio"]]
    assert len(earmark("history", "--limit", "1").out.splitlines()) == 2


@pytest.mark.usefixtures("heard")
def test_history_as_json_has_what_was_heard_of_podcasts_that_are_gone(earmark: Earmark) -> None:
    assert earmark("remove", "Slow Radio", "--yes").code == 0
    wind, rain = json.loads(earmark("history", "--json").out)
    assert (rain["episode_id"], rain["title"], rain["podcast"]) == (None, "Rain", "Slow Radio")
    assert (rain["listened_ms"], rain["content_ms"]) == (20 * MINUTE, 40 * MINUTE)
    assert (rain["began"], rain["ended"]) == (AT.isoformat(), (AT + timedelta(minutes=20)).isoformat())
    assert (wind["from_ms"], wind["to_ms"]) == (MINUTE, 4 * MINUTE)


@pytest.mark.usefixtures("heard")
def test_stats_of_a_year_as_text_json_and_markdown(earmark: Earmark) -> None:
    text = earmark("stats", "--year", "2025").out
    assert "23 min listened" in text
    assert "Playing faster saved 20 min: you heard 43 min in 23 min." in text
    made = json.loads(earmark("stats", "--year", "2025", "--json").out)
    assert (made["listened_ms"], made["content_ms"], made["episodes"]) == (23 * MINUTE, 43 * MINUTE, 2)
    assert made["podcasts"] == [{"title": "Slow Radio", "listened_ms": 23 * MINUTE}]
    assert sum(made["hours_ms"]) == 23 * MINUTE
    review = earmark("stats", "--year", "2025", "--markdown").out
    assert review.startswith("# My year in podcasts: 2025\n")
    assert "| Slow Radio | 23 min |" in review
    assert "| Jun | 23 min |" in review
    assert "Nothing heard in 2024" in earmark("stats", "--year", "2024").out


def test_nothing_heard_is_said_and_is_no_error(earmark: Earmark) -> None:
    assert earmark("history").out == "Nothing heard yet.\n"
    assert json.loads(earmark("history", "--json").out) == []
    assert "Nothing heard yet." in earmark("stats").out
    assert earmark("forget-history", "--yes").out == "There was no listening history.\n"


@pytest.mark.parametrize("words", [("stats", "--year", "last")])
def test_what_is_no_number_is_wrong_usage(earmark: Earmark, words: tuple[str, ...]) -> None:
    assert earmark(*words).code == 2


@pytest.mark.usefixtures("heard")
def test_forgetting_asks_first_and_leaves_positions(earmark: Earmark, library: Library, paths: Paths) -> None:
    paths.last_frame.parent.mkdir(parents=True, exist_ok=True)
    paths.last_frame.write_text("what the screen showed", encoding="utf-8")
    refused = earmark("forget-history")
    assert refused.code == 1
    assert refused.err.endswith("Can't ask without a terminal; add --yes to confirm.\n")
    assert len(json.loads(earmark("history", "--json").out)) == 2
    assert paths.last_frame.exists()
    forgotten = earmark("forget-history", "--yes")
    assert not paths.last_frame.exists()
    assert forgotten.out.startswith("Deleted 2 entries.")
    assert json.loads(earmark("history", "--json").out) == []
    assert library.progress.position(library.episodes.find("Rain").id) is not None
