"""Downloads in the background: the library knows of them when they are there, and every end is reported."""

import threading
from collections.abc import Iterator

import pytest

from player.downloads import attempt
from player.events import Cause, EpisodesChanged, Notice
from player.library.listening.download_queue import DownloadQueue
from player.media.fetching import range_fetcher
from player.model.downloads import (
    DownloadCancelled,
    DownloadDeleted,
    DownloadFailed,
    DownloadFinished,
    DownloadProgress,
    DownloadsProgress,
    DownloadState,
    QueuedDownload,
)
from player.model.episode import EpisodeId
from player.model.playback import Severity
from player.paths import Paths
from player.player import Player
from player.settings import Media, Playback, Settings
from tests.bad_network import BadFile, stall, status, trickle
from tests.loopback import LoopbackServer, Request
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.conftest import eventually, fetchers
from tests.player.media.sounds import mp3

BODY = mp3(1500)


class Stage:
    def __init__(self, paths: Paths, server: LoopbackServer) -> None:
        self._paths = paths
        self.server = server
        self.events: list[object] = []
        self.open()

    def open(self) -> None:
        self.player = Player(self._paths, Settings(playback=Playback(engine="silent"), media=Media()))
        self.player.open()
        self.player.bus.subscribe(object, self.events.append)

    def add(self, url: str, number: int = 1) -> EpisodeId:
        library = self.player.library
        podcast = library.podcasts.by_url(URL) or library.podcasts.add(URL, "A show")
        (added,) = apply_feed(library, podcast, episode(number, url=url)).new
        return added

    def restart(self) -> None:
        self.player.close()
        eventually(lambda: not fetchers())
        self.events.clear()
        self.open()
        self.player.downloads.start()

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
    assert path.read_bytes().endswith(BODY)


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


def test_what_is_downloaded_already_is_no_event(stage: Stage) -> None:
    wanted = stage.add(stage.server.audio("/a", BODY))
    stage.player.download(wanted)
    eventually(stage.downloads)
    stage.events.clear()
    assert stage.player.downloads.download(wanted).result(5) == []
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


def test_one_that_ends_while_the_queue_is_read_does_not_begin_again(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read before its end still says that it waits. (A failure is written by the thread that reads.)"""
    asked, answer, told = [], threading.Event(), threading.Event()

    def serve(request: Request) -> None:
        asked.append(request.path)
        answer.wait(20)
        request.reply(BODY, "audio/mpeg")

    wanted = stage.add(stage.server.answer("/a", serve))
    stage.player.bus.subscribe(DownloadFinished, lambda _event: told.set())
    stage.player.downloads.download(wanted).result(10)
    eventually(lambda: asked)
    read = DownloadQueue.all

    def read_before_its_end(queue: DownloadQueue) -> list[QueuedDownload]:
        rows = list(read(queue))
        if not answer.is_set():
            answer.set()
            eventually(lambda: not any(one.state is DownloadState.WAITING for one in read(queue)))
            told.wait(0.3)  # it comes only once these rows are taken over
        return rows

    monkeypatch.setattr(DownloadQueue, "all", read_before_its_end)
    stage.player.downloads.reload()
    eventually(stage.downloads)
    so_far = len(asked)
    stage.player.downloads.pause([]).result(10)  # whatever was to begin has begun
    assert not stage.player.downloads.is_downloading(wanted)
    assert len(stage.downloads()) == 1
    assert len(asked) == so_far


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
    stage.server.answer("/gone", BadFile(BODY, [status(503)] * 100))
    stage.player.download(gone)
    eventually(lambda: stage.player.library.episodes.get(gone).downloaded)
    (wait,) = stage.notices(Severity.WARNING)
    assert wait.startswith("Download waiting. 127.0.0.1 has a server problem (503).")


def test_it_is_cancelled_at_once(stage: Stage) -> None:
    file = BadFile(BODY, [stall], 300_000)
    wanted = stage.add(stage.server.answer("/a", file))
    stage.player.download(wanted)
    assert stage.player.downloads.is_downloading(wanted)
    eventually(lambda: not file.faults)
    assert stage.player.downloads.cancel(wanted).result(5) == [wanted]
    assert not stage.player.downloads.is_downloading(wanted)
    eventually(lambda: not fetchers())
    assert stage.notices(Severity.ERROR) == []
    assert stage.downloads() == [DownloadCancelled(wanted, Cause.PERSON)]
    assert stage.player.library.downloads.queue.all() == []
    file.let_go.set()


def test_at_the_end_it_stops_and_at_the_next_start_it_resumes_where_it_was(stage: Stage) -> None:
    file = BadFile(BODY, [stall], 300_000)
    wanted = stage.add(stage.server.answer("/a", file))
    stage.player.download(wanted)
    eventually(lambda: not file.faults)
    stage.restart()
    eventually(lambda: stage.player.library.episodes.get(wanted).downloaded)
    assert stage.downloads()[:1] in ([], [DownloadFinished(wanted, Cause.PERSON)])
    assert stage.player.library.queue is not None
    assert stage.server.seen[-1].headers["Range"] == "bytes=300000-"
    file.let_go.set()


def test_pausing_order_and_reasons_outlive_a_restart(stage: Stage) -> None:
    stage.player.downloads.pause().result(5)
    ids = [stage.add(stage.server.audio(f"/{number}", BODY), number) for number in range(4)]
    stage.player.downloads.download(ids[:3], why="newest").result(5)
    stage.player.downloads.download(ids[3], first=True).result(5)
    stage.player.downloads.pause(ids[0]).result(5)
    assert stage.player.downloads.move(ids[2], -3).result(5)
    stage.restart()
    eventually(lambda: len(stage.player.downloads.snapshot().entries) == 4)
    before = stage.player.downloads.snapshot()
    assert before.paused
    assert [(entry.episode_id, entry.state, entry.why) for entry in before.entries] == [
        (ids[2], DownloadState.WAITING, "newest"),
        (ids[3], DownloadState.WAITING, "manual"),
        (ids[0], DownloadState.PAUSED, "newest"),
        (ids[1], DownloadState.WAITING, "newest"),
    ]
    assert stage.server.seen == []
    stage.player.downloads.download(ids[1]).result(5)
    stage.player.downloads.transcribe(ids[1]).result(5)
    assert stage.notices(Severity.INFORMATION) == 2 * ["Downloads are paused: they begin when you resume them"]
    stage.player.downloads.cancel(ids[1]).result(5)
    stage.player.downloads.download(ids[1]).result(5)
    stage.player.downloads.resume().result(5)
    eventually(lambda: stage.player.downloads.snapshot().count(DownloadState.DONE) == 4)
    after = stage.player.downloads.snapshot()
    assert not after.paused
    assert all(entry.progress.part == 1.0 for entry in after.entries)
    assert {stage.player.downloads.why(one) for one in ids} == {"newest", "manual"}


def test_what_is_held_or_paused_stops_and_goes_on(stage: Stage) -> None:
    file = BadFile(BODY, [stall, stall], 300_000)
    wanted = stage.add(stage.server.answer("/a", file))
    downloads = stage.player.downloads
    stage.player.download(wanted)
    eventually(lambda: len(file.faults) == 1)
    downloads.hold(True)
    eventually(lambda: not fetchers() and downloads.snapshot().entries[0].state is DownloadState.WAITING)
    assert downloads.snapshot().held
    downloads.hold(False)
    eventually(lambda: not file.faults)
    downloads.pause(wanted).result(5)
    eventually(lambda: not fetchers() and downloads.snapshot().entries[0].state is DownloadState.PAUSED)
    assert downloads.snapshot().entries[0].progress.done >= 300_000
    downloads.resume(wanted).result(5)
    eventually(lambda: stage.player.library.episodes.get(wanted).downloaded)
    eventually(stage.downloads)
    assert stage.downloads() == [DownloadFinished(wanted, Cause.PERSON)]
    file.let_go.set()


def test_a_server_that_fails_is_left_alone_for_longer_and_longer_and_then_for_good(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.downloads.downloader.TICK_S", 0.02)
    monkeypatch.setattr(attempt, "PATIENCE_S", 0.1)
    monkeypatch.setattr(attempt, "PAUSES_S", (0.01, 0.02, 0.03))
    file = BadFile(BODY, [status(503)] * 100_000)
    wanted = stage.add(stage.server.answer("/a", file))
    stage.player.download(wanted)
    eventually(stage.downloads)
    assert stage.downloads() == [DownloadFailed(wanted, stage.notices(Severity.ERROR)[0], Cause.PERSON)]
    (entry,) = stage.player.downloads.snapshot().entries
    assert (entry.state, entry.attempts) == (DownloadState.FAILED, 4)
    assert "has a server problem (503)" in entry.problem
    eventually(lambda: not fetchers())
    asked = len(stage.server.seen)
    file.faults.clear()
    stage.player.downloads.retry().result(5)
    eventually(lambda: stage.player.library.episodes.get(wanted).downloaded)
    assert len(stage.server.seen) > asked


def test_progress_tells_bytes_rate_and_what_is_left_of_each_and_of_all(stage: Stage) -> None:
    slow = BadFile(BODY, [trickle(200_000)])
    ids = [stage.add(stage.server.answer("/a", slow)), stage.add(stage.server.audio("/b", BODY), 2)]
    stage.player.downloads.download(ids)

    def told() -> list[DownloadProgress]:
        events = [one for one in list(stage.events) if isinstance(one, DownloadProgress)]
        return [one for one in events if one.episode_id == ids[0] and one.progress.seconds_left]

    eventually(lambda: len(told()) >= 2)
    entry = stage.player.downloads.snapshot().entries[0]
    assert (entry.state, entry.progress.total) == (DownloadState.RUNNING, len(BODY))
    assert 50_000 < entry.progress.per_second < 1_000_000
    together = [one for one in list(stage.events) if isinstance(one, DownloadsProgress)]
    assert together[-1].progress.total is not None
    slow.let_go.set()
    eventually(lambda: len(stage.downloads()) == 2)


def test_a_missing_file_is_noticed_and_its_mark_goes(stage: Stage) -> None:
    ids = [stage.add(stage.server.audio(f"/{number}", BODY), number) for number in (1, 2)]
    stage.player.downloads.download(ids).result(5)
    eventually(lambda: len(stage.downloads()) == 2)
    path = stage.player.library.downloads.path(ids[0])
    assert path is not None
    path.unlink()
    media = stage.player.services.media.open(stage.player.library.episodes.get(ids[0]), lambda: None)
    assert media.read(0, 10) == BODY[:10]
    media.close()
    eventually(lambda: not stage.player.library.episodes.get(ids[0]).downloaded)
    eventually(lambda: DownloadDeleted(ids[0], Cause.RULE) in stage.events)
    eventually(lambda: stage.notices(Severity.WARNING))
    assert f"{path}. Its episode is streamed again" in stage.notices(Severity.WARNING)[0]


def test_downloads_on_a_disk_that_is_away_keep_their_marks(stage: Stage, paths: Paths) -> None:
    wanted = stage.add(stage.server.audio("/a", BODY))
    stage.player.download(wanted)
    eventually(stage.downloads)
    folder = paths.data / "episodes"
    folder.rename(paths.data / "elsewhere")
    stage.restart()
    stage.player.downloads.start()
    eventually(lambda: stage.notices(Severity.WARNING))
    assert stage.player.library.episodes.get(wanted).downloaded
    (paths.data / "elsewhere").rename(folder)


def test_unsubscribing_ends_a_download_and_undoing_that_resumes_it(stage: Stage) -> None:
    file = BadFile(BODY, [stall], 300_000)
    wanted = stage.add(stage.server.answer("/a", file))
    stage.player.download(wanted)
    eventually(lambda: not file.faults)
    stage.player.remove(stage.player.library.episodes.get(wanted).podcast_id).result(5)
    eventually(lambda: not fetchers())
    assert stage.player.downloads.snapshot().entries == ()
    stage.player.acts.undo().result(5)
    eventually(lambda: stage.player.library.episodes.get(wanted).downloaded)
    file.let_go.set()
