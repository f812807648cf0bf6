"""The listening history says what the engine played: no more, and after a crash less by a second at most."""

import io
import itertools
import threading
import wave
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from player.library import Library
from player.model.episode import EpisodeId
from player.model.listening import ListeningSpan
from player.model.playback import PlaybackState
from player.paths import Paths
from player.playback.applied_settings import Configured, settings_for
from player.playback.controller import PlaybackController
from player.playback.engine import EngineReport, Listener, Playing
from player.playback.observers import LEAST_MS
from player.playback.saver import Saver
from player.playback.silent_engine import SilentEngine
from player.settings import Playback
from tests.player.library.helpers import URL, apply_feed, episode, other_process
from tests.player.playback.support import HeldMedia, NoQueue, Store, Time, wait_until
from tests.quick import examples

TICK_S = 0.1
SAVED_S = 1.0
"""The position is saved every 0.9 s, at a tick."""
FIVE_MINUTES_MS = 300_000


def quiet(seconds: int) -> bytes:
    """A small WAV file: 100 bytes a second."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(100)
        file.writeframes(bytes(100 * seconds))
    return buffer.getvalue()


WAV = quiet(FIVE_MINUTES_MS // 1000)


class WholeMedia(HeldMedia):
    """All of its bytes are there; `all_read` once the engine has them."""

    def __init__(self) -> None:
        super().__init__(WAV)
        self.all_read = threading.Event()

    def read(self, offset: int, count: int, given_up: Callable[[], bool] = lambda: False) -> bytes:
        data = super().read(offset, count, given_up)
        if not data:
            self.all_read.set()
        return data


class Go(Struct, frozen=True):
    """A piece that the engine played without anything in between."""

    episode_id: EpisodeId
    from_ms: int
    to_ms: int
    speed: float


class Ears:
    """A controller with a silent engine, a clock that the test moves, and a witness of what is played."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.time = Time()
        self.goes: list[Go] = []
        self.on = False
        self.begin()

    def begin(self) -> None:
        self.reports: list[EngineReport] = []
        self.later: list[Callable[[], None]] = []
        self.media: list[WholeMedia] = []
        self.engine: SilentEngine | None = None
        self.saver = Saver(self.library, lambda _id: None, lambda _error: None)
        self.saver.start()
        self.controller = PlaybackController(
            self.library,
            Store(self._open),
            self.saver,
            settings_for(Configured(Playback())),
            self._make,
            self.reports.append,
            lambda: None,
            self.later.append,
            NoQueue(),
            clock=self.time.clock,
            now=self.time.now,
        )
        self.controller.restore()

    def do(self, command: Callable[[], object], *, breaks: bool = True) -> None:
        command()
        self.on = self.on and not breaks
        self.settle()

    def settle(self) -> None:
        while self.later:
            self.later.pop(0)()
        if self.controller.status.state is PlaybackState.OPENING:
            wait_until(lambda: any(isinstance(one, Playing) for one in self.reports), "the sound")
            assert self.media[-1].all_read.wait(10)
        self.take_reports()

    def take_reports(self) -> None:
        while self.reports:
            self.controller.on_report(self.reports.pop(0))

    def pass_(self, seconds: float, *, then_s: float = 0.0) -> None:
        """As the session does: a tick every tenth of a second; what comes next may come `then_s` after one."""
        for _ in range(round(seconds / TICK_S)):
            self._play(TICK_S)
            self.controller.tick()
            self.take_reports()
        self._play(then_s)

    def _play(self, seconds: float) -> None:
        """The engine's position is the witness."""
        before, speed = self._sounding(), self.controller.speed
        self.time.pass_(seconds)
        after = self._sounding()
        if before and after:
            self._witness(Go(before[0], before[1], after[1], speed))

    def crash(self) -> None:
        """Nothing is said or saved any more; but what was handed to the disk gets there."""
        assert self.saver.close(10)
        if self.engine:
            self.engine.close()
        recorded = self.recorded()
        earlier = len([go for go in self.goes[:-1] if go.to_ms - go.from_ms >= LEAST_MS])
        self.on = False
        if self.goes and (last := self.goes[-1]).to_ms - last.from_ms >= LEAST_MS + SAVED_S * 1000 * last.speed:
            (found,) = recorded[earlier:]
            lost_ms = last.to_ms - found.to_ms
            assert (found.episode_id, found.from_ms) == (last.episode_id, last.from_ms)
            assert 0 <= lost_ms <= SAVED_S * 1000 * last.speed + 2
        if self.goes:
            # From here on it is what is known: nothing may be added to it.
            self.goes[-1:] = recorded[earlier:]
        self.begin()

    def close(self) -> None:
        self.controller.close()
        assert self.saver.close(10)

    def recorded(self) -> list[Go]:
        spans = itertools.chain.from_iterable(map(self.library.history.spans, {go.episode_id for go in self.goes}))
        ordered = sorted(spans, key=lambda span: span.began_at)
        return [Go(span.episode_id, span.from_ms, span.to_ms, span.speed) for span in ordered]

    @property
    def listened(self) -> list[Go]:
        return [go for go in self.goes if go.to_ms - go.from_ms >= LEAST_MS]

    def _sounding(self) -> tuple[EpisodeId, int] | None:
        status = self.controller.status
        if status.state is not PlaybackState.PLAYING or self.engine is None or status.episode is None:
            return None
        position = self.engine.position()
        return None if position is None else (status.episode.id, position)

    def _witness(self, go: Go) -> None:
        if self.on:
            assert self.goes[-1].to_ms == go.from_ms
            self.goes[-1] = replace(self.goes[-1], to_ms=go.to_ms)
        else:
            self.goes.append(go)
        self.on = True

    def _open(self, _episode: object) -> WholeMedia:
        self.media.append(WholeMedia())
        return self.media[-1]

    def _make(self, listener: Listener) -> SilentEngine:
        self.engine = SilentEngine(listener, self.time.clock)
        return self.engine


SPEEDS = [0.5, 1.0, 1.5, 3.0]
STEPS = st.one_of(
    st.tuples(st.just("pass"), st.integers(1, 300)),
    st.tuples(st.just("pass"), st.integers(1, 30)),
    st.tuples(st.just("seek_by"), st.integers(-100_000, 100_000)),
    st.tuples(st.just("seek_to"), st.integers(0, FIVE_MINUTES_MS)),
    st.tuples(st.just("speed"), st.sampled_from(SPEEDS)),
    st.tuples(st.just("play"), st.integers(0, 2)),
    st.tuples(st.sampled_from(["toggle", "stop", "undo", "long pause", "crash"]), st.just(0)),
)
NUMBERS = itertools.count()


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(STEPS, min_size=1, max_size=20))
def test_what_is_recorded_is_what_the_engine_played(library: Library, steps: list[tuple[str, float]]) -> None:
    podcast = library.podcasts.add(f"{URL}/{next(NUMBERS)}")
    ids = apply_feed(library, podcast, *(episode(number) for number in range(3))).new
    listener = Ears(library)
    try:
        listener.do(lambda: listener.controller.play(ids[0]))
        listener.pass_(2)
        for name, number in steps:
            carry_out(listener, ids, name, number)
    finally:
        listener.close()
    assert listener.recorded() == listener.listened


def carry_out(listener: Ears, ids: tuple[EpisodeId, ...], name: str, number: float) -> None:
    controller = listener.controller
    match name:
        case "pass":
            listener.pass_(number * TICK_S, then_s=0.04)
        case "seek_by":
            listener.do(lambda: controller.navigation.seek_by(int(number)))
        case "seek_to":
            listener.do(lambda: controller.navigation.seek_to(int(number)))
        case "speed":
            listener.do(lambda: controller.set_speed(number), breaks=number != controller.speed)
        case "play":
            playing = controller.status.episode and controller.status.episode.id == ids[int(number)]
            breaks = not (playing and controller.status.state is PlaybackState.PLAYING)
            listener.do(lambda: controller.play(ids[int(number)]), breaks=breaks)
        case "toggle":
            listener.do(controller.toggle)
        case "stop":
            listener.do(controller.stop)
        case "undo":
            listener.do(controller.navigation.undo_jump, breaks=controller.navigation.jumped_from_ms is not None)
        case "long pause":
            listener.do(controller.pause)
            listener.time.pass_(600)
            listener.do(controller.resume)
        case "crash":
            listener.crash()


@pytest.fixture
def listener(library: Library) -> Iterator[Ears]:
    made = Ears(library)
    yield made
    made.close()


def spans(listener: Ears, episode_id: EpisodeId) -> tuple[ListeningSpan, ...]:
    assert listener.saver.flush(10)
    return listener.library.history.spans(episode_id)


def test_a_jump_over_three_minutes_is_no_span_of_three_minutes(listener: Ears, ids: tuple[EpisodeId, ...]) -> None:
    listener.do(lambda: listener.controller.play(ids[0]))
    listener.pass_(5)
    listener.do(lambda: listener.controller.navigation.seek_by(200_000))
    listener.pass_(5)
    listener.do(listener.controller.pause)
    assert [(span.from_ms, span.to_ms) for span in spans(listener, ids[0])] == [(0, 5_000), (205_000, 210_000)]


def test_an_episode_that_was_heard_to_its_end_leaves_its_span(listener: Ears, ids: tuple[EpisodeId, ...]) -> None:
    listener.do(lambda: listener.controller.play(ids[0]))
    listener.pass_(FIVE_MINUTES_MS / 1000 + 1)
    assert listener.controller.status.state is PlaybackState.ENDED
    (span,) = spans(listener, ids[0])
    assert (span.from_ms, span.to_ms) == (0, FIVE_MINUTES_MS)
    assert listener.library.progress.position(ids[0]) is None
    assert listener.library.episodes.get(ids[0]).played


def test_a_clip_is_no_listening(listener: Ears, ids: tuple[EpisodeId, ...]) -> None:
    listener.do(lambda: listener.controller.play_clip(ids[0], 60_000, 10_000))
    listener.pass_(15)
    listener.do(lambda: listener.controller.play(ids[0]))
    listener.pass_(3)
    listener.do(listener.controller.stop)
    assert [(span.from_ms, span.to_ms) for span in spans(listener, ids[0])] == [(0, 3_000)]


def test_a_minute_of_playing_writes_as_often_as_it_saves_the_position(
    listener: Ears, ids: tuple[EpisodeId, ...]
) -> None:
    listener.do(lambda: listener.controller.play(ids[0]))
    listener.pass_(2)
    assert listener.saver.flush(10)
    commits = 0

    def count(statement: str) -> None:
        nonlocal commits
        commits += statement == "COMMIT"

    writer = listener.library._connected._writer
    writer.set_trace_callback(count)
    for _ in range(600):
        listener.pass_(TICK_S)
        assert listener.saver.flush(10)
    writer.set_trace_callback(None)
    assert commits == 62, "as many as before there was a history"
    assert len(spans(listener, ids[0])) == 1


def test_a_pause_ends_a_span_however_short_it_is(listener: Ears, ids: tuple[EpisodeId, ...]) -> None:
    listener.do(lambda: listener.controller.play(ids[0]))
    listener.pass_(3)
    listener.do(listener.controller.pause)
    listener.time.pass_(2)
    listener.do(listener.controller.resume)
    listener.pass_(3)
    listener.do(listener.controller.pause)
    assert [(span.from_ms, span.to_ms) for span in spans(listener, ids[0])] == [(0, 3_000), (3_000, 6_000)]


PLAYS = """
import time
from datetime import UTC, datetime, timedelta
from player.events import Bus
from player.library import Library
from player.model.episode import EpisodeId
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.silent_engine import SilentEngine
from player.settings import Playback
from tests.player.playback.support import NoQueue, Store
from tests.player.playback.test_history import WholeMedia

FASTER = 10
begun, noon = time.monotonic(), datetime(2026, 4, 1, 12, {run}, tzinfo=UTC)

def clock():
    return (time.monotonic() - begun) * FASTER

library = Library(Paths.of())
library.open()
save = library.progress.save

def saved(*what):
    save(*what)
    print(what[1])

library.progress.save = saved
service = PlaybackService(
    library, Store(lambda _episode: WholeMedia()), Bus(), Playback(), lambda listener: SilentEngine(listener, clock),
    clock=clock, now=lambda: noon + timedelta(seconds=clock()),
)
service.start()
service.play(EpisodeId({episode}))
time.sleep(60)
"""


def test_a_killed_player_leaves_the_span_up_to_the_saved_position_and_the_next_one_doubles_nothing(
    library: Library, ids: tuple[EpisodeId, ...], paths: Paths
) -> None:
    library.close()
    ends: list[int] = []
    for run in range(2):
        with other_process(PLAYS.format(run=run, episode=ids[0])) as player:
            for _ in range(4):
                player.line()
            player.process.kill()
            player.process.wait()
        again = Library(paths)
        again.open()
        saved = again.progress.position(ids[0])
        assert saved is not None
        ends.append(saved.position_ms)
        found = [(span.from_ms, span.to_ms) for span in again.history.spans(ids[0])]
        again.check()
        again.close()
        expected = list(itertools.pairwise([0, *ends]))
        assert len(found) == len(expected)
        for heard, piece in zip(found, expected, strict=True):
            assert 0 <= heard[0] - piece[0] <= LEAST_MS, "the sound needs a moment to begin, at ten times the speed"
            assert abs(heard[1] - piece[1]) <= LEAST_MS, "both are of one transaction"
