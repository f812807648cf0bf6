import pytest

from player.directory.directory import FoundPodcast
from player.directory.searching import is_inside_address, outside


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1/feed", "http://192.168.1.1:8080/reboot", "http://[::1]/feed", "http://[fd00::1]/", "https://localhost/",
        "http://router/", "http://nas.local/feed", "http://10.0.0.1", "http://LOCALHOST./x", "http://169.254.169.254/latest",
    ],
)  # fmt: skip
def test_addresses_inside_are_known(address: str) -> None:
    assert is_inside_address(address)
    podcast = FoundPodcast("A", feed_url=address)
    assert [one.feed_url for one in outside([podcast], "https://itunes.apple.com")] == [""]
    assert [one.feed_url for one in outside([podcast], "http://127.0.0.1:8000/apple")] == [address]


@pytest.mark.parametrize(
    "address", ["", "https://example.com/feed", "http://8.8.8.8/", "https://[2606:4700::1111]/feed"]
)
def test_all_others_are_left_as_they_are(address: str) -> None:
    podcasts = [FoundPodcast("A", feed_url=address)]
    assert list(outside(podcasts, "https://itunes.apple.com")) == podcasts
