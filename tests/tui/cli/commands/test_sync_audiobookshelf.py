"""`sync` with an Audiobookshelf server: setting up, sending, and failures in sentences."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest

from player.library import Library
from player.model.listening import ListeningSpan
from tests.audiobookshelf import PASSWORD, TOKEN, USER, AudiobookshelfServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.tui.cli.conftest import Earmark
from tui.cli import command


@pytest.fixture
def server() -> Iterator[AudiobookshelfServer]:
    with AudiobookshelfServer() as running:
        podcast = running.add_podcast("A show")
        podcast.feed = URL
        for number in range(3):
            name = {"guid": f"guid-{number}", "enclosure": f"https://example.org/{number}.mp3"}
            podcast.add_episode(f"Episode {number}", b"", duration=3600.0, **name)
        yield running


@pytest.fixture
def heard(library: Library) -> Library:
    """A library in which five minutes were heard, to 10:00, and an episode was played."""
    new = apply_feed(library, library.podcasts.add(URL, "A show"), *map(episode, range(3))).new
    began = datetime.now(UTC) - timedelta(hours=1)
    library.progress.start(new[0])
    span = ListeningSpan(new[0], 300_000, 600_000, began)
    library.progress.save(new[0], 600_000, None, datetime.now(UTC), heard=[span])
    library.episodes.set_played([new[1]], True)
    return library


def says(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO("".join(f"{line}\n" for line in lines)))
    monkeypatch.setattr(command, "is_terminal", lambda _file: True)


@pytest.mark.parametrize("by_key", [False, True])
def test_it_is_set_up_after_a_preview_and_sends_earlier_listening(
    earmark: Earmark, heard: Library, server: AudiobookshelfServer, monkeypatch: pytest.MonkeyPatch, by_key: bool
) -> None:
    two = server.podcasts[next(iter(server.podcasts))].episodes[2]
    server.change(two, {"currentTime": 300, "duration": 3600, "progress": 300 / 3600})
    says(monkeypatch, server.api_key() if by_key else PASSWORD, "y")
    ended = earmark("sync", "setup", "audiobookshelf", server.address, *([] if by_key else ["--user", USER]))
    assert ended.code == 0, ended.err
    assert f"Audiobookshelf {server.address} as {USER} syncs positions, played and unplayed, the listening" in ended.out
    assert "1 position changes:\n    Episode 2: 0:00 → 5:00" in ended.out
    assert "  1 position\n  1 played episode\n  1 history entry\n" in ended.out
    assert TOKEN not in ended.out + ended.err
    rows = {one["episodeId"]: (one["currentTime"], one["isFinished"]) for one in server.progress.values()}
    assert sorted(rows.values()) == [(300, False), (600, False), (3600, True)]
    assert sum(server.listened_s().values()) == 300

    server.change(two, {"currentTime": 900, "duration": 3600, "progress": 0.25})
    assert earmark("sync", "now").out == "Synced: 1 episode changed.\n"
    assert heard.episodes.get(heard.episodes.find("Episode 2").id).position_ms == 900_000
    status = earmark("sync", "status").out.splitlines()
    assert status[0] == f"Audiobookshelf {server.address} as {USER}"
    assert not [line for line in status if "wait" in line]
    server.withdraw_keys()
    server.end_sessions()
    server.expire_access()
    failed = earmark("sync", "now")
    assert failed.code == 1
    assert "Set up syncing again." in failed.err
    assert TOKEN not in failed.err
    assert earmark("sync", "forget", "--yes").code == 0


def test_another_kind_of_server_is_reported(
    earmark: Earmark, heard: Library, server: AudiobookshelfServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.garbage["/status"] = b"{}"
    says(monkeypatch, PASSWORD)
    ended = earmark("sync", "setup", "audiobookshelf", server.address, "--user", USER)
    assert (ended.code, "127.0.0.1 isn't an Audiobookshelf server" in ended.err) == (1, True)
    assert heard.syncing.account() is None
