"""A way to sync that stands in a folder of its own is one everywhere, with no other file changed; and one that this
Earmark doesn't know is named."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from player.events import SyncChanged
from player.library import Library
from player.net.credentials import Credentials
from player.paths import Paths
from player.player import Player
from tests.player.library.helpers import URL, apply_feed, episode
from tests.sync_servers.harbour import HarbourServer, known
from tests.sync_servers.server import PASSWORD, USER
from tests.tui.cli.conftest import Earmark
from tests.tui.stage import QUIET
from tui.cli import command

UNKNOWN = (
    "This version of Earmark can't sync through “harbour”. Update Earmark, or set up another way with:"
    " earmark sync setup KIND WHERE"
)


@pytest.fixture
def server() -> Iterator[HarbourServer]:
    with HarbourServer() as running:
        yield running


@pytest.fixture
def heard(library: Library) -> Library:
    """A library with a position and a star."""
    new = apply_feed(library, library.podcasts.add(URL, "A show"), *map(episode, range(3))).new
    library.progress.save(new[0], 600_123, None, datetime.now(UTC))
    library.episodes.set_starred([new[1]], True)
    return library


def set_up(earmark: Earmark, server: HarbourServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the first merge printed."""
    monkeypatch.setattr(sys, "stdin", StringIO(f"{PASSWORD}\ny\n"))
    monkeypatch.setattr(command, "is_terminal", lambda _file: True)
    ended = earmark("sync", "setup", "harbour", server.address, "--user", USER, "--device", "dinghy")
    assert ended.code == 0, ended.err
    return ended.out


def elsewhere(server: HarbourServer, number: int, position_ms: int) -> None:
    """Another ship has heard that far."""
    name = {"podcast": URL, "url": f"https://example.org/{number}.mp3", "guid": f"guid-{number}"}
    at = int(datetime.now(UTC).timestamp() * 1000)
    server.log.append({"episode": name, "device": "barge", "at": at, "kind": "play", "position_ms": position_ms})


def sync_finding(earmark: Earmark) -> dict[str, Any]:
    (found,) = (one for one in earmark("doctor", "--json").json["checks"] if one["name"] == "sync")
    return dict(found)


def test_a_way_of_one_folder_is_in_help_and_syncs(
    earmark: Earmark,
    heard: Library,
    server: HarbourServer,
    paths: Paths,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with known(tmp_path):
        usage = " ".join(earmark("sync", "setup", "--help").out.split())
        assert "setup: one of gpodder, nextcloud, audiobookshelf, harbour, folder" in usage
        assert "setup gpodder, audiobookshelf, harbour: your name there; the password is asked for" in usage
        ended = earmark("sync", "setup", "harbour", server.address)
        assert (ended.code, "(--user)" in ended.err) == (2, True)

        elsewhere(server, 2, 300_456)
        shown = set_up(earmark, server, monkeypatch)
        assert f"harbour {server.address} as {USER} syncs positions, played\n" in shown
        assert "It doesn't sync unplayed, subscriptions, stars" in shown
        assert shown.endswith(
            f"To harbour {server.address} as {USER}:\n  1 position\nSynced: 1 episode changed.\n"
            "To take back what changed here: earmark undo\n"
            "Everything is sent. From now on Earmark syncs by itself while it runs.\n"
        )
        (_theirs, ours) = server.log
        assert (ours["position_ms"], ours["device"][:7]) == (600_123, "dinghy-"), "to the millisecond"
        two = heard.episodes.find("Episode 2").id
        assert heard.episodes.get(two).position_ms == 300_456

        elsewhere(server, 2, 400_000)
        assert earmark("sync", "now").out == "Synced: 1 episode changed.\n"
        assert heard.episodes.get(two).position_ms == 400_000
        status = earmark("sync", "status").out.splitlines()
        assert status[0] == f"harbour {server.address} as {USER}"
        assert "Syncs positions, played" in status
        assert earmark("sync", "--json").json["target"] == "harbour"
        assert sync_finding(earmark)["text"].startswith(f"harbour {server.address} as {USER}, last synced just now")
        assert earmark("sync", "forget", "--yes").code == 0
        assert Credentials(paths.logins).find(server.address) is None


def test_its_example_is_in_help(tmp_path: Path) -> None:
    with known(tmp_path):
        script = f"import sys, player.sync\nplayer.sync.__path__.append({str(tmp_path)!r})\n"
        script += "from tui.cli.main import main\nmain(['sync', '--help'])"
        shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "through a gpodder server, Nextcloud, an Audiobookshelf server, a harbour or a folder" in " ".join(
        shown.split()
    )
    assert "  earmark sync setup harbour harbour.example --user ann\n" in shown


def test_an_account_of_a_way_that_isnt_known_is_named_and_can_be_forgotten(
    earmark: Earmark,
    heard: Library,
    server: HarbourServer,
    paths: Paths,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with known(tmp_path):
        set_up(earmark, server, monkeypatch)
    sent = len(server.log)
    heard.progress.save(heard.episodes.find("Episode 1").id, 60_000, None, datetime.now(UTC))
    shown = earmark("sync", "status")
    assert (shown.code, shown.out.splitlines()[0]) == (0, f"harbour {server.address} as {USER}")
    assert UNKNOWN in shown.out.splitlines()
    assert "Syncs" not in shown.out
    assert earmark("sync", "--json").json["problem"] == UNKNOWN
    failed = earmark("sync", "now")
    assert (failed.code, failed.err) == (1, f"earmark: {UNKNOWN}\n")
    assert sync_finding(earmark)["text"].endswith(f"; {UNKNOWN}")

    player, failed_there = Player(paths, QUIET), Event()
    player.bus.subscribe(SyncChanged, lambda event: failed_there.set() if event.status.state.what else None)
    player.open()
    player.start()
    try:
        assert failed_there.wait(20), "the first round of the running one"
        assert earmark("sync", "now").err == f"earmark: {UNKNOWN}\n"
    finally:
        player.close()
    assert len(server.log) == sent
    heard.check()

    with known(tmp_path):
        assert earmark("sync", "now").code == 0
    assert [one["position_ms"] for one in server.log[sent:]] == [60_000], "what was heard meanwhile"

    assert earmark("sync", "forget", "--yes").code == 0
    assert Credentials(paths.logins).find(server.address) is None
