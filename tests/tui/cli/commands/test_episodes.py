"""`episodes`."""

from datetime import UTC, datetime

import pytest

from player.library import Library
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed

pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture(autouse=True)
def slow_radio(earmark: Earmark, server: LoopbackServer) -> None:
    earmark("add", server.page("/feed", feed("Slow Radio", "Rain", "Wind", "雪の音", "שלום עולם", "🎧 Sea")))


def titles(earmark: Earmark, *arguments: str) -> list[str]:
    return [episode["title"] for episode in earmark("episodes", "--json", *arguments).json]


def test_episodes_of_all_podcasts_stand_newest_first(earmark: Earmark) -> None:
    assert titles(earmark) == [
        "Rain", "Wind", "雪の音", "שלום עולם", "🎧 Sea", "1. Press play", "2. Find your way", "3. Make it yours",
    ]  # fmt: skip


def test_an_episode_has_the_fields_of_the_contract(earmark: Earmark) -> None:
    episode = earmark("episodes", "slow", "--limit", "1", "--json").json[0]
    assert list(episode) == [
        "id", "podcast_id", "podcast", "title", "guid", "published", "duration_ms", "position_ms", "played", "starred",
        "downloaded", "url", "link", "queued", "live", "season", "episode_number", "kind", "people", "funding",
        "transcript_languages", "download_path", "comments", "chat",
    ]  # fmt: skip
    assert episode["published"] == "2026-04-20T12:00:00Z"
    assert episode["duration_ms"] == 600_000


def test_a_podcast_and_a_limit_narrow_the_list(earmark: Earmark) -> None:
    assert titles(earmark, "slow radio", "--limit", "2") == ["Rain", "Wind"]
    assert len(titles(earmark, "slow radio", "--limit", "0")) == 5


def test_played_starred_and_started_ones_can_be_asked_for(earmark: Earmark, library: Library) -> None:
    rain, wind, snow = (library.episodes.find(title).id for title in ("Rain", "Wind", "雪の音"))
    library.episodes.set_played([rain], True)
    library.episodes.set_starred([wind], True)
    library.progress.save(snow, 60_000, 600_000, datetime.now(UTC))
    assert "Rain" not in titles(earmark, "--unplayed")
    assert titles(earmark, "--starred") == ["Wind"]
    assert titles(earmark, "--in-progress") == ["雪の音"]
    assert titles(earmark, "welcome", "--starred") == []
    lines = earmark("episodes", "slow").out.splitlines()
    assert "✓   Rain" in lines[1]
    assert "●★  Wind" in lines[2]
    assert "◐   雪の音" in lines[3]
    assert lines[3].endswith("9m left")


@pytest.mark.parametrize(
    ("option", "sentence"),
    [("--starred", "Nothing is starred here."), ("--in-progress", "Nothing is in progress here.")],
)
def test_an_empty_list_is_a_sentence(earmark: Earmark, option: str, sentence: str) -> None:
    ended = earmark("episodes", option)
    assert (ended.code, ended.out) == (0, f"{sentence}\n")


def test_plain_letters_stand_in_for_the_signs_where_wanted(earmark: Earmark, paths: Paths) -> None:
    paths.config.mkdir(parents=True)
    paths.settings.write_text("[appearance]\nascii = true\n")
    assert "●" not in earmark("episodes").out


def test_an_unknown_podcast_is_an_error(earmark: Earmark) -> None:
    ended = earmark("episodes", "nothing like this")
    assert ended.code == 1
    assert ended.err.startswith("earmark: No podcast matches “nothing like this”.")


def test_a_live_show_is_marked_and_says_when_it_begins(earmark: Earmark, server: LoopbackServer) -> None:
    stream = '<enclosure url="http://127.0.0.1:9/live" type="audio/mpeg"/></podcast:liveItem>'
    items = "".join(
        f'<podcast:liveItem xmlns:podcast="https://podcastindex.org/namespace/1.0" status="{status}" start="{start}">'
        f"<title>{title}</title><guid>{title}</guid>{stream}"
        for title, status, start in (("On air", "live", "2026-01-01T20:00:00Z"), ("Soon", "pending", "2999-01-01"))
    )
    body = feed("Talk", "Recorded").replace(b"<item>", items.encode() + b"<item>", 1)
    assert earmark("add", server.page("/talk", body)).code == 0
    rows = earmark("episodes", "talk", "--json").json
    assert {one["title"]: one["live"] for one in rows} == {"On air": "live", "Soon": "pending", "Recorded": None}
    ends = {line.rstrip().rpartition("  ")[2] for line in earmark("episodes", "talk").out.splitlines()[1:]}
    assert ends == {"live", "live soon", "10m"}, earmark("episodes", "talk").out
    assert "Talk · live now\n" in earmark("show", "On air").out
    ended = earmark("download", "On air")
    assert ended.code == 1
    assert "It is a live stream." in ended.err
