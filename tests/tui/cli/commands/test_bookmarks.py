"""`bookmark`, and the older `bookmarks`."""

import json
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from player.integrations.control_socket import ControlServer
from player.library import Library
from player.model.listening import Moment
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.integrations.fake_session import FakeSession
from tests.tui.cli.conftest import Earmark, feed


@pytest.fixture(autouse=True)
def bookmarked(earmark: Earmark, library: Library, server: LoopbackServer) -> None:
    """Two in “Rain”, one in “Wind”."""
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain", "Wind", "Fog"))).code == 0
    rain, wind = library.episodes.find("Rain"), library.episodes.find("Wind")
    library.bookmarks.put(rain.id, Moment(754_000, "Far", "It *rains*.", "look it up"))
    library.bookmarks.put(rain.id, Moment(5_000, "Near"))
    library.bookmarks.put(wind.id, Moment(60_000))


def test_all_are_listed_and_those_of_one_episode_in_its_order(earmark: Earmark) -> None:
    lines = [line.split() for line in earmark("bookmarks").out.splitlines()]
    assert [line[1:3] for line in lines] == [["TIME", "EPISODE"], ["1:00", "Wind"], ["0:05", "Rain"], ["12:34", "Rain"]]
    assert lines[3][-3:] == ["look", "it", "up"]
    assert lines[2][-1] == "Near"
    assert [line.split()[1] for line in earmark("bookmarks", "rain").out.splitlines()] == ["TIME", "0:05", "12:34"]


@pytest.mark.parametrize("rest", [(), ("rain",), ("--json",), ("--markdown",), ("fog",), ("--filter", "title:rain")])
def test_the_older_word_lists_the_same(earmark: Earmark, rest: tuple[str, ...]) -> None:
    ended = earmark("bookmark", "list", *rest)
    assert (ended.code, ended.err) == (0, "")
    assert earmark("bookmarks", *rest) == earmark("bookmark", "--list", *rest) == ended


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("list", "--at", "5"), "--at and --note are for a new bookmark."),
        (("--delete", "1", "--note", "x"), "--at and --note are for a new bookmark."),
        (("rain", "--filter", "is:played"), "--filter needs “list”."),
        (("rain", "--format", "{id}"), "--format needs “list”."),
    ],
)
def test_making_listing_and_deleting_are_not_mixed(earmark: Earmark, arguments: tuple[str, ...], sentence: str) -> None:
    ended = earmark("bookmark", *arguments)
    assert (ended.code, ended.out, ended.err) == (2, "", f"earmark: {sentence} See: earmark bookmark --help\n")


def test_json_says_everything(earmark: Earmark, library: Library) -> None:
    (made,) = json.loads(earmark("bookmarks", "wind", "--json").out)
    assert made.pop("created").startswith("20")
    (stored,) = library.bookmarks.of_episode(library.episodes.find("Wind").id)
    assert made == {
        "id": stored.id,
        "episode_id": stored.episode_id,
        "episode": "Wind",
        "podcast": "Slow Radio",
        "position_ms": 60_000,
        "length_ms": 0,
        "chapter": "",
        "line": "",
        "note": "",
        "link": f"{stored.link}#t=60",
    }


def test_markdown_comes_by_the_template_the_oldest_first(earmark: Earmark, paths: Paths) -> None:
    first, *rest = earmark("bookmarks", "--markdown").out.splitlines()
    assert first.startswith("- [12:34](<")
    assert first.endswith("#t=754>) Rain (Slow Radio)")
    assert rest[:3] == ["  - Far", "  - look it up", "  - “It \\*rains\\*.”"]
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text('[bookmarks]\ntemplate = "{time} {episode}"\n')
    assert earmark("bookmarks", "--markdown").out == "12:34 Rain\n0:05 Rain\n1:00 Wind\n"


def test_a_template_that_asks_for_something_unknown_is_a_sentence(earmark: Earmark, paths: Paths) -> None:
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text('[bookmarks]\ntemplate = "{tme}"\n')
    ended = earmark("bookmarks", "wind", "--markdown")
    assert "“bookmarks.template” can't contain {tme}. Earmark uses its own instead." in ended.err
    assert ended.out.startswith("- [1:00]")


def test_they_outlive_their_podcast(earmark: Earmark) -> None:
    assert earmark("remove", "Slow Radio", "--yes").code == 0
    found = json.loads(earmark("bookmarks", "rain", "--json").out)
    assert [(one["episode_id"], one["position_ms"]) for one in found] == [(None, 5_000), (None, 754_000)]


def test_none_is_no_failure_but_an_unknown_episode_is(earmark: Earmark) -> None:
    assert earmark("bookmarks", "fog").out == "No bookmarks in this episode.\n"
    ended = earmark("bookmarks", "snow")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("earmark: ")


def test_a_moment_of_an_episode_is_bookmarked_and_that_is_undone(earmark: Earmark, library: Library) -> None:
    ended = earmark("bookmark", "fog", "--at", "1:30", "--note", "mist")
    assert (ended.code, ended.out, ended.err) == (0, "Bookmarked 1:30 in “Fog”.\nmist\n", "")
    fog = library.episodes.find("fog").id
    assert [(one.position_ms, one.note) for one in library.bookmarks.of_episode(fog)] == [(90_000, "mist")]
    assert earmark("bookmark", "fog", "--at", "1:31").out.startswith("Moved the bookmark to 1:31 in “Fog”.")
    assert earmark("undo").code == 0
    assert earmark("undo").code == 0
    assert library.bookmarks.of_episode(fog) == []


def test_without_an_episode_it_is_the_one_that_plays_else_the_last_one(
    earmark: Earmark, library: Library, paths: Paths
) -> None:
    none = earmark("bookmark")
    assert (none.code, none.err.startswith("earmark: Nothing has been played yet.")) == (1, True)
    wind, fog = library.episodes.find("Wind"), library.episodes.find("Fog")
    library.progress.save(fog.id, 40_000, 600_000, datetime.now(UTC))
    library.progress.make_last(fog.id)
    made = earmark("bookmark", "--json").json
    assert (made["episode"], made["position_ms"]) == ("Fog", 40_000)
    session = FakeSession()
    session.status = replace(session.status, episode=wind, position_ms=200_000)
    server = ControlServer(paths.socket, session)
    server.start()
    try:
        assert earmark("bookmark").out == "Bookmarked 3:20 in “Wind”.\n"
        assert earmark("bookmark", "fog", "--at", "0:10").out == "Bookmarked 0:10 in “Fog”.\n"
        session.status = replace(session.status, live=True)
        assert earmark("bookmark").err == "earmark: A live stream has no positions to bookmark.\n"
    finally:
        server.close()


def test_what_lies_past_the_end_is_no_moment(earmark: Earmark) -> None:
    ended = earmark("bookmark", "fog", "--at", "10:00")
    assert (ended.code, ended.err) == (1, "earmark: This episode is only 10:00 long. Choose an earlier time.\n")


def test_bookmarks_are_deleted_all_that_are_named_or_none(earmark: Earmark, library: Library) -> None:
    ids = [str(one.id) for one in library.bookmarks.all()]
    ended = earmark("bookmarks", "--delete", ids[0], "999")
    assert (ended.code, ended.err) == (1, "earmark: No bookmark has the ID 999. See `earmark bookmark list`.\n")
    assert len(library.bookmarks.all()) == 3
    assert earmark("bookmark", "--delete", ids[0]).out.startswith("Deleted 1 bookmark.")
    assert earmark("undo").code == 0
    assert earmark("bookmarks", "--delete", *ids[:2]).out.startswith("Deleted 2 bookmarks.")
    assert [str(one.id) for one in library.bookmarks.all()] == ids[2:]
    assert earmark("undo").code == 0
    assert len(library.bookmarks.all()) == 3


def test_a_file_that_cannot_be_written_is_a_sentence(earmark: Earmark, paths: Paths, library: Library) -> None:
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(f'[bookmarks]\nfile = "{paths.data}"\n')
    ended = earmark("bookmark", "fog", "--at", "1:30")
    assert ended.code == 0
    assert str(paths.data) in ended.err
    assert library.bookmarks.of_episode(library.episodes.find("fog").id)
