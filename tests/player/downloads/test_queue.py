"""Downloads in the background: the library knows of them when they are there, and every end is told."""

from collections.abc import Iterator
from functools import partial

import pytest

from player.events import EpisodesChanged, Notice
from player.media.fetching import range_fetcher
from player.model.episode import EpisodeId
from player.model.playback import Severity
from player.paths import Paths
from player.player import Player
from player.settings import Media, Playback, Settings
from tests.bad_network import BadFile, stall, status
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, episode, take_in
from tests.player.media.conftest import eventually
from tests.player.media.sounds import mp3

BODY = mp3(1500)


class Stage:
    def __init__(self, paths: Paths, server: LoopbackServer) -> None:
        self.player = Player(paths, Settings(playback=Playback(engine="silent"), media=Media()))
        self.player.open()
        self.server = server
        self.events: list[object] = []
        self.player.bus.subscribe(object, self.events.append)

    def add(self, url: str) -> EpisodeId:
        library = self.player.library
        (added,) = take_in(library, library.podcasts.add(URL, "A show"), episode(1, url=url)).new
        return added

    def notices(self, severity: Severity) -> list[str]:
        return [one.text for one in self.events if isinstance(one, Notice) and one.severity is severity]


@pytest.fixture
def stage(paths: Paths, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr(range_fetcher, "PAUSES_S", (0.01,))
    made = Stage(paths, server)
    yield made
    made.player.close()


def test_a_download_is_told_and_stands_in_the_row(stage: Stage, paths: Paths) -> None:
    wanted = stage.add(stage.server.audio("/a", BODY))
    stage.player.download(wanted)
    eventually(lambda: stage.notices(Severity.INFORMATION))
    assert stage.notices(Severity.INFORMATION) == ["Downloaded “Episode 1”"]
    assert EpisodesChanged((wanted,)) in stage.events
    assert stage.player.library.episodes.get(wanted).downloaded
    path = stage.player.library.downloads.path(wanted)
    assert path is not None
    assert path.is_relative_to(paths.data / "episodes")
    assert path.read_bytes() == BODY


def test_deleting_it_leaves_the_episode(stage: Stage) -> None:
    wanted = stage.add(stage.server.audio("/a", BODY))
    stage.player.download(wanted)
    eventually(lambda: stage.player.library.episodes.get(wanted).downloaded)
    path = stage.player.library.downloads.path(wanted)
    stage.player.delete_download(wanted).result(5)
    assert path is not None
    assert not path.exists()
    assert not stage.player.library.episodes.get(wanted).downloaded


def test_it_goes_with_its_podcast(stage: Stage) -> None:
    wanted = stage.add(stage.server.audio("/a", BODY))
    stage.player.download(wanted)
    eventually(lambda: stage.player.library.episodes.get(wanted).downloaded)
    path = stage.player.library.downloads.path(wanted)
    assert path is not None
    stage.player.remove(stage.player.library.episodes.get(wanted).podcast_id).result(5)
    assert not path.exists()


def test_a_failure_and_a_wait_are_told_once(stage: Stage) -> None:
    gone = stage.add(stage.server.page("/gone", b"", status=404))
    stage.player.download(gone)
    eventually(lambda: stage.notices(Severity.ERROR))
    assert "The episode is no longer available on " in stage.notices(Severity.ERROR)[0]
    eventually(lambda: not stage.player.downloads.is_downloading(gone))
    stage.server.answer("/gone", BadFile(BODY, [status(503)] * 4))
    stage.player.download(gone)
    eventually(lambda: stage.player.library.episodes.get(gone).downloaded)
    (wait,) = stage.notices(Severity.WARNING)
    assert wait.startswith("Download waiting. 127.0.0.1 can't provide the episode right now (503).")


def test_it_is_cancelled_at_once_and_so_is_all_at_the_end(stage: Stage) -> None:
    file = BadFile(BODY, [stall, stall], 300_000)
    wanted = stage.add(stage.server.answer("/a", file))
    cancel = partial(stage.player.downloads.cancel, wanted)
    for left, end in ((1, cancel), (0, stage.player.close)):
        stage.player.download(wanted)
        assert stage.player.downloads.is_downloading(wanted)
        eventually(partial(has_met, file, left))
        end()
        eventually(lambda: not stage.player.downloads.is_downloading(wanted))
    assert stage.notices(Severity.ERROR) == []
    file.let_go.set()


def has_met(file: BadFile, left: int) -> bool:
    return len(file.faults) == left
