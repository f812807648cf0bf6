"""Segments: marked by the listener, found in other episodes, rejected there, and undone as any other act."""

import pytest

from player.errors import AlreadySubscribed, EarmarkError, NotFound
from player.library import Library
from player.model.episode import EpisodeId
from player.model.listening import ActKind, Part
from player.model.podcast import Podcast
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.model.segments import Segment, SegmentId, SegmentKind, SegmentRule, SegmentRules
from tests.player.library.helpers import URL, apply_feed, episode

Ids = tuple[EpisodeId, ...]
SPONSOR, INTRO = SegmentKind.SPONSOR, SegmentKind.INTRO


def mark(library: Library, episode_id: EpisodeId, start_ms: int, end_ms: int, kind: SegmentKind = SPONSOR) -> Segment:
    with library.acts.recorded_segments(ActKind.SEGMENT_MARKED):
        return library.segments.mark(episode_id, start_ms, end_ms, kind)


def delete(library: Library, *ids: SegmentId) -> list[SegmentId]:
    with library.acts.recorded_segments(ActKind.SEGMENT_DELETED, ids):
        return library.segments.delete(ids)


def spans(segments: list[Segment]) -> list[tuple[int, int, bool]]:
    return [(one.start_ms, one.end_ms, one.found) for one in segments]


def test_a_segment_has_all_that_is_shown_of_it(library: Library, ids: Ids, podcast: Podcast) -> None:
    made = mark(library, ids[1], 10_000, 44_000)
    (found,) = library.segments.all()
    assert found == made
    assert (found.podcast_id, found.episode_id, found.length_ms) == (podcast.id, ids[1], 34_000)
    assert (found.kind, found.found, found.episode, found.podcast) == (SPONSOR, False, "Episode 1", "A show")
    assert library.segments.of_podcast(podcast.id) == [made]


@pytest.mark.parametrize(("start_ms", "end_ms"), [(5_000, 5_999), (5_000, 4_000), (0, 3_600_001)])
def test_one_that_is_too_short_or_too_long_is_refused(library: Library, ids: Ids, start_ms: int, end_ms: int) -> None:
    with pytest.raises(EarmarkError, match=r"a second|an hour"):
        library.segments.mark(ids[0], start_ms, end_ms, SPONSOR)
    assert library.segments.all() == []


def test_an_episode_that_is_gone_gets_none(library: Library) -> None:
    with pytest.raises(NotFound):
        library.segments.mark(EpisodeId(99), 0, 5_000, SPONSOR)


def test_an_episode_has_the_marked_and_the_found_ones_in_order(library: Library, ids: Ids) -> None:
    sponsor = mark(library, ids[0], 60_000, 90_000)
    mark(library, ids[1], 0, 12_000, INTRO)
    library.segments.put_found(ids[1], [(sponsor.id, 300_000, 330_000), (sponsor.id, 100_000, 130_000)])
    assert spans(library.segments.of_episode(ids[1])) == [
        (0, 12_000, False), (100_000, 130_000, True), (300_000, 330_000, True),
    ]  # fmt: skip
    assert {one.id for one in library.segments.of_episode(ids[1]) if one.found} == {sponsor.id}
    assert len(library.segments.all()) == 2
    assert len(library.segments.all(found=True)) == 4


def test_finds_are_replaced_but_what_was_rejected_stays_so(library: Library, ids: Ids) -> None:
    sponsor = mark(library, ids[0], 60_000, 90_000)
    library.segments.put_found(ids[1], [(sponsor.id, 100_000, 130_000), (sponsor.id, 300_000, 330_000)])
    library.segments.reject(ids[1], [(sponsor.id, 100_000, 130_000)])
    assert spans(library.segments.of_episode(ids[1])) == [(300_000, 330_000, True)]
    library.segments.put_found(ids[1], [(sponsor.id, 101_000, 131_000), (sponsor.id, 120_000, 150_000)])
    assert spans(library.segments.of_episode(ids[1])) == [(120_000, 150_000, True)]
    library.segments.put_found(ids[1], [])
    assert library.segments.of_episode(ids[1]) == []
    library.segments.reject(ids[1], [(sponsor.id, 100_000, 130_000)], False)
    assert spans(library.segments.of_episode(ids[1])) == [(100_000, 130_000, True)]


def test_the_marked_segment_itself_is_no_find_but_the_same_sound_later_in_its_episode_is(
    library: Library, ids: Ids
) -> None:
    sponsor = mark(library, ids[0], 60_000, 90_000)
    library.segments.put_found(ids[0], [(sponsor.id, 60_100, 90_100), (sponsor.id, 200_000, 230_000)])
    assert spans(library.segments.of_episode(ids[0])) == [(60_000, 90_000, False), (200_000, 230_000, True)]
    library.segments.reject(ids[0], [(sponsor.id, 60_000, 90_000)])
    assert spans(library.segments.to_pass(ids[0])) == [(200_000, 230_000, True)]
    assert spans(library.segments.of_episode(ids[0])) == [(60_000, 90_000, False), (200_000, 230_000, True)]
    library.segments.reject(ids[0], [(sponsor.id, 60_000, 90_000)], False)
    assert spans(library.segments.to_pass(ids[0])) == [(60_000, 90_000, False), (200_000, 230_000, True)]


def test_finds_of_what_is_gone_are_not_stored(library: Library, ids: Ids) -> None:
    sponsor = mark(library, ids[0], 60_000, 90_000)
    library.segments.put_found(EpisodeId(99), [(sponsor.id, 0, 30_000)])
    library.segments.put_found(ids[1], [(SegmentId(99), 0, 30_000), (sponsor.id, 5_000, 5_000)])
    assert library.segments.of_episode(ids[1]) == []
    library.check()


def test_marking_changing_and_deleting_are_undone_and_redone(library: Library, ids: Ids) -> None:
    made = mark(library, ids[0], 60_000, 90_000)
    undone = library.acts.undo()
    assert undone
    assert (undone.act.kind, undone.act.title, undone.parts) == (
        ActKind.SEGMENT_MARKED, "Episode 0", frozenset({Part.SEGMENTS}),
    )  # fmt: skip
    assert undone.episode_ids == (ids[0],)
    assert library.segments.all() == []
    library.acts.redo()
    assert library.segments.all() == [made]
    with library.acts.recorded_segments(ActKind.SEGMENT_CHANGED, [made.id]):
        library.segments.change(made.id, INTRO)
    assert library.segments.get(made.id).kind is INTRO
    library.acts.undo()
    assert library.segments.get(made.id).kind is SPONSOR
    assert delete(library, made.id) == [made.id]
    assert delete(library, made.id) == []
    assert library.segments.all() == []
    library.acts.undo()
    assert library.segments.all() == [made]


def test_a_deleted_segment_comes_back_with_its_sound_and_where_it_was_found(library: Library, ids: Ids) -> None:
    made = mark(library, ids[0], 60_000, 90_000)
    library.segments.set_sound(made.id, b"what it sounds like")
    library.segments.put_found(ids[1], [(made.id, 100_000, 130_000)])
    library.segments.put_found(ids[2], [(made.id, 200_000, 230_000)])
    library.segments.reject(ids[2], [(made.id, 200_000, 230_000)])
    delete(library, made.id)
    assert library.segments.of_episode(ids[1]) == []
    undone = library.acts.undo()
    assert undone
    assert set(undone.episode_ids) == {ids[0], ids[1], ids[2]}
    assert library.segments.sound(made.id) == b"what it sounds like"
    assert spans(library.segments.of_episode(ids[1])) == [(100_000, 130_000, True)]
    assert library.segments.of_episode(ids[2]) == []
    assert library.segments.found_in([made.id]) == sorted(ids[:3])
    redone = library.acts.redo()
    assert redone
    assert ids[1] in redone.episode_ids
    assert library.segments.of_episode(ids[1]) == []
    library.check()


def test_what_was_found_since_stays_when_a_kind_is_changed_back(library: Library, ids: Ids) -> None:
    made = mark(library, ids[0], 60_000, 90_000)
    with library.acts.recorded_segments(ActKind.SEGMENT_CHANGED, [made.id]):
        library.segments.change(made.id, INTRO)
    library.segments.set_sound(made.id, b"heard since")
    library.segments.put_found(ids[1], [(made.id, 100_000, 130_000)])
    library.acts.undo()
    assert library.segments.sound(made.id) == b"heard since"
    assert spans(library.segments.of_episode(ids[1])) == [(100_000, 130_000, True)]


def test_an_unsubscribed_podcast_brings_its_segments_back(library: Library, podcast: Podcast, ids: Ids) -> None:
    made = mark(library, ids[0], 60_000, 90_000)
    library.segments.set_sound(made.id, b"sound")
    library.segments.put_found(ids[1], [(made.id, 100_000, 130_000)])
    library.acts.unsubscribe(podcast.id)
    assert library.segments.all(found=True) == []
    library.acts.undo()
    assert library.segments.all() == [made]
    assert library.segments.sound(made.id) == b"sound"
    assert spans(library.segments.of_episode(ids[1])) == [(100_000, 130_000, True)]
    library.check()


def test_a_segment_outlives_its_episode(library: Library, podcast: Podcast, ids: Ids) -> None:
    made = mark(library, ids[0], 60_000, 90_000)
    library.segments.set_sound(made.id, b"sound")
    with library._connected.writing() as connection:
        connection.execute("DELETE FROM episodes WHERE id = ?", (ids[0],))
    (kept,) = library.segments.of_podcast(podcast.id)
    assert (kept.episode_id, kept.episode, kept.podcast) == (None, "", "A show")
    library.segments.put_found(ids[1], [(made.id, 100_000, 130_000)])
    assert spans(library.segments.of_episode(ids[1])) == [(100_000, 130_000, True)]


def test_a_podcast_in_which_something_is_marked_has_been_used(library: Library, ids: Ids, podcast: Podcast) -> None:
    mark(library, ids[0], 60_000, 90_000)
    library.acts.unsubscribe(podcast.id)
    again = library.podcasts.add(URL, "A show")
    (only,) = apply_feed(library, again, episode(1)).new
    library.segments.mark(only, 0, 10_000, SPONSOR)
    with pytest.raises(AlreadySubscribed):
        library.acts.undo()
    assert [one.episode_id for one in library.segments.all()] == [only]


def test_what_happens_to_finds_is_set_for_each_podcast(library: Library, podcast: Podcast) -> None:
    assert library.podcast_settings.get(podcast.id).segments.of(SPONSOR) is SegmentRule.ASK
    rules = SegmentRules(sponsor=SegmentRule.SKIP, recap=SegmentRule.LEAVE)
    library.podcast_settings.set(podcast.id, PodcastSettings(segments=rules))
    assert library.podcast_settings.get(podcast.id).segments == rules
    library.check()
    library.podcast_settings.set(podcast.id, AS_ALL)
    assert library.podcast_settings.get(podcast.id) == AS_ALL
