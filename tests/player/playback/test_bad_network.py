"""What a listener sees of a bad network: it plays on while bytes are there, says what it waits for, and goes on."""

import threading
from collections.abc import Iterator

import pytest

from player.events import Bus, Notice
from player.library import Library
from player.media import MediaStore
from player.media.fetching import range_fetcher, range_request
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.silent_engine import SilentEngine
from player.settings import Playback
from tests.bad_network import BadFile, Fault, circle, close, reset, short, sign_in, stall, status, trickle
from tests.loopback import LoopbackServer, Request
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import BYTES_A_SECOND, silence, wait_until
from tests.quick import mostly_long

SECONDS = 2.0
BODY = silence(SECONDS)
HEAD = int(0.5 * BYTES_A_SECOND)
REST_AT = 4.0
"""The speed at which what is left is heard to its end."""
PASSING = {
    "close": close, "reset": reset, "short": short(0), "stall": stall, "500": status(500),
    "503": status(503, "1"), "trickle": trickle(2_000),
}  # fmt: skip
IN_BETWEEN = {"sign in": sign_in, "circle": circle}


class Stage:
    """One episode at a server that is in trouble until `open_again`; a session plays it with a clock for sound."""

    def __init__(self, paths: Paths, library: Library, server: LoopbackServer) -> None:
        self.library = library
        self.file = BadFile(BODY, [], content_type="audio/wav")
        self.fault: Fault | None = None
        self.bus = Bus()
        self.notices: list[Notice] = []
        self.bus.subscribe(Notice, self.notices.append)
        url = server.answer("/a.wav", self._answer)
        added = apply_feed(library, library.podcasts.add(URL, "A show"), episode(1, url=url, duration_ms=None))
        self.episode: EpisodeId = added.new[0]
        self.session = PlaybackService(library, MediaStore(paths), self.bus, Playback(), SilentEngine)
        self.session.start()

    def _answer(self, request: Request) -> None:
        if self.fault:
            self.file.faults[:] = [self.fault]
        self.file(request)

    def open_again(self) -> None:
        self.fault = None
        self.file.faults.clear()
        self.file.let_go.set()

    def wait_for(self, state: PlaybackState) -> PlaybackStatus:
        wait_until(lambda: self.session.status.state is state, state.value)
        return self.session.status

    def place_on_disk(self) -> int:
        assert self.session.save_now()
        saved = self.library.progress.position(self.episode)
        return saved.position_ms if saved else 0

    @property
    def played(self) -> bool:
        return self.library.episodes.get(self.episode).played


@pytest.fixture
def stage(paths: Paths, library: Library, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr(range_fetcher, "PAUSES_S", (0.05,))
    monkeypatch.setattr(range_request, "READ_S", 0.2)
    made = Stage(paths, library, server)
    yield made
    made.file.let_go.set()
    made.session.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "earmark-session"]


@pytest.mark.parametrize("name", mostly_long([*PASSING, *IN_BETWEEN]))
def test_in_the_middle_it_waits_at_its_place_and_goes_on_by_itself(stage: Stage, name: str) -> None:
    stage.file.head = HEAD
    stage.fault = {**PASSING, **IN_BETWEEN}[name]
    stage.session.play(stage.episode)
    stage.wait_for(PlaybackState.PLAYING)
    stage.wait_for(PlaybackState.BUFFERING)
    if name != "trickle":
        wait_until(lambda: stage.session.status.waiting)
    waiting = stage.session.status
    heard_ms = HEAD * 1000 // BYTES_A_SECOND
    assert heard_ms - 50 <= waiting.position_ms <= heard_ms + (500 if name == "trickle" else 0)
    assert (waiting.error, stage.played, stage.notices) == (None, False, [])
    assert abs(stage.place_on_disk() - stage.session.status.position_ms) <= 50
    stage.open_again()
    gone_on = stage.wait_for(PlaybackState.PLAYING)
    assert gone_on.waiting is None
    assert 0 <= gone_on.position_ms - waiting.position_ms < 400
    stage.session.set_speed(REST_AT)
    ended = stage.wait_for(PlaybackState.ENDED)
    assert abs(ended.position_ms - SECONDS * 1000) < 50
    assert stage.notices == []


@pytest.mark.parametrize("name", mostly_long(["stall", "503", "close", "reset", "short", "500"], quick=2))
def test_at_the_start_it_says_why_it_waits_and_begins_by_itself(stage: Stage, name: str) -> None:
    stage.fault = PASSING[name]
    stage.session.play(stage.episode, 1_000)
    waiting = stage.wait_for(PlaybackState.BUFFERING)
    assert waiting.waiting is not None
    assert "127.0.0.1" in waiting.waiting
    assert waiting.position_ms == 1_000
    stage.open_again()
    started = stage.wait_for(PlaybackState.PLAYING)
    assert 1_000 <= started.position_ms < 1_400
    assert not stage.played


@pytest.mark.parametrize("name", IN_BETWEEN)
def test_at_the_start_what_stands_in_between_is_an_error_and_the_next_try_plays(stage: Stage, name: str) -> None:
    stage.fault = IN_BETWEEN[name]
    stage.session.play(stage.episode, 1_000)
    error = stage.wait_for(PlaybackState.ERROR)
    assert error.error is not None
    assert error.position_ms == 1_000
    assert not stage.played
    stage.open_again()
    stage.session.resume()
    assert stage.wait_for(PlaybackState.PLAYING).position_ms >= 1_000


def test_a_wait_can_be_paused_and_gone_on_with(stage: Stage) -> None:
    stage.fault = close
    stage.session.play(stage.episode)
    stage.wait_for(PlaybackState.BUFFERING)
    stage.session.pause()
    assert stage.wait_for(PlaybackState.PAUSED).waiting is None
    stage.open_again()
    stage.session.resume()
    stage.wait_for(PlaybackState.PLAYING)


def test_a_wait_can_be_stopped_at_once(stage: Stage) -> None:
    stage.file.head = HEAD
    stage.fault = status(503, "60")
    stage.session.play(stage.episode)
    wait_until(lambda: stage.session.status.waiting and stage.session.status.position_ms > HEAD * 900 / BYTES_A_SECOND)
    stage.session.stop()
    stopped = stage.wait_for(PlaybackState.STOPPED)
    assert stopped.position_ms == pytest.approx(HEAD * 1000 / BYTES_A_SECOND, abs=60)


def test_what_is_gone_for_good_is_heard_as_far_as_it_is_kept(stage: Stage) -> None:
    stage.file.body, stage.file.head = silence(4.0), int(1.4 * BYTES_A_SECOND)
    stage.fault = status(404)
    stage.session.play(stage.episode)
    error = stage.wait_for(PlaybackState.ERROR)
    assert "The episode is no longer available on 127.0.0.1 (404)" in (error.error or "")
    assert error.position_ms == pytest.approx(1_400, abs=60)
    assert not stage.played


def test_a_file_that_changed_is_heard_as_far_as_it_is_kept_and_then_fetched_anew(stage: Stage) -> None:
    stage.file.body, stage.file.head = silence(4.0), int(1.4 * BYTES_A_SECOND)
    stage.file.faults[:] = [close]
    stage.session.play(stage.episode)
    stage.wait_for(PlaybackState.PLAYING)
    stage.file.etag = '"2"'
    error = stage.wait_for(PlaybackState.ERROR)
    assert "has changed on its server" in (error.error or "")
    assert error.position_ms == pytest.approx(1_400, abs=60)
    assert not stage.played
    stage.file.head = 0
    stage.session.resume()
    stage.wait_for(PlaybackState.PLAYING)
    stage.session.set_speed(REST_AT)
    assert stage.wait_for(PlaybackState.ENDED).position_ms == pytest.approx(4_000, abs=50)


def test_twenty_drops_in_one_episode_are_not_heard(stage: Stage) -> None:
    stage.file.faults[:] = [short(len(BODY) // 21)] * 20
    stage.session.play(stage.episode)
    stage.wait_for(PlaybackState.PLAYING)
    seen: set[PlaybackState] = set()

    def ended() -> bool:
        seen.add(stage.session.status.state)
        return PlaybackState.ENDED in seen

    wait_until(ended)
    assert PlaybackState.ERROR not in seen
    assert not stage.file.faults
    wait_until(lambda: stage.played)
