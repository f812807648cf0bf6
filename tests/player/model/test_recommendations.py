"""The podcasts that a feed recommends: those with an address, each once, whatever else its podroll holds."""

import json
from typing import Any

import pytest

from player.feeds.parsing.parse import read_feed
from player.model.episode import Recommendation, recommendations
from tests.player.feeds.parsing.making import item, rss


def test_a_feeds_podroll_is_read_and_what_has_no_address_is_left_out() -> None:
    roll = (
        "<podcast:podroll>"
        "<podcast:remoteItem feedGuid='a' feedUrl='https://one.example/feed' title='One\u202e\x9b31m'/>"
        "<podcast:remoteItem feedGuid='b'/>"
        "<podcast:remoteItem feedGuid='c' feedUrl='file:///etc/passwd' title='Two'/>"
        "<podcast:remoteItem feedUrl='https://three.example/feed'/>"
        "<podcast:remoteItem feedUrl='https://one.example/feed' title='One again'/>"
        "</podcast:podroll>"
    )
    feed = read_feed(rss(item(1), channel=f"<title>A</title>{roll}"), "text/xml", "https://a.example/")
    found = recommendations(feed.extra)
    assert [one.url for one in found] == ["https://one.example/feed", "https://three.example/feed"]
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for one in found for letter in one.title)


@pytest.mark.parametrize(
    "extra", ["", "{}", '{"podroll": {}}', '{"podroll": {"remoteItem": []}}', '{"title": "podroll"}']
)
def test_without_one_nothing_is_recommended(extra: str) -> None:
    assert recommendations(extra) == ()


def test_many_are_told_apart_by_their_addresses() -> None:
    items: list[dict[str, Any]] = [{"feedUrl": f"https://{number % 50}.example/"} for number in range(200)]
    assert len(recommendations(json.dumps({"podroll": {"remoteItem": items}}))) == 50
    assert recommendations(json.dumps({"podroll": {"remoteItem": items[:1]}})) == (
        Recommendation("https://0.example/"),
    )
