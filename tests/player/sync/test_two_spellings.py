"""A podcast whose address one device has with its letters, and another one in ASCII."""

import pytest

from tests.player.sync.simulation import HOUR, KINDS, MINUTE, Device, World
from tests.quick import mostly_long

FEED = "https://müller.example/fürs/feed.xml"
IN_ASCII = "https://xn--mller-kva.example/f%C3%BCrs/feed.xml"


def feeds(device: Device) -> list[str]:
    return [one.url for one in device.library.podcasts.all() if one.url in (FEED, IN_ASCII)]


def positions(device: Device) -> list[int]:
    return [position for _played, position in device.state().values() if position]


@pytest.mark.parametrize("spellings", [(FEED, IN_ASCII), (IN_ASCII, FEED)], ids=["letters first", "ASCII first"])
@pytest.mark.parametrize("kind", mostly_long(["gpodder.net", *KINDS], quick=2))
def test_it_is_one_podcast_from_the_first_sync_on(kind: str, spellings: tuple[str, str]) -> None:
    world = World(kind)
    try:
        world.numbered = True
        world.published = dict.fromkeys((FEED, IN_ASCII), 1)
        laptop, phone = world.add(0), world.add(0)

        def meet() -> None:
            for device in (laptop, phone, laptop, phone):
                world.ms += HOUR
                device.sync()

        for device, feed in zip((laptop, phone), spellings, strict=True):
            device.subscribe(feed)
        meet()
        assert (feeds(laptop), feeds(phone)) == ([spellings[0]], [spellings[1]])
        for device, minutes in ((laptop, 9), (phone, 20)):
            world.ms += HOUR
            device.hear(next(iter(device.episodes().values())), minutes * MINUTE)
            meet()
            assert positions(laptop) == positions(phone) == [minutes * 60]
        if kind == "audiobookshelf":
            return  # subscriptions aren't synced there
        laptop.unsubscribe(spellings[0])
        meet()
        assert feeds(laptop) == feeds(phone) == []
    finally:
        world.close()
