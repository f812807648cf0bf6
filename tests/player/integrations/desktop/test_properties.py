"""What a desktop is shown of the status, and when it is told."""

import pytest
from msgspec.structs import replace

pytest.importorskip("dbus_fast", reason="dbus_fast is for Linux")

from dbus_fast import Variant

from player.integrations.desktop.media_keys import jumped, says_more
from player.integrations.desktop.mpris import Player, metadata, steady_length
from player.model.playback import NextFrom, NextUp, PlaybackState, PlaybackStatus
from player.settings import Desktop, Settings
from tests.player.integrations.fake_session import EPISODE, FakeSession

PLAYS = PlaybackStatus(
    PlaybackState.PLAYING, EPISODE, position_ms=60_000, duration_ms=600_000, speed=1.5, volume=120, measured_at=100.0
)


def of(status: PlaybackStatus, keys: Desktop | None = None) -> Player:
    session = FakeSession()
    session.status = status
    settings = Settings(desktop=keys or Desktop())
    player = Player(session, settings, find=lambda _address: None, known=lambda _episode: ("", ""))
    player.look()
    return player


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        (PlaybackState.PLAYING, "Playing"),
        (PlaybackState.OPENING, "Playing"),
        (PlaybackState.BUFFERING, "Playing"),
        (PlaybackState.PAUSED, "Paused"),
        (PlaybackState.ERROR, "Paused"),
        (PlaybackState.STOPPED, "Stopped"),
        (PlaybackState.ENDED, "Stopped"),
    ],
)
def test_each_state_is_one_of_three(state: PlaybackState, shown: str) -> None:
    assert of(replace(PLAYS, state=state)).PlaybackStatus == shown
    assert of(PlaybackStatus(state)).PlaybackStatus == "Stopped"


def test_an_episode_is_named_with_all_that_is_known_of_it() -> None:
    about = metadata(EPISODE, "file:///cover.jpg", "About this.", 600_000)
    assert about == {
        "mpris:trackid": Variant("o", "/earmark/episode/7"),
        "mpris:length": Variant("x", 600_000_000),
        "mpris:artUrl": Variant("s", "file:///cover.jpg"),
        "xesam:title": Variant("s", "An episode"),
        "xesam:album": Variant("s", "A podcast"),
        "xesam:artist": Variant("as", ["A podcast"]),
        "xesam:url": Variant("s", "https://example.com/7.mp3"),
        "xesam:contentCreated": Variant("s", "2026-04-12T06:30:00Z"),
        "xesam:comment": Variant("as", ["About this."]),
    }


def test_what_is_not_known_is_left_out() -> None:
    bare = replace(EPISODE, published=None, url="")
    assert metadata(bare, "", "", None).keys() == {
        "mpris:trackid", "xesam:title", "xesam:album", "xesam:artist",
    }  # fmt: skip
    assert metadata(None, "", "", None) == {"mpris:trackid": Variant("o", "/org/mpris/MediaPlayer2/TrackList/NoTrack")}


def test_a_feeds_text_can_neither_break_the_connection_nor_fill_it_nor_tell_a_password() -> None:
    hostile = replace(EPISODE, title="a\0b\ud800" + "x" * 100_000, url="https://me:secret@example.com/7.mp3")
    about = metadata(hostile, "", "y" * 100_000, None)
    title = about["xesam:title"].value
    assert isinstance(title, str)
    assert title.startswith("ab?xxx")
    assert len(title) <= 500
    assert about["xesam:url"].value == "https://example.com/7.mp3"
    assert len(str(about["xesam:comment"].value)) < 1_100


def test_what_can_be_done_depends_on_what_plays_and_on_what_the_keys_do() -> None:
    idle, live = of(PlaybackStatus()), of(replace(PLAYS, live=True))
    can = ("CanPlay", "CanPause", "CanSeek", "CanGoNext", "CanGoPrevious")
    assert [getattr(idle, one) for one in can] == [False] * 5
    assert [getattr(live, one) for one in can] == [True, True, False, False, True]
    assert [getattr(of(PLAYS), one) for one in can] == [True, True, True, False, True]
    queued = replace(PLAYS, next_up=NextUp(EPISODE, NextFrom.QUEUE))
    assert of(queued).CanGoNext is True
    assert of(PLAYS, Desktop(next="chapter")).CanGoNext is True
    assert of(replace(PLAYS, live=True), Desktop(previous="jump")).CanGoPrevious is False


def test_where_it_plays_is_not_told() -> None:
    here = replace(PLAYS, state=PlaybackState.PAUSED)
    further = replace(here, position_ms=70_000)
    assert of(further).Position != of(here).Position
    assert of(further).told() == of(here).told()
    assert of(PLAYS).told() == {**of(here).told(), "PlaybackStatus": "Playing"}


def test_time_that_passes_says_nothing_and_a_jump_does() -> None:
    later = replace(PLAYS, position_ms=75_000, measured_at=110.0, cached=((0.0, 0.5),))
    assert not says_more(PLAYS, later)
    assert not jumped(PLAYS, later)  # 10 s at 1.5x
    assert jumped(PLAYS, replace(later, position_ms=80_000))
    assert jumped(replace(PLAYS, state=PlaybackState.PAUSED), replace(PLAYS, position_ms=57_000))
    assert says_more(PLAYS, replace(later, volume=50))
    assert says_more(PLAYS, replace(later, next_up=NextUp(EPISODE, NextFrom.QUEUE)))


def test_the_position_is_in_microseconds_and_runs_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 102.0)
    assert of(PLAYS).Position == 63_000_000
    assert of(PlaybackStatus()).Position == 0


def test_a_length_that_is_only_guessed_better_stays() -> None:
    guessed = replace(PLAYS, approximate=True, duration_ms=610_000)
    assert steady_length(600_000, guessed) == 600_000
    assert steady_length(600_000, replace(guessed, approximate=False)) == 610_000
    assert steady_length(600_000, replace(guessed, duration_ms=900_000)) == 900_000
    assert steady_length(None, guessed) == 610_000
    assert steady_length(600_000, replace(guessed, live=True)) is None
