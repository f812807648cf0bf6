"""Addresses for Audiobookshelf servers are made and read, and other addresses aren't mistaken for them."""

import pytest

from player.links.addresses import (
    AudiobookshelfAddress,
    audiobookshelf_address,
    audiobookshelf_chapters,
    audiobookshelf_episode,
    audiobookshelf_podcast,
    is_audiobookshelf,
    url_key,
)

SERVERS = ["https://abs.example", "http://10.0.0.2:13378/audiobookshelf", "https://abs.example/item/x"]


@pytest.mark.parametrize("server", SERVERS)
def test_an_address_that_was_made_can_be_read(server: str) -> None:
    podcast = audiobookshelf_podcast(server, "ab-12")
    episode = audiobookshelf_episode(server, "li_3", "ep_4")
    assert audiobookshelf_address(podcast) == AudiobookshelfAddress(server, "ab-12")
    assert audiobookshelf_address(episode) == AudiobookshelfAddress(server, "li_3", "ep_4")
    chapters = audiobookshelf_address(audiobookshelf_chapters(episode))
    assert chapters == AudiobookshelfAddress(server, "li_3", "ep_4", True)
    assert is_audiobookshelf(podcast)
    assert not is_audiobookshelf(episode)
    assert url_key(podcast) == podcast


@pytest.mark.parametrize(
    "address",
    [
        "", "audiobookshelf:", "audiobookshelf:file:///etc/passwd", "audiobookshelf:https://abs.example/item/a/b",
        "https://abs.example/item/ab-12", "https://abs.example/item/ab-12#audiobookshelf/",
        "https://abs.example/item/ab-12#audiobookshelf/a/b", "https://abs.example/item/..#audiobookshelf/x",
        "file:///item/a#audiobookshelf/x", "audiobookshelf:https://abs.example/item/a?b", "https://abs.example/#x",
        "https://abs.example/item/a\n#audiobookshelf/x",
    ],
)  # fmt: skip
def test_other_addresses_are_none(address: str) -> None:
    assert audiobookshelf_address(address) is None
