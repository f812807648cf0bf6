from collections.abc import Iterator

import pytest

from player.directory.directories import Directories
from tests import directories
from tests.loopback import LoopbackServer


@pytest.fixture
def world(server: LoopbackServer) -> directories.Directories:
    """The directories on this machine."""
    return directories.Directories(server)


@pytest.fixture
def finder(world: directories.Directories) -> Iterator[Directories]:
    made = Directories(world.settings, lambda: {}, lambda _address: None)
    yield made
    made.close()
