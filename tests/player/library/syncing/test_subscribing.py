"""Subscriptions of several devices: what one did is done on the others, once, and isn't undone by an old list."""

import pytest

from player.library import Library
from player.model.podcast import STARTER_URL, Podcast
from player.model.syncing import Carried, Pulled, Pushed, SubscriptionChange, Taken
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.library.syncing.devices import ALL, FOLDER, MINUTE, NOW, SERVER, ms, said

OTHER = "https://example.org/other.xml"
SUBSCRIPTIONS = frozenset({Carried.SUBSCRIPTIONS})


@pytest.fixture
def synced(library: Library, podcast: Podcast) -> Library:
    """With a server; it has all subscriptions."""
    library.syncing.set_account(SERVER)
    said(library.syncing)
    pull(library)
    return library


def pull(library: Library, *changes: SubscriptionChange, **fields: object) -> Taken:
    return library.syncing.take(Pulled(subscriptions=changes, **fields), NOW)  # type: ignore[arg-type]


def changes(library: Library) -> dict[str, bool]:
    """What is to be sent; it is sent by that."""
    library.syncing.collect(NOW)
    found = library.syncing.outgoing(1000, ALL).subscriptions
    library.syncing.sent(Pushed(tuple(number for number, _change in found)))
    return {change.podcast: change.subscribed for _number, change in found}


def test_what_was_subscribed_to_before_and_since_is_said_once(library: Library, podcast: Podcast) -> None:
    library.syncing.set_account(SERVER)
    assert changes(library)[URL]
    assert changes(library) == {}
    library.podcasts.add(OTHER, "Other")
    library.syncing.collect(NOW)
    ((_number, change),) = library.syncing.outgoing(30, ALL).subscriptions
    assert change == SubscriptionChange(OTHER, True, ms(NOW), "laptop", "Other")
    assert changes(library) == {OTHER: True}
    library.podcasts.remove(podcast.id)
    assert changes(library) == {URL: False}
    library.podcasts.add(URL)
    assert changes(library) == {URL: True}


def test_a_change_that_is_overtaken_while_it_is_sent_is_sent_too(synced: Library, podcast: Podcast) -> None:
    synced.podcasts.remove(podcast.id)
    synced.syncing.collect(NOW)
    underway = synced.syncing.outgoing(30, ALL).subscriptions
    synced.podcasts.add(URL)
    synced.syncing.collect(NOW)
    synced.syncing.sent(Pushed(tuple(number for number, _change in underway)))
    assert changes(synced) == {URL: True}


def test_what_others_subscribed_to_is_to_be_added_until_it_is(synced: Library) -> None:
    taken = pull(synced, SubscriptionChange(OTHER, True, title="Other\x1b", guid="a-guid"))
    ((change),) = taken.subscribe
    assert (change.podcast, change.title, change.guid) == (OTHER, "Other", "a-guid")
    assert changes(synced) == {}, "it is nothing that was done here"
    assert pull(synced).subscribe == taken.subscribe
    synced.podcasts.add(OTHER)
    assert pull(synced).subscribe == ()
    assert changes(synced) == {}


def test_what_others_unsubscribed_from_is_to_be_removed_until_it_is(synced: Library, podcast: Podcast) -> None:
    assert pull(synced, SubscriptionChange(URL, False)).unsubscribe == (podcast.id,)
    assert pull(synced).unsubscribe == (podcast.id,)
    synced.acts.unsubscribe(podcast.id)
    assert pull(synced).unsubscribe == ()
    assert changes(synced) == {}
    synced.acts.undo()
    assert changes(synced) == {URL: True}
    assert pull(synced).unsubscribe == ()


def test_what_comes_back_at_once_after_others_unsubscribed_stays_and_is_said(synced: Library, podcast: Podcast) -> None:
    assert pull(synced, SubscriptionChange(URL, False)).unsubscribe == (podcast.id,)
    synced.acts.unsubscribe(podcast.id)
    synced.acts.undo()
    assert changes(synced) == {URL: True}
    assert pull(synced).unsubscribe == ()


def test_an_old_list_does_not_bring_back_what_was_unsubscribed_from(synced: Library, podcast: Podcast) -> None:
    synced.podcasts.remove(podcast.id)
    assert changes(synced) == {URL: False}
    taken = pull(synced, SubscriptionChange(URL, True), is_whole=True)
    assert taken.subscribe == ()
    assert changes(synced)[URL] is False
    assert [one.podcast for one in pull(synced, SubscriptionChange(URL, True)).subscribe] == [URL]


def test_what_a_whole_list_lacks_is_sent_again(synced: Library, podcast: Podcast) -> None:
    taken = pull(synced, is_whole=True)
    assert taken.unsubscribe == ()
    assert changes(synced)[URL]


def test_a_change_here_that_was_not_sent_wins_over_a_list(synced: Library, podcast: Podcast) -> None:
    synced.podcasts.remove(podcast.id)
    assert pull(synced, SubscriptionChange(URL, True)).subscribe == ()
    assert changes(synced) == {URL: False}


def test_with_times_the_later_change_wins(library: Library, podcast: Podcast) -> None:
    library.syncing.set_account(FOLDER)
    changes(library)
    assert pull(library, SubscriptionChange(URL, False, ms(NOW) - 1, "phone")).unsubscribe == ()
    assert pull(library, SubscriptionChange(URL, False, ms(NOW) + 1, "phone")).unsubscribe == (podcast.id,)


def test_a_podcast_that_moved_is_not_doubled(synced: Library, podcast: Podcast) -> None:
    present = "https://new.example.org/feed.xml"
    synced.podcasts.move(podcast.id, present)
    assert changes(synced) == {}, "others find out when they read the feed"
    taken = pull(synced, SubscriptionChange(present, True), SubscriptionChange(URL, False))
    assert (taken.subscribe, taken.unsubscribe) == ((), ())
    taken = pull(synced, SubscriptionChange(OTHER, True), moved=((OTHER, present),))
    assert taken.subscribe == ()


def test_a_podcast_with_the_same_guid_is_not_doubled(library: Library, podcast: Podcast) -> None:
    library.syncing.set_account(FOLDER)
    changes(library)
    pull(library, SubscriptionChange(URL, True, ms(NOW + MINUTE), "phone", guid="one-guid"))
    taken = pull(library, SubscriptionChange(OTHER, True, ms(NOW + 2 * MINUTE), "phone", guid="one-guid"))
    assert taken.subscribe == ()
    assert taken.unsubscribe == ()


def test_what_only_earmark_can_play_is_not_subscribed_to_from_elsewhere(synced: Library) -> None:
    bad = ("file:///etc", "earmark:welcome", "https://www.youtube.com/feeds/videos.xml?channel_id=UC1", "x" * 9000)
    assert pull(synced, *(SubscriptionChange(one, True) for one in bad)).subscribe == ()


def test_a_preview_is_no_subscription(synced: Library) -> None:
    preview = synced.previews.add(OTHER, "Other")
    apply_feed(synced, preview, episode(1))
    assert changes(synced) == {}
    assert [one.podcast for one in pull(synced, SubscriptionChange(OTHER, True)).subscribe] == [OTHER]
    synced.previews.subscribe(preview.id)
    assert changes(synced) == {}
    assert pull(synced).subscribe == ()


def test_a_suggestion_is_no_subscription_until_it_is_one(synced: Library) -> None:
    (suggested,) = synced.previews.suggestions()
    apply_feed(synced, suggested, episode(1))
    assert changes(synced) == {}
    assert [one.podcast for one in pull(synced, SubscriptionChange(STARTER_URL, True)).subscribe] == [STARTER_URL]
    assert pull(synced, SubscriptionChange(STARTER_URL, False)).unsubscribe == ()
    synced.previews.subscribe(suggested.id)
    assert changes(synced) == {STARTER_URL: True}


def test_a_suggestion_that_is_removed_tells_no_device(synced: Library) -> None:
    synced.acts.unsubscribe(synced.previews.suggestions()[0].id)
    assert changes(synced) == {}
