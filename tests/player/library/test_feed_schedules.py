"""What a feed's last answer says about the next question is kept."""

from datetime import UTC, datetime

from player.library import Library
from player.model.feed import FeedSchedule
from player.model.podcast import PodcastId

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_a_feed_never_asked_has_an_empty_visit(library: Library) -> None:
    podcast = library.podcasts.add("https://example.com/feed")
    assert library.feed_schedules.get(podcast.id) == FeedSchedule()


def test_all_of_a_visit_is_kept(library: Library) -> None:
    podcast = library.podcasts.add("https://example.com/feed")
    visit = FeedSchedule(NOON, NOON, NOON, 3, True, "abc", "https://example.com/feed?page=2", True)
    library.feed_schedules.note(podcast.id, FeedSchedule())
    library.feed_schedules.note(podcast.id, visit)
    assert library.feed_schedules.get(podcast.id) == visit
    assert library.feed_schedules.all() == {podcast.id: visit}


def test_a_visit_goes_with_its_podcast(library: Library) -> None:
    podcast = library.podcasts.add("https://example.com/feed")
    library.feed_schedules.note(podcast.id, FeedSchedule())
    library.podcasts.remove(podcast.id)
    library.feed_schedules.note(podcast.id, FeedSchedule())
    library.feed_schedules.note(PodcastId(999), FeedSchedule())
    assert library.feed_schedules.all() == {}


def test_a_subscription_moves_unless_another_stands_there(library: Library) -> None:
    here = library.podcasts.add("https://example.com/feed")
    there = library.podcasts.add("https://example.com/other")
    assert not library.podcasts.move(here.id, "http://example.com/other/")
    assert library.podcasts.move(here.id, "https://example.com/new")
    assert library.podcasts.move(here.id, "https://example.com/new")
    assert library.podcasts.get(here.id).url == "https://example.com/new"
    assert library.podcasts.by_url("https://example.com/feed") is None
    assert library.podcasts.get(there.id).url == "https://example.com/other"
