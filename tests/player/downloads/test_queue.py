"""Downloads in the background: the library knows of them when they are there, and every end is reported."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from player.errors import MediaError
from player.events import Cause, EpisodesChanged, Notice
from player.media.fetching import range_fetcher
from player.model.downloads.events import (
    DownloadCancelled,
    DownloadDeleted,
    DownloadFailed,
    DownloadFinished,
    DownloadProgress,
)
from player.model.episode import Episode, EpisodeId
from player.model.playback import Severity
from player.net.cancel import CancelToken
from player.paths import Paths
from player.player import Player
from player.settings import Media, Playback, Settings
from tests.bad_network import BadFile, stall, status
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.conftest import eventually
from tests.player.media.sounds import mp3

BODY = mp3(1500)
OnProgress = Callable[[float | None, MediaError | None], None]


class Stage:
    def __init__(self, paths: Paths, server: LoopbackServer) -> None:
        self.player = Player(paths, Settings(playback=Playback(engine="silent"), media=Media()))
        self.player.open()
        self.server = server
        self.events: list[object] = []
        self.player.bus.subscribe(object, self.events.append)

    def add(self, url: str) -> EpisodeId:
        library = self.player.library
        (added,) = apply_feed(library, library.podcasts.add(URL, "A show"), episode(1, url=url)).new
        return added

    def downloads(self) -> list[object]:
        """What the bus said of downloads, but for how far they were."""
        kinds = (DownloadFinished, DownloadFailed, DownloadCancelled, DownloadDeleted)
        return [one for one in list(self.events) if isinstance(one, kinds)]

    def parts(self) -> list[float | None]:
        return [one.part for one in list(self.events) if isinstance(one, DownloadProgress)]

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


@pytest.mark.parametrize("cause", [Cause.PERSON, Cause.RULE])
def test_each_event_of_a_download_says_who_wanted_it(stage: Stage, cause: Cause) -> None:
    wanted = stage.add(stage.server.audio("/a", BODY))
    stage.player.download(wanted, cause=cause)
    eventually(stage.downloads)
    assert stage.downloads() == [DownloadFinished(wanted, cause)]
    first, *rest = [one for one in stage.events if isinstance(one, DownloadProgress)]
    assert first == DownloadProgress(wanted, None, cause)
    assert {one.cause for one in rest} <= {cause}
    parts = [one.part for one in rest if one.part is not None]
    assert parts == sorted(set(parts))
    stage.player.delete_download(wanted).result(5)
    assert stage.downloads()[1:] == [DownloadDeleted(wanted, Cause.PERSON)]


def test_once_its_end_is_told_nothing_more_is_told_of_its_progress(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    reporters: list[OnProgress] = []

    def download(
        _episode: Episode, _folder: Path, record: Callable[[Path], None], report: OnProgress, _stop: CancelToken
    ) -> None:
        reporters.append(report)
        report(0.5, None)
        record(tmp_path / "file")

    wanted = stage.add(stage.server.audio("/a", BODY))
    monkeypatch.setattr(stage.player.services.media, "download", download)
    stage.player.download(wanted)
    eventually(stage.downloads)
    reporters[0](0.9, MediaError("Too late."))
    assert stage.parts() == [None, 0.5]
    assert stage.notices(Severity.WARNING) == []


def test_what_is_downloaded_already_is_no_event(stage: Stage) -> None:
    wanted = stage.add(stage.server.audio("/a", BODY))
    stage.player.download(wanted)
    eventually(stage.downloads)
    stage.events.clear()
    again = stage.player.downloads.download(wanted)
    assert again is not None
    again.result(5)
    assert (stage.downloads(), stage.parts()) == ([], [])


def test_when_the_end_of_a_download_is_told_it_is_not_under_way_any_more(stage: Stage) -> None:
    wanted = stage.add(stage.server.audio("/a", BODY))
    under_way: list[bool] = []
    stage.player.bus.subscribe(
        DownloadFinished, lambda event: under_way.append(stage.player.downloads.is_downloading(event.episode_id))
    )
    stage.player.download(wanted)
    eventually(lambda: under_way)
    assert under_way == [False]


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
    eventually(stage.downloads)
    assert stage.downloads() == [DownloadFailed(gone, stage.notices(Severity.ERROR)[0], Cause.PERSON)]
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
    eventually(lambda: len(stage.downloads()) == 2)
    assert stage.downloads() == [DownloadCancelled(wanted, Cause.PERSON)] * 2
    file.let_go.set()


def has_met(file: BadFile, left: int) -> bool:
    return len(file.faults) == left
