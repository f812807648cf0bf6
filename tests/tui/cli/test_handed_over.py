"""`earmark download` beside a running Earmark: that one downloads, and the command waits for it."""

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from player.integrations.client import request
from player.model.downloads import DownloadState
from player.model.episode import EpisodeId
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings
from tests.bad_network import BadFile, stall
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.conftest import eventually
from tests.player.media.sounds import mp3
from tests.tui.cli.conftest import Earmark, Ended

BODY = mp3(1500)


@pytest.fixture
def player(paths: Paths) -> Iterator[Player]:
    player = Player(paths, Settings(playback=Playback(engine="silent")))
    player.open()
    player.start()
    yield player
    player.close()


def add(player: Player, *urls: str) -> list[EpisodeId]:
    podcast = player.library.podcasts.by_url(URL) or player.library.podcasts.add(URL, "A show")
    items = [episode(number, url=url) for number, url in enumerate(urls, 1)]
    return sorted(apply_feed(player.library, podcast, *items).new)


def test_the_running_earmark_downloads_and_the_command_waits_for_the_file(
    earmark: Earmark, player: Player, server: LoopbackServer, paths: Paths
) -> None:
    one, two = add(player, server.audio("/1", BODY), server.audio("/2", BODY))
    ended = earmark("download", str(one), str(two), "--json")
    assert ended.code == 0
    assert [found["downloaded"] for found in ended.json] == [True, True]
    assert [entry.state for entry in player.downloads.snapshot().entries] == [DownloadState.DONE] * 2
    path = player.library.downloads.path(one)
    assert f"Downloaded {player.library.episodes.get(one).title}: {path}" in ended.err
    assert earmark("download", str(one)).out.startswith("Already downloaded: ")


@pytest.mark.long
def test_what_fails_there_is_said_here(earmark: Earmark, player: Player, server: LoopbackServer) -> None:
    gone, there = add(player, server.page("/gone", b"", status=404), server.audio("/2", BODY))
    ended = earmark("download", str(gone), str(there))
    assert ended.code == 1
    assert "The episode is no longer available on 127.0.0.1 (404)" in ended.err
    assert "Downloaded" in ended.out


@pytest.mark.long
def test_what_is_cancelled_or_paused_there_is_not_waited_for(
    earmark: Earmark, player: Player, server: LoopbackServer
) -> None:
    file = BadFile(BODY, [stall, stall], 300_000)
    (one,) = add(player, server.answer("/1", file))
    for left, end, sentence in (
        (1, player.downloads.pause, "is paused in the running Earmark"),
        (0, player.downloads.cancel, "was cancelled"),
    ):
        results: list[Ended] = []
        command = threading.Thread(target=run, args=(earmark, one, results))
        command.start()
        eventually(partial(met, file, left))
        end([one])
        command.join(10)
        (ended,) = results
        assert ended.code == 1
        assert sentence in ended.err
    file.let_go.set()


def test_what_waits_because_earmark_is_offline_is_said_and_comes_later(
    earmark: Earmark, player: Player, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one,) = add(player, server.audio("/1", BODY))
    said: list[str] = []

    def interrupt(sentence: str) -> None:
        said.append(sentence)
        player.network.choose(False)

    monkeypatch.setattr("tui.cli.commands.download.interrupt", interrupt)
    player.network.choose(True)
    ended: list[Ended] = []
    command = threading.Thread(target=run, args=(earmark, one, ended))
    command.start()
    command.join(20)
    hangs = command.is_alive()
    player.network.choose(False)
    command.join(20)
    assert not hangs
    assert said == ["The running Earmark is offline. Downloads continue when it is online: earmark offline off"]
    assert ended[0].code == 0


def run(earmark: Earmark, one: EpisodeId, results: list[Ended]) -> None:
    results.append(earmark("download", str(one)))


def met(file: BadFile, left: int) -> bool:
    return len(file.faults) == left


def test_other_programs_see_and_change_the_queue(player: Player, server: LoopbackServer, paths: Paths) -> None:
    ids = add(player, *(server.audio(f"/{number}", BODY) for number in range(3)))
    assert request(paths.socket, "downloads", change="pause")["downloads"]["paused"]
    assert request(paths.socket, "download", episodes=ids)["added"] == ids
    moved = request(paths.socket, "downloads", change="move", episodes=[ids[2]], by=-2)["downloads"]
    assert [entry["id"] for entry in moved["entries"]] == [ids[2], ids[0], ids[1]]
    assert [entry["state"] for entry in moved["entries"]] == ["waiting"] * 3
    left = request(paths.socket, "downloads", change="cancel", episodes=ids[:1])["downloads"]
    assert left["count"] == 2
    (only,) = request(paths.socket, "downloads", episodes=ids[1:2])["downloads"]["entries"]
    assert (only["id"], only["why"], only["problem"]) == (ids[1], "manual", None)
    request(paths.socket, "downloads", change="resume")
    eventually(lambda: all(player.library.episodes.get(one).downloaded for one in ids[1:]))
    assert isinstance(player.library.downloads.path(ids[1]), Path)
