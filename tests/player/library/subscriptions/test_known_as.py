"""Subscriptions as directories name them."""

from player.library import Library
from player.library.subscriptions import subscriptions
from player.links.addresses import url_key
from player.model.feed import Feed, FeedState
from player.model.podcast import WELCOME_URL
from tests.player.library.helpers import URL, by_guid

FIRST = (url_key(WELCOME_URL),)
"""What a new library subscribes to."""
GUID = "9b024349-ccf0-5f69-a609-6b82873eab3c"


def test_subscriptions_are_known_by_address_and_by_guid_and_previews_are_not(library: Library) -> None:
    plain = library.podcasts.add(URL, "A show")
    other = library.podcasts.add("https://example.org/other", "Another")
    extra = f'{{"guid":{{"text":"{GUID.upper()}"}}}}'
    library.podcasts.apply(other.id, Feed("Another", extra=extra), FeedState(), by_guid)
    library.previews.add("https://example.org/preview", "Only looked at")
    known = subscriptions(library.podcasts)
    mine = {key: id for key, id in known.items() if id in (plain.id, other.id)}
    assert len(mine) == len(known) - len(FIRST)
    assert mine == {url_key(URL): plain.id, url_key("https://example.org/other"): other.id, GUID: other.id}


def test_a_guid_that_is_no_text_is_nobody_s(library: Library) -> None:
    podcast = library.podcasts.add(URL, "A show")
    for extra in ('{"guid":{}}', '{"about":"no \\"guid\\" here"}'):
        library.podcasts.apply(podcast.id, Feed("A show", extra=extra), FeedState(), by_guid)
        assert subscriptions(library.podcasts).keys() == {*FIRST, url_key(URL)}
        assert subscriptions(library.podcasts)[url_key(URL)] == podcast.id
