"""A server with a podcast, and a client of it with logins of its own."""

from collections.abc import Iterator

import pytest

from player.audiobookshelf.client import Audiobookshelf
from player.net.credentials import Credentials
from player.net.loop import NetworkLoop
from player.paths import Paths
from tests.audiobookshelf import PASSWORD, USER, AudiobookshelfServer, Episode
from tests.player.media.sounds import mp3


@pytest.fixture
def shelf() -> Iterator[AudiobookshelfServer]:
    with AudiobookshelfServer() as server:
        yield server


@pytest.fixture
def episode(shelf: AudiobookshelfServer) -> Episode:
    return shelf.add_podcast("Casting Stones").add_episode("Amber", mp3(200), duration=600.5)


@pytest.fixture
def network() -> Iterator[NetworkLoop]:
    loop = NetworkLoop(5, 5)
    yield loop
    loop.close()


@pytest.fixture
def credentials(paths: Paths) -> Credentials:
    return Credentials(paths.logins)


@pytest.fixture
def client(shelf: AudiobookshelfServer, network: NetworkLoop, credentials: Credentials) -> Audiobookshelf:
    """Signed in."""
    client = Audiobookshelf(shelf.address, network, credentials)
    client.sign_in(USER, PASSWORD)
    return client
