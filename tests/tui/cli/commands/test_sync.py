"""`sync`: the real command, with a server on loopback and with a folder."""

import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest

from player.library import Library
from player.net.credentials import Credentials
from player.paths import Paths
from player.player import Player
from player.sync.nextcloud import login_flow
from player.sync.round import alone
from player.sync.setup import device_id
from player.sync.ways import Typed
from tests.player.library.helpers import URL, apply_feed, episode
from tests.sync_servers.gpodder import GpodderServer
from tests.sync_servers.nextcloud import NextcloudServer
from tests.sync_servers.server import PASSWORD, USER
from tests.tui.cli.conftest import Earmark
from tests.tui.stage import QUIET
from tui.cli import command
from tui.cli.commands import sync_setup


@pytest.fixture
def gpodder() -> Iterator[GpodderServer]:
    with GpodderServer() as server:
        yield server


@pytest.fixture
def heard(library: Library) -> Library:
    """A library with a position and a played mark."""
    new = apply_feed(library, library.podcasts.add(URL, "A show"), *map(episode, range(3))).new
    library.progress.save(new[0], 600_000, None, datetime.now(UTC))
    library.episodes.set_played([new[1]], True)
    return library


def says(monkeypatch: pytest.MonkeyPatch, *lines: str, terminal: bool = True) -> None:
    """What is typed, or piped."""
    monkeypatch.setattr(sys, "stdin", StringIO("".join(f"{line}\n" for line in lines)))
    monkeypatch.setattr(command, "is_terminal", lambda _file: terminal)


def elsewhere(server: GpodderServer, position_s: int, number: int = 2) -> None:
    """A phone has said that it was there."""
    entry = {
        "podcast": URL,
        "episode": f"https://example.org/{number}.mp3",
        "guid": f"guid-{number}",
        "device": "phone",
        "action": "play",
        "timestamp": "2026-03-05T12:00:00",
        "started": 0,
        "position": position_s,
        "total": 1800,
    }
    server.actions.append((int(server.now()), entry))


def test_a_server_is_set_up_after_a_preview_and_can_be_undone(
    earmark: Earmark, heard: Library, gpodder: GpodderServer, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere(gpodder, 300)
    says(monkeypatch, PASSWORD, "y")
    ended = earmark("sync", "setup", "gpodder", gpodder.address, "--user", USER, "--device", "My laptop")
    assert ended.code == 0, ended.err
    assert "1 position changes:\n    Episode 2: 0:00 → 5:00" in ended.out
    assert "It doesn't sync stars, the queue, bookmarks, segments, the listening history, podcasts' sett" in ended.out
    assert "  1 position\n  1 played episode\n  1 subscription:\n    " in ended.out
    assert "To take back what changed here: earmark undo" in ended.out
    assert {entry["position"] for _at, entry in gpodder.actions if entry["device"] != "phone"} >= {600}
    assert list(gpodder.subscriptions) == [URL]
    assert list(paths.backups.glob("*.db")), "a backup was made before"
    assert Credentials(paths.logins).find(gpodder.address) == (USER, PASSWORD)
    account = heard.syncing.account()
    assert account is not None
    assert (account.name, account.device) == ("My laptop", device_id("My laptop", paths.data))
    two = heard.episodes.find("Episode 2").id
    found = heard.progress.position(two)
    assert found is not None
    assert found.position_ms == 300_000
    assert earmark("undo").code == 0
    assert heard.progress.position(two) is None


def test_a_no_changes_nothing_on_either_side(
    earmark: Earmark, heard: Library, gpodder: GpodderServer, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere(gpodder, 300)
    says(monkeypatch, PASSWORD, "n")
    ended = earmark("sync", "setup", "gpodder", gpodder.address, "--user", USER)
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "Nothing was changed.")
    assert heard.syncing.account() is None
    assert heard.progress.position(heard.episodes.find("Episode 2").id) is None
    assert len(gpodder.actions) == 1
    assert gpodder.subscriptions == {}
    assert not paths.logins.exists()


def test_a_wrong_password_is_one_sentence(
    earmark: Earmark, heard: Library, gpodder: GpodderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(monkeypatch, "wrong", "y")
    ended = earmark("sync", "setup", "gpodder", gpodder.address, "--user", USER)
    assert ended.code == 1
    assert ended.err.count("\n") == 1
    assert heard.syncing.account() is None


def test_a_nextcloud_is_logged_in_to_in_the_browser(
    earmark: Earmark, heard: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    with NextcloudServer() as server:
        monkeypatch.setattr(sync_setup, "POLL_S", 0.0)
        poll = login_flow.LoginFlow.poll

        def after_logging_in(flow: login_flow.LoginFlow) -> Typed | None:
            server.log_in()
            return poll(flow)

        monkeypatch.setattr(login_flow.LoginFlow, "poll", after_logging_in)
        ended = earmark("sync", "setup", "nextcloud", server.address, "--yes")
        assert ended.code == 0, ended.err
        asked, address = ended.err.split("\n\n")[:2]
        assert asked == "Sign in to your Nextcloud at this address, here or by scanning the code with a phone:"
        assert address == f"{server.address}/login/v2/flow/token0"
        assert [entry["position"] for entry in server.actions if entry["guid"] == "guid-0"] == [600]
        assert earmark("sync", "now").out == "Synced: nothing changed here.\n"


def test_a_folder_meets_another_library(
    earmark: Earmark, heard: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shared").mkdir()
    setup = ("sync", "setup", "folder", str(tmp_path / "shared"), "--yes")
    assert earmark(*setup).code == 0
    home = os.environ["EARMARK_HOME"]
    monkeypatch.setenv("EARMARK_HOME", str(tmp_path / "other"))
    document = earmark(*setup, "--json").json
    assert document["here"]["subscribed"] >= 1
    assert document["target"] == "folder"
    assert document["waiting"] == 0
    podcast = heard.podcasts.by_url(URL)
    assert podcast is not None
    assert earmark("remove", podcast.url, "--yes").code == 0
    assert earmark("sync", "now").code == 0
    monkeypatch.setenv("EARMARK_HOME", home)
    assert earmark("sync", "now").out == "Synced: 1 podcast removed.\n"


def test_a_folder_that_isnt_there_is_one_sentence(earmark: Earmark, tmp_path: Path) -> None:
    ended = earmark("sync", "setup", "folder", str(tmp_path / "none"), "--yes")
    assert (ended.code, ended.err.startswith("earmark: There is no folder")) == (1, True)


def test_a_second_setup_replaces_the_first_only_when_asked(
    earmark: Earmark, heard: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    assert earmark("sync", "setup", "folder", str(tmp_path / "one"), "--yes").code == 0
    ended = earmark("sync", "setup", "folder", str(tmp_path / "two"), "--yes")
    assert ended.code == 1
    assert ended.err.endswith("Sync elsewhere instead? Can't ask without a terminal; add --replace to confirm.\n")
    says(monkeypatch, "n")
    assert earmark("sync", "setup", "folder", str(tmp_path / "two"), "--yes").out == "Nothing was changed.\n"
    assert earmark("sync", "setup", "folder", str(tmp_path / "two"), "--yes", "--replace").code == 0
    account = heard.syncing.account()
    assert account is not None
    assert account.address == str(tmp_path / "two")


def test_status_says_what_waits_and_why_it_failed(
    earmark: Earmark, heard: Library, gpodder: GpodderServer, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert earmark("sync").out.startswith("Syncing isn't set up.")
    assert earmark("sync", "--json").json["target"] is None
    says(monkeypatch, PASSWORD, "y")
    earmark("sync", "setup", "gpodder", gpodder.address, "--user", USER, "--device", "laptop")
    shown = earmark("sync", "status").out
    assert "This device: laptop\nLast synced: just now\n" in shown
    heard.progress.save(heard.episodes.find("Episode 2").id, 60_000, None, datetime.now(UTC))
    gpodder.is_html = True
    failed = earmark("sync", "now")
    assert failed.code == 1
    assert len(failed.err.splitlines()) == 1
    shown = earmark("sync", "status").out
    assert "Failed just now: " in shown
    assert "1 change waits to be sent" in shown
    assert any(
        one["name"] == "sync" and "last synced" in one["text"] for one in earmark("doctor", "--json").json["checks"]
    )
    gpodder.is_html = False
    assert earmark("sync", "now").out == "Synced: nothing changed here.\n"
    assert "Failed" not in earmark("sync", "status").out


def test_forget_takes_account_and_password_away_and_keeps_the_listening(
    earmark: Earmark, heard: Library, gpodder: GpodderServer, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert earmark("sync", "forget", "--yes").code == 1
    says(monkeypatch, PASSWORD, "y", "n", "y")
    earmark("sync", "setup", "gpodder", gpodder.address, "--user", USER)
    sent = len(gpodder.actions)
    assert earmark("sync", "forget").out == "Nothing was changed.\n"
    assert earmark("sync", "forget").code == 0
    assert heard.syncing.account() is None
    assert Credentials(paths.logins).find(gpodder.address) is None
    assert heard.progress.position(heard.episodes.find("Episode 0").id) is not None
    assert len(gpodder.actions) == sent
    assert earmark("sync", "now").code == 1


def test_the_running_earmark_syncs_itself(earmark: Earmark, heard: Library, tmp_path: Path, paths: Paths) -> None:
    (tmp_path / "shared").mkdir()
    assert earmark("sync", "setup", "folder", str(tmp_path / "shared"), "--yes").code == 0
    player = Player(paths, QUIET)
    player.open()
    player.start()
    try:
        document = earmark("sync", "now", "--json").json
        assert document["rounds"] >= 1
        assert document["problem"] is None
    finally:
        player.close()


def test_one_that_syncs_just_now_is_waited_for(
    earmark: Earmark, heard: Library, tmp_path: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shared").mkdir()
    earmark("sync", "setup", "folder", str(tmp_path / "shared"), "--yes")
    monkeypatch.setattr("player.sync.round._PATIENCE_S", 0.0)
    with alone(paths.sync_lock) as is_alone:
        assert is_alone
        ended = earmark("sync", "now")
    assert (ended.code, ended.err) == (1, "earmark: Another Earmark is syncing just now. Try again in a moment.\n")


@pytest.mark.parametrize(
    "words",
    [
        ("setup",),
        ("setup", "gpodder"),
        ("setup", "gpodder", "example.org"),
        ("setup", "folder", "x", "--user", "ann"),
        ("now", "folder"),
        ("status", "--device", "x"),
        ("sing",),
    ],
)
def test_what_makes_no_sense_is_refused(earmark: Earmark, words: tuple[str, ...]) -> None:
    ended = earmark("sync", *words)
    assert ended.code == 2
    assert "earmark sync --help" in ended.err


@pytest.mark.parametrize(("name", "begins"), [("Ann's laptop", "Ann-s-laptop-"), ("…", "earmark-"), ("a.b", "a.b-")])
def test_a_device_has_an_id_that_servers_take(tmp_path: Path, name: str, begins: str) -> None:
    made = device_id(name, tmp_path)
    assert made.startswith(begins)
    assert made == device_id(name, tmp_path) != device_id(name, tmp_path / "other")
    assert made.replace("-", "").replace(".", "").isalnum()
