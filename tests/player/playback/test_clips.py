"""A clip of another episode than the one that is listened to: what is heard is shown, and nothing is left of it."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from player.errors import LibraryError, MediaError
from player.events import EpisodeLeft, EpisodeStarted, Paused, Resumed, Seeked
from player.library import Library
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus, SleepChoice, SleepUntil
from player.model.podcast_settings import PodcastSettings
from player.playback.engine import Playing
from player.playback.outcomes import Done, Refused
from player.playback.up_next import Ended, EndedBy, Play
from tests.player.library.helpers import apply_feed, episode
from tests.player.playback.test_controller import MINUTES, Stage, restart

HERE = 20 * MINUTES + 3_000
"""Where the listener is in the first episode when the clip of another begins."""
S = PlaybackState


@pytest.fixture
def stage(library: Library) -> Iterator[Stage]:
    made = Stage(library)
    yield made
    made.end()


class Seen(NamedTuple):
    """What a listener sees in the bar."""

    episode: EpisodeId | None
    state: PlaybackState
    ms: int
    clip: bool = False


def seen(status: PlaybackStatus) -> Seen:
    return Seen(status.episode.id if status.episode else None, status.state, status.position_ms, status.clip)


def listen(stage: Stage, episode_id: EpisodeId) -> None:
    """For more than half a minute, up to HERE."""
    stage.play(episode_id, 20 * MINUTES)
    for _second in range(40):
        stage.time.pass_(1)
        stage.controller.tick()
    stage.move(HERE)
    stage.events.take()


def clip(stage: Stage, episode_id: EpisodeId) -> None:
    """Up to its tenth second."""
    assert isinstance(stage.controller.play_clip(episode_id, 5 * MINUTES, 30_000), Done)
    stage.settle()
    stage.controller.on_report(Playing(stage.engine.generation))
    for second in range(10):
        stage.time.pass_(1)
        stage.move(5 * MINUTES + second * 1_000)
        stage.controller.tick()


def end(stage: Stage) -> None:
    stage.move(5 * MINUTES + 30_000)
    stage.controller.tick()


def test_what_was_heard_comes_back_paused_where_it_was(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    listen(stage, ids[0])
    clip(stage, ids[1])
    assert seen(stage.controller.status) == Seen(ids[1], S.PLAYING, 5 * MINUTES + 9_000, clip=True)
    end(stage)
    assert seen(stage.controller.status) == Seen(ids[0], S.PAUSED, HERE)
    assert stage.notices == ["End of clip"]
    stage.controller.resume()
    stage.settle()
    assert stage.engine_calls[-1][:2] == ("load", HERE)


def test_nothing_is_left_of_it(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.library.episodes.set_played([ids[1]], True)
    listen(stage, ids[0])
    clip(stage, ids[1])
    end(stage)
    assert stage.saved(ids[1]) is None
    assert stage.saved(ids[0]) == HERE
    assert stage.library.progress.last() == ids[0]
    assert stage.library.episodes.get(ids[1]).played
    assert stage.left == [], "what was heard was never left"


@pytest.mark.parametrize("after", ["in it", "paused in it", "after it"])
def test_a_restart_shows_what_was_listened_to(stage: Stage, ids: tuple[EpisodeId, ...], after: str) -> None:
    listen(stage, ids[0])
    clip(stage, ids[1])
    if after == "paused in it":
        stage.controller.pause()
    elif after == "after it":
        end(stage)
    assert seen(restart(stage)) == Seen(ids[0], S.PAUSED, HERE)


def test_with_nothing_heard_before_nothing_is_shown_after_it(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    clip(stage, ids[1])
    end(stage)
    assert seen(stage.controller.status) == Seen(None, S.STOPPED, 0)
    assert seen(restart(stage)) == Seen(None, S.STOPPED, 0)


def test_an_episode_that_was_over_is_over_again(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(30 * MINUTES - 400)
    stage.read_all()
    stage.finish()
    before = seen(stage.controller.status)
    assert before.state is S.ENDED
    clip(stage, ids[1])
    end(stage)
    assert seen(stage.controller.status) == before


def test_it_is_no_event_and_what_it_interrupts_is_paused(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    listen(stage, ids[0])
    clip(stage, ids[1])
    (paused,) = stage.events.take()
    assert isinstance(paused, Paused)
    assert (paused.episode_id, paused.position_ms) == (ids[0], HERE)
    end(stage)
    assert stage.events.take() == []
    stage.play(ids[0])
    assert [type(one) for one in stage.events.take()] == [Resumed]


def test_a_clip_of_the_same_episode_is_no_event_either(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    listen(stage, ids[0])
    clip(stage, ids[0])
    assert [type(one) for one in stage.events.take()] == [Paused]
    end(stage)
    assert stage.events.take() == []
    assert seen(stage.controller.status) == Seen(ids[0], S.PAUSED, HERE)
    stage.controller.resume()
    assert [type(one) for one in stage.events.take()] == [Resumed]


def test_a_jump_in_it_makes_it_listening_and_leaves_what_was_heard(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    listen(stage, ids[0])
    clip(stage, ids[1])
    stage.events.take()
    stage.controller.navigation.seek_by(30_000)
    left, started, sought = stage.events.take()
    assert (left, started) == (
        EpisodeLeft(ids[0], HERE, left.cause),  # type: ignore[union-attr]
        EpisodeStarted(ids[1], 5 * MINUTES + 9_000, started.cause),  # type: ignore[union-attr]
    )
    assert isinstance(sought, Seeked)
    assert [(one.episode.id, one.by, one.heard_s >= 30) for one in stage.left] == [(ids[0], EndedBy.REPLACED, True)]
    stage.time.pass_(10)
    stage.move(6 * MINUTES)
    stage.controller.tick()
    assert stage.saved(ids[1]) == 6 * MINUTES
    assert stage.library.progress.last() == ids[1]


def test_enter_on_its_episode_plays_that_from_where_the_listener_was_in_it(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.library.progress.save(ids[1], 12 * MINUTES, None, stage.time.now())
    listen(stage, ids[0])
    clip(stage, ids[1])
    stage.controller.play(ids[1])
    assert seen(stage.controller.status) == Seen(ids[1], S.PLAYING, 12 * MINUTES)
    end(stage)
    assert stage.state is S.PLAYING, "it is a clip no longer"
    assert [one.episode.id for one in stage.left] == [ids[0]]


def test_playing_what_was_interrupted_goes_back_to_it(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    listen(stage, ids[0])
    clip(stage, ids[1])
    stage.play(ids[0])
    assert seen(stage.controller.status) == Seen(ids[0], S.PLAYING, HERE)
    assert stage.left == []


def test_playing_a_third_episode_leaves_what_was_heard_as_if_there_had_been_no_clip(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    listen(stage, ids[0])
    clip(stage, ids[1])
    stage.play(ids[2])
    assert [(one.episode.id, one.by, one.heard_s >= 30) for one in stage.left] == [(ids[0], EndedBy.REPLACED, True)]
    kinds = [(type(one), one.episode_id) for one in stage.events.take()]  # type: ignore[union-attr]
    assert kinds == [(Paused, ids[0]), (EpisodeLeft, ids[0]), (EpisodeStarted, ids[2])]


def test_what_is_next_follows_what_was_heard(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.next = Play(ids[1])
    listen(stage, ids[0])
    clip(stage, ids[1])
    stage.controller.skip()
    assert stage.asked == [Ended(ids[0], EndedBy.SKIPPED)]
    assert [(one.episode.id, one.by) for one in stage.left] == [(ids[0], EndedBy.SKIPPED)]
    assert not stage.controller.status.clip


def test_a_clip_of_a_third_episode_comes_back_to_the_first(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    listen(stage, ids[0])
    clip(stage, ids[1])
    clip(stage, ids[2])
    assert seen(stage.controller.status).episode == ids[2]
    end(stage)
    assert seen(stage.controller.status) == Seen(ids[0], S.PAUSED, HERE)


def test_u_goes_back_and_on_with_what_played(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    listen(stage, ids[0])
    clip(stage, ids[1])
    assert isinstance(stage.controller.undo_jump(), Done)
    stage.settle()
    stage.controller.on_report(Playing(stage.engine.generation))
    assert seen(stage.controller.status) == Seen(ids[0], S.PLAYING, HERE)
    stage.controller.pause()
    clip(stage, ids[1])
    stage.controller.undo_jump()
    assert seen(stage.controller.status) == Seen(ids[0], S.PAUSED, HERE), "it was paused before the clip"


def test_stopping_it_stops_what_was_heard(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    listen(stage, ids[0])
    clip(stage, ids[1])
    stage.controller.stop()
    assert seen(stage.controller.status) == Seen(ids[0], S.STOPPED, HERE)
    assert [type(one) for one in stage.events.take()] == [Paused, EpisodeLeft]


def test_a_clip_that_cannot_be_played_says_so_plays_nothing_else_and_u_goes_back(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.next = Play(ids[2])
    listen(stage, ids[0])
    clip(stage, ids[1])
    stage.fail(MediaError("The server closed the connection"))
    status = stage.controller.status
    assert (seen(status).episode, status.state, status.clip) == (ids[1], S.ERROR, True)
    assert stage.asked == []
    stage.controller.undo_jump()
    assert seen(stage.controller.status) == Seen(ids[0], S.PAUSED, HERE)


def test_a_library_that_cannot_be_read_changes_nothing(
    stage: Stage, ids: tuple[EpisodeId, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(*_arguments: object) -> None:
        raise LibraryError("It can't be read")

    listen(stage, ids[0])
    before = seen(stage.controller.status)
    with monkeypatch.context() as failing:
        failing.setattr(stage.library.progress, "position", unreadable)
        with pytest.raises(LibraryError):
            stage.controller.play_clip(ids[1], 0, 9_000)
    assert seen(stage.controller.status) == before
    assert stage.events.take() == []


def test_what_was_heard_keeps_its_speed_and_its_way_back(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    podcast = stage.library.episodes.get(ids[0]).podcast_id
    stage.library.podcast_settings.set(podcast, PodcastSettings(speed=1.5))
    other = apply_feed(stage.library, stage.library.podcasts.add("https://h.example/other", "Other"), episode(9)).new[0]
    listen(stage, ids[0])
    stage.controller.set_speed(2.0)
    stage.controller.navigation.seek_to(25 * MINUTES)
    clip(stage, other)
    assert stage.controller.status.speed == 1.0
    end(stage)
    assert stage.controller.status.speed == 2.0
    stage.controller.undo_jump()
    assert stage.position_ms == HERE


def test_the_podcast_of_what_was_heard_goes_while_it_sounds(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    other = apply_feed(stage.library, stage.library.podcasts.add("https://h.example/other", "Other"), episode(9)).new[0]
    listen(stage, ids[0])
    clip(stage, other)
    stage.controller.forget(stage.library.episodes.get(ids[0]).podcast_id)
    assert seen(stage.controller.status).episode == other
    end(stage)
    assert seen(stage.controller.status) == Seen(None, S.STOPPED, 0)


def test_the_podcast_of_the_clip_goes_while_it_sounds(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    other = apply_feed(stage.library, stage.library.podcasts.add("https://h.example/other", "Other"), episode(9)).new[0]
    listen(stage, ids[0])
    clip(stage, other)
    stage.controller.forget(stage.library.episodes.get(other).podcast_id)
    assert seen(stage.controller.status) == Seen(ids[0], S.PAUSED, HERE)


@pytest.mark.parametrize("heard", [True, False])
def test_the_sleep_timer_ends_it_and_what_was_heard_stays_paused(
    stage: Stage, ids: tuple[EpisodeId, ...], heard: bool
) -> None:
    if heard:
        listen(stage, ids[0])
    clip(stage, ids[1])
    stage.controller.sleeper.set(SleepChoice(SleepUntil.MINUTES, 1))
    for second in range(90):
        stage.time.pass_(1)
        stage.move(5 * MINUTES + min(second, 20) * 1_000)
        stage.controller.tick()
    expected = Seen(ids[0], S.PAUSED, HERE) if heard else Seen(None, S.STOPPED, 0)
    assert seen(stage.controller.status) == expected


def test_stop_after_this_one_outlives_a_clip(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    listen(stage, ids[0])
    stage.controller.sleeper.stop_after()
    clip(stage, ids[1])
    end(stage)
    stage.play(ids[0])
    stage.controller.tick()
    assert stage.controller.status.sleep.stops_after


# -- listening from a place in another episode: no clip -----------------------------------------------------------


def test_from_a_bookmark_of_another_episode_that_is_what_is_shown_and_what_a_restart_shows(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    listen(stage, ids[0])
    stage.controller.play(ids[1], 7 * MINUTES)
    assert seen(stage.controller.status) == Seen(ids[1], S.OPENING, 7 * MINUTES)
    assert seen(restart(stage)) == Seen(ids[1], S.PAUSED, 7 * MINUTES)
    stage.play(ids[0], 9 * MINUTES)
    assert seen(stage.controller.status) == Seen(ids[0], S.PLAYING, 9 * MINUTES)
    refused = stage.controller.play(ids[0], 31 * MINUTES)
    assert isinstance(refused, Refused)
    assert seen(stage.controller.status) == Seen(ids[0], S.PLAYING, 9 * MINUTES)
