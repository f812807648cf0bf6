"""Covers from the network and the disk: fetched once, kept within bounds, and never tried again and again."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from player.artwork.artwork import Pictures
from player.artwork.image_fetcher import ImageFetcher
from player.artwork.maker import CoverMaker
from player.artwork.picture import LARGEST, CoverArt, Picture, Shape
from player.links.addresses import file_address
from player.model.podcast import PodcastId
from player.net.loop import NetworkLoop
from tests.loopback import LoopbackServer, Request
from tests.player.artwork.images import close, halves, mean

SHAPE = Shape(4, 2)
FEED = "https://example.org/feed"
DAY_S = 24 * 3600.0


class Offline:
    """A network watch that can be switched off."""

    offline = False

    def seen(self, _seen: object) -> None: ...


class World:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 1_000_000.0
        self.watch = Offline()
        self.network = NetworkLoop(2.0, 2.0, self.watch)
        self.pictures = self.opened()

    def opened(self) -> Pictures:
        return Pictures(
            lambda: CoverMaker(
                self.folder, lambda: ImageFetcher(self.network, lambda _url: None), now=lambda: self.now
            ),
            now=lambda: self.now,
        )

    def ask(self, *images: str, feed: str = FEED) -> Picture | None:
        return self.pictures.ask(CoverArt(PodcastId(1), "A", feed, images), SHAPE).result(20)

    def close(self) -> None:
        self.pictures.close()
        self.network.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "covers")
    yield made
    made.close()


def test_an_image_is_fetched_once_and_then_comes_from_the_disk(world: World, server: LoopbackServer) -> None:
    url = server.page("/a.png", halves(), "image/png")
    made = world.ask(url)
    assert made is not None
    assert made.shape == SHAPE
    server.answers.clear()
    again = world.ask(url)
    assert again is not None
    assert close(mean(again.quarters), mean(made.quarters))
    assert len(server.seen) == 1
    world.pictures.close()
    world.pictures = world.opened()
    assert world.ask(url) is not None
    assert len(server.seen) == 1


def test_the_next_image_is_shown_where_the_first_cant_be_had(world: World, server: LoopbackServer) -> None:
    fine = server.page("/b.png", halves(), "image/png")
    assert world.ask(server.url("/gone.png"), fine) is not None
    assert world.ask(server.url("/gone.png"), fine) is not None
    assert [request.path for request in server.seen] == ["/gone.png", "/b.png"]


@pytest.mark.parametrize("body", [b"<svg/>", b"", bytes(LARGEST + 1)], ids=["svg", "empty", "too large"])
def test_a_failure_is_remembered_and_tried_again_much_later(body: bytes, world: World, server: LoopbackServer) -> None:
    url = server.page("/a.png", body, "image/png")
    assert world.ask(url) is None
    assert not world.pictures.hopeful(CoverArt(PodcastId(1), "A", FEED, (url,)))
    assert world.ask(url) is None
    assert len(server.seen) == 1
    world.now += DAY_S
    assert world.ask(url) is None
    assert len(server.seen) == 2


def test_offline_nothing_is_asked_and_nothing_is_held_against_the_image(world: World, server: LoopbackServer) -> None:
    url = server.page("/a.png", halves(), "image/png")
    world.watch.offline = True
    assert world.ask(url) is None
    assert server.seen == []
    world.watch.offline = False
    assert world.ask(url) is not None
    world.watch.offline = True
    assert world.ask(url) is not None


def test_when_the_network_is_back_what_failed_is_worth_another_try(world: World, server: LoopbackServer) -> None:
    url = server.answer("/a.png", lambda request: request.reply(b"busy", "text/plain", status=503))
    assert world.ask(url) is None
    server.page("/a.png", halves(), "image/png")
    assert world.ask(url) is None
    world.pictures.network_is_back()
    assert world.ask(url) is not None


def test_after_a_week_the_server_is_asked_whether_the_image_has_changed(world: World, server: LoopbackServer) -> None:
    def reply(request: Request) -> None:
        if request.headers.get("If-None-Match") == '"1"':
            request.reply(b"", "image/png", status=304)
        else:
            request.reply(halves(), "image/png", headers={"ETag": '"1"'})

    url = server.answer("/a.png", reply)
    maker = world.pictures._made_maker()
    assert world.ask(url) is not None
    assert not maker.outdated(url)
    world.now += 8 * DAY_S
    assert maker.outdated(url)
    assert maker.renew(url, FEED, SHAPE) is None
    assert not maker.outdated(url)
    assert [request.headers.get("If-None-Match") for request in server.seen] == [None, '"1"']


def test_a_local_book_shows_its_own_file_and_a_feed_none(world: World, tmp_path: Path) -> None:
    path = tmp_path / "cover.png"
    path.write_bytes(halves())
    assert world.ask(file_address(path), feed=file_address(tmp_path)) is not None
    other = tmp_path / "other.png"
    other.write_bytes(halves())
    assert world.ask(file_address(other)) is None


def test_closing_ends_a_request_that_hangs(world: World, server: LoopbackServer) -> None:
    begun, release = threading.Event(), threading.Event()

    def hang(request: Request) -> None:
        begun.set()
        release.wait(20)

    future = world.pictures.ask(CoverArt(PodcastId(1), "A", FEED, (server.answer("/a.png", hang),)), SHAPE)
    assert begun.wait(20)
    world.pictures.close()
    assert future.result(10) is None
    release.set()
    assert world.ask(server.url("/a.png")) is None
