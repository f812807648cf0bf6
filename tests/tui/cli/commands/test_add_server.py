"""`earmark add` with a server: it asks for a login and a choice of podcasts; in a script it names the options
instead."""

import io
import json
from pathlib import Path

import pytest

from player.library import Library
from player.paths import Paths
from tests.audiobookshelf import PASSWORD, TOKEN, USER, AudiobookshelfServer
from tests.player.media.sounds import mp3
from tests.player.sources.audiobookshelf.conftest import shelf, signed_in
from tests.tui.cli.conftest import Earmark

__all__ = ["shelf"]

BODY = mp3(200)


@pytest.fixture(autouse=True)
def podcasts(shelf: AudiobookshelfServer) -> None:
    for title in ("Casting Stones", "Stones", "Rain"):
        shelf.add_podcast(title).add_episode(f"{title} One", BODY)


def typing(monkeypatch: pytest.MonkeyPatch, text: str, secret: str = PASSWORD) -> None:
    """At a terminal."""
    monkeypatch.setattr("tui.cli.commands.subscriptions.is_terminal", lambda _stream: True)
    monkeypatch.setattr("tui.cli.commands.login.is_terminal", lambda _stream: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    monkeypatch.setattr("getpass.getpass", lambda _prompt: secret)


def titles(library: Library) -> set[str]:
    return {one.title for one in library.podcasts.all()} - {"Welcome to Earmark"}


def test_it_asks_for_a_login_and_a_choice_and_adds_the_chosen_podcasts(
    earmark: Earmark, shelf: AudiobookshelfServer, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    typing(monkeypatch, f"{USER}\n1, rain\n")
    ended = earmark("add", shelf.address)
    assert (ended.code, ended.out) == (0, "Added Casting Stones (1 episode).\nAdded Rain (1 episode).\n")
    assert "127.0.0.1 requires a login" in ended.err
    assert "Name for 127.0.0.1 (leave empty for an API key): " in ended.err
    assert "127.0.0.1 has 3 podcasts:\n1  Casting Stones (1 episode)\n2  Stones (1 episode)\n" in ended.err
    assert PASSWORD not in ended.out + ended.err
    assert titles(library) == {"Casting Stones", "Rain"}
    typing(monkeypatch, "all\n")
    again = earmark("add", shelf.address, "--json")
    assert [one["title"] for one in again.json] == ["Stones"]
    assert "1  Casting Stones (subscribed)" in again.err
    assert TOKEN not in again.out + again.err


def test_an_api_key_needs_no_name(
    earmark: Earmark, shelf: AudiobookshelfServer, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    typing(monkeypatch, "\n3\n", shelf.api_key())
    assert earmark("add", shelf.address).code == 0
    assert titles(library) == {"Rain"}


def test_a_wrong_password_is_reported(
    earmark: Earmark, shelf: AudiobookshelfServer, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    typing(monkeypatch, f"{USER}\n", "wrong")
    ended = earmark("add", shelf.address)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.endswith("earmark: 127.0.0.1 refused the login. Check the name and password, or the API key.\n")
    assert not paths.logins.exists()


def test_in_a_script_it_says_what_to_do(earmark: Earmark, shelf: AudiobookshelfServer, library: Library) -> None:
    ended = earmark("add", shelf.address)
    said = "requires a login. Do this in a terminal, where Earmark asks for your name and password."
    assert (ended.code, ended.err) == (1, f"earmark: 127.0.0.1 {said}\n")
    ended = earmark("add", signed_in(shelf.address))
    said = "Casting Stones, Stones, Rain. Add all of them with --all, or some with --only TITLE."
    assert (ended.code, ended.err) == (1, f"earmark: 127.0.0.1 has 3 podcasts: {said}\n")
    ended = earmark("add", shelf.address, "--only", "casting", "--only", "STONES")
    assert (ended.code, titles(library)) == (0, {"Casting Stones", "Stones"})
    ended = earmark("add", shelf.address, "--all")
    assert (ended.code, ended.out, titles(library)) == (
        0, "Added Rain (1 episode).\n", {"Casting Stones", "Stones", "Rain"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("only", "said"),
    [
        ("ston", "The titles of several podcasts contain “ston”. Type more of the title."),
        ("wind", "The server has no podcast called “wind”."),
        ("0", "The server has no podcast called “0”."),
    ],
)
def test_a_title_that_matches_none_or_several_adds_nothing(
    earmark: Earmark, shelf: AudiobookshelfServer, library: Library, only: str, said: str
) -> None:
    ended = earmark("add", signed_in(shelf.address), "--only", only)
    assert (ended.code, ended.err) == (1, f"earmark: {said}\n")
    assert titles(library) == set()


def test_where_nothing_is_left_to_add_it_says_so(earmark: Earmark, shelf: AudiobookshelfServer) -> None:
    assert earmark("add", signed_in(shelf.address), "--all").code == 0
    ended = earmark("add", shelf.address, "--all")
    assert (ended.code, ended.out) == (0, "127.0.0.1 has 3 podcasts, and you are subscribed to all of them.\n")


def test_signing_in_again_is_a_command_of_its_own(
    earmark: Earmark, shelf: AudiobookshelfServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert earmark("add", signed_in(shelf.address), "--only", "rain").code == 0
    shelf.end_sessions()
    shelf.later_s += 3601
    ended = earmark("refresh", "rain")
    assert (ended.code, "Sign in again" in ended.err) == (1, True)
    typing(monkeypatch, f"{USER}\n", "wrong")
    ended = earmark("login", "rain")
    assert (ended.code, "refused the login" in ended.err) == (1, True)
    typing(monkeypatch, f"{USER}\n")
    ended = earmark("login", "rain")
    assert (ended.code, ended.out.startswith("Saved for 127.0.0.1. To try it: earmark refresh ")) == (0, True)
    assert earmark("refresh", "rain").code == 0
    assert earmark("login", "rain", "--forget").out == "The name and password for 127.0.0.1 are forgotten.\n"
    assert "requires a login" in earmark("refresh", "rain").err


def test_an_episode_is_downloaded_and_hooks_get_no_token(
    earmark: Earmark, shelf: AudiobookshelfServer, paths: Paths
) -> None:
    assert earmark("add", signed_in(shelf.address), "--only", "rain").code == 0
    shelf.later_s += 3601
    ended = earmark("download", "Rain One", "--json")
    assert (ended.code, ended.json[0]["downloaded"]) == (0, True)
    (file,) = (path for path in (paths.data / "episodes").rglob("*") if path.is_file())
    assert file.read_bytes().endswith(BODY)
    told = json.dumps([earmark("podcasts", "--json").json, earmark("episodes", "rain", "--json").json])
    assert TOKEN not in told
    assert TOKEN.encode() not in file.read_bytes()


def test_what_an_export_brings_back_is_read_from_the_server(
    earmark: Earmark, shelf: AudiobookshelfServer, library: Library, tmp_path: Path
) -> None:
    assert earmark("add", signed_in(shelf.address), "--only", "rain").code == 0
    assert earmark("export", "--all", str(tmp_path / "all.json")).code == 0
    assert TOKEN not in (tmp_path / "all.json").read_text()
    assert earmark("remove", "rain", "--yes").code == 0
    imported = earmark("import", str(tmp_path / "all.json"))
    assert (imported.code, "URL" in imported.out + imported.err) == (0, False)
    (rain,) = [one for one in library.podcasts.all() if one.title == "Rain"]
    assert rain.last_refreshed is not None
    assert rain.episode_count == 1
    assert rain.error is None
