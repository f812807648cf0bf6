"""Podcasts whose addresses have letters that Nextcloud's app drops without a word."""

from collections.abc import Iterator

import pytest

from player.links.urls import in_ascii, in_unicode
from player.model.syncing import Pushed
from player.net.loop import NetworkLoop
from tests.player.sync.simulation import HOUR, MINUTE, Device, World
from tests.sync_servers.devices import outgoing, subscribed, target, unsubscribed
from tests.sync_servers.nextcloud import NextcloudServer

FEED = "https://müller.example/fürs/feed.xml"
IN_ASCII = "https://xn--mller-kva.example/f%C3%BCrs/feed.xml"


@pytest.fixture
def server() -> Iterator[NextcloudServer]:
    with NextcloudServer() as running:
        yield running


@pytest.fixture
def world() -> Iterator[World]:
    made = World("nextcloud")
    made.numbered = True
    made.published = {FEED: 1, IN_ASCII: 1}
    yield made
    made.close()


def feeds(device: Device) -> list[str]:
    return [one.url for one in device.library.podcasts.all() if one.url in (FEED, IN_ASCII)]


def positions(device: Device) -> list[int]:
    return [position for _played, position in device.state().values()]


def test_it_is_sent_in_ascii_and_stays_as_it_is_here(world: World) -> None:
    laptop, phone = world.add(0), world.add(0)
    laptop.subscribe(FEED)
    laptop.hear(next(iter(laptop.episodes().values())), 9 * MINUTE)
    laptop.sync()
    assert isinstance(world.server, NextcloudServer)
    assert list(world.server.subscriptions) == [IN_ASCII]
    phone.sync()
    assert feeds(phone) == [IN_ASCII]
    world.ms += HOUR
    phone.sync()
    assert positions(phone) == [540]
    phone.hear(next(iter(phone.episodes().values())), 20 * MINUTE)
    for device in (phone, laptop, phone, laptop):
        world.ms += HOUR
        device.sync()
    assert (feeds(laptop), feeds(phone)) == ([FEED], [IN_ASCII])
    assert positions(laptop) == positions(phone) == [1200]
    phone.unsubscribe(IN_ASCII)
    for device in (phone, laptop, phone, laptop):
        world.ms += HOUR
        device.sync()
    assert feeds(laptop) == feeds(phone) == []


def test_two_spellings_of_it_are_one_podcast_from_the_first_sync_on(world: World) -> None:
    laptop, phone = world.add(0), world.add(0)
    laptop.subscribe(IN_ASCII)
    phone.subscribe(FEED)
    for device in (laptop, phone, laptop, phone):
        world.ms += HOUR
        device.sync()
    assert (feeds(laptop), feeds(phone)) == ([IN_ASCII], [FEED])


def test_one_that_has_no_such_form_is_named(server: NextcloudServer, network: NetworkLoop) -> None:
    wanted = [subscribed("https://my_shows.example/feed"), subscribed("https://a.example/feed")]
    pushed = target(server, network).push(outgoing([], wanted))
    assert list(server.subscriptions) == ["https://a.example/feed"]
    assert pushed.sent == (2,)
    sentence = "127.0.0.1 keeps no podcast with this address: https://my_shows.example/feed"
    assert pushed.refused == ((1, sentence),)
    gone = target(server, network).push(outgoing([], [unsubscribed("https://my_shows.example/feed")]))
    assert gone == Pushed(sent=(1,)), "it was never there"


def test_one_whose_ascii_form_is_too_long_is_named(server: NextcloudServer, network: NetworkLoop) -> None:
    feed = f"https://a.example/{'ポ' * 150}"
    pushed = target(server, network).push(outgoing([], [subscribed(feed)]))
    assert not server.subscriptions
    assert [number for number, _sentence in pushed.refused] == [1]


def test_positions_in_a_podcast_that_it_does_not_keep_reach_those_who_have_it(world: World) -> None:
    feed = "https://my_shows.example/fürs"
    world.published = {feed: 1}
    laptop, phone = world.add(0), world.add(0)
    for device in (laptop, phone):
        device.subscribe(feed)
    laptop.hear(next(iter(laptop.episodes().values())), 9 * MINUTE)
    laptop.sync()
    phone.sync()
    assert positions(laptop) == positions(phone) == [540]
    for device in (laptop, phone):
        (sentence,) = device.library.syncing.refusals()
        assert sentence == f"127.0.0.1 keeps no podcast with this address: {feed}"


@pytest.mark.parametrize(
    "feed",
    [
        FEED,
        "https://straße.example/",
        "https://日本.example/ポッド.xml?ä=ö",
        "http://[::1]:8080/x",
        "https://a.example:80?ü",
    ],
)
def test_the_server_takes_every_address_in_its_ascii_form(feed: str) -> None:
    with NextcloudServer() as server:
        assert in_ascii(feed).isascii()
        assert in_unicode(in_ascii(feed)) == feed
        server._change({"add": [in_ascii(feed)], "remove": []})
        assert list(server.subscriptions) == [in_ascii(feed)]
