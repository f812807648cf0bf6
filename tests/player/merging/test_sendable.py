"""What never leaves this device."""

import pytest

from player.links.addresses import file_address, radio_address
from player.merging.same_podcast import LONGEST, may_be_sent
from player.model.podcast import WELCOME_URL


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/feed",
        "http://example.org:8080/feed.xml?key=1",
        "https://youtube.com.example.org/feed",
        "https://example.org/" + "a" * (LONGEST - 20),
        "https://example.org/@name",
    ],
)
def test_feeds_on_the_web_are_sent(address: str) -> None:
    assert may_be_sent(address)


@pytest.mark.parametrize(
    "address",
    [
        "",
        WELCOME_URL,
        f"{WELCOME_URL}/1-press-play.opus",
        file_address("/home/me/books"),
        radio_address("https://example.org/stream"),
        "https://www.youtube.com/feeds/videos.xml?channel_id=UC0123456789",
        "https://www.youtube.com/watch?v=01234567890",
        "https://youtu.be/01234567890",
        "https://YOUTUBE.com./feeds/videos.xml",
        "https://user:word@example.org/feed",
        "https://example.org/" + "a" * (LONGEST - 19),
        "ftp://example.org/feed",
        "https://",
        "https://[::1/feed",
        "https://example.org/a b",
        "https://example.org/a\x1b[2Jb",
        "javascript:alert(1)",
    ],
)
def test_all_else_stays_here(address: str) -> None:
    assert not may_be_sent(address)
