"""What another app knew of episodes, merged into the library, or kept until the feed brings them."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from player.library import Library
from player.library.database.values import stored
from player.library.incoming import Brought, Present, decide
from player.model.episode import EpisodeId
from player.model.foreign import ForeignEpisode, HeardSpan, Queued, position_of, queued_at
from player.model.listening import ActKind, ListeningSpan, Part
from player.model.matching import Identity
from player.model.podcast import Podcast
from player.model.podcast_settings import NewEpisodeRules, NewEpisodes, PodcastSettings
from tests.player.library.helpers import URL, apply_feed, episode
from tests.quick import examples

THEN = datetime(2026, 4, 1, 8, tzinfo=UTC)
Ids = tuple[EpisodeId, ...]


def foreign(number: int, /, *, position_ms: int = 0, queued: int | None = None, **fields: object) -> ForeignEpisode:
    """Episode `number` of the helpers' feed, as another app has it."""
    one = ForeignEpisode(f"guid-{number}", title=f"Episode {number}")
    return replace(one, position=position_of(position_ms), queued=queued_at(queued), **fields)


def bring(library: Library, podcast: Podcast, *episodes: ForeignEpisode) -> Brought:
    return library.incoming.bring({podcast.id: episodes})


def state(library: Library, ids: Sequence[EpisodeId]) -> list[tuple[object, ...]]:
    """All that an import may touch."""
    rows = {row.id: row for row in library.episodes.rows(ids)}
    inbox, queue = list(library.inbox.ids()), list(library.queue.ids())
    return [
        (rows[one].played, rows[one].starred, library.progress.position(one), one in inbox, library.history.spans(one))
        for one in ids
    ] + [tuple(queue)]


def played(library: Library, ids: Sequence[EpisodeId]) -> list[EpisodeId]:
    return [row.id for row in library.episodes.rows(ids) if row.played]


def position(library: Library, episode_id: EpisodeId) -> int | None:
    found = library.progress.position(episode_id)
    return found.position_ms if found else None


def test_marks_positions_stars_and_the_queue_come(library: Library, podcast: Podcast, ids: Ids) -> None:
    brought = bring(
        library,
        podcast,
        foreign(1, played=True, changed_at=THEN),
        foreign(2, position_ms=61_000, changed_at=THEN),
        foreign(3, starred=True, queued=7),
        foreign(4, queued=2),
    )
    assert (brought.played, brought.positions, brought.starred, brought.queued, brought.waiting) == (1, 1, 1, 2, 0)
    assert played(library, ids) == [ids[1]]
    saved = library.progress.position(ids[2])
    assert saved
    assert (saved.position_ms, saved.saved_at) == (61_000, THEN)
    assert [row.id for row in library.episodes.rows(ids) if row.starred] == [ids[3]]
    assert list(library.queue.ids()) == [ids[4], ids[3]]
    assert library.podcasts.get(podcast.id).unplayed_count == 4


@pytest.mark.parametrize(
    ("there", "stays"),
    [
        (foreign(1), True), (foreign(1, queued=0), False), (foreign(1, position_ms=5_000), False),
        (foreign(1, starred=True), False), (foreign(1, played=True), False),
    ],
    ids=["nothing", "queued", "begun", "starred", "played"],
)  # fmt: skip
def test_an_episode_that_something_was_done_with_leaves_the_inbox(
    library: Library, podcast: Podcast, ids: Ids, there: ForeignEpisode, stays: bool
) -> None:
    library.inbox.add(ids)
    bring(library, podcast, there)
    assert set(library.inbox.ids()) == {one for one in ids if stays or one != ids[1]}


def test_what_has_no_episode_here_waits_for_the_feed(library: Library, podcast: Podcast) -> None:
    brought = bring(library, podcast, foreign(1, played=True), foreign(2, position_ms=5_000, changed_at=THEN))
    assert (brought.waiting, brought.played) == (2, 0)
    assert library.incoming.waiting() == 2
    ids = apply_feed(library, podcast, *(episode(number) for number in range(3))).new
    assert played(library, ids) == [ids[1]]
    assert position(library, ids[2]) == 5_000
    assert library.incoming.waiting() == 0


def test_it_goes_on_waiting_for_what_the_feed_does_not_bring(library: Library, podcast: Podcast, ids: Ids) -> None:
    bring(library, podcast, foreign(9, played=True))
    apply_feed(library, podcast, *(episode(number) for number in range(-1, 5)))
    assert library.incoming.waiting() == 1
    new = apply_feed(library, podcast, *(episode(number) for number in range(-1, 10))).new
    assert [row.title for row in library.episodes.rows(played(library, new))] == ["Episode 9"]


def test_what_was_played_elsewhere_is_neither_new_nor_queued(library: Library, podcast: Podcast) -> None:
    library.podcast_settings.set(podcast.id, PodcastSettings(new_episodes=NewEpisodeRules(NewEpisodes.QUEUE)))
    bring(library, podcast, foreign(0, played=True))
    assert not apply_feed(library, podcast, episode(0), episode(1)).queue
    assert list(library.queue.ids()) == []
    other = library.podcasts.add("https://example.org/other.xml")
    bring(library, other, foreign(0, position_ms=9_000, changed_at=THEN))
    assert not apply_feed(library, other, episode(0), episode(1)).inbox
    assert list(library.inbox.ids()) == []


def test_the_queue_keeps_its_order_across_feeds_that_are_read_one_by_one(library: Library, podcast: Podcast) -> None:
    other = library.podcasts.add("https://example.org/other.xml")
    library.incoming.bring(
        {
            podcast.id: [foreign(0, queued=3), foreign(1, queued=1)],
            other.id: [foreign(0, queued=2), foreign(1, queued=0)],
        }
    )
    second = apply_feed(library, other, episode(0), episode(1)).new
    first = apply_feed(library, podcast, episode(0), episode(1)).new
    assert list(library.queue.ids()) == [second[1], first[1], second[0], first[0]]


def test_the_queue_that_is_here_stays_in_front(library: Library, podcast: Podcast, ids: Ids) -> None:
    library.queue.add_last([ids[4], ids[2]])
    bring(library, podcast, foreign(2, queued=0), foreign(3, queued=1))
    assert list(library.queue.ids()) == [ids[4], ids[2], ids[3]]


def test_importing_twice_changes_nothing(library: Library, podcast: Podcast, ids: Ids) -> None:
    span = HeardSpan(0, 60_000, THEN)
    known = (
        foreign(1, played=True, heard=(span,)),
        foreign(2, position_ms=5_000),
        foreign(3, queued=0),
        foreign(9, starred=True),
    )
    bring(library, podcast, *known)
    before = state(library, ids)
    again = bring(library, podcast, *known)
    assert (again.before, again.played, again.positions, again.queued, again.spans) == (3, 0, 0, 0, 0)
    assert state(library, ids) == before
    assert library.incoming.waiting() == 1


def test_what_the_listener_changed_since_is_not_imported_again(library: Library, podcast: Podcast, ids: Ids) -> None:
    known = (foreign(1, played=True), foreign(2, queued=4), foreign(3, starred=True))
    bring(library, podcast, *known)
    library.episodes.set_played([ids[1]], False)
    library.queue.clear()
    library.episodes.set_starred([ids[3]], False)
    before = state(library, ids)
    bring(library, podcast, known[0], replace(known[1], queued=Queued(2)), known[2])
    assert state(library, ids) == before


def test_a_newer_position_here_stays(library: Library, podcast: Podcast, ids: Ids) -> None:
    library.progress.save(ids[1], 100_000, None, THEN)
    bring(library, podcast, foreign(1, position_ms=900_000, changed_at=THEN - timedelta(hours=1)))
    bring(library, podcast, foreign(1, position_ms=800_000))
    assert position(library, ids[1]) == 100_000
    bring(library, podcast, foreign(1, played=True, changed_at=THEN - timedelta(hours=1)))
    assert played(library, ids) == []
    bring(library, podcast, foreign(1, position_ms=900_000, changed_at=THEN + timedelta(hours=1)))
    assert position(library, ids[1]) == 900_000


def test_a_played_mark_is_not_undone_by_a_position(library: Library, podcast: Podcast, ids: Ids) -> None:
    library.episodes.set_played([ids[1]], True)
    brought = bring(library, podcast, foreign(1, position_ms=900_000, changed_at=THEN, queued=0))
    assert (brought.positions, brought.queued) == (0, 0)
    assert played(library, ids) == [ids[1]]
    assert position(library, ids[1]) is None


def test_what_an_app_has_left_of_a_played_episode_does_not_come(library: Library, podcast: Podcast, ids: Ids) -> None:
    brought = bring(library, podcast, foreign(1, played=True, position_ms=900_000, changed_at=THEN, queued=0))
    assert (brought.played, brought.positions, brought.queued) == (1, 0, 0)
    assert (position(library, ids[1]), list(library.queue.ids())) == (None, [])


def test_what_was_queued_before_it_was_played_there_leaves_the_queue_and_its_position_stays() -> None:
    then = stored(THEN)
    here = Present(1, Identity("guid-1", ""), 0, None, saved_at=then - 1, queued_at=then - 1)
    change = decide(here, foreign(1, played=True, changed_at=THEN), then + 5)
    assert (change.played, change.unqueue, change.forgets) == (True, True, False)
    assert not decide(here._replace(queued_at=then), foreign(1, played=True, changed_at=THEN), then + 5).unqueue


def test_a_moment_in_the_future_is_now_at_most(library: Library, podcast: Podcast, ids: Ids) -> None:
    bring(library, podcast, foreign(1, position_ms=5_000, changed_at=datetime(2999, 1, 1, tzinfo=UTC)))
    saved = library.progress.position(ids[1])
    assert saved
    assert saved.saved_at <= datetime.now(UTC)


def test_a_position_behind_the_end_is_before_it(library: Library, podcast: Podcast, ids: Ids) -> None:
    bring(library, podcast, foreign(1, position_ms=9_000_000))
    assert position(library, ids[1]) == 1_790_000


def test_the_history_comes_once_and_what_is_here_stays(library: Library, podcast: Podcast, ids: Ids) -> None:
    library.progress.save(ids[1], 60_000, None, THEN, heard=[ListeningSpan(ids[1], 0, 60_000, THEN)])
    spans = (HeardSpan(0, 1_000, THEN), HeardSpan(60_000, 90_000, THEN + timedelta(hours=1), 1.5))
    assert bring(library, podcast, foreign(1, heard=spans)).spans == 1
    assert library.history.spans(ids[1]) == (
        ListeningSpan(ids[1], 0, 60_000, THEN),
        ListeningSpan(ids[1], 60_000, 90_000, THEN + timedelta(hours=1), 1.5),
    )


def test_a_history_that_was_deleted_stays_so(library: Library, podcast: Podcast, ids: Ids) -> None:
    library.history.forget()
    assert bring(library, podcast, foreign(1, heard=(HeardSpan(0, 1_000, THEN),))).spans == 0


def test_an_import_is_one_act_that_can_be_undone_and_redone(library: Library, podcast: Podcast, ids: Ids) -> None:
    library.progress.save(ids[2], 1_000, None, THEN - timedelta(days=1))
    before = state(library, ids)
    bring(
        library, podcast, foreign(1, played=True), foreign(2, position_ms=61_000, changed_at=THEN),
        foreign(3, position_ms=5_000, changed_at=THEN), foreign(4, queued=2), foreign(9, played=True),
    )  # fmt: skip
    after = state(library, ids)
    act = library.acts.last()
    assert act
    assert (act.kind, act.count) == (ActKind.IMPORTED, 4)
    assert library.acts.undo()
    assert state(library, ids) == before
    assert library.incoming.waiting() == 0
    assert library.acts.redo()
    assert state(library, ids) == after
    assert library.incoming.waiting() == 1


def test_undoing_an_import_keeps_what_was_heard_since(library: Library, podcast: Podcast, ids: Ids) -> None:
    bring(library, podcast, foreign(1, position_ms=5_000, changed_at=THEN))
    library.progress.save(ids[1], 70_000, None, THEN + timedelta(days=1))
    library.acts.undo()
    assert position(library, ids[1]) == 70_000


def test_an_import_that_was_undone_can_be_done_again(library: Library, podcast: Podcast, ids: Ids) -> None:
    known = (foreign(1, played=True), foreign(9, starred=True))
    bring(library, podcast, *known)
    library.acts.undo()
    brought = bring(library, podcast, *known)
    assert (brought.played, brought.waiting) == (1, 1)
    assert played(library, ids) == [ids[1]]
    library.acts.undo()
    with library.acts.recorded(ActKind.STARRED, ids[:1], Part.STARRED):
        library.episodes.set_starred(ids[:1], True)
    apply_feed(library, podcast, *(episode(number) for number in range(10)))
    assert bring(library, podcast, *known).starred == 1


def test_unsubscribing_clears_what_waits_and_undoing_that_brings_it_back(library: Library, podcast: Podcast) -> None:
    bring(library, podcast, foreign(1, played=True))
    library.acts.unsubscribe(podcast.id)
    assert library.incoming.waiting() == 0
    again = library.podcasts.add(URL)
    apply_feed(library, again, episode(1))
    assert library.podcasts.get(again.id).unplayed_count == 1
    library.acts.undo()
    assert library.incoming.waiting() == 1


def test_what_nothing_could_find_is_counted(library: Library, podcast: Podcast, ids: Ids) -> None:
    assert bring(library, podcast, ForeignEpisode(title="No date", played=True)).unnamed == 1


@pytest.mark.long
def test_fifty_thousand_episodes_take_seconds(library: Library, podcast: Podcast) -> None:
    known = [episode(number) for number in range(25_000)]
    apply_feed(library, podcast, *known)
    span = HeardSpan(0, 60_000, THEN)
    there = [foreign(number, played=True, changed_at=THEN, heard=(span,)) for number in range(50_000)]
    began = time.process_time()
    brought = bring(library, podcast, *there)
    took = time.process_time() - began
    assert (brought.played, brought.waiting) == (25_000, 25_000)
    assert took < 8.0, f"{took:.1f} s"


# -- whatever is merged ---------------------------------------------------------------------------------------

MOMENTS = st.none() | st.integers(0, 20).map(lambda hours: THEN + timedelta(hours=hours))
KNOWN = st.builds(
    foreign,
    st.integers(0, 6),
    played=st.booleans(),
    position_ms=st.sampled_from([0, 5_000, 900_000]),
    changed_at=MOMENTS,
    starred=st.booleans(),
    queued=st.none() | st.integers(0, 3),
)


class Story:
    """A library of its own for each example: five episodes, of which the listener has heard some."""

    def __init__(self, library: Library, number: int) -> None:
        self.library = library
        self.podcast = library.podcasts.add(f"https://example.org/{number}.xml")
        self.ids = apply_feed(library, self.podcast, *(episode(one) for one in range(5))).new


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_nothing_is_lost_or_undone_by_any_imports(library: Library, data: st.DataObject) -> None:
    story = Story(library, len(library.podcasts.all()))
    ids = story.ids
    for one in data.draw(st.lists(st.sampled_from(ids), max_size=3, unique=True)):
        hours = data.draw(st.integers(0, 20))
        library.progress.save(one, 100_000, None, THEN + timedelta(hours=hours))
    library.episodes.set_played(data.draw(st.lists(st.sampled_from(ids), max_size=2)), True)
    library.queue.add_last(data.draw(st.lists(st.sampled_from(ids), max_size=2)))
    before = {row.id: row for row in library.episodes.rows(ids)}
    positions = {one: library.progress.position(one) for one in ids}
    queue = list(library.queue.ids())

    imports = data.draw(st.lists(st.lists(KNOWN, max_size=6), min_size=1, max_size=3))
    for known in imports:
        bring(library, story.podcast, *known)
    once = state(library, ids)
    for known in imports:
        bring(library, story.podcast, *known)
    assert state(library, ids) == once

    for row in library.episodes.rows(ids):
        assert row.played >= before[row.id].played
        assert row.starred >= before[row.id].starred
        was, now = positions[row.id], library.progress.position(row.id)
        assert now or not was
        assert not (was and now) or now == was or now.saved_at > was.saved_at
    left = list(library.queue.ids())
    assert [one for one in left if one in queue] == [one for one in queue if one in left]
    gone = [EpisodeId(one) for one in queue if one not in left]
    assert all(row.played for row in library.episodes.rows(gone))


@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_undoing_any_import_restores_everything_and_redoing_it_too(library: Library, data: st.DataObject) -> None:
    story = Story(library, len(library.podcasts.all()))
    ids = story.ids
    library.progress.save(ids[0], 100_000, None, THEN + timedelta(hours=data.draw(st.integers(0, 20))))
    library.queue.add_last(data.draw(st.lists(st.sampled_from(ids), max_size=3)))
    before, waited = state(library, ids), library.incoming.waiting()
    brought = bring(library, story.podcast, *data.draw(st.lists(KNOWN, max_size=6)))
    after, waits = state(library, ids), library.incoming.waiting()
    act = library.acts.last()
    if act is None or act.id != brought.act_id:
        assert after == before
        return
    library.acts.undo()
    assert (state(library, ids), library.incoming.waiting()) == (before, waited)
    library.acts.redo()
    assert (state(library, ids), library.incoming.waiting()) == (after, waits)
