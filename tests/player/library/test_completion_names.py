"""Names for a shell that completes: few, in order, and nothing of a library that can't be read."""

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.feeds.check import decide
from player.library import Library
from player.library.completion_names import BUILT_IN, MOST, Named, named
from player.model.feed import Feed, FeedEpisode, FeedState
from player.paths import Paths
from tui.cli import named_lists

AT = datetime(2026, 5, 1, tzinfo=UTC)


def add(library: Library, title: str, *episodes: str) -> int:
    """The first episode is the newest."""
    podcast = library.podcasts.add(f"https://{title.encode().hex()}.example/feed", title)
    items = tuple(
        FeedEpisode(guid=f"{number}", title=name, url=f"https://x.example/{number}", published=AT - timedelta(number))
        for number, name in enumerate(episodes)
    )
    library.podcasts.apply(podcast.id, Feed(title=title, episodes=items), FeedState(), decide)
    return podcast.id


def names(paths: Paths, kind: str, beginning: str = "") -> list[str]:
    return [one.name for one in named(paths.library, kind, beginning)]


def test_episodes_begin_as_typed_whatever_the_case_unplayed_ones_first_then_the_newest(
    library: Library, paths: Paths
) -> None:
    add(library, "Radio", "Café three", "cafe two", "Decaf", "CAFÉ one")
    library.episodes.set_played([library.episodes.find("Café three").id], True)
    assert named(paths.library, "episode", "cafe") == [
        Named("cafe two", "Radio"), Named("CAFÉ one", "Radio"), Named("Café three", "Radio"),
    ]  # fmt: skip
    assert names(paths, "episode", "caf\u00e9 o") == ["CAFÉ one"]
    assert names(paths, "episode", "'; DROP TABLE episodes") == []


def test_there_are_never_many(library: Library, paths: Paths) -> None:
    add(library, "Radio", *(f"Number {number}" for number in range(3 * MOST)))
    assert names(paths, "episode", "num") == [f"Number {number}" for number in range(MOST)]


def test_looking_through_episodes_ends_in_time(library: Library, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    add(library, "Radio", *(f"Number {number}" for number in range(300)))
    monkeypatch.setattr("player.library.completion_names._STEPS_BETWEEN_LOOKS", 500)
    monkeypatch.setattr("player.library.completion_names._TIME_S", 0.0)
    assert len(names(paths, "episode", "num")) < 50


def test_names_are_one_clean_line_and_none_is_taken_for_something_else(library: Library, paths: Paths) -> None:
    add(library, "Ra\x1b[31mdio", "A\nline \u202eand\x07 another", "1984", "--yes", "-15 degrees", "Same", "Same")
    assert names(paths, "episode") == ["A line and another", "Same"]
    assert names(paths, "podcast", "ra") == ["Ra[31mdio"]


def test_podcasts_go_by_the_title_that_the_listener_sees(library: Library, paths: Paths) -> None:
    for title in ("Beta", "Alpha", "Gamma"):
        add(library, title, "One" if title != "Alpha" else "Played")
    library.episodes.set_played([library.episodes.find("Played").id], True)
    library.shelf.rename(library.podcasts.find("Beta").id, "Zeta")
    library.shelf.set_pinned(library.podcasts.find("Gamma").id, True)
    assert [one for one in names(paths, "podcast") if one.endswith("a")] == ["Gamma", "Zeta", "Alpha"]
    assert names(paths, "podcast", "bet") == []


def test_lists_and_tags(library: Library, paths: Paths) -> None:
    library.lists.add("Quick ones", "is:unplayed duration:<20m")
    library.lists.add("Quiet")
    library.shelf.set_tags(library.podcasts.find("welcome").id, ["work", "Walks"])
    assert named(paths.library, "list", "qu") == [
        Named("queue"), Named("Quick ones", "is:unplayed duration:<20m"), Named("Quiet"),
    ]  # fmt: skip
    assert names(paths, "playlist") == ["Quiet"]
    assert names(paths, "tag", "wa") == ["Walks"]
    assert names(paths, "tag") == ["Walks", "work"]
    assert set(BUILT_IN) == {one.value for one in named_lists._BUILT_IN}


def test_previews_are_not_offered(library: Library, paths: Paths) -> None:
    podcast = library.previews.add("https://preview.example/feed", "Preview")
    items = (FeedEpisode(guid="1", title="Previewed", url="https://x.example/1", published=AT),)
    library.podcasts.apply(podcast.id, Feed(title="Preview", episodes=items), FeedState(), decide)
    assert names(paths, "podcast", "prev") == names(paths, "episode", "prev") == []


def test_without_a_library_there_is_nothing_and_no_file_is_made(paths: Paths) -> None:
    for kind in ("episode", "podcast", "tag", "playlist"):
        assert names(paths, kind) == []
    assert names(paths, "list") == list(BUILT_IN)
    assert not paths.data.exists()


def test_what_is_no_library_is_left_alone(paths: Paths) -> None:
    paths.data.mkdir(parents=True)
    for body in (b"", b"nonsense" * 1000):
        paths.library.write_bytes(body)
        assert names(paths, "episode", "a") == []
        assert paths.library.read_bytes() == body
    assert [one.name for one in paths.data.iterdir()] == ["library.db"]


def test_it_is_read_beside_one_that_writes_and_nothing_is_left_behind(library: Library, paths: Paths) -> None:
    add(library, "Radio", "Rain")
    with sqlite3.connect(paths.library) as other:
        other.execute("BEGIN IMMEDIATE")
        assert names(paths, "episode", "ra") == ["Rain"], "it waits for nobody"
    other.close()
    library.close()
    before = {one.name: one.read_bytes() for one in files(paths.data)}
    assert names(paths, "episode", "ra") == ["Rain"]
    assert {one.name: one.read_bytes() for one in files(paths.data)} == before


def files(folder: Path) -> list[Path]:
    return [one for one in folder.iterdir() if one.is_file()]
