"""Bookmarks: kept beyond their episode, never double, and undone as any other act."""

import pytest

from player.errors import NotFound
from player.library import Library
from player.library.listening.bookmarks import LONGEST_NOTE
from player.model.episode import EpisodeId
from player.model.listening import ActKind, Bookmark, BookmarkId, Moment, Part
from player.model.podcast import Podcast
from tests.player.library.helpers import URL, apply_feed, episode

Ids = tuple[EpisodeId, ...]


def bookmark(library: Library, episode_id: EpisodeId, position_ms: int, note: str = "") -> Bookmark:
    near = library.bookmarks.near(episode_id, position_ms)
    with library.acts.recorded_bookmarks(ActKind.BOOKMARKED, [near.id] if near else []):
        return library.bookmarks.put(episode_id, Moment(position_ms, note=note)).bookmark


def delete(library: Library, *ids: BookmarkId) -> list[BookmarkId]:
    with library.acts.recorded_bookmarks(ActKind.BOOKMARK_DELETED, ids):
        return library.bookmarks.delete(ids)


def positions(library: Library) -> list[int]:
    return sorted(one.position_ms for one in library.bookmarks.all())


def test_a_bookmark_has_all_that_is_shown_of_it(library: Library, ids: Ids) -> None:
    put = library.bookmarks.put(ids[1], Moment(754_321, "The  middle\n", "as I\x1b said", "look this up"))
    (found,) = library.bookmarks.all()
    assert found == put.bookmark
    assert put.before is None
    assert (found.episode_id, found.position_ms) == (ids[1], 754_321)
    assert (found.chapter, found.note) == ("The middle", "look this up")
    assert "\x1b" not in found.line
    assert (found.episode, found.podcast, found.link) == ("Episode 1", "A show", "https://example.org/1")


def test_without_a_page_the_link_is_the_audio(library: Library, podcast: Podcast) -> None:
    (only,) = apply_feed(library, podcast, episode(7, link="")).new
    assert library.bookmarks.put(only, Moment(0)).bookmark.link == "https://example.org/7.mp3"


def test_a_renamed_podcast_is_named_as_the_listener_does(library: Library, podcast: Podcast, ids: Ids) -> None:
    with library._connected.writing() as connection:
        connection.execute("UPDATE podcasts SET own_title = 'My show'")
    assert library.bookmarks.put(ids[0], Moment(0)).bookmark.podcast == "My show"


def test_within_two_seconds_it_is_the_same_bookmark(library: Library, ids: Ids) -> None:
    first = library.bookmarks.put(ids[0], Moment(10_000, note="mine")).bookmark
    again = library.bookmarks.put(ids[0], Moment(12_000, chapter="Two"))
    assert again.before == first
    assert (again.bookmark.id, again.bookmark.position_ms) == (first.id, 12_000)
    assert (again.bookmark.chapter, again.bookmark.note) == ("Two", "mine")
    library.bookmarks.put(ids[0], Moment(14_001))
    library.bookmarks.put(ids[1], Moment(12_000))
    assert positions(library) == [12_000, 12_000, 14_001]


def test_a_clip_and_a_moment_are_never_the_same_bookmark(library: Library, ids: Ids) -> None:
    library.bookmarks.put(ids[0], Moment(10_000, note="a moment"))
    clip = library.bookmarks.put(ids[0], Moment(10_000, note="a clip", length_ms=30_000)).bookmark
    assert (clip.note, clip.length_ms, clip.end_ms) == ("a clip", 30_000, 40_000)
    moved = library.bookmarks.put(ids[0], Moment(11_500, length_ms=29_000))
    assert (moved.bookmark.id, moved.bookmark.note, moved.bookmark.end_ms) == (clip.id, "a clip", 40_500)
    other_end = library.bookmarks.put(ids[0], Moment(11_500, length_ms=20_000))
    assert other_end.before is None
    assert [(one.position_ms, one.length_ms) for one in library.bookmarks.of_episode(ids[0])] == [
        (10_000, 0),
        (11_500, 29_000),
        (11_500, 20_000),
    ]


def test_a_clip_that_was_changed_or_deleted_gets_its_length_back(library: Library, ids: Ids) -> None:
    with library.acts.recorded_bookmarks(ActKind.BOOKMARKED):
        clip = library.bookmarks.put(ids[0], Moment(10_000, length_ms=30_000)).bookmark
    with library.acts.recorded_bookmarks(ActKind.BOOKMARKED, [clip.id]):
        library.bookmarks.put(ids[0], Moment(10_000, length_ms=31_000))
    delete(library, clip.id)
    lengths = []
    for _act in range(3):
        library.acts.undo()
        lengths.append([one.length_ms for one in library.bookmarks.all()])
    assert lengths == [[31_000], [30_000], []]


def test_of_two_near_ones_the_nearest_is_updated(library: Library, ids: Ids) -> None:
    library.bookmarks.put(ids[0], Moment(10_000))
    library.bookmarks.put(ids[0], Moment(13_000))
    library.bookmarks.put(ids[0], Moment(11_600))
    assert positions(library) == [10_000, 11_600]


def test_they_are_listed_by_episode_and_all_together(library: Library, ids: Ids) -> None:
    for number, ms in ((0, 50_000), (1, 1_000), (0, 20_000)):
        library.bookmarks.put(ids[number], Moment(ms))
    assert [one.position_ms for one in library.bookmarks.of_episode(ids[0])] == [20_000, 50_000]
    assert [one.position_ms for one in library.bookmarks.all()] == [20_000, 1_000, 50_000]


def test_a_bookmark_outlives_its_podcast_and_finds_it_again(library: Library, podcast: Podcast, ids: Ids) -> None:
    kept = library.bookmarks.put(ids[2], Moment(5_000)).bookmark
    library.podcasts.remove(podcast.id)
    (gone,) = library.bookmarks.all()
    assert gone.episode_id is None
    assert (gone.episode, gone.podcast, gone.link) == (kept.episode, kept.podcast, kept.link)
    again = library.podcasts.add(URL, "A show")
    found = apply_feed(library, again, *(episode(number) for number in range(5))).new
    assert library.bookmarks.get(kept.id).episode_id == found[2]
    assert [one.id for one in library.bookmarks.of_episode(found[2])] == [kept.id]
    assert library.bookmarks.put(found[2], Moment(6_000)).bookmark.id == kept.id


def test_another_podcast_with_the_same_guid_is_not_its_own(library: Library, podcast: Podcast, ids: Ids) -> None:
    library.bookmarks.put(ids[2], Moment(5_000))
    library.podcasts.remove(podcast.id)
    other = library.podcasts.add("https://example.net/other.xml", "Another")
    found = apply_feed(library, other, *(episode(number) for number in range(5))).new
    assert library.bookmarks.all()[0].episode_id is None
    assert library.bookmarks.of_episode(found[2]) == []


def test_an_episode_that_is_gone_cannot_be_bookmarked(library: Library) -> None:
    with pytest.raises(NotFound):
        library.bookmarks.put(EpisodeId(99), Moment(0))
    with pytest.raises(NotFound):
        library.bookmarks.get(BookmarkId(99))
    assert library.bookmarks.delete([BookmarkId(99)]) == []


def test_a_note_without_end_is_cut(library: Library, ids: Ids) -> None:
    assert len(library.bookmarks.put(ids[0], Moment(0, note="word " * 9_000)).bookmark.note) <= LONGEST_NOTE


def test_making_one_is_undone_and_redone(library: Library, ids: Ids) -> None:
    made = bookmark(library, ids[0], 9_000)
    undone = library.acts.undo()
    assert undone
    assert (undone.act.kind, undone.act.count, undone.act.title) == (ActKind.BOOKMARKED, 1, "Episode 0")
    assert undone.parts == {Part.BOOKMARKS}
    assert library.bookmarks.all() == []
    assert library.acts.redo()
    assert library.bookmarks.all() == [made]
    assert library.acts.redo() is None


def test_an_update_is_undone_to_what_it_was(library: Library, ids: Ids) -> None:
    before = bookmark(library, ids[0], 9_000, "first")
    after = bookmark(library, ids[0], 9_500, "second")
    assert before.id == after.id
    library.acts.undo()
    assert library.bookmarks.all() == [before]
    library.acts.redo()
    assert library.bookmarks.all() == [after]


def test_deleting_is_undone_also_when_the_podcast_went_since(library: Library, podcast: Podcast, ids: Ids) -> None:
    one, other = bookmark(library, ids[0], 1_000), bookmark(library, ids[1], 2_000)
    assert delete(library, one.id, other.id) == [one.id, other.id]
    library.acts.undo()
    assert library.bookmarks.all() == [other, one]
    delete(library, one.id)
    library.podcasts.remove(podcast.id)
    undone = library.acts.undo()
    assert undone
    assert (undone.act.kind, undone.act.title) == (ActKind.BOOKMARK_DELETED, "Episode 0")
    assert library.bookmarks.get(one.id).episode_id is None
    assert positions(library) == [1_000, 2_000]


def test_what_changes_nothing_is_no_act(library: Library, ids: Ids) -> None:
    bookmark(library, ids[0], 1_000)
    bookmark(library, ids[0], 1_000)
    delete(library, BookmarkId(77))
    library.acts.undo()
    assert library.bookmarks.all() == []
    assert library.acts.undo() is None


def test_an_act_on_episodes_leaves_bookmarks_alone(library: Library, ids: Ids) -> None:
    made = bookmark(library, ids[0], 1_000)
    with library.acts.recorded(ActKind.STARRED, ids, Part.STARRED):
        library.episodes.set_starred(ids, True)
    library.acts.undo()
    assert library.bookmarks.all() == [made]
    library.check()
