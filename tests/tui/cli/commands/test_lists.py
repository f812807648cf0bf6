"""`lists`, and `episodes --list`."""

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import Mock

import pytest

from player.library import Library
from player.library.history.spans import History
from player.model.episode import EpisodeId
from player.model.filters import ListId, Order, View, ViewName, ViewSettings
from player.model.listening import ListeningSpan, Moment
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def ids(earmark: Earmark, server: LoopbackServer, library: Library) -> list[EpisodeId]:
    """Rain is the newest."""
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain", "Wind", "Fog", "Snow"))).code == 0
    return [library.episodes.find(title).id for title in ("Rain", "Wind", "Fog", "Snow")]


def titles(earmark: Earmark, *arguments: str) -> list[str]:
    ended = earmark("episodes", "--json", "--list", *arguments)
    assert ended.code == 0, ended.err
    return [one["title"] for one in ended.json]


def lists(earmark: Earmark) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in earmark("lists", "--json").json}


def test_all_lists_are_counted(earmark: Earmark, library: Library, ids: list[EpisodeId]) -> None:
    library.lists.add("Short", 'podcast:"slow radio" sort:oldest limit:3')
    library.lists.add_episodes(library.lists.add("Evening").id, ids[:2])
    library.episodes.set_played(ids[1:2], True)
    library.queue.add_last(ids)
    found = lists(earmark)
    assert list(found) == [
        "new", "queue", "in_progress", "starred", "downloads", "bookmarks", "history", "all", "Short", "Evening",
    ]  # fmt: skip
    counts = {name: (one["episode_count"], one["unplayed_count"]) for name, one in found.items()}
    assert (counts["queue"], counts["Short"], counts["Evening"]) == ((4, 4), (3, 2), (2, 1)), "a played one plays again"
    assert counts["all"][0] - counts["all"][1] == 1
    assert counts["starred"] == counts["bookmarks"] == counts["history"] == (0, 0)
    assert found["Short"] == {
        "id": 1, "name": "Short", "title": "Short", "kind": "smart",
        "query": 'podcast:"slow radio" sort:oldest limit:3', "episode_count": 3, "unplayed_count": 2, "more": False,
        "unplayed_more": False, "order": "own", "hide_played": False, "problem": None, "download": 0, "continues": None,
    }  # fmt: skip
    assert (found["Evening"]["kind"], found["queue"]["kind"], found["queue"]["id"]) == ("playlist", "built-in", None)


def test_the_table_names_each_list_and_its_search(earmark: Earmark, library: Library, ids: list[EpisodeId]) -> None:
    shown = earmark("lists").out.splitlines()
    assert shown[0].split() == ["ID", "NAME", "UNPLAYED", "EPISODES", "KIND"]
    assert shown[2].split() == ["Queue", "0", "0", "built", "in"]
    library.lists.add("Wrong", "is:nonsense")
    library.lists.add_episodes(library.lists.add("Evening").id, ids[:2])
    ended = earmark("lists")
    assert ended.out.splitlines()[-2].endswith("smart list  is:nonsense")
    assert ended.out.splitlines()[-1].split() == ["2", "Evening", "2", "2", "playlist"]
    assert ended.code == 0
    assert ended.err.startswith("earmark: Wrong: Unknown filter")


def test_new_is_no_list_where_the_inbox_is_turned_off(earmark: Earmark, paths: Paths) -> None:
    assert "new" in lists(earmark)
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text("[inbox]\nenabled = false\n")
    assert "new" not in lists(earmark)


def test_built_in_lists_go_by_name_or_its_beginning(earmark: Earmark, library: Library, ids: list[EpisodeId]) -> None:
    rain, wind, fog, snow = ids
    library.queue.add_last([snow, rain])
    library.episodes.set_starred([wind], True)
    library.progress.save(fog, 60_000, 600_000, AT)
    for name in ("queue", "Queue", "qu", " QUEUE "):
        assert titles(earmark, name) == ["Snow", "Rain"]
    for name in ("in_progress", "in-progress", "In progress", "in p"):
        assert titles(earmark, name) == ["Fog"]
    assert titles(earmark, "starred") == ["Wind"]
    assert "1. Press play" in titles(earmark, "all")
    assert titles(earmark, "downloads") == []
    assert earmark("episodes", "--list", "downloads").out == "This list is empty.\n"


def test_bookmarks_and_history_name_each_episode_once(earmark: Earmark, library: Library, ids: list[EpisodeId]) -> None:
    rain, wind, fog, _snow = ids
    for number, (one, at_ms) in enumerate([(rain, 1000), (wind, 5000), (rain, 90_000)]):
        library.bookmarks.put(one, Moment(at_ms))
        heard = [ListeningSpan(one, 0, 40_000, AT + timedelta(hours=number))]
        library.progress.save(one, 40_000, 600_000, AT + timedelta(hours=number), heard=heard)
    assert sorted(titles(earmark, "bookmarks")) == ["Rain", "Wind"]
    assert titles(earmark, "history") == ["Rain", "Wind"]
    library.episodes.set_played([rain], True)
    assert titles(earmark, "history", "--unplayed") == ["Wind"]
    assert lists(earmark)["history"]["unplayed_count"] == 1
    assert fog


def test_a_long_history_is_read_once_for_both_of_its_numbers(
    earmark: Earmark, library: Library, ids: list[EpisodeId], monkeypatch: pytest.MonkeyPatch
) -> None:
    library.progress.save(ids[0], 40_000, 600_000, AT, heard=[ListeningSpan(ids[0], 0, 40_000, AT)])
    read = Mock(side_effect=History.listing)
    monkeypatch.setattr(History, "listing", lambda self: read(self))
    found = lists(earmark)["history"]
    assert (found["episode_count"], found["unplayed_count"]) == (1, 1)
    assert read.call_count == 1


def test_a_list_is_in_its_own_order_and_no_longer_than_its_limit(
    earmark: Earmark, library: Library, ids: list[EpisodeId]
) -> None:
    library.lists.add("Two of the oldest", "podcast:slow sort:oldest limit:2")
    evening = library.lists.add("Evening").id
    library.lists.add_episodes(evening, [ids[2], ids[0], ids[1]])
    assert titles(earmark, "two") == ["Snow", "Fog"]
    assert titles(earmark, "evening") == ["Fog", "Rain", "Wind"]
    assert titles(earmark, "evening", "--limit", "2") == ["Fog", "Rain"]
    library.episodes.set_played(ids[:1], True)
    assert titles(earmark, "evening", "--unplayed") == ["Fog", "Wind"]
    library.view_settings.set(View.of_list(evening).key, ViewSettings(Order.OLDEST, hide_played=True))
    assert titles(earmark, "evening") == ["Fog", "Wind"]
    library.view_settings.set(View.of(ViewName.STARRED).key, ViewSettings(Order.OLDEST))
    library.episodes.set_starred(ids, True)
    assert titles(earmark, "starred") == ["Snow", "Fog", "Wind", "Rain"]


def test_a_smart_list_of_words_finds_what_came_since_the_last_search(earmark: Earmark, library: Library) -> None:
    library.lists.add("Weather", "notes rain")
    assert titles(earmark, "weather") == ["Rain"]
    assert lists(earmark)["Weather"]["episode_count"] == 1


def test_a_name_that_fits_several_lists_or_none_is_an_error(earmark: Earmark, library: Library) -> None:
    library.lists.add("Evening walk")
    library.lists.add("Evening run")
    several = earmark("episodes", "--list", "evening")
    assert (several.code, several.out) == (1, "")
    assert several.err == (
        "earmark: “evening” matches several lists: “Evening walk”, “Evening run”. See `earmark lists`.\n"
    )
    none = earmark("episodes", "--list", "breakfast")
    assert (none.code, none.err) == (1, "earmark: No list matches “breakfast”. See `earmark lists`.\n")
    assert earmark("episodes", "--list", "").code == 1


def test_a_list_called_like_a_built_in_one_goes_by_its_id(
    earmark: Earmark, library: Library, ids: list[EpisodeId]
) -> None:
    own = library.lists.add("Queue").id
    library.lists.add_episodes(own, ids[:1])
    assert own == ListId(1)
    assert titles(earmark, "queue") == []
    assert titles(earmark, "1") == ["Rain"]


def test_a_search_with_a_mistake_is_told(earmark: Earmark, library: Library) -> None:
    library.lists.add("Wrong", "podcast:slow is:nonsense")
    ended = earmark("episodes", "--list", "wrong")
    assert ended.code == 1
    assert "Unknown filter" in ended.err
    assert "Rain" in ended.out


def test_a_podcast_and_a_list_do_not_go_together(earmark: Earmark) -> None:
    ended = earmark("episodes", "slow", "--list", "queue")
    assert ended.code == 2
    assert ended.err == "earmark: PODCAST and --list can't be combined. See: earmark episodes --help\n"
    assert earmark("episodes", "--starred", "--list", "queue").code == 2


def test_each_episode_has_its_rank_in_the_queue(earmark: Earmark, ids: list[EpisodeId], library: Library) -> None:
    library.queue.add_last([ids[2], ids[0]])
    found = {one["title"]: one["queued"] for one in earmark("episodes", "slow", "--json").json}
    assert found == {"Rain": 2, "Wind": None, "Fog": 1, "Snow": None}
    assert earmark("show", "rain", "--json").json["queued"] == 2
    assert [one["queued"] for one in earmark("queue", "--json").json] == [1, 2]
    assert [one["queued"] for one in earmark("search", "rain", "--json").json] == [2]
