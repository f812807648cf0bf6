"""`tag`."""

import pytest

from player.library import Library
from tests.tui.cli.conftest import Earmark

pytestmark = pytest.mark.usefixtures("library")


def test_tags_are_added_removed_and_shown(earmark: Earmark, library: Library) -> None:
    assert earmark("tag", "welcome").out == "Welcome to Earmark has no tags. Add one with: earmark tag 1 TAG\n"
    assert earmark("tag", "welcome", "work", "long walks,Sleep").out == "Welcome to Earmark: long walks, Sleep, work\n"
    assert earmark("tag", "welcome", "SLEEP", "--remove", "Work", "--remove", "none such").out == (
        "Welcome to Earmark: long walks, Sleep\n"
    )
    ended = earmark("tag", "welcome", "--json")
    assert ended.json == {"podcast_id": 1, "podcast": "Welcome to Earmark", "tags": ["long walks", "Sleep"]}
    assert library.podcasts.find("welcome").tags == ("long walks", "Sleep")


def test_without_a_podcast_all_tags_are_listed_and_counted(earmark: Earmark, library: Library) -> None:
    assert earmark("tag").out == "No tags yet. Tag a podcast with: earmark tag PODCAST TAG\n"
    assert earmark("tag", "--json").json == []
    earmark("tag", "welcome", "Zen", "work")
    library.podcasts.add("https://example.org/feed", "Aardvark")
    earmark("tag", "aardvark", "WORK")
    assert [line.split() for line in earmark("tag").out.splitlines()] == [
        ["TAG", "PODCASTS"],
        ["work", "2"],
        ["Zen", "1"],
    ]
    assert earmark("tag", "--json").json == [{"tag": "work", "podcast_count": 2}, {"tag": "Zen", "podcast_count": 1}]


def test_a_mistake_is_a_sentence_and_changes_nothing(earmark: Earmark, library: Library) -> None:
    for words, sentence in (
        (("tag", "nothing like it", "work"), "earmark: No podcast matches “nothing like it”"),
        (("tag", "welcome", ","), "earmark: A tag can't be empty"),
        (("tag", "welcome", "--remove", ""), "earmark: A tag can't be empty"),
        (("tag", "--remove", "work"), "earmark: Name the podcast whose tag should be removed"),
    ):
        ended = earmark(*words)
        assert (ended.code, ended.out) == (1, "")
        assert ended.err.startswith(sentence)
    assert library.shelf.tags() == {}


def test_a_change_of_tags_is_undone(earmark: Earmark, library: Library) -> None:
    earmark("tag", "welcome", "work")
    assert earmark("undo").out == "Undone: changed the tags of “Welcome to Earmark”\n"
    assert library.shelf.tags() == {}
    assert earmark("redo").out == "Redone: changed the tags of “Welcome to Earmark”\n"
    assert library.shelf.tags() == {1: ("work",)}


def test_podcasts_are_listed_with_their_tags_pinned_ones_first(earmark: Earmark, library: Library) -> None:
    library.podcasts.add("https://example.org/feed", "Aardvark")
    assert "TAGS" not in earmark("podcasts").out
    earmark("tag", "welcome", "work", "news")
    earmark("set", "welcome", "pinned=yes")
    heading, first, _other = earmark("podcasts").out.splitlines()
    assert heading.endswith("TAGS")
    assert "Welcome to Earmark" in first
    assert first.endswith("news, work")
    welcome, other = earmark("podcasts", "--json").json
    assert (welcome["tags"], welcome["pinned"], welcome["feed_title"]) == (["news", "work"], True, "Welcome to Earmark")
    assert (other["tags"], other["pinned"]) == ([], False)


def test_episodes_are_found_by_a_tag(earmark: Earmark) -> None:
    earmark("tag", "welcome", "Long walks")
    found = earmark("search", 'tag:"long walks"', "--json").json
    assert {episode["podcast"] for episode in found} == {"Welcome to Earmark"}
