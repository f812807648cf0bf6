"""The words for what came of a command."""

from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from player.model.episode import Chapter
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast_settings import PodcastSettings
from player.playback.outcomes import Done, Outcome, Refused, Why
from player.player import Player
from tests.tui.controllers.fake import FakePlayer, FakeUi, episode, playing
from tests.tui.stage import QUIET
from tui.controllers.playback import PlaybackController
from tui.controllers.ui import Ui
from tui.look.glyphs import SPOKEN, UNICODE


class Said:
    """A screen that keeps what it is to say, and a session that answers every command with `outcome`."""

    glyphs = UNICODE

    def __init__(self, outcome: Outcome) -> None:
        self.words: list[str] = []
        self.asked_for: list[str] = []
        self.answer: Future[Outcome] = Future()
        session = SimpleNamespace()
        for name in ("seek_by", "seek_to", "undo_jump", "next_chapter", "previous_chapter", "change_speed", "mute"):
            setattr(session, name, lambda *_arguments: self.answer)
        wanted = SimpleNamespace(want=lambda _id: self.asked_for.append("chapters"))
        status = PlaybackStatus(episode=cast(Any, SimpleNamespace(id=1)))
        player = SimpleNamespace(session=session, status=status, settings=QUIET, attachments=wanted)
        self.keys = PlaybackController(cast(Player, player), cast(Ui, self))
        self.outcome = outcome

    def say(self, words: str) -> None:
        self.words.append(words)

    def key_of(self, _action_id: str) -> str:
        return "enter"

    def call_later(self, callback: Callable[..., Any], *arguments: Any) -> None:
        callback(*arguments)

    def after(self, press: Callable[[], None]) -> list[str]:
        press()
        assert self.words == [], "nothing is said before the session has answered"
        self.answer.set_result(self.outcome)
        return self.words


NOW = PlaybackStatus(position_ms=61_000, speed=1.3, volume=0)


@pytest.mark.parametrize(
    ("press", "outcome", "words"),
    [
        ("seek_forward", Done(NOW), "Forward 30s"),
        ("seek_forward", Refused(Why.LIVE, "You can't jump in a live stream"), "You can't jump in a live stream"),
        ("seek_back", Refused(Why.NO_EPISODE, ""), "Nothing is playing yet. Press enter on an episode."),
        ("undo_jump", Refused(Why.NO_JUMP, "There is no jump to undo"), "There is no jump to undo"),
        ("next_chapter", Done(NOW, Chapter(61_000, "Pause\tand jump")), "“Pause and jump”"),
        ("previous_chapter", Done(NOW), "Restarted"),
        ("faster", Done(NOW), "Speed 1.3"),
        ("mute", Done(NOW), "Muted"),
    ],
)
def test_a_key_says_what_came_of_it_and_not_before(press: str, outcome: Outcome, words: str) -> None:
    shown = Said(outcome)
    assert shown.after(getattr(shown.keys, press)) == [words]


def test_a_screen_reader_is_told_the_new_position_too() -> None:
    said = Said(Done(replace(NOW, duration_ms=600_000)))
    said.glyphs = SPOKEN
    assert said.after(said.keys.seek_forward) == ["Forward 30s, 1:01 of 10:00"]


def test_a_jump_of_a_minute_and_a_half_is_not_rounded() -> None:
    shown = Said(Done(NOW))
    assert shown.after(lambda: shown.keys.seek_by(90_000)) == ["Forward 1m30s"]


def test_a_jump_says_where_it_led_to() -> None:
    shown = Said(Done(NOW))
    assert shown.after(lambda: shown.keys.seek_to(10**9)) == ["Jumped to 1:01"]


def test_chapters_that_are_unknown_are_asked_for() -> None:
    shown = Said(Refused(Why.NO_CHAPTERS, "This episode has no chapters"))
    assert shown.after(shown.keys.next_chapter) == ["No chapters known for this episode yet. enter jumps ahead."]
    assert shown.asked_for == ["chapters"]


def test_a_failure_is_left_to_its_notice() -> None:
    shown = Said(Refused(Why.FAILED, "The library can't be read."))
    assert shown.after(shown.keys.seek_forward) == []


def steered(state: PlaybackState) -> tuple[PlaybackController, FakePlayer, FakeUi]:
    """Episode 1 is in the bar; each command is done at once."""
    player, ui = FakePlayer(playing(state)), FakeUi()
    return PlaybackController(cast(Player, player), ui), player, ui


def test_a_time_of_the_episode_in_the_bar_is_a_jump_and_that_of_another_one_starts_it() -> None:
    keys, player, ui = steered(PlaybackState.PAUSED)
    keys.play_at(episode(1), 61_000)
    keys.play_at(episode(2), 61_000)
    assert player.made == [("seek_to", 61_000), ("play", 2, 61_000)]
    assert ui.messages[-1] == "Playing from 1:01"


def test_an_episode_that_has_ended_is_played_from_a_time_of_it() -> None:
    keys, player, _ = steered(PlaybackState.ENDED)
    keys.play_at(episode(1), 61_000)
    assert player.made == [("play", 1, 61_000)]


def test_a_digit_restarts_only_when_it_is_pressed_twice_with_no_key_between() -> None:
    keys, player, ui = steered(PlaybackState.PLAYING)
    for key in ("0", "j", "0"):
        keys.typed(key)
        if key == "0":
            keys.restart()
    assert player.made == []
    assert set(ui.messages) == {"Press 0 again to restart"}
    keys.typed("0")
    keys.restart()
    assert player.made == [("restart",)]


def test_the_speed_of_now_is_kept_for_the_podcast_when_asked() -> None:
    player, ui = FakePlayer(), FakeUi()
    player.status = PlaybackStatus(episode=episode(1), state=PlaybackState.PLAYING, speed=1.3)
    kept: list[tuple[int, PodcastSettings]] = []

    def change(podcast_id: int, how: Callable[[PodcastSettings], PodcastSettings]) -> Future[PodcastSettings]:
        kept.append((podcast_id, how(PodcastSettings(gain_db=2.0))))
        done: Future[PodcastSettings] = Future()
        done.set_result(kept[-1][1])
        return done

    player.change_podcast_settings = change  # type: ignore[attr-defined]
    PlaybackController(cast(Player, player), cast(Ui, ui)).keep_speed()
    assert kept == [(episode(1).podcast_id, PodcastSettings(speed=1.3, gain_db=2.0))]
    assert ui.messages == [f"“{episode(1).podcast}” plays at 1.3 from now on"]


@pytest.mark.parametrize("ended", [lambda future: future.cancel(), lambda future: future.set_exception(OSError(5))])
def test_a_command_that_the_session_never_carried_out_says_nothing_and_is_no_fault_of_the_screen(
    ended: Callable[[Future[Outcome]], object], caplog: pytest.LogCaptureFixture
) -> None:
    said = Said(Refused(Why.NO_NEXT, ""))
    said.keys.undo_jump()
    ended(said.answer)
    assert said.words == []
    assert caplog.records == []
