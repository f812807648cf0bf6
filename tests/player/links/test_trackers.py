"""What only tells where a reader came from isn't shown."""

import pytest

from player.links.urls import shown, without_trackers


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://a.org/x?utm_source=y&UTM_MEDIUM=z", "https://a.org/x"),
        ("https://a.org/x?b=1&fbclid=y&c=%20#top", "https://a.org/x?b=1&c=%20#top"),
        ("https://youtu.be/abc?si=xyz&t=30", "https://youtu.be/abc?t=30"),
        ("https://a.org/?si=1&feature=2", "https://a.org/?si=1&feature=2"),
        ("https://evil.org/?q=youtube.com&si=1", "https://evil.org/?q=youtube.com&si=1"),
        ("https://a.org/utm_source=x", "https://a.org/utm_source=x"),
        ("mailto:a@b.org?subject=x", "mailto:a@b.org?subject=x"),
    ],
)
def test_trackers_are_left_out_and_nothing_else(address: str, kept: str) -> None:
    assert without_trackers(address) == kept


def test_an_address_is_shown_as_a_reader_says_it() -> None:
    assert shown("https://www.example.org/a/?utm_source=feed") == "example.org/a"
    assert shown("mailto:a@b.org") == "a@b.org"
