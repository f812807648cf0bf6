"""Podcasts that are opened without subscribing: no list, count, search or command has them, and nothing is lost."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from msgspec.structs import replace

from player.errors import AlreadySubscribed, NotFound
from player.library import Library
from player.library.attachments import Attachment, AttachmentKind
from player.library.search.query import Names
from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedState
from player.model.filters import Order, State, View, ViewName
from player.model.listening import ListeningSpan
from player.model.podcast import Podcast
from tests.player.library.helpers import NEWEST, apply_feed, by_guid, episode

FOUND = "https://example.com/found.xml"
PEOPLE = '{"person": [{"name": "Ada Lovelace"}]}'
OWN = (ViewName.LIST, ViewName.TAG, ViewName.BOOKMARKS, ViewName.HISTORY, ViewName.PODCAST)
VIEWS = [
    (View.of(name, title=title, states=states), order)
    for name, title, states, order in product(
        [one for one in ViewName if one not in OWN],
        ("", "episode", "show"),
        ((), (State.UNPLAYED,), (State.PLAYED,)),
        (None, Order.NEWEST, Order.OLDEST, Order.LONGEST),
    )
]


@pytest.fixture
def preview(library: Library, ids: tuple[EpisodeId, ...]) -> Podcast:
    """Older and newer than the subscription of `ids`, with people in it."""
    assert ids
    found = library.previews.add(FOUND, "Found show")
    some = tuple(episode(number, guid=f"found-{number}", extra=PEOPLE) for number in range(-3, 9))
    feed = Feed(title="Found show", extra=PEOPLE, episodes=some)
    library.podcasts.apply(found.id, feed, FeedState(), by_guid)
    return library.podcasts.get(found.id)


def episodes_of(library: Library, podcast: Podcast) -> list[EpisodeId]:
    listing = library.listing(View.of(ViewName.PODCAST, podcast.id))
    return [EpisodeId(one) for one in listing.page(0, len(listing))]


def everything(library: Library) -> dict[str, object]:
    """What every list, count and search shows, from both ends."""
    seen: dict[str, object] = {}
    for view, order in VIEWS:
        listing = library.listing(view if order is None else replace(view, order=order))
        size = len(listing)
        seen[f"{view} {order}"] = (listing.page(0, size + 9).tolist(), listing.page(max(0, size - 2), 9).tolist())
    seen["counts"] = library.episodes.counts()
    seen["podcasts"] = [one.id for one in library.podcasts.all()]
    seen["named"] = [one.id for one in library.podcasts.named("show", 9)]
    seen["newest"] = library.podcasts.newest()
    seen["names"] = Names.of(library.podcasts.all(), library.shelf.tags().values())
    seen["people"] = library.statistics.episodes_with("Ada Lovelace")
    library.search.catch_up()
    for words in ("notes", "title:episode", "podcast:show", "show", "is:unplayed", "sort:oldest", "tag:work"):
        for best in (False, True):
            seen[f"search {words} {best}"] = library.search.find(words, 50, best=best).ids.tolist()
    seen["left"] = library.search.left()
    smart = library.lists.all() or [library.lists.add("All", "is:unplayed")]
    seen["smart"] = library.listing(View.of_list(smart[0].id)).page(0, 99).tolist()
    return seen


def test_all_lists_counts_and_searches_are_as_without_previews(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    library.episodes.set_starred(ids[1:3], True)
    library.episodes.set_played(ids[2:4], True)
    library.progress.save(ids[4], 5_000, None, NEWEST)
    before = everything(library)
    found = library.previews.add(FOUND, "Found show")
    apply_feed(library, found, *(episode(one, guid=f"found-{one}", extra=PEOPLE) for one in range(-3, 9)))
    theirs = episodes_of(library, found)
    assert len(theirs) == 12
    library.episodes.set_starred(theirs[:2], True)
    library.episodes.set_played(theirs[1:3], True)
    library.progress.save(theirs[4], 5_000, None, NEWEST)
    library.shelf.set_tags(found.id, ["work"])
    assert everything(library) == before
    with pytest.raises(NotFound):
        library.podcasts.find("Found show")
    with pytest.raises(NotFound):
        library.podcasts.find(str(found.id))
    with pytest.raises(NotFound):
        library.episodes.find("Episode 8")


def test_what_plays_on_in_a_list_never_comes_to_a_preview(
    library: Library, ids: tuple[EpisodeId, ...], preview: Podcast
) -> None:
    assert preview.previewed
    for view in (View(), View.of(ViewName.STARRED), View.of(ViewName.ALL, title="episode")):
        library.episodes.set_starred([*ids, *episodes_of(library, preview)], True)
        library.continued.set(view, newest_first=True)
        assert library.continued.next_ids(view, ids[0], 99).tolist() == list(ids[1:])
        assert library.continued.next_of(view, ids[0], newest_first=False) is None


def test_its_own_list_has_all_of_it_in_order(library: Library, preview: Podcast) -> None:
    titles = [one.title for one in library.episodes.rows(episodes_of(library, preview))]
    assert titles == [f"Episode {number}" for number in range(-3, 9)]
    assert (preview.episode_count, preview.unplayed_count) == (12, 12)
    view = View.of(ViewName.PODCAST, preview.id, title="episode 8")
    assert len(library.listing(view)) == 1


def test_subscribing_keeps_all_that_was_done_and_brings_the_newest(
    library: Library, ids: tuple[EpisodeId, ...], preview: Podcast
) -> None:
    theirs = episodes_of(library, preview)
    library.progress.save(theirs[5], 77_000, None, NEWEST)
    library.episodes.set_starred(theirs[6:7], True)
    library.episodes.set_played(theirs[7:8], True)
    library.search.catch_up()
    landed = library.previews.subscribe(preview.id)
    assert landed.inbox
    assert [row for row in library.listing(View.of(ViewName.NEW)).page(0, 9) if row in theirs] == theirs[:1]
    podcast = library.podcasts.get(preview.id)
    assert not podcast.previewed
    assert podcast in library.podcasts.all()
    rows = library.episodes.rows(theirs)
    assert (rows[5].position_ms, rows[6].starred, rows[7].played) == (77_000, True, True)
    merged = library.listing(View())
    in_order = library.episodes.rows(merged.page(0, len(merged)))
    dates = [one.published for one in in_order if one.published]
    assert dates == sorted(dates, reverse=True)
    assert {*theirs, *ids} <= {one.id for one in in_order}
    assert library.search.catch_up()
    assert set(theirs) <= set(library.search.find("notes", 99).ids)
    assert not library.previews.subscribe(preview.id).inbox, "it is a subscription already"


def test_adding_its_address_subscribes_to_it(library: Library, preview: Podcast) -> None:
    assert library.podcasts.by_url(FOUND) is None
    podcast = library.podcasts.add(FOUND)
    assert (podcast.id, podcast.previewed) == (preview.id, False)
    assert library.previews.by_url(FOUND) is None
    with pytest.raises(AlreadySubscribed):
        library.podcasts.add(FOUND)
    assert library.previews.add(FOUND, "x") == podcast, "a subscription never becomes a preview"


def test_a_preview_that_was_heard_to_the_newest_brings_nothing_old(library: Library, preview: Podcast) -> None:
    library.episodes.set_played(episodes_of(library, preview)[:1], True)
    before = len(library.inbox)
    assert not library.previews.subscribe(preview.id).inbox
    assert len(library.inbox) == before


def test_reading_the_feed_again_brings_what_is_new_and_nothing_to_the_inbox(library: Library, preview: Podcast) -> None:
    before = len(library.inbox)
    more = [episode(number, guid=f"found-{number}", extra=PEOPLE) for number in range(-4, 9)]
    more[5] = episode(1, guid="found-1", title="Another title", extra=PEOPLE)
    assert len(apply_feed(library, preview, *more).new) == 1
    titles = [one.title for one in library.episodes.rows(episodes_of(library, preview))]
    assert titles == ["Episode -4", "Episode -3", "Episode -2", "Episode -1", "Episode 0", "Another title"] + [
        f"Episode {number}" for number in range(2, 9)
    ]
    assert len(library.inbox) == before


def test_episodes_without_dates_stay_in_the_order_of_the_feed(library: Library) -> None:
    found = library.previews.add(FOUND, "")
    apply_feed(library, found, *(episode(number, published=None) for number in range(5)))
    apply_feed(library, found, *(episode(number, published=None) for number in range(-2, 5)))
    titles = [one.title for one in library.episodes.rows(episodes_of(library, found))]
    assert titles == [f"Episode {number}" for number in range(-2, 5)]
    library.previews.subscribe(found.id)
    assert [one.title for one in library.episodes.rows(episodes_of(library, found))] == titles


def test_only_what_nobody_listened_to_is_cleared(library: Library, preview: Podcast) -> None:
    listened = library.previews.add("https://example.com/listened.xml", "Listened")
    apply_feed(library, listened, episode(1))
    (theirs,) = episodes_of(library, listened)
    span = ListeningSpan(theirs, 0, 60_000, NEWEST, 1.0)
    library.progress.save(theirs, 60_000, None, NEWEST, heard=(span,))
    assert library.previews.clear(datetime.now(UTC) - timedelta(days=7)) == [], "it was opened just now"
    assert library.previews.clear(datetime.now(UTC) + timedelta(days=1)) == [preview.id]
    position = library.progress.position(theirs)
    assert position is not None
    assert position.position_ms == 60_000
    assert [one.id for one in library.podcasts.all() if one.previewed] == []
    library.search.catch_up()
    assert library.search.left() == 0, "what is gone isn't waited for"


def test_a_subscription_is_never_discarded(library: Library, podcast: Podcast) -> None:
    assert not library.previews.discard(podcast.id)
    assert library.podcasts.get(podcast.id) == podcast


def test_the_queue_plays_what_was_put_there_from_a_preview(library: Library, preview: Podcast) -> None:
    chosen = episodes_of(library, preview)[3]
    library.queue.add_last([chosen])
    assert library.listing(View.of(ViewName.QUEUE)).page(0, 9).tolist() == [chosen]
    assert library.episodes.counts().queued == 1
    assert library.previews.clear(datetime.now(UTC) + timedelta(days=1)) == []


def test_a_transcript_of_a_preview_is_found_once_it_is_a_subscription(library: Library, preview: Podcast) -> None:
    chosen = episodes_of(library, preview)[2]
    body = b"WEBVTT\n\n00:01.000 --> 00:02.000\nquixotic words\n"
    library.search.catch_up()
    transcript = Attachment(AttachmentKind.TRANSCRIPT, "https://example.com/t.vtt", body, "text/vtt")
    library.attachments.put(chosen, transcript, NEWEST)
    library.search.catch_up()
    assert library.search.find("quixotic", 9).ids.tolist() == []
    library.previews.subscribe(preview.id)
    library.search.catch_up()
    assert library.search.find("quixotic", 9).ids.tolist() == [chosen]
    library.podcasts.remove(preview.id)
    library.search.catch_up()
    assert library.search.find("quixotic", 9).ids.tolist() == []
    with closing(sqlite3.connect(library._search_path)) as index:
        index.execute("INSERT INTO words (words) VALUES ('integrity-check')")


def test_unsubscribing_can_be_undone_where_it_was_only_previewed_since(library: Library, preview: Podcast) -> None:
    library.previews.subscribe(preview.id)
    theirs = episodes_of(library, preview)
    act = library.acts.unsubscribe(preview.id)
    assert act
    again = library.previews.add(FOUND, "Found show")
    apply_feed(library, again, episode(1))
    assert library.acts.undo() is not None
    assert episodes_of(library, preview) == theirs
    assert library.previews.by_url(FOUND) is None


# -- suggestions ----------------------------------------------------------------------------------------------


@pytest.fixture
def suggested(library: Library) -> Podcast:
    """The podcast that a new library suggests, its feed read."""
    (suggested,) = library.previews.suggestions()
    apply_feed(library, suggested, *(episode(number) for number in range(3)))
    return suggested


def test_a_suggestion_is_in_no_list_and_no_count(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    before = everything(library)
    (suggested,) = library.previews.suggestions()
    apply_feed(library, suggested, *(episode(number, guid=f"s-{number}", extra=PEOPLE) for number in range(3)))
    assert everything(library) == before
    with library.personal.reading() as reader:
        assert suggested.id not in {one.id for one in reader.podcasts()}
    assert len(library.listing(View.of(ViewName.PODCAST, suggested.id))) == 3


def test_a_suggestion_is_not_forgotten_by_itself(library: Library, suggested: Podcast) -> None:
    library.previews.opened(suggested.id)
    assert library.previews.add(suggested.url, "x").suggested, "it was opened by its address"
    assert not library.previews.discard(suggested.id)
    assert library.previews.clear(datetime.now(UTC) + timedelta(days=99)) == []
    assert [one.id for one in library.previews.suggestions()] == [suggested.id]


def test_a_suggestion_that_was_subscribed_to_is_one_no_more(library: Library, suggested: Podcast) -> None:
    (newest, *_older) = episodes_of(library, suggested)
    assert library.previews.suggestion_of(newest) == library.podcasts.get(suggested.id)
    library.previews.subscribe(suggested.id)
    assert library.previews.suggestions() == []
    assert library.previews.suggestion_of(newest) is None
    assert library.podcasts.get(suggested.id) in library.podcasts.all()


def test_a_suggestion_that_was_removed_comes_back_by_undoing_alone(library: Library, suggested: Podcast) -> None:
    assert library.acts.unsubscribe(suggested.id) == "A show"
    assert library.previews.suggestions() == []
    assert not library.previews.add(suggested.url, "found again").suggested
    assert library.acts.undo()
    assert [one.id for one in library.previews.suggestions()] == [suggested.id]
    assert len(episodes_of(library, suggested)) == 3
