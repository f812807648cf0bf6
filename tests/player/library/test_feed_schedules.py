"""What a feed's last answer says about the next question is kept."""

from datetime import UTC, datetime

from player.library import Library
from player.model.feed import Visit
from player.model.podcast import PodcastId

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_a_feed_never_asked_has_an_empty_visit(library: Library) -> None:
    podcast = library.podcasts.add("https://example.com/feed")
    assert library.visits.get(podcast.id) == Visit()


def test_all_of_a_visit_is_kept(library: Library) -> None:
    podcast = library.podcasts.add("https://example.com/feed")
    visit = Visit(NOON, NOON, NOON, 3, True, "abc", "https://example.com/feed?page=2", True)
    library.visits.note(podcast.id, Visit())
    library.visits.note(podcast.id, visit)
    assert library.visits.get(podcast.id) == visit
    assert library.visits.all() == {podcast.id: visit}


def test_a_visit_goes_with_its_podcast(library: Library) -> None:
    podcast = library.podcasts.add("https://example.com/feed")
    library.visits.note(podcast.id, Visit())
    library.podcasts.remove(podcast.id)
    library.visits.note(podcast.id, Visit())
    library.visits.note(PodcastId(999), Visit())
    assert library.visits.all() == {}


def test_a_subscription_moves_unless_another_stands_there(library: Library) -> None:
    here = library.podcasts.add("https://example.com/feed")
    there = library.podcasts.add("https://example.com/other")
    assert not library.podcasts.move(here.id, "http://example.com/other/")
    assert library.podcasts.move(here.id, "https://example.com/new")
    assert library.podcasts.move(here.id, "https://example.com/new")
    assert library.podcasts.get(here.id).url == "https://example.com/new"
    assert library.podcasts.by_url("https://example.com/feed") is None
    assert library.podcasts.get(there.id).url == "https://example.com/other"
