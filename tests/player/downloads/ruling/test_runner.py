"""Rules at work in a running Earmark: a real library, real files, and a server on this computer."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from player.downloads import ruling, trash
from player.downloads.ruling import RuleRunner
from player.errors import LibraryBusy
from player.events import Bus, EpisodesMarked, Mark, Notice, QueueChanged, RefreshProgress
from player.media.fetching import range_fetcher
from player.model.downloads import DownloadDeleted, DownloadFailed, DownloadFinished
from player.model.episode import EpisodeId
from player.model.playback import Cause, Severity
from player.model.podcast_settings import PodcastDownloads
from player.paths import Paths
from player.player import Player
from player.settings import Downloads, Playback, Settings
from tests.loopback import LoopbackServer
from tests.player.downloads.ruling.conftest import Kept
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.conftest import eventually
from tests.player.media.sounds import mp3

BODY = mp3(300)


class Running:
    """An Earmark whose rules don't wait for a refresh."""

    def __init__(self, paths: Paths, server: LoopbackServer) -> None:
        self.paths = paths
        self.server = server
        self.events: list[object] = []

    def start(self, **rules: Any) -> Player:
        settings = Settings(playback=Playback(engine="silent"), downloads=Downloads(keep_free="0", **rules))
        self.player = Player(self.paths, settings)
        self.player.open()
        self.player.bus.subscribe(object, self.events.append)
        return self.player

    def add(self, count: int, *, gone: int = -1) -> tuple[EpisodeId, ...]:
        """Episodes of a podcast, the newest first; number `gone` isn't on the server."""
        podcast = self.player.library.podcasts.add(URL, "A show")
        urls = [self.server.audio(f"/{number}", BODY) for number in range(count)]
        found = [
            episode(
                number, url=self.server.url("/nothing") if number == gone else url, size=len(BODY), duration_ms=None
            )
            for number, url in enumerate(urls)
        ]
        return apply_feed(self.player.library, podcast, *found).new

    def of(self, kind: type[object]) -> list[Any]:
        return [one for one in list(self.events) if isinstance(one, kind)]

    def files(self) -> list[Path]:
        return sorted(one for one in (self.paths.data / "episodes").rglob("*") if one.is_file())


@pytest.fixture
def running(paths: Paths, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setattr(range_fetcher, "PAUSES_S", (0.01,))
    monkeypatch.setattr(ruling, "GATHER_S", 0.02)
    made = Running(paths, server)
    yield made
    made.player.close()


def test_after_a_refresh_the_newest_are_downloaded_and_what_was_played_is_cleaned_up(running: Running) -> None:
    player = running.start(newest=2, delete_played="at once")
    ids = running.add(4)
    player.start()
    assert not player.services.rules.runner.is_settled, "a start waits for its refresh"
    player.bus.publish(RefreshProgress(1, 1))
    eventually(lambda: len(running.of(DownloadFinished)) == 2)
    assert {(one.episode_id, one.cause) for one in running.of(DownloadFinished)} == {
        (ids[0], Cause.RULE), (ids[1], Cause.RULE),
    }  # fmt: skip
    kept, other = running.files()
    assert kept.read_bytes().endswith(BODY)
    player.acts.set_played([ids[0]], True).result(5)
    eventually(lambda: running.of(DownloadDeleted))
    assert running.of(DownloadDeleted) == [DownloadDeleted(ids[0], Cause.RULE)]
    assert "A clean-up deleted 1 download. It can be undone for a day." in [one.text for one in running.of(Notice)]
    reverted = player.acts.undo().result(5)
    assert reverted
    assert reverted.episode_ids == (ids[0],)
    assert running.files() == [kept, other]
    reason = player.services.rules.explain()[ids[0]]
    assert reason.sentence == "you downloaded it"
    assert player.services.rules.explain()[ids[1]].sentence == "newest 2 of A show; goes when you have played it"


def test_what_is_queued_is_downloaded_and_what_cannot_be_is_tried_no_more(running: Running) -> None:
    player = running.start(queue=3)
    ids = running.add(3, gone=1)
    player.start()
    player.bus.publish(RefreshProgress(0, 0))
    player.acts.queue_last(ids).result(5)
    eventually(lambda: running.of(DownloadFinished) and running.of(DownloadFailed))
    eventually(lambda: len(running.of(DownloadFinished)) == 2)
    assert [one.episode_id for one in running.of(DownloadFailed)] == [ids[1]]
    rules, asked = player.services.rules.runner, len(running.server.seen)
    for _again in range(3):
        before = rules.rounds
        player.bus.publish(QueueChanged(Cause.PERSON))
        eventually(lambda: rules.rounds > before)  # noqa: B023 - it is called at once
    assert len(running.server.seen) == asked
    assert len(running.of(DownloadFailed)) == 1


def test_a_rule_set_for_a_podcast_holds_at_once(running: Running) -> None:
    player = running.start()
    ids = running.add(2)
    player.start()
    player.bus.publish(RefreshProgress(0, 0))
    podcast = player.library.podcasts.by_url(URL)
    assert podcast
    player.change_podcast_settings(podcast.id, lambda one: replace(one, downloads=PodcastDownloads(1))).result(5)
    eventually(lambda: [one.episode_id for one in running.of(DownloadFinished)] == [ids[0]])


# -- when -----------------------------------------------------------------------------------------------------


@pytest.fixture
def ruled(kept: Kept) -> Iterator[Callable[..., RuleRunner]]:
    """A runner for a library on a clock of its own."""
    made: list[RuleRunner] = []
    bus = Bus()

    def make(**more: Any) -> RuleRunner:
        one = RuleRunner(
            kept.library, bus, kept.around(), kept.folder, kept, gather_s=0.01, now=lambda: kept.at, **more
        )
        made.append(one)
        return one

    make.bus = bus  # type: ignore[attr-defined]
    yield make
    for one in made:
        one.close()


def test_while_feeds_are_read_or_another_device_is_asked_nothing_is_done(kept: Kept, ruled: Any) -> None:
    kept.podcast()
    kept.settings = Downloads(newest=1)
    ready = False
    one = ruled(first_after_s=0.0, tick_s=0.01)
    one.wait_for(lambda: ready)
    one.start()
    eventually(lambda: one.looks > 3)
    assert kept.asked == []
    ready = True
    eventually(lambda: kept.asked)


def test_the_hours_begin_without_anything_else_happening(kept: Kept, ruled: Any) -> None:
    kept.podcast()
    kept.settings = Downloads(newest=1, hours="01:00-02:00")
    one = ruled(first_after_s=0.0, tick_s=0.01)
    one.start()
    eventually(lambda: one.rounds > 2)
    assert kept.asked == []
    kept.at = datetime(2026, 3, 3, 1, tzinfo=UTC)
    eventually(lambda: kept.asked)


def test_a_file_in_the_trash_that_belongs_to_nothing_is_deleted_at_the_start(
    kept: Kept, ruled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trash, "TRASH_MS", -1)  # the file has been there for long
    lost = kept.folder / ".trash" / "7.mp3"
    lost.parent.mkdir(parents=True)
    lost.write_text("after a crash")
    ruled(first_after_s=0.0, tick_s=0.01).start()
    eventually(lambda: not lost.exists())


def test_that_something_does_not_fit_is_said_once(kept: Kept, ruled: Any) -> None:
    kept.podcast()
    kept.settings = Downloads(newest=2, limit="1 kB", keep_free="0")
    said: list[Notice] = []
    ruled.bus.subscribe(Notice, said.append)
    one = ruled(first_after_s=0.0, tick_s=0.01)
    one.start()
    eventually(lambda: one.rounds > 5)
    another = ruled(first_after_s=0.0, tick_s=0.01)
    another.start()
    eventually(lambda: another.rounds > 2)
    text = "2 episodes aren't downloaded: download rules may use 1.0 kB. Raise “limit” in [downloads], or delete some"
    assert said == [Notice(f"{text} downloads.", Severity.WARNING)]


def test_a_library_that_fails_is_tried_again(kept: Kept, ruled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.podcast()
    kept.settings = Downloads(newest=1)
    fails = iter([True, True])

    def note_played(_self: object) -> None:
        if next(fails, False):
            raise LibraryBusy("busy", "wait")

    monkeypatch.setattr("player.library.download_rules.DownloadFacts.note_played", note_played)
    one = ruled(first_after_s=0.0, tick_s=0.01)
    one.start()
    eventually(lambda: kept.asked)


def test_marks_that_come_in_groups_are_one_round(kept: Kept, ruled: Any) -> None:
    _podcast, ids = kept.podcast()
    one = ruled(first_after_s=0.0)
    one.start()
    eventually(lambda: one.rounds == 1)
    for _mark in range(50):
        ruled.bus.publish(EpisodesMarked(ids, Mark.PLAYED, True, Cause.PERSON))
    eventually(lambda: one.rounds > 1)
    assert one.rounds < 10
