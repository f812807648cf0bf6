"""How the start of the player without a screen ends, when it ends by itself, and how long it sleeps until then."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from player.background.headless_player import Begun, Headless, Waiting
from player.events import Bus
from player.model.playback import PlaybackState, PlaybackStatus
from player.player import Player
from player.settings import Background, Settings
from tests.player.integrations.fake_session import EPISODE


class Kit:
    """A player that does nothing, and a clock that a test moves."""

    def __init__(self, state: PlaybackState = PlaybackState.PAUSED, *, stays: bool = False, begun: bool = True) -> None:
        self.now = 1_000.0
        self.said: list[str] = []
        self.begun: list[Begun] = []
        self.jobs = SimpleNamespace(busy=False)
        self.queue = SimpleNamespace(under_way=False)
        self.session = SimpleNamespace(status=PlaybackStatus(state, EPISODE, position_ms=60_000))
        self.player: Any = SimpleNamespace(
            bus=Bus(),
            session=self.session,
            settings=Settings(background=Background(ends_after="10m")),
            services=SimpleNamespace(jobs=self.jobs, downloads=SimpleNamespace(snapshot=lambda: self.queue)),
        )
        self.headless = Headless(
            cast(Player, self.player),
            Waiting(),
            say=self.said.append,
            complain=self.said.append,
            began=self.begun.append,
            stays=stays,
            clock=lambda: self.now,
        )
        if begun:
            self.headless._begin_with(None)

    def after(self, seconds: float) -> int | None:
        self.now += seconds
        return self.headless._step()

    def becomes(self, state: PlaybackState, error: str | None = None) -> int | None:
        """The session reports that."""
        self.session.status = replace(self.session.status, state=state, error=error)
        self.headless._take_status(self.session.status)
        return self.after(0)


def test_that_it_has_begun_is_told_once_when_it_is_heard_whatever_comes_after() -> None:
    kit = Kit(begun=False)
    for state in (PlaybackState.OPENING, PlaybackState.BUFFERING):
        assert kit.becomes(state) is None
        assert kit.begun == []
    for state in (PlaybackState.PLAYING, PlaybackState.PAUSED, PlaybackState.ERROR):
        assert kit.becomes(state) is None
        assert [(one.status.state, one.problem) for one in kit.begun] == [(PlaybackState.PLAYING, None)]


@pytest.mark.parametrize(("stays", "code"), [(False, 1), (True, None)])
def test_what_fails_at_the_start_ends_it_with_the_reason_unless_it_stays(stays: bool, code: int | None) -> None:
    kit = Kit(stays=stays, begun=False)
    assert kit.becomes(PlaybackState.OPENING) is None
    assert kit.becomes(PlaybackState.ERROR, "No sound device.") == code
    assert kit.said[-1] == "An episode: No sound device."
    assert [one.problem for one in kit.begun] == ["An episode: No sound device."]


def test_it_ends_when_nothing_has_played_for_the_time_that_is_set() -> None:
    kit = Kit()
    assert kit.headless._pause_s() == 600.0
    assert kit.after(599.0) is None
    assert kit.after(1.0) == 0
    assert kit.said == ["Nothing has played for a while."]


def test_the_time_begins_when_the_sound_ends_and_may_be_set_anew() -> None:
    kit = Kit(PlaybackState.PLAYING)
    assert kit.after(5_000.0) is None
    assert kit.headless._pause_s() is None
    kit.session.status = replace(kit.session.status, state=PlaybackState.PAUSED)
    assert kit.after(599.0) is None
    kit.player.settings = Settings(background=Background(ends_after="never"))
    assert kit.after(50_000.0) is None
    assert kit.headless._pause_s() is None


def test_downloads_and_refreshes_are_finished_first() -> None:
    kit = Kit()
    kit.jobs.busy = True
    assert kit.after(700.0) is None
    assert kit.headless._pause_s() == 5.0
    kit.jobs.busy, kit.queue.under_way = False, True
    assert kit.after(5.0) is None
    kit.queue.under_way = False
    assert kit.after(5.0) == 0


def test_one_that_stays_never_ends_by_itself() -> None:
    kit = Kit(stays=True)
    assert kit.after(1e6) is None
    assert kit.headless._pause_s() is None
