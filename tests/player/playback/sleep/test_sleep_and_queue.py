"""The sleep timer and the queue, through the service: the timer stops before the next, and leaves the queue alone."""

from collections.abc import Iterator

import pytest

from player.library import Library
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, SleepChoice, SleepUntil
from player.playback.outcomes import Done
from tests.player.playback.up_next.stage import LENGTH_MS, Stage

Ids = tuple[EpisodeId, ...]
MINUTE_MS = 60_000


@pytest.fixture
def stage(library: Library) -> Iterator[Stage]:
    made = Stage(library)
    yield made
    made.close()


def sleep(stage: Stage, until: SleepUntil, count: int = 1) -> None:
    assert isinstance(stage.do(lambda: stage.session.sleep(SleepChoice(until, count))), Done)


def listen(stage: Stage, seconds: int) -> None:
    """As the thread hears it, tick by tick."""
    for _second in range(seconds):
        if stage.state is PlaybackState.PLAYING:
            stage.listen(1)


def test_the_queue_waits_where_the_timer_ended(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[1:3])
    stage.play(ids[0], LENGTH_MS - 5 * MINUTE_MS)
    sleep(stage, SleepUntil.EPISODE)
    listen(stage, 3)
    stage.finish()
    assert (stage.state, stage.playing, stage.queue) == (PlaybackState.ENDED, ids[0], [ids[1], ids[2]])
    assert not stage.played(ids[1])
    stage.toggle()
    assert (stage.playing, stage.state) == (ids[1], PlaybackState.PLAYING), "space plays on, as it always does"
    assert stage.status.sleep.choice is None


def test_n_is_no_end_and_the_timer_stops_after_the_one_that_plays_then(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[1:3])
    stage.play(ids[0])
    sleep(stage, SleepUntil.EPISODE)
    stage.skip()
    assert stage.playing == ids[1]
    stage.finish()
    assert (stage.state, stage.playing, stage.queue) == (PlaybackState.ENDED, ids[1], [ids[2]])


def test_the_way_back_marks_nothing_of_what_played_while_the_listener_slept(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[1:2])
    stage.library.progress.save(ids[1], LENGTH_MS - 90_000, None, stage.time.now())
    stage.play(ids[0], LENGTH_MS - 5 * MINUTE_MS)
    listen(stage, 2)
    began_ms = stage.status.position_ms
    sleep(stage, SleepUntil.MINUTES, 2)
    listen(stage, 50)
    stage.finish()
    assert stage.playing == ids[1]
    listen(stage, 75)
    assert stage.state is PlaybackState.PAUSED
    assert LENGTH_MS - stage.status.position_ms < 30_000, "whoever leaves it here by hand has heard it"
    assert isinstance(stage.do(stage.session.undo_jump), Done)
    assert (stage.playing, stage.status.position_ms, stage.status.state) == (ids[0], began_ms, PlaybackState.PAUSED)
    assert not stage.played(ids[1])
    assert stage.queue == [ids[1]]
