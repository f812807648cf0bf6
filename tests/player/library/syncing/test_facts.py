"""Stars and the queue of several devices that meet in a folder: the latest word on each counts."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from player.library import Library
from player.model.episode import EpisodeId
from player.model.listening import ActKind, Moment, Part
from player.model.podcast import Podcast
from player.model.podcast_settings import (
    MOST_GAIN_DB,
    NewEpisodeRules,
    NewEpisodes,
    PodcastDownloads,
    PodcastSettings,
)
from player.model.segments import SegmentKind
from player.model.syncing import ActionKind, Fact, FactKind, Pulled, Pushed, Taken
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.library.syncing.devices import (
    ALL,
    FOLDER,
    MIN_MS,
    MINUTE,
    NOW,
    SERVER,
    mark,
    ms,
    other_library,
    play,
    take,
)

Ids = tuple[EpisodeId, ...]
KEY = '["https://example.org/feed.xml","https://example.org/{0}.mp3","guid-{0}"]'


def facts(library: Library) -> dict[str, Fact]:
    """What is to be sent, by key; it is sent by that."""
    library.syncing.collect(NOW)
    found = library.syncing.outgoing(1000, ALL).facts
    library.syncing.sent(Pushed(tuple(number for number, _fact in found)))
    return {fact.key: fact for _number, fact in found}


def pull(library: Library, *some: Fact) -> Taken:
    return library.syncing.take(Pulled(facts=some), NOW)


def star(number: int, value: str = "true", **fields: object) -> Fact:
    return replace(Fact(FactKind.STAR, KEY.format(number), value, ms(NOW + MINUTE), "phone"), **fields)


def queued(number: int, value: str, **fields: object) -> Fact:
    return star(number, value, kind=FactKind.QUEUE, **fields)


def starred(library: Library, ids: Ids) -> list[EpisodeId]:
    return [row.id for row in library.episodes.rows(ids) if row.starred]


@pytest.fixture
def synced(library: Library, podcast: Podcast, ids: Ids) -> Library:
    library.syncing.set_account(FOLDER)
    facts(library)
    take(library.syncing)
    return library


@pytest.fixture
def phone(tmp_path: Path) -> Iterator[tuple[Library, Ids]]:
    with other_library(tmp_path / "phone") as library:
        new = apply_feed(library, library.podcasts.add(URL), *(episode(number) for number in range(5))).new
        library.syncing.set_account(replace(FOLDER, device="phone"))
        yield library, new


def exchange(one: Library, other: Library) -> None:
    """Each hears of what the other has said."""
    for _round in range(2):
        for library, reader in ((one, other), (other, one)):
            pull(reader, *facts(library).values())


def test_stars_of_before_and_since_are_said_once(library: Library, podcast: Podcast, ids: Ids) -> None:
    library.episodes.set_starred([ids[0]], True)
    library.syncing.set_account(FOLDER)
    assert {key: fact.value for key, fact in facts(library).items()} == {KEY.format(0): "true"}
    assert facts(library) == {}
    library.episodes.set_starred([ids[0]], False)
    library.episodes.set_starred([ids[1]], True)
    assert {key: fact.value for key, fact in facts(library).items()} == {KEY.format(0): "", KEY.format(1): "true"}


def test_stars_come_and_go_and_are_not_said_again(synced: Library, ids: Ids) -> None:
    assert pull(synced, star(0), star(1)).others == (ids[0], ids[1])
    assert starred(synced, ids) == [ids[0], ids[1]]
    assert facts(synced) == {}
    assert pull(synced, star(0, "", at=ms(NOW))).others == (), "that was before"
    assert pull(synced, star(0, "", at=ms(NOW + 2 * MINUTE))).others == (ids[0],)
    assert starred(synced, ids) == [ids[1]]


def test_a_star_waits_for_its_episode(synced: Library, podcast: Podcast, ids: Ids) -> None:
    assert pull(synced, star(9)).others == ()
    (new,) = apply_feed(synced, podcast, *(episode(number) for number in range(-1, 5)), episode(9)).new[-1:]
    synced.episodes.set_starred([ids[2]], True)
    assert set(facts(synced)) == {KEY.format(2)}, "what waits wasn't taken away here"
    assert pull(synced).others == (new,)


def test_stars_of_a_podcast_that_is_removed_stay_those_of_others(synced: Library, podcast: Podcast, ids: Ids) -> None:
    pull(synced, star(0))
    synced.podcasts.remove(podcast.id)
    assert facts(synced) == {}
    again = apply_feed(synced, synced.podcasts.add(URL), episode(0)).new
    assert pull(synced).others == again


def test_a_queue_is_the_same_on_both_devices(synced: Library, ids: Ids, phone: tuple[Library, Ids]) -> None:
    other, theirs = phone
    synced.queue.add_last([ids[0], ids[1]])
    exchange(synced, other)
    other.queue.add_last([theirs[3]])
    exchange(synced, other)
    first = [ids.index(one) for one in synced.queue.ids()]
    assert first == [0, 1, 3]
    assert [theirs.index(one) for one in other.queue.ids()] == first
    other.queue.move([theirs[first[2]]], -2)
    synced.queue.remove([ids[first[0]]])
    exchange(synced, other)
    assert [ids.index(one) for one in synced.queue.ids()] == [first[2], first[1]]
    assert [theirs.index(one) for one in other.queue.ids()] == [first[2], first[1]]
    assert facts(synced) == facts(other) == {}


def test_what_nobody_else_knows_keeps_its_place_in_the_queue(synced: Library, ids: Ids) -> None:
    local = synced.podcasts.add("file:///home/ann/talks", "Talks")
    (own,) = apply_feed(synced, local, episode(1, url="file:///home/ann/talks/1.mp3")).new
    synced.queue.add_last([ids[0], own, ids[1]])
    assert len(facts(synced)) == 2
    assert pull(synced, queued(2, str(-(1 << 30)))).queue
    assert list(synced.queue.ids()) == [ids[2], ids[0], own, ids[1]]


def test_what_was_played_after_it_was_queued_elsewhere_is_not_queued_here(synced: Library, ids: Ids) -> None:
    take(synced.syncing, mark(0), mark(1))
    assert pull(synced, queued(0, "7", at=ms(NOW - MINUTE)), queued(1, "8")).queue
    assert list(synced.queue.ids()) == [ids[1]]


def test_what_is_played_and_then_queued_again_is_queued_on_both_devices(
    synced: Library, ids: Ids, phone: tuple[Library, Ids]
) -> None:
    other, theirs = phone
    synced.progress.finish(ids[1])
    synced.queue.add_last([ids[1]])
    synced.syncing.collect(NOW + MINUTE)
    told = synced.syncing.outgoing(1000, ALL)
    synced.syncing.sent(Pushed(tuple(number for number, _one in (*told.actions, *told.facts))))
    pulled = Pulled(tuple(one for _number, one in told.actions), facts=tuple(one for _number, one in told.facts))
    assert other.syncing.take(pulled, NOW + 2 * MINUTE).queue
    assert list(other.queue.ids()) == [theirs[1]]
    other.queue.add_last([theirs[2]])
    exchange(synced, other)
    assert list(synced.queue.ids()) == [ids[1], ids[2]]


def test_what_was_queued_elsewhere_leaves_the_queue_by_a_mark_of_before_that_was_known_here(
    synced: Library, ids: Ids
) -> None:
    assert pull(synced, queued(0, "7", at=ms(NOW - 2 * MINUTE))).queue
    assert take(synced.syncing, mark(0, at=NOW - MINUTE)).queue
    assert list(synced.queue.ids()) == []


def test_what_was_moved_after_it_was_marked_elsewhere_stays_queued(synced: Library, ids: Ids) -> None:
    synced.queue.add_last([ids[0], ids[1]])
    assert pull(synced, queued(0, str(1 << 30), at=ms(NOW + 2 * MINUTE))).queue
    take(synced.syncing, mark(0, at=NOW + MINUTE))
    assert list(synced.queue.ids()) == [ids[1], ids[0]]


def test_that_a_mark_has_ended_the_queueing_of_an_episode_is_not_said_as_if_it_was_removed_later(
    synced: Library, ids: Ids
) -> None:
    """By that a device that queues it once more meanwhile would lose it."""
    pull(synced, queued(0, "7", at=ms(NOW - 3 * MINUTE)))
    take(synced.syncing, mark(0, at=NOW - 2 * MINUTE))
    synced.queue.add_last([ids[1]])
    assert set(facts(synced)) == {KEY.format(1)}
    assert pull(synced, queued(0, "7", at=ms(NOW - MINUTE))).queue
    assert set(synced.queue.ids()) == {ids[0], ids[1]}


def test_what_was_marked_elsewhere_while_it_played_leaves_the_queue_after_that(synced: Library, ids: Ids) -> None:
    pull(synced, queued(0, "7", at=ms(NOW - 3 * MINUTE)))
    marked = (mark(0, at=NOW - 2 * MINUTE), mark(0, ActionKind.UNPLAYED, at=NOW - MINUTE))
    assert not take(synced.syncing, *marked, playing=frozenset({ids[0]})).queue
    assert list(synced.queue.ids()) == [ids[0]]
    assert take(synced.syncing).queue
    assert list(synced.queue.ids()) == []


def test_what_is_queued_here_stays_queued_though_a_clock_that_is_ahead_has_dated_a_mark(
    synced: Library, ids: Ids
) -> None:
    ahead = NOW + timedelta(hours=5)
    take(synced.syncing, mark(0, at=ahead), mark(0, ActionKind.UNPLAYED, at=ahead + MINUTE))
    synced.queue.add_last([ids[0]])
    assert facts(synced)[KEY.format(0)].at > ms(ahead)
    assert not take(synced.syncing, play(0, MIN_MS, at=ahead + 2 * MINUTE)).queue
    assert list(synced.queue.ids()) == [ids[0]]


@pytest.mark.parametrize("to", [NewEpisodes.QUEUE, NewEpisodes.NEXT])
def test_what_a_rule_has_queued_leaves_the_queue_if_it_was_heard_elsewhere_before(
    synced: Library, podcast: Podcast, phone: tuple[Library, Ids], to: NewEpisodes
) -> None:
    other, _theirs = phone
    here = apply_feed(synced, podcast, episode(-1), *(episode(number) for number in range(5))).new[0]
    take(synced.syncing, mark(-1, at=NOW - MINUTE))
    there = other.podcasts.find("A show")
    other.podcast_settings.set(there.id, PodcastSettings(new_episodes=NewEpisodeRules(to)))
    new = apply_feed(other, there, episode(-1), *(episode(number) for number in range(5))).new
    assert list(other.queue.ids()) == list(new)
    take(other.syncing, mark(-1, at=NOW - MINUTE))
    assert list(other.queue.ids()) == []
    exchange(synced, other)
    assert here not in synced.queue.ids()


def test_what_is_set_for_a_podcast_is_set_on_both_devices(
    synced: Library, podcast: Podcast, phone: tuple[Library, Ids]
) -> None:
    other, _theirs = phone
    there = other.podcasts.find("A show")
    other.podcast_settings.set(there.id, PodcastSettings(downloads=PodcastDownloads(3)))
    exchange(synced, other)
    synced.podcast_settings.set(podcast.id, PodcastSettings(speed=1.5, skip_intro_ms=30_000, skip_chapters=("Ads",)))
    synced.shelf.set_tags(podcast.id, ["Tech", "daily"])
    synced.shelf.rename(podcast.id, "My show")
    synced.shelf.set_pinned(podcast.id, True)
    said = facts(synced)
    assert list(said) == [URL]
    assert pull(other, *said.values()).arranged == (there.id,)
    set_there = other.podcast_settings.get(there.id)
    assert (set_there.speed, set_there.skip_intro_ms, set_there.skip_chapters) == (1.5, 30_000, ("Ads",))
    assert set_there.downloads == PodcastDownloads(3), "what is downloaded is each device's own"
    found = other.podcasts.get(there.id)
    assert (found.title, found.tags, found.pinned) == ("My show", ("daily", "Tech"), True)
    assert facts(other) == {}
    other.podcast_settings.set(there.id, PodcastSettings())
    other.shelf.set_tags(there.id, [])
    other.shelf.rename(there.id, "")
    other.shelf.set_pinned(there.id, False)
    exchange(synced, other)
    assert synced.podcast_settings.get(podcast.id) == PodcastSettings()
    assert synced.podcasts.get(podcast.id).title == "A show"
    assert facts(synced) == facts(other) == {}


def test_bookmarks_come_change_and_go_on_both_devices(synced: Library, ids: Ids, phone: tuple[Library, Ids]) -> None:
    other, theirs = phone
    made = synced.bookmarks.put(ids[1], Moment(MIN_MS, "Chapter one", "What is said", "A note")).bookmark
    exchange(synced, other)
    (there,) = other.bookmarks.of_episode(theirs[1])
    assert (there.position_ms, there.note, there.chapter, there.line) == (
        MIN_MS,
        "A note",
        "Chapter one",
        "What is said",
    )
    assert (there.created_at, there.episode, there.podcast) == (made.created_at, "Episode 1", "A show")
    assert facts(other) == {}
    other.bookmarks.put(theirs[1], Moment(MIN_MS + 500, note="Another note"))
    exchange(synced, other)
    (here,) = synced.bookmarks.of_episode(ids[1])
    assert (here.id, here.position_ms, here.note) == (made.id, MIN_MS + 500, "Another note")
    synced.bookmarks.delete([here.id])
    exchange(synced, other)
    assert other.bookmarks.all() == synced.bookmarks.all() == []
    assert facts(synced) == facts(other) == {}


def test_a_clip_arrives_with_its_length(synced: Library, ids: Ids, phone: tuple[Library, Ids]) -> None:
    other, theirs = phone
    synced.bookmarks.put(ids[1], Moment(MIN_MS, length_ms=30_000))
    exchange(synced, other)
    assert other.bookmarks.of_episode(theirs[1])[0].length_ms == 30_000
    assert facts(synced) == facts(other) == {}


def test_an_older_earmark_that_sends_a_clip_on_takes_nothing_of_its_length(synced: Library, ids: Ids) -> None:
    synced.bookmarks.put(ids[1], Moment(MIN_MS, length_ms=30_000))
    ((key, fact),) = facts(synced).items()
    older = f'{{"position_ms":{MIN_MS},"note":"heard there"}}'
    pull(synced, replace(fact, value=older, at=fact.at + 60_000, device="older"))
    (clip,) = synced.bookmarks.all()
    assert (clip.length_ms, clip.note) == (30_000, "heard there")
    synced.bookmarks.put(ids[2], Moment(MIN_MS))
    told = facts(synced)[key]
    assert told.value == f'{{"position_ms":{MIN_MS},"note":"heard there","length_ms":30000}}'
    assert facts(synced) == {}


def test_bookmarks_of_another_kind_are_left_out(synced: Library) -> None:
    key = KEY.format(0)[:-1] + ",1000]"
    for value in ("7", "[]", '{"position_ms": -1}', '{"position_ms": "a"}', '{"note": "a"}', "["):
        assert pull(synced, star(0, value, kind=FactKind.BOOKMARK, key=key)) == Taken()
    for odd in (KEY.format(0), KEY.format(0)[:-1] + ",true]", KEY.format(0)[:-1] + ",-1]"):
        assert pull(synced, star(0, '{"position_ms": 1}', kind=FactKind.BOOKMARK, key=odd)) == Taken()
    wanted = star(0, '{"position_ms": 1, "note": "a\\u001bb", "later": 1}', kind=FactKind.BOOKMARK, key=key)
    assert pull(synced, wanted).others
    assert synced.bookmarks.all()[0].note == "ab"


def test_segments_come_change_and_go_on_both_devices(synced: Library, ids: Ids, phone: tuple[Library, Ids]) -> None:
    other, theirs = phone
    made = synced.segments.mark(ids[1], MIN_MS, 2 * MIN_MS, SegmentKind.SPONSOR)
    synced.segments.set_sound(made.id, b"sound")
    synced.segments.put_found(ids[2], [(made.id, 0, MIN_MS)])
    exchange(synced, other)
    (there,) = other.segments.all(found=True)
    assert (there.episode_id, there.start_ms, there.end_ms, there.kind, there.found) == (
        theirs[1], MIN_MS, 2 * MIN_MS, SegmentKind.SPONSOR, False,
    )  # fmt: skip
    assert there.created_at == made.created_at
    assert other.segments.sound(there.id) is None
    assert facts(other) == {}
    other.segments.change(there.id, SegmentKind.INTRO)
    exchange(synced, other)
    assert synced.segments.get(made.id).kind is SegmentKind.INTRO
    assert synced.segments.sound(made.id) == b"sound"
    synced.segments.delete([made.id])
    exchange(synced, other)
    assert other.segments.all() == synced.segments.all() == []
    assert facts(synced) == facts(other) == {}


def test_what_moves_with_its_sound_here_stays_where_it_was_made_elsewhere(
    synced: Library, ids: Ids, phone: tuple[Library, Ids]
) -> None:
    """Each device has bytes of its own."""
    other, theirs = phone
    for one in ids[1:3]:
        synced.progress.save(one, 2 * MIN_MS, None, NOW, version="A")
    synced.bookmarks.put(ids[1], Moment(MIN_MS, note="Here"))
    synced.segments.mark(ids[2], MIN_MS, 2 * MIN_MS, SegmentKind.SPONSOR)
    exchange(synced, other)
    for one in ids[1:3]:
        synced.audio.move(one, "A", "B", lambda ms: ms + 34_000)
    assert facts(synced) == {}
    assert [action.position_ms for _number, action in synced.syncing.outgoing(1000, ALL).actions] == 2 * [2 * MIN_MS]
    other.bookmarks.put(theirs[1], Moment(MIN_MS, note="There"))
    other.segments.change(other.segments.all()[0].id, SegmentKind.INTRO)
    exchange(synced, other)
    for library, moved_ms in ((synced, 34_000), (other, 0)):
        (bookmark,), (segment,) = library.bookmarks.all(), library.segments.all()
        assert (bookmark.position_ms, bookmark.note) == (MIN_MS + moved_ms, "There")
        assert (segment.start_ms, segment.end_ms) == (MIN_MS + moved_ms, 2 * MIN_MS + moved_ms)
        assert segment.kind is SegmentKind.INTRO
    synced.bookmarks.put(ids[1], Moment(MIN_MS + 34_500))
    exchange(synced, other)
    assert other.bookmarks.all()[0].position_ms == MIN_MS + 34_500, "made anew"
    assert facts(synced) == facts(other) == {}


def test_segments_of_another_kind_are_left_out(synced: Library) -> None:
    key = KEY.format(0)[:-1] + ",1000]"
    for value in (
        "7", "[]", '{"kind": "intro"}', '{"kind": "song", "start_ms": 0, "end_ms": 9000}',
        '{"kind": "intro", "start_ms": -1, "end_ms": 9000}', '{"kind": "intro", "start_ms": 9000, "end_ms": 0}',
        '{"kind": "intro", "start_ms": 0, "end_ms": 3600001}', "[" * 5_000,
    ):  # fmt: skip
        assert pull(synced, star(0, value, kind=FactKind.SEGMENT, key=key)) == Taken()
    wanted = star(0, '{"kind": "intro", "start_ms": 0, "end_ms": 9000, "later": 1}', kind=FactKind.SEGMENT, key=key)
    assert pull(synced, wanted).segments
    assert synced.segments.all()[0].kind is SegmentKind.INTRO


def test_settings_of_another_kind_are_left_out(synced: Library, podcast: Podcast) -> None:
    bad = '{"settings": {"speed": "fast", "gain_db": 1e9, "view": 7, "new": 1}, "tags": ["a\\u001b]0;b"], "later": 1}'
    fact = Fact(FactKind.SETTINGS, URL, bad, ms(NOW + MINUTE), "phone")
    for value in ("7", "[]", '{"tags": "a"}', "{", "[" * 5_000):
        assert pull(synced, replace(fact, value=value)) == Taken()
    assert pull(synced, fact).arranged == (podcast.id,)
    assert synced.podcast_settings.get(podcast.id) == PodcastSettings(gain_db=MOST_GAIN_DB)
    assert "\x1b" not in "".join(synced.podcasts.get(podcast.id).tags)


def test_a_server_is_not_told(library: Library, ids: Ids) -> None:
    library.syncing.set_account(SERVER)
    library.episodes.set_starred([ids[0]], True)
    library.queue.add_last([ids[1]])
    assert facts(library) == {}


@pytest.mark.parametrize("key", ["", "[]", "nonsense", '["a","b"]', "[" * 9000, '["file:///x","","guid-0"]', "7"])
def test_nonsense_is_left_out(synced: Library, ids: Ids, key: str) -> None:
    assert pull(synced, star(0, key=key), star(0, "false"), queued(0, "first"), queued(1, "1e999")) == Taken()


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=40), st.text(max_size=10))
def test_no_key_and_no_value_is_a_problem(key: str, value: str) -> None:
    from player.library.syncing.facts import _possible

    assert not _possible(Fact(FactKind.STAR, key, value, 1, "phone"))


def new(library: Library) -> list[EpisodeId]:
    return [EpisodeId(one) for one in library.inbox.ids()]


def dismiss(library: Library, ids: list[EpisodeId]) -> None:
    with library.acts.recorded(ActKind.DISMISSED, ids, Part.INBOX):
        library.inbox.remove(ids)


def test_what_was_dismissed_is_new_on_no_device_until_that_is_undone(
    synced: Library, ids: Ids, phone: tuple[Library, Ids]
) -> None:
    other, theirs = phone
    synced.inbox.add(ids[:3])
    other.inbox.add(theirs[:3])
    dismiss(synced, [ids[0], ids[1]])
    exchange(synced, other)
    assert (new(synced), new(other)) == ([ids[2]], [theirs[2]])
    synced.acts.undo()
    exchange(synced, other)
    assert (new(synced), new(other)) == (list(ids[:3]), list(theirs[:3]))
    synced.acts.redo()
    exchange(synced, other)
    assert (new(synced), new(other)) == ([ids[2]], [theirs[2]])
    assert facts(synced) == facts(other) == {}
    synced.check()
    other.check()


def test_an_episode_dismissed_elsewhere_does_not_arrive_as_new(synced: Library, podcast: Podcast, ids: Ids) -> None:
    pull(synced, star(-1, kind=FactKind.DISMISSED))
    apply_feed(synced, podcast, *(episode(number) for number in range(-2, 5)))
    assert [row.title for row in synced.episodes.rows(synced.inbox.ids())] == ["Episode -2", "Episode 0"]
    assert not pull(synced).inbox


def test_arriving_is_no_decision_and_hearing_is_said_by_the_position(synced: Library, ids: Ids) -> None:
    synced.inbox.add(ids[:2])
    synced.progress.start(ids[0])
    synced.progress.save(ids[0], 60_000, 1_800_000, NOW)
    assert facts(synced) == {}
    assert pull(synced, star(1, kind=FactKind.DISMISSED)).inbox
    assert new(synced) == []


def test_what_was_dismissed_before_the_devices_met_is_said_as_far_as_it_can_be_undone(
    library: Library, podcast: Podcast, ids: Ids
) -> None:
    library.inbox.add(ids[:2])
    dismiss(library, [ids[0]])
    library.syncing.set_account(FOLDER)
    assert [(fact.kind, fact.key, fact.value) for fact in facts(library).values()] == [
        (FactKind.DISMISSED, KEY.format(0), "true")
    ]
