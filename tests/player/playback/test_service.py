"""The session's thread, with the silent engine in real time and a real library."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from msgspec.structs import replace

from player.errors import DiskFull, NoSoundLibrary
from player.events import Bus, EpisodesChanged, LibraryChanged, Notice, PlaybackChanged
from player.library import Library
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus, Severity
from player.playback.controller import PlaybackController
from player.playback.engine import Engine, Listener
from player.playback.last_session import last_session
from player.playback.outcomes import Done, Refused, Why
from player.playback.service import PlaybackService
from player.playback.session_thread import publish_after
from player.playback.silent_engine import SilentEngine
from player.settings import Playback
from tests.player.playback.support import HeldMedia, Store, silence, wait_until


class Stage:
    def __init__(self, library: Library) -> None:
        self.library = library
        self.store = Store(lambda _episode: HeldMedia(silence(60)))
        self.bus = Bus()
        self.events: list[object] = []
        self.bus.subscribe(object, self.events.append)
        self.make: Callable[[Listener], Engine] = SilentEngine
        self.session = self.new_session()

    def new_session(self) -> PlaybackService:
        return PlaybackService(self.library, self.store, self.bus, Playback(), lambda listener: self.make(listener))

    def wait_for(self, state: PlaybackState) -> PlaybackStatus:
        wait_until(lambda: self.session.status.state is state, state.value)
        return self.session.status

    def statuses(self) -> list[PlaybackStatus]:
        return [event.status for event in list(self.events) if isinstance(event, PlaybackChanged)]

    def notices(self) -> list[Notice]:
        return [event for event in list(self.events) if isinstance(event, Notice)]


@pytest.fixture
def stage(library: Library, caplog: pytest.LogCaptureFixture) -> Iterator[Stage]:
    made = Stage(library)
    made.session.start()
    yield made
    made.session.close()
    assert not [record for record in caplog.records if record.exc_info], "the session met a bug"


def test_what_is_asked_for_before_the_start_is_what_plays(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    library.progress.start(ids[0])
    library.progress.save(ids[0], 20_000, None, datetime(2026, 3, 1, tzinfo=UTC))
    stage = Stage(library)
    stage.session.play(ids[1])
    stage.session.start()
    try:
        stage.wait_for(PlaybackState.PLAYING)
        assert stage.session.status.episode is not None
        assert stage.session.status.episode.id == ids[1]
    finally:
        stage.session.close()


def test_begins_where_the_first_frame_says_that_the_listener_left_off(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.session.set_speed(1.4)
    stage.session.play(ids[0], 20_000)
    stage.wait_for(PlaybackState.PLAYING)
    stage.session.close()
    shown = last_session(stage.library)
    assert (shown.state, shown.speed, shown.position_ms >= 20_000) == (PlaybackState.PAUSED, 1.4, True)
    again = stage.new_session()
    again.start()
    assert replace(again.status, measured_at=0.0) == shown
    again.close()


def test_plays_pauses_and_saves(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.session.play(ids[0], 20_000)
    stage.wait_for(PlaybackState.PLAYING)
    stage.session.pause()
    status = stage.wait_for(PlaybackState.PAUSED)
    assert stage.session.save_now()
    saved = stage.library.progress.position(ids[0])
    assert saved is not None
    assert saved.position_ms == status.position_ms >= 20_000


def test_commands_return_at_once_while_the_engine_is_slow(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    returned = threading.Event()

    def slow(listener: Listener) -> Engine:
        assert returned.wait(10)
        return SilentEngine(listener)

    stage.make = slow
    stage.session.play(ids[0])
    stage.session.seek_by(30_000)
    stage.session.set_speed(2.0)
    returned.set()
    stage.wait_for(PlaybackState.PLAYING)
    wait_until(lambda: stage.session.status.speed == 2.0)


def test_the_status_is_told_while_playing_but_not_too_often(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.session.play(ids[0])
    wait_until(lambda: sum(status.state is PlaybackState.PLAYING for status in stage.statuses()) >= 4)
    statuses = [status for status in stage.statuses() if status.state is PlaybackState.PLAYING]
    assert all(later.position_ms > earlier.position_ms for earlier, later in pairwise(statuses))
    assert all(later.measured_at - earlier.measured_at > 0.09 for earlier, later in pairwise(statuses))


def test_a_turn_is_told_at_once(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.session.play(ids[0])
    wait_until(lambda: any(status.state is PlaybackState.PLAYING for status in stage.statuses()))
    stage.session.pause()
    wait_until(lambda: stage.statuses()[-1].state is PlaybackState.PAUSED)


def test_many_changes_end_with_the_last_one_told(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.session.play(ids[0])
    stage.wait_for(PlaybackState.PLAYING)
    stage.session.pause()
    stage.wait_for(PlaybackState.PAUSED)
    for _ in range(40):
        stage.session.change_volume(-1)
    wait_until(lambda: stage.statuses()[-1].volume == 60)
    assert len([status for status in stage.statuses() if status.volume != 100]) < 10


def test_what_is_kept_is_told_when_it_changes(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    data = silence(60)
    stage.store.media = lambda _episode: HeldMedia(data, len(data) // 2)
    stage.session.play(ids[0])
    stage.wait_for(PlaybackState.PLAYING)
    stage.session.pause()
    stage.wait_for(PlaybackState.PAUSED)
    stage.store.opened[0].give()
    stage.store.changed[0]()
    wait_until(lambda: stage.statuses()[-1].cached == ((0.0, 1.0),))


def test_at_the_end_the_episode_is_played(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.session.play(ids[0], 59_600)
    stage.wait_for(PlaybackState.ENDED)
    assert stage.session.save_now()
    assert stage.library.episodes.get(ids[0]).played
    assert stage.library.progress.position(ids[0]) is None
    assert EpisodesChanged((ids[0],)) in stage.events


def test_close_saves_the_place_and_ends_the_threads(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.session.play(ids[0], 20_000)
    wait_until(lambda: stage.session.status.position_ms > 20_100)
    stage.session.close()
    stage.session.close()
    saved = stage.library.progress.position(ids[0])
    assert saved is not None
    assert saved.position_ms > 20_100
    assert stage.store.opened[0].closed
    stage.session.play(ids[1])


def test_the_next_session_stands_where_the_last_one_ended(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.session.play(ids[1], 20_000)
    wait_until(lambda: stage.session.status.position_ms > 20_100)
    stage.session.change_speed(0.1)
    stage.session.close()
    saved = stage.library.progress.position(ids[1])
    stage.session = stage.new_session()
    stage.session.start()
    status = stage.session.status
    assert saved is not None
    assert (status.state, status.position_ms, status.speed) == (PlaybackState.PAUSED, saved.position_ms, 1.1)
    assert status.episode is not None
    assert status.episode.id == ids[1]


def test_a_disk_that_is_full_stops_nothing(
    stage: Stage, ids: tuple[EpisodeId, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_what: object) -> None:
        raise DiskFull("No space left for the library", "Free some space on that disk.")

    monkeypatch.setattr("player.playback.saver._AGAIN_S", 0.05)
    save = stage.library.progress.save
    monkeypatch.setattr(stage.library.progress, "save", full)
    stage.session.play(ids[0], 20_000)
    wait_until(stage.notices)
    assert stage.notices() == [
        Notice(
            "Your position can't be saved. No space left for the library. Free some space on that disk. "
            "Playback continues, and Earmark keeps trying.",
            Severity.ERROR,
        )
    ]
    wait_until(lambda: stage.session.status.position_ms > 20_300)
    assert stage.session.status.state is PlaybackState.PLAYING
    monkeypatch.setattr(stage.library.progress, "save", save)
    assert stage.session.save_now()
    assert stage.library.progress.position(ids[0]) is not None
    assert len(stage.notices()) == 1


def test_an_unknown_episode_is_a_notice(stage: Stage) -> None:
    stage.session.play(EpisodeId(4711))
    wait_until(stage.notices)
    assert stage.session.status.state is PlaybackState.STOPPED


def test_what_keeps_it_from_playing_shows_and_can_be_tried_again(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    def missing(_listener: Listener) -> Engine:
        raise NoSoundLibrary("libvlc isn't installed", "Install it.")

    stage.make = missing
    stage.session.play(ids[0], 20_000)
    assert stage.wait_for(PlaybackState.ERROR).error == "libvlc isn't installed. Install it."
    stage.make = SilentEngine
    stage.session.toggle()
    assert stage.wait_for(PlaybackState.PLAYING).error is None


def test_a_page_instead_of_audio_is_an_error(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.store.media = lambda _episode: HeldMedia(b"<html>Sign in</html>")
    stage.session.play(ids[0], 20_000)
    assert stage.wait_for(PlaybackState.ERROR).error
    assert stage.session.save_now()
    episode = stage.library.episodes.get(ids[0])
    assert (episode.played, episode.position_ms) == (False, 20_000)


def test_waiting_bytes_hold_up_no_command(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.store.media = lambda _episode: HeldMedia(silence(60), 0)
    stage.session.play(ids[0])
    stage.wait_for(PlaybackState.OPENING)
    stage.store.media = lambda _episode: HeldMedia(silence(60))
    stage.session.play(ids[1])
    status = stage.wait_for(PlaybackState.PLAYING)
    assert status.episode is not None
    assert status.episode.id == ids[1]


def test_the_answer_to_a_command_is_what_the_status_shows_by_then(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    assert stage.session.seek_by(30_000).result(5) == Refused(Why.NO_EPISODE, "There is no episode to resume")
    stage.session.play(ids[0], 20_000)
    stage.wait_for(PlaybackState.PLAYING)
    paused = stage.session.pause().result(5)
    assert isinstance(paused, Done)
    assert (stage.session.status.state, stage.session.status.position_ms) == (
        PlaybackState.PAUSED,
        paused.status.position_ms,
    )
    faster = stage.session.change_speed(0.1).result(5)
    assert isinstance(faster, Done)
    assert faster.status.speed == stage.session.status.speed == 1.1


def test_a_command_that_fails_answers_with_the_sentence_of_its_notice(stage: Stage) -> None:
    refused = stage.session.play(EpisodeId(4711)).result(5)
    assert isinstance(refused, Refused)
    assert refused.why is Why.FAILED
    assert stage.notices() == [Notice(refused.sentence, Severity.ERROR)]


# -- what is worth telling --------------------------------------------------------------------------------------

PLAYING = PlaybackStatus(PlaybackState.PLAYING, position_ms=1_000, measured_at=10.0)


@pytest.mark.parametrize(
    ("status", "after"),
    [
        (PlaybackStatus(PlaybackState.PAUSED, position_ms=1_000, measured_at=10.0), 0.0),
        (PlaybackStatus(PlaybackState.PLAYING, position_ms=1_100, measured_at=10.1), 0.5),
        (PlaybackStatus(PlaybackState.PLAYING, position_ms=31_000, measured_at=10.1), 0.1),
        (PlaybackStatus(PlaybackState.PLAYING, position_ms=1_100, measured_at=10.1, volume=90), 0.1),
    ],
)
def test_what_is_worth_telling(status: PlaybackStatus, after: float) -> None:
    assert publish_after(PLAYING, status) == after


def test_standing_still_is_not_worth_telling() -> None:
    paused = PlaybackStatus(PlaybackState.PAUSED, position_ms=1_000, measured_at=10.0)
    later = PlaybackStatus(PlaybackState.PAUSED, position_ms=1_000, measured_at=99.0)
    assert publish_after(paused, later) is None


def test_a_look_that_goes_on_failing_is_shown_once_and_the_service_goes_on(
    stage: Stage, ids: tuple[EpisodeId, ...], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_self: object) -> PlaybackStatus:
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(PlaybackController, "status", property(fails))
        for volume in (50, 60, 70):
            assert stage.session.set_volume(volume).result(5) is not None
    assert stage.session.play(ids[0]).result(5) is not None
    stage.wait_for(PlaybackState.PLAYING)
    seen = [record for record in caplog.records if "(status)" in record.message]
    assert len(seen) >= 3, "each time it failed"
    assert [bool(record.exc_info) for record in seen[:2]] == [True, False], "one traceback"
    assert {notice.severity for notice in stage.notices()} == {Severity.ERROR}
    assert len(stage.notices()) <= 3 + 2, "one for each command, and for looking at the status and at the events"
    caplog.clear()


def test_whether_it_plays_may_fail_to_be_told_and_the_service_goes_on(
    stage: Stage, ids: tuple[EpisodeId, ...], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_self: object) -> bool:
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(PlaybackController, "ticks", property(fails))
        for volume in (50, 60, 70):
            assert stage.session.set_volume(volume).result(5) is not None
    assert stage.session.play(ids[0]).result(5) is not None
    stage.wait_for(PlaybackState.PLAYING)
    assert stage.notices()[0].text == "Something went wrong inside Earmark. See the log."
    caplog.clear()


@pytest.mark.parametrize("error", [ZeroDivisionError(), DiskFull("The disk is full")])
def test_a_tick_that_goes_on_failing_says_so_once_until_it_succeeds_again(
    stage: Stage,
    ids: tuple[EpisodeId, ...],
    error: Exception,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    ticked, ticks = PlaybackController.tick, 0
    fails = True

    def tick(self: PlaybackController) -> None:
        nonlocal ticks
        ticks += 1
        if fails:
            raise error
        ticked(self)

    def logged() -> int:
        return len([record for record in caplog.records if "(tick)" in record.message])

    monkeypatch.setattr(PlaybackController, "tick", tick)
    stage.session.play(ids[0])
    wait_until(lambda: logged() >= 3, "three ticks that failed")
    assert len(stage.notices()) == 1
    assert stage.session.pause().result(5) is not None, "keys are obeyed all the same"
    fails, before = False, ticks
    stage.session.resume()
    wait_until(lambda: ticks > before + 1, "a tick that succeeds")
    fails, before = True, logged()
    wait_until(lambda: logged() >= before + 3, "three more that failed")
    assert [notice.severity for notice in stage.notices()] == [Severity.ERROR] * 2
    caplog.clear()


def test_a_command_that_nobody_waits_for_any_more_is_carried_out_all_the_same(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    assert not stage.session.set_volume(50).cancel()
    assert stage.session.play(ids[0]).result(5) is not None
    assert stage.wait_for(PlaybackState.PLAYING).volume == 50


@pytest.mark.parametrize("by", [EpisodesChanged, LibraryChanged], ids=["in the app", "in another process"])
def test_the_paused_episode_shows_and_keeps_a_position_that_is_imported(
    stage: Stage, ids: tuple[EpisodeId, ...], by: type[EpisodesChanged] | type[LibraryChanged]
) -> None:
    stage.session.play(ids[0], 20_000)
    stage.wait_for(PlaybackState.PLAYING)
    stage.session.pause()
    stage.wait_for(PlaybackState.PAUSED)
    assert stage.session.save_now()
    stage.library.progress.save(ids[0], 45_000, None, datetime.now(UTC))
    stage.bus.publish(EpisodesChanged((ids[0],)) if by is EpisodesChanged else LibraryChanged())
    wait_until(lambda: stage.session.status.position_ms == 45_000, "the imported position")
    stage.session.close()
    saved = stage.library.progress.position(ids[0])
    assert saved is not None
    assert saved.position_ms == 45_000
