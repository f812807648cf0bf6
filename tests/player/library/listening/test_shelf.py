"""Tags, titles of one's own and pins: what a listener makes of podcasts, which no refresh takes away."""

import pytest

from player.errors import NotFound
from player.library import Library
from player.library.listening.queue import QueueOrder
from player.model.episode import EpisodeId
from player.model.filters import EpisodeFilter, View
from player.model.listening import ActKind, Moment, Part
from player.model.podcast import Podcast, PodcastId
from player.text.typed_names import MOST_TAGS
from tests.player.library.helpers import URL, apply_feed, episode


def _titles(library: Library) -> list[str]:
    return [one.title for one in library.podcasts.all()]


def _rename(library: Library, podcast: Podcast, title: str) -> None:
    with library.acts.recorded_podcasts(ActKind.RENAMED, [podcast.id], Part.TITLE):
        library.shelf.rename(podcast.id, title)


# -- tags -----------------------------------------------------------------------------------------------------


def test_a_podcast_has_its_tags_in_order_of_the_alphabet(library: Library, podcast: Podcast) -> None:
    library.shelf.set_tags(podcast.id, ["work", " Écoute ", "  two   words", "WORK", ""])
    assert library.podcasts.get(podcast.id).tags == ("Écoute", "two words", "work")
    assert library.shelf.tags() == {podcast.id: ("Écoute", "two words", "work")}


def test_a_tag_is_spelled_as_with_the_other_podcasts(library: Library, podcast: Podcast) -> None:
    other = library.podcasts.add("https://example.org/other")
    library.shelf.set_tags(podcast.id, ["Café"])
    assert library.shelf.set_tags(other.id, ["cafe", "new"]) == ("Café", "new")


def test_tags_can_be_written_apart_and_found_again_whatever_they_are(library: Library, podcast: Podcast) -> None:
    hostile = ["a,b", "/News/", 'say "hi"', "\x1b[31mred\x07", "x" * 5000, " / ", ",", "\u0301", "two\nlines"]
    tags = library.shelf.set_tags(podcast.id, hostile)
    assert tags == ("a b", "News", "say 'hi'", "[31mred", "x" * 79 + "…", "two lines")
    assert set(library.podcasts.get(podcast.id).tags) == set(tags)
    for tag in tags:
        assert library.episodes.with_podcasts(EpisodeFilter(tags=(tag,))) == EpisodeFilter(
            podcasts=frozenset({podcast.id})
        )


def test_a_podcast_has_no_more_tags_than_can_be_shown(library: Library, podcast: Podcast) -> None:
    assert len(library.shelf.set_tags(podcast.id, map(str, range(10_000)))) == MOST_TAGS


# -- titles ---------------------------------------------------------------------------------------------------


def test_a_podcast_goes_by_the_title_that_it_was_given(library: Library, podcast: Podcast) -> None:
    new = apply_feed(library, podcast, episode(0)).new
    library.shelf.rename(podcast.id, "  Zoo \x1b news ")
    renamed = library.podcasts.get(podcast.id)
    assert (renamed.title, renamed.feed_title, renamed.own_title) == ("Zoo news", "A show", "Zoo news")
    assert library.episodes.get(new[0]).podcast == "Zoo news"
    assert _titles(library)[-1] == "Zoo news"


def test_no_refresh_takes_the_title_away(library: Library, podcast: Podcast) -> None:
    library.shelf.rename(podcast.id, "Zoo")
    apply_feed(library, podcast, episode(0), title="A new title")
    renamed = library.podcasts.get(podcast.id)
    assert (renamed.title, renamed.feed_title) == ("Zoo", "A new title")
    assert _titles(library)[-1] == "Zoo"
    library.shelf.rename(podcast.id, "")
    assert library.podcasts.get(podcast.id).title == "A new title"
    assert _titles(library)[0] == "A new title"


def test_the_feeds_own_title_is_no_title_of_the_listeners(library: Library, podcast: Podcast) -> None:
    library.shelf.rename(podcast.id, "A show")
    assert library.podcasts.get(podcast.id).own_title == ""


@pytest.mark.parametrize("words", ["zoo", "ZOO NEWS", "a sho", "A SHOW"])
def test_a_renamed_podcast_is_found_by_either_title(library: Library, podcast: Podcast, words: str) -> None:
    apply_feed(library, podcast, episode(0))
    library.shelf.rename(podcast.id, "Zoo news")
    assert library.podcasts.find(words).id == podcast.id
    named = EpisodeFilter(podcast_titles=(words,))
    assert library.episodes.with_podcasts(named) == EpisodeFilter(podcasts=frozenset({podcast.id}))
    assert len(library.listing(View(filter=named))) == 1
    assert [one.id for one in library.podcasts.named(words, 9)] == [podcast.id]


def test_what_is_sorted_by_podcast_goes_by_the_listeners_titles(library: Library, podcast: Podcast) -> None:
    other = library.podcasts.add("https://example.org/other", "B show")
    first = apply_feed(library, podcast, episode(0)).new
    second = apply_feed(library, other, episode(1), title="B show").new
    library.queue.add_last([*first, *second])
    library.shelf.rename(podcast.id, "Zoo")
    library.queue.sort(QueueOrder.PODCAST)
    assert list(library.queue.ids()) == [*second, *first]


def test_a_bookmark_names_its_podcast_as_it_is_called_now(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    podcast_id = library.episodes.get(ids[0]).podcast_id
    library.bookmarks.put(ids[0], Moment(1000))
    library.shelf.rename(podcast_id, "Zoo")
    assert [one.podcast for one in library.bookmarks.all()] == ["Zoo"]
    library.podcasts.remove(podcast_id)
    assert [one.podcast for one in library.bookmarks.all()] == ["A show"]


# -- pins -----------------------------------------------------------------------------------------------------


def test_pinned_podcasts_stand_first_by_title(library: Library, podcast: Podcast) -> None:
    other = library.podcasts.add("https://example.org/other", "Zoo")
    for one in (other, podcast):
        library.shelf.set_pinned(one.id, True)
    assert _titles(library) == ["A show", "Zoo", "Welcome to Earmark"]
    library.shelf.set_pinned(podcast.id, False)
    assert _titles(library)[:2] == ["Zoo", "A show"]


# -- taking back ----------------------------------------------------------------------------------------------


def test_each_act_is_undone_and_redone_alone(library: Library, podcast: Podcast) -> None:
    with library.acts.recorded_podcasts(ActKind.TAGGED, [podcast.id], Part.TAGS):
        library.shelf.set_tags(podcast.id, ["work"])
    _rename(library, podcast, "Zoo")
    with library.acts.recorded_podcasts(ActKind.PINNED, [podcast.id], Part.PIN):
        library.shelf.set_pinned(podcast.id, True)
    arranged = library.podcasts.get(podcast.id)
    undone_acts = []
    while undone := library.acts.undo():
        assert undone.arranged == (podcast.id,)
        undone_acts.append((undone.act.kind, undone.act.title))
    assert undone_acts == [(ActKind.PINNED, "Zoo"), (ActKind.RENAMED, "A show"), (ActKind.TAGGED, "A show")]
    assert library.podcasts.get(podcast.id) == podcast
    assert library.podcasts.find("a show") == podcast
    while library.acts.redo():
        pass
    assert library.podcasts.get(podcast.id) == arranged
    assert library.podcasts.find("zoo") == arranged


def test_undoing_a_title_leaves_tags_that_came_later(library: Library, podcast: Podcast) -> None:
    _rename(library, podcast, "Zoo")
    library.shelf.set_tags(podcast.id, ["later"])
    library.acts.undo()
    back = library.podcasts.get(podcast.id)
    assert (back.title, back.tags) == ("A show", ("later",))


def test_undoing_a_title_shows_what_the_feed_says_by_now(library: Library, podcast: Podcast) -> None:
    _rename(library, podcast, "Zoo")
    apply_feed(library, podcast, episode(0), title="A new title")
    library.acts.undo()
    assert library.podcasts.find("a new title").title == "A new title"


def test_what_changes_nothing_is_no_act(library: Library, podcast: Podcast) -> None:
    _rename(library, podcast, "A show")
    with library.acts.recorded_podcasts(ActKind.TAGGED, [podcast.id], Part.TAGS):
        library.shelf.set_tags(podcast.id, [" , "])
    assert library.acts.last() is None


def test_undoing_what_was_done_to_a_podcast_that_is_gone_changes_nothing(library: Library, podcast: Podcast) -> None:
    _rename(library, podcast, "Zoo")
    library.podcasts.remove(podcast.id)
    undone = library.acts.undo()
    assert undone
    assert undone.arranged == ()


def test_unsubscribing_keeps_tags_title_and_pin_for_undo(library: Library, podcast: Podcast) -> None:
    library.shelf.set_tags(podcast.id, ["work"])
    library.shelf.set_pinned(podcast.id, True)
    _rename(library, podcast, "Zoo")
    arranged = library.podcasts.get(podcast.id)
    library.acts.unsubscribe(podcast.id)
    assert library.podcasts.by_url(URL) is None
    library.acts.undo()
    assert library.podcasts.get(podcast.id) == arranged
    library.acts.undo()
    assert library.podcasts.get(podcast.id).title == "A show"


def test_a_podcast_that_is_gone_is_named(library: Library) -> None:
    nobody = PodcastId(999)
    for act in (
        lambda: library.shelf.set_tags(nobody, ["work"]),
        lambda: library.shelf.rename(nobody, "Zoo"),
        lambda: library.shelf.set_pinned(nobody, True),
    ):
        with pytest.raises(NotFound, match="no longer in the library"):
            act()
