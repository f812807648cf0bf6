"""`download --queue` and the changes of the queue, with and without an Earmark that runs."""

from collections.abc import Iterator
from typing import Any

import pytest

from player.integrations.control_socket import ControlServer
from player.library import Library
from player.model.downloads import DownloadState
from player.model.episode import EpisodeId
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings
from tests.loopback import LoopbackServer
from tests.player.integrations.fake_session import FakeSession
from tests.tui.cli.conftest import Earmark, feed


@pytest.fixture(autouse=True)
def ids(earmark: Earmark, server: LoopbackServer, library: Library) -> list[EpisodeId]:
    """Rain waits, Wind has failed, Fog isn't in the queue."""
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain", "Wind", "Fog"))).code == 0
    found = [library.episodes.find(title).id for title in ("Rain", "Wind", "Fog")]
    queue = library.downloads.queue
    queue.add(found[:2])
    queue.problem(found[1], "The server is gone", "Try later.", state=DownloadState.FAILED, attempts=5)
    return found


def states(earmark: Earmark, *arguments: str) -> dict[str, str]:
    ended = earmark("download", *(arguments or ("--queue",)), "--json")
    assert ended.code == 0, ended.err
    document: dict[str, Any] = ended.json
    return {one["title"]: one["state"] for one in document["entries"]}


def test_the_queue_is_listed(earmark: Earmark) -> None:
    head, rain, wind = earmark("downloads", "--queue").out.splitlines()
    assert head.split() == ["ID", "STATE", "DONE", "EPISODE", "PODCAST", "PROBLEM"]
    assert rain.split()[1:3] == ["waiting", "Rain"]
    assert wind.split()[1:3] == ["failed", "Wind"]
    assert wind.endswith("The server is gone. Try later.")


def test_without_a_running_earmark_the_library_is_changed(earmark: Earmark) -> None:
    assert states(earmark, "--pause", "rain") == {"Rain": "paused", "Wind": "failed"}
    assert states(earmark, "--resume", "rain") == {"Rain": "waiting", "Wind": "failed"}
    assert states(earmark, "--retry") == {"Rain": "waiting", "Wind": "waiting"}
    assert (
        "All downloads are paused. To resume them: earmark download --resume\n" in earmark("downloads", "--pause").out
    )
    assert earmark("downloads", "--queue", "--json").json["paused"]
    assert states(earmark, "--pause", "rain")["Rain"] == "paused"
    assert states(earmark, "--resume") == {"Rain": "waiting", "Wind": "waiting"}
    assert not earmark("downloads", "--queue", "--json").json["paused"]
    assert states(earmark, "--cancel", "rain", "wind") == {}
    assert earmark("downloads", "--queue").out == "The download queue is empty.\n"


@pytest.fixture
def running(paths: Paths) -> Iterator[Player]:
    player = Player(paths, Settings(playback=Playback(engine="silent")))
    player.open()
    player.downloads.pause().result(10)
    server = ControlServer(paths.socket, FakeSession(), downloads=player.downloads)
    server.start()
    yield player
    server.close()
    player.close()


def test_a_running_earmark_does_it(earmark: Earmark, running: Player) -> None:
    assert states(earmark, "--pause", "rain") == {"Rain": "paused", "Wind": "failed"}
    assert {one.title: one.state.value for one in running.downloads.snapshot().entries}["Rain"] == "paused"
    assert states(earmark, "--retry", "wind") == {"Rain": "paused", "Wind": "waiting"}
    assert states(earmark, "--cancel", "rain") == {"Wind": "waiting"}


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("--pause", "fog"), 1, "“Fog” isn't in the download queue. See `earmark download --queue`."),
        (("--delete", "fog"), 1, "“Fog” isn't downloaded."),
        (("--cancel",), 2, "No episode is named. See: earmark downloads --help"),
        (("--delete",), 2, "No episode is named. See: earmark downloads --help"),
        (("rain",), 2, "Unexpected argument “rain”. See: earmark downloads --help"),
        (("--pause", "--retry"), 2, "not allowed with"),
    ],
)
def test_what_cannot_be_is_a_sentence(earmark: Earmark, arguments: tuple[str, ...], code: int, sentence: str) -> None:
    ended = earmark("downloads", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert sentence in ended.err


def test_a_download_is_deleted_with_its_folder(
    earmark: Earmark, library: Library, paths: Paths, ids: list[EpisodeId]
) -> None:
    path = paths.data / "episodes" / "Slow Radio" / "fog.mp3"
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(100))
    library.downloads.put(ids[2], path, size=100, why="manual")
    assert earmark("downloads", "--delete", "fog").out == "Deleted the download of Fog\n"
    assert not path.parent.exists()
    assert library.downloads.all() == []
