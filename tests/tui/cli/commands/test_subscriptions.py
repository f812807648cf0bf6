"""`add`, `remove`, `podcasts`."""

import io
import sys
from pathlib import Path

import pytest

from player.errors import NotFound
from player.library import Library
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.sources.books import m4b, mp3
from tests.player.test_secrets import Members
from tests.tui.cli.conftest import Earmark, feed

pytestmark = pytest.mark.usefixtures("library")


def test_a_feed_is_added_and_listed(earmark: Earmark, server: LoopbackServer) -> None:
    url = server.page("/feed", feed("Slow Radio", "Rain", "Wind"))
    ended = earmark("add", url)
    assert (ended.code, ended.out, ended.err) == (0, "Added Slow Radio (2 episodes).\n", "")
    added = next(podcast for podcast in earmark("podcasts", "--json").json if podcast["title"] == "Slow Radio")
    assert list(added) == [
        "id", "url", "title", "author", "description", "episode_count", "unplayed_count", "last_refreshed", "error",
        "note", "feed_title", "pinned", "tags",
    ]  # fmt: skip
    assert (added["url"], added["episode_count"], added["unplayed_count"]) == (url, 2, 2)


def test_adding_tells_in_json_what_was_added(earmark: Earmark, server: LoopbackServer) -> None:
    ended = earmark("add", "--json", server.page("/feed", feed("Slow Radio", "Rain")))
    assert [podcast["title"] for podcast in ended.json] == ["Slow Radio"]


def test_adding_twice_is_nothing_to_do(earmark: Earmark, server: LoopbackServer) -> None:
    url = server.page("/feed", feed("Slow Radio", "Rain"))
    earmark("add", url)
    ended = earmark("add", url)
    assert ended.code == 0
    assert "Slow Radio" in ended.out
    assert not ended.err


def test_one_address_that_fails_does_not_keep_the_others(earmark: Earmark, server: LoopbackServer) -> None:
    ended = earmark("add", server.url("/missing"), server.page("/feed", feed("Slow Radio", "Rain")))
    assert ended.code == 1
    assert ended.out == "Added Slow Radio (1 episode).\n"
    assert ended.err.startswith("earmark: ")
    assert ended.err.count("\n") == 1


def test_a_folder_of_audio_is_added_by_its_name_refreshed_shown_and_left_alone(
    earmark: Earmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = m4b(tmp_path / "A Voyage" / "1.m4b", "Sea", "Land", title="Out")
    ended = earmark("add", "A Voyage")
    assert (ended.code, ended.out, ended.err) == (0, "Added A Voyage (1 episode).\n", "")
    assert "2 chapters" in earmark("show", "Out").out
    mp3(tmp_path / "A Voyage" / "2.mp3", title="Home")
    assert earmark("refresh", "A Voyage").out == "1 new episode in 1 podcast.\nPODCAST   NEW\nA Voyage    1\n"
    ended = earmark("download", "Home")
    assert (ended.code, ended.err) == (1, "earmark: “Home” needs no download. It is already on this computer.\n")
    assert earmark("remove", "A Voyage", "--yes").code == 0
    assert file.is_file()


def test_add_asks_at_a_terminal(
    earmark: Earmark, server: LoopbackServer, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = Members(server)
    monkeypatch.setattr("tui.cli.commands.subscriptions.is_terminal", lambda _stream: True)
    monkeypatch.setattr("sys.stdin", io.StringIO("me@home\n"))
    monkeypatch.setattr("getpass.getpass", lambda _prompt: "open/sesame")
    ended = earmark("add", members.feed)
    assert (ended.code, "Added 127.0.0.1 (1 episode)." in ended.out) == (0, True)
    assert "sesame" not in ended.out + ended.err
    assert earmark("refresh", "127.0.0.1").code == 0


def test_add_asks_nobody_in_a_script(earmark: Earmark, server: LoopbackServer) -> None:
    ended = earmark("add", Members(server).feed)
    assert ended.code == 1
    assert "requires a username and password" in ended.err


def test_what_is_no_address_is_a_sentence(earmark: Earmark) -> None:
    ended = earmark("add", "ftp://example.com/feed")
    assert ended.code == 1
    assert ended.err.startswith("earmark: ")


def test_without_podcasts_the_list_says_how_to_get_one(earmark: Earmark) -> None:
    earmark("remove", "welcome", "--yes")
    ended = earmark("podcasts")
    assert (ended.code, ended.out) == (0, "No podcasts yet. Subscribe to one with: earmark add URL\n")
    assert earmark("podcasts", "--json").json == []


def test_without_a_terminal_nothing_is_removed_unless_it_is_confirmed(
    earmark: Earmark, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    earmark("podcasts")
    welcome = library.podcasts.find("welcome")
    for answer in ("", "n\n", "y\n"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
        for name in ("welcome", "Welcome to Earmark", str(welcome.id)):
            ended = earmark("remove", name)
            assert (ended.code, ended.out) == (1, "")
            assert ended.err == (
                "earmark: Unsubscribe from “Welcome to Earmark” (3 episodes)? Its downloaded files are deleted for"
                " good; `earmark undo` brings back the rest. Can't ask without a terminal; add --yes to confirm.\n"
            )
            assert library.podcasts.find("welcome") == welcome


@pytest.mark.parametrize(("answer", "stays"), [("n\n", True), ("\n", True), ("", True), ("y\n", False)])
def test_on_a_terminal_removing_asks_first(
    earmark: Earmark, library: Library, monkeypatch: pytest.MonkeyPatch, answer: str, stays: bool
) -> None:
    class Keyboard(io.StringIO):
        def isatty(self) -> bool:
            return True

    earmark("podcasts")
    monkeypatch.setattr(sys, "stdin", Keyboard(answer))
    ended = earmark("remove", "welcome")
    assert ended.code == 0
    assert ended.err == (
        "Unsubscribe from “Welcome to Earmark” (3 episodes)? Its downloaded files are deleted for good; `earmark undo`"
        " brings back the rest. [y/N] "
    )
    assert any(podcast.title == "Welcome to Earmark" for podcast in library.podcasts.all()) is stays


def test_removing_with_yes_asks_nothing(earmark: Earmark, library: Library) -> None:
    assert earmark("remove", "welcome", "--yes").out == "Removed Welcome to Earmark. To bring it back: earmark undo\n"
    with pytest.raises(NotFound):
        library.podcasts.find("welcome")


def test_removing_what_is_not_there_is_an_error(earmark: Earmark) -> None:
    ended = earmark("remove", "nothing like this")
    assert ended.code == 1
    assert "nothing like this" in ended.err


def test_a_feed_that_failed_is_told_below_the_list(earmark: Earmark, server: LoopbackServer) -> None:
    url = server.page("/feed", feed("Slow Radio", "Rain"))
    earmark("add", url)
    del server.answers["/feed"]
    earmark("refresh", "Slow Radio")
    assert "\nSlow Radio: " in earmark("podcasts").out
