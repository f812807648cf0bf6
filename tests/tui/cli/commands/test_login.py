"""`login`: what is given is kept for the podcast's server."""

import io
from pathlib import Path

import pytest

from player.library import Library
from player.net.credentials import Credentials
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed


@pytest.fixture(autouse=True)
def address(earmark: Earmark, server: LoopbackServer, library: Library) -> str:
    address = server.page("/feed", feed("Slow Radio", "Rain"))
    assert earmark("add", address).code == 0
    assert library.podcasts.find("slow radio")
    return address


def given(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_the_first_two_lines_are_name_and_password(
    earmark: Earmark, address: str, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch, " me \n open sesame\nmore\n")
    ended = earmark("login", "slow radio")
    assert ended.out.startswith("Saved for 127.0.0.1. To try it: earmark refresh ")
    assert "sesame" not in ended.out + ended.err
    assert Credentials(paths.logins).find(address) == ("me", " open sesame")
    assert earmark("login", "slow radio", "--forget").out == "The name and password for 127.0.0.1 are forgotten.\n"
    assert Credentials(paths.logins).find(address) is None


def test_the_server_of_the_audio_may_be_another_one(
    earmark: Earmark, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch, "me\nsesame\n")
    assert earmark("login", "slow radio", "--episode", "rain").code == 0
    assert Credentials(paths.logins).find("http://127.0.0.1:9/audio.mp3") == ("me", "sesame")


def test_without_a_password_nothing_is_saved(
    earmark: Earmark, address: str, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(monkeypatch, "me\n")
    ended = earmark("login", "slow radio")
    assert (ended.code, ended.err) == (1, "earmark: A name and a password are needed. Nothing was saved.\n")
    assert Credentials(paths.logins).find(address) is None


def test_what_cannot_be_saved_is_not_said_to_be(
    earmark: Earmark, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths.logins.mkdir(parents=True)
    given(monkeypatch, "me\nsesame\n")
    ended = earmark("login", "slow radio")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("earmark: The name and password can't be saved.")


def test_a_folder_has_no_server(earmark: Earmark, tmp_path: Path) -> None:
    folder = tmp_path / "Talks"
    folder.mkdir()
    (folder / "one.mp3").write_bytes(bytes(500))
    assert earmark("add", str(folder)).code == 0
    ended = earmark("login", "talks")
    assert (ended.code, ended.err) == (1, "earmark: “Talks” comes from no server.\n")
