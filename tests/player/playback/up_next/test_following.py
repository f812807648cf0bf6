"""What plays after what, through the service: queue, lists, skips, interruptions, what can't be played."""

from collections.abc import Iterator

import pytest

from player.events import Cause, EpisodesMarked, ListsChanged, Mark, QueueChanged
from player.library import Library
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.model.listening import ActKind
from player.model.playback import NextFrom, PlaybackState
from player.playback.outcomes import Done, Refused, Why
from player.settings import Queue
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.player.playback.up_next.commands import acts_of
from tests.player.playback.up_next.stage import LENGTH_MS, Stage

Ids = tuple[EpisodeId, ...]
MINUTE_MS = 60_000


@pytest.fixture
def ids(library: Library) -> Ids:
    """Six episodes of one podcast, the newest first."""
    return apply_feed(library, library.podcasts.add(URL, "A show"), *(episode(number) for number in range(6))).new


@pytest.fixture
def stage(library: Library) -> Iterator[Stage]:
    made = Stage(library)
    yield made
    made.close()


def podcast_view(stage: Stage, one: EpisodeId) -> View:
    return View.of(ViewName.PODCAST, stage.library.episodes.get(one).podcast_id)


# -- after an end -------------------------------------------------------------------------------------------------


def test_the_queue_plays_to_its_end(stage: Stage, ids: Ids) -> None:
    stage.library.progress.save(ids[2], 5 * MINUTE_MS, None, stage.time.now())
    stage.library.queue.add_last(ids[1:3])
    stage.play(ids[0])
    assert stage.status.next_up is not None
    assert (stage.next, stage.status.next_up.source) == (ids[1], NextFrom.QUEUE)
    stage.finish()
    assert (stage.playing, stage.queue, stage.next) == (ids[1], [ids[1], ids[2]], ids[2])
    stage.finish()
    assert (stage.playing, stage.status.position_ms, stage.queue) == (ids[2], 5 * MINUTE_MS, [ids[2]])
    stage.finish()
    assert (stage.state, stage.queue, stage.next) == (PlaybackState.ENDED, [], None)
    assert all(stage.played(one) for one in ids[:3])


def test_the_end_of_a_queued_episode_is_an_event(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[:1])
    stage.play(ids[0])
    stage.finish()
    assert QueueChanged(Cause.RULE) in stage.events


def test_what_is_next_is_shown_as_soon_as_it_changes(stage: Stage, ids: Ids) -> None:
    stage.play(ids[0])
    assert stage.next is None
    stage.library.queue.add_last(ids[1:2])
    stage.bus.publish(QueueChanged(Cause.PERSON))
    stage.settle()
    assert stage.next == ids[1]


def test_a_list_continues_only_when_it_is_set_to(stage: Stage, ids: Ids) -> None:
    view = podcast_view(stage, ids[0])
    stage.play(ids[3], view=view)
    stage.finish()
    assert (stage.playing, stage.state) == (ids[3], PlaybackState.ENDED)
    stage.library.continued.set(view, False)
    stage.play(ids[3], view=view)
    assert stage.status.next_up is not None
    assert (stage.next, stage.status.next_up.source) == (ids[2], NextFrom.LIST)
    stage.finish()
    stage.library.episodes.set_played([ids[1]], True)
    stage.finish()
    assert stage.playing == ids[0], "oldest first, and only what is unplayed"
    stage.finish()
    assert stage.state is PlaybackState.ENDED, "what is older isn't begun with again"


def test_a_list_may_continue_with_the_newest_first_also_after_a_restart(stage: Stage, ids: Ids) -> None:
    view = podcast_view(stage, ids[0])
    stage.library.continued.set(view, True)
    stage.play(ids[2], view=view)
    stage.listen(5)
    stage.reopen()
    assert (stage.playing, stage.next) == (ids[2], ids[3])
    stage.toggle()
    stage.finish()
    assert stage.playing == ids[3]


def test_a_smart_list_continues_in_its_order_also_after_a_restart(stage: Stage, ids: Ids) -> None:
    stage.library.lists.add_episodes(stage.library.lists.add("Other").id, [ids[0]])
    view = View.of_list(stage.library.lists.add("Shortest", "is:unplayed sort:oldest").id)
    stage.library.continued.set(view, False)
    stage.play(ids[3], view=view)
    wait_until(lambda: stage.next == ids[2])
    stage.listen(5)
    stage.reopen()
    stage.toggle()
    stage.finish()
    assert stage.playing == ids[2]
    stage.finish()
    assert stage.playing == ids[1], "though what was heard is no longer in the list"


def test_what_is_next_in_a_playlist_follows_its_order(stage: Stage, ids: Ids) -> None:
    playlist = stage.library.lists.add("Later").id
    stage.library.lists.add_episodes(playlist, [ids[3], ids[0], ids[5]])
    stage.library.continued.set(View.of_list(playlist), False)
    stage.play(ids[3], view=View.of_list(playlist))
    wait_until(lambda: stage.next == ids[0])
    stage.library.lists.move_episodes(playlist, [ids[5]], -1)
    stage.bus.publish(ListsChanged())
    wait_until(lambda: stage.next == ids[5])


def test_the_queue_goes_before_the_list_which_continues_where_it_was(stage: Stage, ids: Ids) -> None:
    view = podcast_view(stage, ids[0])
    stage.library.continued.set(view, False)
    stage.library.queue.add_last([ids[5]])
    stage.play(ids[3], view=view)
    stage.finish()
    assert stage.playing == ids[5]
    stage.finish()
    assert stage.playing == ids[2]


def test_an_episode_played_from_elsewhere_ends_the_list(stage: Stage, ids: Ids) -> None:
    view = podcast_view(stage, ids[0])
    stage.library.continued.set(view, False)
    stage.play(ids[3], view=view)
    stage.play(ids[4])
    stage.finish()
    assert (stage.playing, stage.state) == (ids[4], PlaybackState.ENDED)


def test_nothing_plays_after_this_one(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[1:3])
    stage.play(ids[0])
    stage.do(stage.session.stop_after)
    assert (stage.status.sleep.stops_after, stage.next) == (True, ids[1])
    stage.finish()
    assert (stage.playing, stage.state, stage.status.sleep.stops_after) == (ids[0], PlaybackState.ENDED, False)
    stage.toggle()
    assert stage.playing == ids[1], "what is next plays, instead of the one that was heard"
    stage.finish()
    assert stage.playing == ids[2], "it was about that episode alone"


def test_stopping_after_this_one_can_be_taken_back_and_ends_with_another_episode(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[1:3])
    stage.play(ids[0])
    stage.do(stage.session.stop_after)
    stage.do(stage.session.stop_after)
    stage.finish()
    assert stage.playing == ids[1]
    stage.do(stage.session.stop_after)
    stage.play(ids[4])
    assert not stage.status.sleep.stops_after
    stage.finish()
    assert stage.playing == ids[1]


# -- what can't be played -----------------------------------------------------------------------------------------


def test_what_cannot_be_played_is_named_skipped_and_kept(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[1:4])
    stage.play(ids[0])
    stage.finish(sounds=False)
    stage.fail("The server has no such file")
    title = stage.library.episodes.get(ids[1]).title
    assert stage.notices == [f"“{title}” can't be played and was skipped. The server has no such file."]
    stage.sound()
    assert (stage.playing, stage.state, stage.queue) == (ids[2], PlaybackState.PLAYING, list(ids[1:4]))
    stage.finish()
    assert (stage.playing, stage.next) == (ids[3], None), "it isn't tried again"
    stage.finish()
    assert (stage.state, stage.queue) == (PlaybackState.ENDED, [ids[1]])


def test_without_a_sound_device_nothing_is_skipped_and_the_episode_waits_for_it(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[1:4])
    stage.play(ids[0])
    stage.finish(sounds=False)
    stage.lose_device()
    assert (stage.playing, stage.state, stage.notices) == (ids[1], PlaybackState.ERROR, [])
    stage.do(stage.session.toggle)
    stage.sound()
    assert (stage.playing, stage.state, stage.queue) == (ids[1], PlaybackState.PLAYING, list(ids[1:4]))


def test_a_queue_of_which_nothing_can_be_played_comes_to_its_end(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[1:])
    view = podcast_view(stage, ids[0])
    stage.library.continued.set(view, True)
    stage.play(ids[0], view=view)
    stage.finish(sounds=False)
    for _ in ids[1:]:
        assert stage.state is PlaybackState.OPENING
        stage.fail()
    assert (stage.state, stage.queue) == (PlaybackState.ERROR, list(ids[1:]))
    assert len(stage.notices) == 5


def test_after_ten_in_a_row_no_more_are_tried(stage: Stage) -> None:
    podcast = stage.library.podcasts.add("https://many.example/feed", "Many")
    many = apply_feed(stage.library, podcast, *(episode(number) for number in range(100, 120))).new
    stage.library.queue.add_last(many)
    stage.do(stage.session.skip)
    for _ in range(10):
        assert stage.state is PlaybackState.OPENING
        stage.fail()
    assert (stage.playing, stage.state, len(stage.notices)) == (many[9], PlaybackState.ERROR, 10)


def test_what_a_person_plays_and_fails_stays(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[1:3])
    stage.do(lambda: stage.session.play(ids[0]))
    stage.fail()
    assert (stage.playing, stage.state, stage.notices) == (ids[0], PlaybackState.ERROR, [])
    stage.skip()
    stage.finish(sounds=False)
    stage.fail()
    assert stage.state is PlaybackState.ERROR
    stage.do(stage.session.toggle)
    stage.fail()
    assert (stage.playing, stage.state) == (ids[2], PlaybackState.ERROR), "tried once more by a person"


# -- skipping -----------------------------------------------------------------------------------------------------


def test_a_skipped_episode_leaves_the_queue_and_keeps_its_position(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[:3])
    stage.play(ids[0], 5 * MINUTE_MS)
    stage.listen(40)
    assert isinstance(stage.skip(), Done)
    assert (stage.playing, stage.queue) == (ids[1], list(ids[1:3]))
    left = stage.library.episodes.get(ids[0])
    assert (left.played, left.position_ms) == (False, 5 * MINUTE_MS + 40_000)
    assert QueueChanged(Cause.PERSON) in stage.events


def test_a_skip_is_undone(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[:3])
    stage.play(ids[0], 5 * MINUTE_MS)
    stage.skip()
    undone = stage.library.acts.undo()
    assert undone is not None
    assert undone.act.kind is ActKind.SKIPPED
    assert stage.queue == list(ids[:3])


def test_skips_follow_each_other_faster_than_the_disk(stage: Stage, ids: Ids, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.library.queue.add_last(ids)
    stage.play(ids[0])
    for skipped in [stage.session.skip() for _ in range(4)]:
        assert isinstance(skipped.result(10), Done)
    stage.settle()
    assert (stage.playing, stage.queue) == (ids[4], list(ids[4:]))


def test_with_nothing_next_a_skip_changes_nothing(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[:1])
    stage.play(ids[0])
    refused = stage.skip()
    assert isinstance(refused, Refused)
    assert refused.why is Why.NO_NEXT
    assert (stage.playing, stage.state, stage.queue) == (ids[0], PlaybackState.PLAYING, [ids[0]])


def test_skipping_needs_no_current_episode(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[:1])
    stage.skip()
    assert (stage.playing, stage.state) == (ids[0], PlaybackState.PLAYING)


def test_no_timer_keeps_a_skip_from_playing(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[1:])
    stage.play(ids[0])
    stage.do(stage.session.stop_after)
    stage.skip()
    assert (stage.playing, stage.state) == (ids[1], PlaybackState.PLAYING)


def test_an_episode_skipped_just_before_its_end_counts_as_played(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[:2])
    stage.library.inbox.add(ids[:1])
    stage.play(ids[0])
    stage.move(LENGTH_MS - 29_000)
    stage.skip()
    assert (stage.played(ids[0]), stage.queue) == (True, [ids[1]])
    assert EpisodesMarked((ids[0],), Mark.PLAYED, True, Cause.RULE) in stage.events
    assert stage.library.acts.undo() is not None
    back = stage.library.episodes.get(ids[0])
    assert (back.played, back.position_ms, stage.queue) == (False, LENGTH_MS - 29_000, list(ids[:2]))


def test_what_counted_as_played_is_heard_from_its_start(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[1:2])
    stage.play(ids[0])
    stage.move(LENGTH_MS - 29_000)
    stage.skip()
    stage.play(ids[0])
    assert stage.status.position_ms == 0


def test_further_from_its_end_it_does_not_count(library: Library, ids: Ids) -> None:
    stage = Stage(library, Queue(played_within="0:10"))
    try:
        library.queue.add_last(ids[:3])
        stage.play(ids[0])
        stage.move(LENGTH_MS - 11_000)
        stage.skip()
        stage.move(LENGTH_MS - 9_000)
        stage.skip()
        assert (stage.played(ids[0]), stage.played(ids[1])) == (False, True)
    finally:
        stage.close()


# -- another instead, and back ------------------------------------------------------------------------------------


def test_what_is_interrupted_goes_to_the_head_of_the_queue(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[4:])
    stage.play(ids[0])
    stage.listen(31)
    stage.play(ids[1])
    assert stage.queue == [ids[0], ids[4], ids[5]]
    assert stage.next == ids[0]
    stage.finish()
    assert (stage.playing, stage.status.position_ms) == (ids[0], 31_000)


def test_what_was_hardly_heard_does_not(stage: Stage, ids: Ids) -> None:
    stage.play(ids[0], 20 * MINUTE_MS)
    stage.listen(29)
    stage.play(ids[1])
    stage.listen(10)
    stage.play(ids[2])
    assert stage.queue == []


def test_what_is_queued_stays_where_it_is(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[:3])
    stage.play(ids[1])
    stage.listen(60)
    stage.play(ids[5])
    assert (stage.queue, stage.next) == (list(ids[:3]), ids[0])


def test_interrupting_can_be_set_to_leave_the_queue_alone(library: Library, ids: Ids) -> None:
    stage = Stage(library, Queue(interrupted=False))
    try:
        stage.play(ids[0])
        stage.listen(60)
        stage.play(ids[1])
        assert stage.queue == []
    finally:
        stage.close()


def test_an_episode_left_for_another_just_before_its_end_counts_as_played(stage: Stage, ids: Ids) -> None:
    stage.play(ids[0])
    stage.listen(60)
    stage.move(LENGTH_MS - 20_000)
    stage.play(ids[1])
    assert (stage.played(ids[0]), stage.queue) == (True, [])


def test_back_to_what_played_before(stage: Stage, ids: Ids) -> None:
    stage.library.queue.add_last(ids[1:3])
    stage.play(ids[0], MINUTE_MS)
    stage.skip()
    stage.skip()
    assert isinstance(stage.previous(), Done)
    assert stage.playing == ids[1]
    stage.previous()
    assert (stage.playing, stage.status.position_ms) == (ids[0], MINUTE_MS)
    refused = stage.previous()
    assert isinstance(refused, Refused)
    assert (refused.why, stage.playing) == (Why.NO_PREVIOUS, ids[0])


def test_undo_while_it_plays_shows_what_is_next_now(stage: Stage, ids: Ids) -> None:
    acts = acts_of(stage)
    stage.library.queue.add_last(ids[:2])
    stage.play(ids[0])
    stage.skip()
    assert stage.queue == [ids[1]]
    acts.undo()
    stage.settle()
    assert (stage.playing, stage.next) == (ids[1], ids[0])


def test_undoing_brings_nothing_back_that_was_heard_to_its_end_since(stage: Stage, ids: Ids) -> None:
    acts = acts_of(stage)
    acts.queue_last(ids[:3])
    acts.move_in_queue([ids[0]], 1)
    stage.play(ids[0])
    stage.finish()
    assert stage.playing == ids[1]
    acts.undo()
    assert stage.queue == [ids[1], ids[2]]
