"""Segments that the listener has marked: skipped, asked about or left where they are heard again."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from player.events import Bus, Cause, SegmentsChanged
from player.library import Library
from player.model.episode import Chapter, Chapters, EpisodeId
from player.model.playback import PlaybackState
from player.model.podcast_settings import PodcastSettings
from player.model.segments import Segment, SegmentKind, SegmentRule, SegmentRules
from player.playback.applied_settings import resolve
from player.playback.engine import Playing
from player.playback.outcomes import Done
from player.playback.rules import NOTHING_SKIPPED
from player.playback.service import PlaybackService
from player.playback.silent_engine import SilentEngine
from player.settings import Audio, Playback
from tests.player.playback.support import HeldMedia, Store, silence, wait_until
from tests.player.playback.test_controller import MINUTES, Stage

SPONSOR = SegmentKind.SPONSOR
SKIPS, ASKS = SegmentRules(sponsor=SegmentRule.SKIP), SegmentRules()
START, END = 2 * MINUTES, 2 * MINUTES + 34_000
Ids = tuple[EpisodeId, ...]


@pytest.fixture
def stage(library: Library) -> Iterator[Stage]:
    made = Stage(library)
    yield made
    made.end()


def found_in(library: Library, ids: Ids, rules: SegmentRules = SKIPS) -> Segment:
    """A sponsor that was marked in the second episode, and found in the first one."""
    marked = library.segments.mark(ids[1], 0, END - START, SPONSOR)
    library.segments.put_found(ids[0], [(marked.id, START, END)])
    library.podcast_settings.set(marked.podcast_id, PodcastSettings(segments=rules))
    return marked


def saved_ms(stage: Stage, segment: Segment) -> int:
    assert stage.saver.flush(5)
    return stage.library.statistics.facts(segment.podcast_id).segments_ms


def test_playing_into_one_skips_it_and_says_so(stage: Stage, ids: Ids) -> None:
    segment = found_in(stage.library, ids)
    stage.play(ids[0], START - 1_000)
    stage.move(START - 40)
    stage.controller.tick()
    assert (stage.position_ms, stage.notices) == (START - 40, [])
    stage.move(START + 60)
    stage.controller.tick()
    assert stage.position_ms == END
    assert stage.notices == ["Skipped a sponsor, 0:34"]
    assert stage.saved(ids[0]) == END
    assert saved_ms(stage, segment) == 34_000
    spans = stage.library.history.spans(ids[0])
    assert all(not START + 100 < span.to_ms < END for span in spans)
    assert sum(span.content_ms for span in spans) < 2_000


def test_going_back_hears_it_and_it_is_not_skipped_in_this_episode_again(stage: Stage, ids: Ids) -> None:
    segment = found_in(stage.library, ids)
    stage.play(ids[0], START - 1_000)
    stage.move(START + 60)
    stage.controller.tick()
    stage.move(END + 2_000)
    stage.controller.tick()
    back = stage.controller.navigation.undo_jump()
    assert isinstance(back, Done)
    assert [one.id for one in back.segments] == [segment.id]
    assert stage.position_ms == START + 60
    stage.move(START + 160)
    stage.controller.tick()
    assert stage.position_ms == START + 160
    assert saved_ms(stage, segment) == 0
    assert stage.library.segments.of_episode(ids[0]) == []
    stage.library.segments.put_found(ids[0], [(segment.id, START, END)])
    stage.controller.look_again()
    stage.play(ids[1], 5 * MINUTES)
    stage.play(ids[0], START - 1_000)
    stage.move(START + 60)
    stage.controller.tick()
    assert stage.position_ms == START + 60, "it was rejected here"


def test_undoing_that_again_skips_it_again(stage: Stage, ids: Ids) -> None:
    segment = found_in(stage.library, ids)
    stage.play(ids[0], START - 1_000)
    stage.move(START + 60)
    stage.controller.tick()
    stage.move(END + 2_000)
    stage.controller.tick()
    stage.controller.navigation.undo_jump()
    stage.controller.navigation.undo_jump()
    assert stage.position_ms == END + 2_000
    assert saved_ms(stage, segment) == 34_000
    assert [one.found for one in stage.library.segments.of_episode(ids[0])] == [True]


def test_jumping_into_one_hears_it(stage: Stage, ids: Ids) -> None:
    found_in(stage.library, ids)
    stage.play(ids[0], MINUTES)
    stage.controller.navigation.seek_to(START + 5_000)
    stage.move(START + 5_100)
    stage.controller.tick()
    assert (stage.position_ms, stage.notices) == (START + 5_100, [])


def test_one_at_the_very_start_is_skipped_before_anything_is_heard(stage: Stage, ids: Ids) -> None:
    marked = stage.library.segments.mark(ids[1], 0, 12_000, SegmentKind.INTRO)
    stage.library.segments.put_found(ids[0], [(marked.id, 0, 12_000)])
    rules = SegmentRules(intro=SegmentRule.SKIP)
    stage.library.podcast_settings.set(marked.podcast_id, PodcastSettings(segments=rules))
    stage.play(ids[0])
    assert stage.engine_calls[-1][:2] == ("load", 12_000)
    assert stage.notices == ["Skipped an intro, 0:12"]
    assert saved_ms(stage, marked) == 0, "nothing was heard yet"
    stage.move(13_100)
    stage.controller.tick()
    stage.time.pass_(2)
    stage.move(14_100)
    stage.controller.tick()
    assert saved_ms(stage, marked) == 12_000


def test_a_chapter_and_a_segment_in_a_row_are_one_skip(stage: Stage, ids: Ids) -> None:
    segment = found_in(stage.library, ids)
    stage.play(ids[0], START - 1_000)
    chapters = Chapters((Chapter(0, "Talk"), Chapter(END, "Sponsor"), Chapter(4 * MINUTES, "More talk")))
    stage.controller.navigation.set_chapters(ids[0], chapters)
    stage.move(START + 60)
    stage.controller.tick()
    assert stage.position_ms == 4 * MINUTES
    assert stage.notices == ["Skipped a sponsor and 1 more"]
    assert saved_ms(stage, segment) == 34_000, "of the segment, not of the chapter"


def test_the_time_saved_is_the_listeners(stage: Stage, ids: Ids) -> None:
    segment = found_in(stage.library, ids)
    stage.controller.set_speed(2.0)
    stage.play(ids[0], START - 1_000)
    stage.move(START + 60)
    stage.controller.tick()
    assert saved_ms(stage, segment) == 17_000


def test_in_a_clip_it_is_heard(stage: Stage, ids: Ids) -> None:
    found_in(stage.library, ids)
    stage.controller.play_clip(ids[0], START - 1_000, 60_000)
    stage.settle()
    stage.controller.on_report(Playing(stage.engine.generation))
    stage.move(START + 60)
    stage.controller.tick()
    assert (stage.position_ms, stage.notices) == (START + 60, [])


def test_one_is_asked_about_ten_seconds_before_it_until_its_end(stage: Stage, ids: Ids) -> None:
    segment = found_in(stage.library, ids, ASKS)
    stage.play(ids[0], MINUTES)

    def asked(position_ms: int) -> int | None:
        stage.move(position_ms)
        stage.controller.tick()
        one = stage.controller.status.asked
        return one.id if one else None

    assert asked(START - 10_100) is None
    assert asked(START - 9_900) == segment.id
    assert asked(START + 5_000) == segment.id
    assert asked(END) is None
    assert stage.position_ms == END
    stage.controller.set_speed(2.0)
    stage.controller.navigation.seek_to(MINUTES)
    assert asked(START - 19_000) == segment.id, "ten seconds of the listener's time"
    stage.controller.pause()
    assert stage.controller.status.asked is None


def test_an_answer_applies_to_the_one_that_is_asked_about(stage: Stage, ids: Ids) -> None:
    segment = found_in(stage.library, ids, ASKS)
    stage.play(ids[0], MINUTES)
    stage.move(START + 4_000)
    stage.controller.tick()
    stage.library.podcast_settings.set(segment.podcast_id, PodcastSettings(segments=SKIPS))
    stage.controller.settings_changed(segment.podcast_id)
    stage.controller.tick()
    assert stage.position_ms == END
    leaves = SegmentRules(sponsor=SegmentRule.LEAVE)
    stage.library.podcast_settings.set(segment.podcast_id, PodcastSettings(segments=leaves))
    stage.controller.settings_changed(segment.podcast_id)
    stage.controller.navigation.seek_to(START - 5_000)
    stage.move(START + 60)
    stage.controller.tick()
    assert (stage.position_ms, stage.controller.status.asked) == (START + 60, None)


def test_jumping_into_one_is_not_asked_about(stage: Stage, ids: Ids) -> None:
    found_in(stage.library, ids, ASKS)
    stage.play(ids[0], MINUTES)
    stage.controller.navigation.seek_to(START + 1_000)
    assert stage.controller.status.asked is None


def test_a_marked_one_is_heard_in_the_minute_after_and_skipped_on_a_later_listen(library: Library, ids: Ids) -> None:
    marked = library.segments.mark(ids[0], START, END, SPONSOR)

    def skipped(seconds: float) -> tuple[Segment, ...]:
        now = marked.created_at + timedelta(seconds=seconds)
        own = PodcastSettings(segments=SKIPS)
        return resolve((), NOTHING_SKIPPED, Audio(), (), own, library.segments.to_pass(ids[0]), now).skipped

    assert skipped(1) == skipped(59) == ()
    assert skipped(61) == (marked,)
    assert skipped(-3_600) == (marked,), "the clock was set back"


def test_going_back_to_the_marked_one_itself_is_remembered_too(stage: Stage, ids: Ids) -> None:
    marked = stage.library.segments.mark(ids[0], START, END, SPONSOR)
    stage.library.podcast_settings.set(marked.podcast_id, PodcastSettings(segments=SKIPS))
    stage.play(ids[0], START - 1_000)
    stage.move(START + 60)
    stage.controller.tick()
    stage.controller.navigation.undo_jump()
    assert stage.saver.flush(5)
    assert stage.library.segments.to_pass(ids[0]) == []
    assert stage.library.segments.of_episode(ids[0]) == [marked]


def test_what_is_found_while_it_plays_is_skipped_and_a_rejected_one_is_told(library: Library, ids: Ids) -> None:
    bus = Bus()
    changed: list[SegmentsChanged] = []
    bus.subscribe(SegmentsChanged, changed.append)
    session = PlaybackService(library, Store(lambda _one: HeldMedia(silence(60))), bus, Playback(), SilentEngine)
    session.start()
    try:
        session.play(ids[0], 1_000).result(10)
        wait_until(lambda: session.status.state is PlaybackState.PLAYING)
        marked = library.segments.mark(ids[1], 0, 20_000, SPONSOR)
        library.podcast_settings.set(marked.podcast_id, PodcastSettings(segments=SKIPS))
        library.segments.put_found(ids[0], [(marked.id, 3_000, 23_000)])
        bus.publish(SegmentsChanged((ids[0],), Cause.RULE))
        wait_until(lambda: session.status.position_ms >= 23_000, "the skip")
        changed.clear()
        session.undo_jump().result(10)
        wait_until(lambda: changed, "that it was rejected")
        assert changed[0].episode_ids == (ids[0],)
    finally:
        session.close()
