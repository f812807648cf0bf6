"""Of the states that the controller goes through, those that a listener would call a happening are events."""

import pytest

from player.events import (
    Cause,
    EpisodeFinished,
    EpisodeLeft,
    EpisodeStarted,
    Event,
    Paused,
    PlaybackFailed,
    Resumed,
    Seeked,
    SpeedChanged,
)
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState as S
from player.playback.observers import EventTracker

ONE, OTHER = EpisodeId(1), EpisodeId(2)
PERSON, RULE, ENGINE = Cause.PERSON, Cause.RULE, Cause.ENGINE


class Tracked:
    """A tracker of which each call of `work` is a piece of work, and answers with its events."""

    def __init__(self) -> None:
        self.tracker = EventTracker()

    def work(self, cause: Cause, *moves: S, at: int = 0, of: EpisodeId = ONE) -> list[Event]:
        self.tracker.begin(cause)
        for state in moves:
            self.tracker.moved(state, of, at, "It broke off." if state is S.ERROR else None)
        return self.tracker.take()

    def started(self) -> "Tracked":
        self.work(PERSON, S.OPENING)
        self.work(ENGINE, S.PLAYING)
        return self


@pytest.fixture
def tracked() -> Tracked:
    return Tracked()


def test_an_episode_starts_when_it_is_heard_and_whoever_chose_it_is_the_cause(tracked: Tracked) -> None:
    assert tracked.work(PERSON, S.OPENING, at=7) == []
    assert tracked.work(ENGINE, S.PLAYING, at=7) == [EpisodeStarted(ONE, 7, PERSON)]


def test_what_the_last_session_left_is_started_by_whoever_plays_it(tracked: Tracked) -> None:
    assert tracked.work(ENGINE, S.PAUSED, at=7) == []
    assert tracked.work(PERSON, S.OPENING, at=7) == []
    assert tracked.work(ENGINE, S.PLAYING, at=7) == [EpisodeStarted(ONE, 7, PERSON)]


def test_an_episode_that_the_last_session_heard_to_its_end_is_not_finished_again(tracked: Tracked) -> None:
    assert tracked.work(ENGINE, S.ENDED) == []


def test_waiting_for_bytes_and_opening_anew_are_no_events(tracked: Tracked) -> None:
    tracked.started()
    for state in (S.BUFFERING, S.PLAYING, S.BUFFERING, S.OPENING, S.PLAYING):
        assert tracked.work(ENGINE, state) == []


def test_a_pause_and_its_end_each_have_their_cause(tracked: Tracked) -> None:
    tracked.started()
    assert tracked.work(RULE, S.PAUSED, at=5) == [Paused(ONE, 5, RULE)]
    assert tracked.work(PERSON, S.PLAYING, at=4) == [Resumed(ONE, 4, PERSON)]


def test_resuming_takes_effect_when_it_is_heard(tracked: Tracked) -> None:
    tracked.started()
    assert tracked.work(ENGINE, S.PAUSED, at=5) == [Paused(ONE, 5, ENGINE)]
    assert tracked.work(PERSON, S.OPENING, at=4) == []
    assert tracked.work(ENGINE, S.PLAYING, at=4) == [Resumed(ONE, 4, PERSON)]


def test_a_pause_before_anything_is_heard_is_none(tracked: Tracked) -> None:
    assert tracked.work(PERSON, S.OPENING) == []
    assert tracked.work(PERSON, S.PAUSED) == []


def test_a_second_pause_before_it_is_heard_again_is_none(tracked: Tracked) -> None:
    tracked.started().work(PERSON, S.PAUSED)
    assert tracked.work(PERSON, S.OPENING) == []
    assert tracked.work(PERSON, S.PAUSED) == []
    assert tracked.work(PERSON, S.OPENING) == []
    assert tracked.work(ENGINE, S.PLAYING) == [Resumed(ONE, 0, PERSON)]


def test_a_change_of_the_output_is_no_pause(tracked: Tracked) -> None:
    tracked.started()
    assert tracked.work(PERSON, S.PAUSED, S.OPENING) == []
    assert tracked.work(ENGINE, S.PLAYING) == []


def test_at_its_end_it_is_finished_and_what_plays_then_by_itself_is_a_rules_doing(tracked: Tracked) -> None:
    tracked.started()
    assert tracked.work(ENGINE, S.ENDED) == [EpisodeFinished(ONE, ENGINE)]
    assert tracked.work(ENGINE, S.STOPPED) == []
    assert tracked.work(ENGINE, S.OPENING, of=OTHER) == []
    assert tracked.work(ENGINE, S.PLAYING, of=OTHER) == [EpisodeStarted(OTHER, 0, RULE)]


def test_what_comes_to_its_end_before_it_was_reported_to_play_was_started_too(tracked: Tracked) -> None:
    tracked.work(PERSON, S.OPENING, at=9)
    assert tracked.work(ENGINE, S.ENDED, at=10) == [EpisodeStarted(ONE, 9, PERSON), EpisodeFinished(ONE, ENGINE)]


@pytest.mark.parametrize("silent", [(), (S.PAUSED,), (S.ERROR,), (S.BUFFERING,)])
def test_another_episode_leaves_the_first_one_whatever_it_does(tracked: Tracked, silent: tuple[S, ...]) -> None:
    tracked.started().work(ENGINE, *silent, at=5)
    assert tracked.work(PERSON, S.STOPPED, at=5) == [EpisodeLeft(ONE, 5, PERSON)]
    assert tracked.work(PERSON, S.OPENING, of=OTHER) == []
    assert tracked.work(ENGINE, S.PLAYING, of=OTHER) == [EpisodeStarted(OTHER, 0, PERSON)]


def test_what_takes_its_place_without_a_stop_leaves_it_as_well(tracked: Tracked) -> None:
    tracked.started()
    assert tracked.work(PERSON, S.OPENING, of=OTHER) == [EpisodeLeft(ONE, 0, PERSON)]
    assert tracked.work(ENGINE, S.PLAYING, of=OTHER) == [EpisodeStarted(OTHER, 0, PERSON)]


def test_what_was_never_heard_is_never_left(tracked: Tracked) -> None:
    assert tracked.work(PERSON, S.OPENING) == []
    assert tracked.work(PERSON, S.STOPPED) == []


def test_each_failure_is_told_and_the_next_sound_ends_it(tracked: Tracked) -> None:
    tracked.started()
    failed = PlaybackFailed(ONE, 3, "It broke off.", ENGINE)
    assert tracked.work(ENGINE, S.ERROR, at=3) == [failed]
    assert tracked.work(PERSON, S.OPENING) == []
    assert tracked.work(ENGINE, S.ERROR, at=3) == [failed]
    assert tracked.work(PERSON, S.OPENING) == []
    assert tracked.work(ENGINE, S.PLAYING) == [Resumed(ONE, 0, PERSON)]


def test_an_episode_that_fails_before_it_is_heard_was_not_started(tracked: Tracked) -> None:
    tracked.work(PERSON, S.OPENING)
    assert tracked.work(ENGINE, S.ERROR, at=3) == [PlaybackFailed(ONE, 3, "It broke off.", ENGINE)]
    assert tracked.work(PERSON, S.STOPPED) == []
    tracked.work(PERSON, S.OPENING)
    assert tracked.work(ENGINE, S.PLAYING) == [EpisodeStarted(ONE, 0, PERSON)]


def test_another_try_within_the_same_opening_has_the_cause_of_the_first(tracked: Tracked) -> None:
    tracked.work(PERSON, S.OPENING)
    assert tracked.work(ENGINE, S.OPENING) == []
    assert tracked.work(ENGINE, S.PLAYING) == [EpisodeStarted(ONE, 0, PERSON)]


def test_a_jump_that_leads_nowhere_is_none(tracked: Tracked) -> None:
    tracked.tracker.begin(PERSON)
    tracked.tracker.seeked(ONE, 5, 5)
    tracked.tracker.seeked(ONE, 5, 0)
    assert tracked.tracker.take() == [Seeked(ONE, 5, 0, PERSON)]


def test_a_pause_and_the_jump_after_it_keep_their_order(tracked: Tracked) -> None:
    tracked.started()
    tracked.tracker.begin(RULE)
    tracked.tracker.moved(S.PAUSED, ONE, 9)
    tracked.tracker.seeked(ONE, 9, 2)
    assert tracked.tracker.take() == [Paused(ONE, 9, RULE), Seeked(ONE, 9, 2, RULE)]


def test_a_speed_is_told_when_it_changes_and_only_then(tracked: Tracked) -> None:
    tracker = tracked.tracker
    tracker.at_speed(1.2, RULE)
    assert tracker.take() == []
    tracker.begin(PERSON)
    tracker.at_speed(1.3)
    tracker.at_speed(1.3, RULE)
    assert tracker.take() == [SpeedChanged(1.3, PERSON)]
    tracker.at_speed(1.0, RULE)
    assert tracker.take() == [SpeedChanged(1.0, RULE)]
