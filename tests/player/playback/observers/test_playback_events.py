"""What a listener would say that happened is published once, in order, on the session's thread, with its cause."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest

from player.errors import NoSoundDevice, NoSoundLibrary
from player.events import (
    Bus,
    Cause,
    EpisodeFinished,
    EpisodeLeft,
    EpisodeStarted,
    Notice,
    Paused,
    PlaybackChanged,
    PlaybackFailed,
    Resumed,
    Seeked,
    SpeedChanged,
)
from player.integrations.client import request
from player.integrations.control_socket import ControlServer
from player.library import Library
from player.model.episode import Chapter, Chapters, EpisodeId
from player.model.playback import PlaybackState
from player.playback.engine import Engine, EngineFailed, Listener
from player.playback.rules import SkipRules
from player.playback.service import PlaybackService
from player.playback.silent_engine import SilentEngine
from player.settings import Playback
from tests.player.playback.support import HeldMedia, Store, silence, wait_until

SOON_S = 10.0
"""More than anything here takes, also on a machine that is busy."""
PERSON, RULE, ENGINE = Cause.PERSON, Cause.RULE, Cause.ENGINE
E_ = TypeVar("E_")

DISCRETE = (EpisodeStarted, EpisodeFinished, EpisodeLeft, Paused, Resumed, PlaybackFailed, Seeked, SpeedChanged)


class HeardEngine(SilentEngine):
    """One that can be made to fail."""

    def __init__(self, listener: Listener) -> None:
        super().__init__(listener)
        self.listener = listener
        self.generation = 0

    def load(self, generation: int, *arguments: object, **options: object) -> None:
        self.generation = generation
        super().load(generation, *arguments, **options)  # type: ignore[arg-type]


class Stage:
    """A session whose events a test waits for, one after the other."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.bus = Bus()
        self.store = Store(lambda _episode: HeldMedia(silence(60)))
        self.engine: HeardEngine | None = None
        self.make: Callable[[Listener], Engine] = self.make_engine
        self.threads: set[str] = set()
        self._events: list[object] = []
        self._changed = threading.Condition()
        self._seen = 0
        self.bus.subscribe(object, self._collect)
        self.session = PlaybackService(
            library,
            self.store,
            self.bus,
            Playback(),
            lambda listener: self.make(listener),
            skip=SkipRules(("Sponsor",)),
        )
        self.session.start()

    def make_engine(self, listener: Listener) -> Engine:
        self.engine = HeardEngine(listener)
        return self.engine

    def _collect(self, event: object) -> None:
        if isinstance(event, DISCRETE):
            with self._changed:
                self.threads.add(threading.current_thread().name)
                self._events.append(event)
                self._changed.notify_all()

    def next(self, kind: type[E_]) -> E_:
        """The next event, which is of that kind."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self._events) > self._seen, SOON_S), f"no {kind.__name__} came"
            event = self._events[self._seen]
            self._seen += 1
        assert isinstance(event, kind), f"{event} instead of {kind.__name__}"
        return event

    def no_more(self) -> None:
        """Nothing has happened but what a test has looked at, and nothing does before the session is at rest."""
        assert self.session.save_now(SOON_S)
        assert self._events[self._seen :] == []

    def play(self, episode_id: EpisodeId, at_ms: int = 0) -> EpisodeStarted:
        self.session.play(episode_id, at_ms or None)
        if at_ms:
            self.next(Seeked)
        return self.next(EpisodeStarted)


@pytest.fixture
def stage(library: Library, caplog: pytest.LogCaptureFixture) -> Iterator[Stage]:
    made = Stage(library)
    yield made
    made.session.close()
    assert not [record for record in caplog.records if record.exc_info], "the session met a bug"
    assert made.threads <= {"earmark-session"}


def test_playing_and_the_space_bar(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.session.play(ids[0], 20_000)
    assert stage.next(Seeked) == Seeked(ids[0], 0, 20_000, PERSON)
    assert stage.next(EpisodeStarted) == EpisodeStarted(ids[0], 20_000, PERSON)
    stage.session.toggle()
    paused = stage.next(Paused)
    assert (paused.episode_id, paused.cause) == (ids[0], PERSON)
    assert stage.session.save_now(SOON_S)
    saved = stage.library.progress.position(ids[0])
    assert saved is not None
    assert paused.position_ms == saved.position_ms, "an event names the position that is saved"
    stage.session.toggle()
    assert stage.next(Resumed) == Resumed(ids[0], paused.position_ms, PERSON)
    stage.no_more()


def test_jumps_by_key(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0], 20_000)
    stage.session.seek_by(15_000)
    jump = stage.next(Seeked)
    assert (jump.episode_id, jump.cause) == (ids[0], PERSON)
    assert 14_000 <= jump.to_ms - jump.from_ms <= 15_000, "the sound goes on until the jump is made"
    stage.session.undo_jump()
    back = stage.next(Seeked)
    assert (back.to_ms, back.cause) == (0, PERSON), "back from both jumps, which are one to a listener"
    stage.session.next_chapter()
    stage.session.seek_to(7_000)
    assert stage.next(Seeked).to_ms == 7_000
    stage.session.restart()
    assert stage.next(Seeked).to_ms == 0
    stage.no_more()


def test_an_order_over_the_control_socket_is_a_persons(
    stage: Stage, ids: tuple[EpisodeId, ...], tmp_path: Path
) -> None:
    server = ControlServer(tmp_path / "control.sock", stage.session)
    server.start()
    try:
        stage.play(ids[0], 20_000)
        request(tmp_path / "control.sock", "seek", to_ms=40_000)
        jump = stage.next(Seeked)
        assert (jump.to_ms, jump.cause) == (40_000, PERSON)
        request(tmp_path / "control.sock", "toggle")
        assert stage.next(Paused).cause is PERSON
        request(tmp_path / "control.sock", "speed", speed=1.5)
        assert stage.next(SpeedChanged) == SpeedChanged(1.5, PERSON)
        request(tmp_path / "control.sock", "stop")
        assert stage.next(EpisodeLeft).cause is PERSON
        stage.no_more()
    finally:
        server.close()


def test_the_end_of_an_episode(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0], 59_600)
    assert stage.next(EpisodeFinished) == EpisodeFinished(ids[0], ENGINE)
    stage.session.resume()
    assert stage.next(EpisodeStarted) == EpisodeStarted(ids[0], 0, PERSON)
    stage.no_more()


def test_what_follows_an_end_is_a_rules_doing(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.library.progress.save(ids[1], 5_000, None, datetime.now(UTC))
    stage.library.queue.add_last([ids[0], ids[1]])
    stage.play(ids[0], 59_600)
    assert stage.next(EpisodeFinished) == EpisodeFinished(ids[0], ENGINE)
    assert stage.next(EpisodeStarted) == EpisodeStarted(ids[1], 5_000, RULE)
    stage.no_more()


def test_another_episode_leaves_the_one_that_plays(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0], 20_000)
    stage.session.play(ids[1])
    left = stage.next(EpisodeLeft)
    assert (left.episode_id, left.cause) == (ids[0], PERSON)
    assert stage.next(EpisodeStarted) == EpisodeStarted(ids[1], 0, PERSON)
    assert stage.session.save_now(SOON_S)
    saved = stage.library.progress.position(ids[0])
    assert saved is not None
    assert left.position_ms == saved.position_ms


def test_what_plays_when_earmark_ends_is_left(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0], 20_000)
    stage.session.close()
    left = stage.next(EpisodeLeft)
    assert (left.episode_id, left.cause) == (ids[0], PERSON)
    assert left.position_ms >= 20_000


def test_an_episode_of_a_podcast_that_is_removed_is_left(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.session.forget(stage.library.episodes.get(ids[0]).podcast_id)
    assert stage.next(EpisodeLeft).episode_id == ids[0]
    stage.no_more()


def test_a_chapter_that_is_skipped_by_a_rule(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0], 9_900)
    stage.session.set_chapters(ids[0], Chapters((Chapter(0, "News"), Chapter(10_000, "Sponsor", 30_000))))
    jump = stage.next(Seeked)
    assert (jump.to_ms, jump.cause) == (30_000, RULE)
    stage.no_more()


def test_a_clip_is_no_event_and_pauses_by_itself_where_the_listener_was(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.play(ids[0], 20_000)
    stage.session.pause()
    position = stage.next(Paused).position_ms
    stage.session.play_clip(ids[0], 40_000, 100)
    wait_until(lambda: stage.session.status.clip, "the clip")
    wait_until(lambda: not stage.session.status.clip, "its end")
    assert (stage.session.status.state, stage.session.status.position_ms) == (PlaybackState.PAUSED, position)
    stage.no_more()
    stage.session.resume()
    assert stage.next(Resumed) == Resumed(ids[0], position, PERSON)


def test_a_sound_device_that_goes_away(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0], 20_000)
    stage.session.set_speed(3.0)
    stage.next(SpeedChanged)
    wait_until(lambda: stage.session.status.position_ms > 21_200, "enough of it to be heard")
    assert stage.engine is not None
    stage.engine.listener(EngineFailed(stage.engine.generation, NoSoundDevice("The sound output went away")))
    paused = stage.next(Paused)
    assert (paused.episode_id, paused.cause) == (ids[0], ENGINE)
    stage.session.toggle()
    assert stage.next(Resumed).cause is PERSON


def test_what_cannot_be_played(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    def missing(_listener: Listener) -> Engine:
        raise NoSoundLibrary("libvlc isn't installed", "Install it.")

    stage.make = missing
    stage.session.play(ids[0])
    assert stage.next(PlaybackFailed) == PlaybackFailed(ids[0], 0, "libvlc isn't installed. Install it.", ENGINE)
    stage.no_more()


def test_speeds_by_key(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.session.set_speed(1.5)
    assert stage.next(SpeedChanged) == SpeedChanged(1.5, PERSON)
    stage.session.change_speed(0.1)
    assert stage.next(SpeedChanged) == SpeedChanged(1.6, PERSON)
    stage.session.set_speed(1.6)
    stage.no_more()


def test_the_speed_of_last_time_is_no_change(stage: Stage, library: Library) -> None:
    stage.session.set_speed(1.5)
    stage.session.close()
    again = Stage(library)
    again.no_more()
    assert again.session.status.speed == 1.5
    again.session.close()


@pytest.mark.parametrize("command", ["pause", "stop"])
def test_who_commands_can_say_that_it_is_a_rule(stage: Stage, ids: tuple[EpisodeId, ...], command: str) -> None:
    stage.play(ids[0])
    getattr(stage.session, command)(cause=RULE)
    assert stage.next(object).cause is RULE  # type: ignore[attr-defined]


def test_when_an_event_is_heard_the_status_shows_it(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    states: list[tuple[type[object], PlaybackState]] = []
    for kind in (EpisodeStarted, Paused):
        stage.bus.subscribe(kind, lambda event: states.append((type(event), stage.session.status.state)))
    stage.play(ids[0])
    stage.session.pause()
    stage.next(Paused)
    assert states == [(EpisodeStarted, PlaybackState.PLAYING), (Paused, PlaybackState.PAUSED)]


@pytest.mark.parametrize("kind", [Paused, PlaybackChanged, object])
def test_a_handler_that_is_stuck_in_its_lane_delays_no_key_and_no_saved_position(
    stage: Stage, ids: tuple[EpisodeId, ...], kind: type[object]
) -> None:
    stuck, released = threading.Event(), threading.Event()

    def hold(_event: object) -> None:
        stuck.set()
        released.wait(60)

    stage.bus.subscribe(kind, hold, stage.bus.lane("the test"))
    stage.play(ids[0], 20_000)
    stage.session.pause()
    stage.next(Paused)
    assert stuck.wait(SOON_S)
    stage.session.seek_to(42_000)
    assert stage.next(Seeked).to_ms == 42_000
    assert stage.session.save_now(SOON_S)
    saved = stage.library.progress.position(ids[0])
    assert saved is not None
    assert saved.position_ms == 42_000
    released.set()


def test_a_handler_that_fails_in_its_lane_stops_nothing(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    stage = Stage(library)

    def fail(_event: object) -> None:
        raise RuntimeError("broken")

    stage.bus.subscribe(object, fail, stage.bus.lane("broken"))
    stage.play(ids[0])
    stage.session.pause()
    stage.next(Paused)
    stage.session.close()
    stage.bus.close(SOON_S)


def test_a_command_that_cannot_be_carried_out_is_no_event(stage: Stage) -> None:
    published = threading.Event()
    stage.bus.subscribe(Notice, lambda _notice: published.set())
    stage.session.play(EpisodeId(4711))
    assert published.wait(SOON_S)
    stage.no_more()
