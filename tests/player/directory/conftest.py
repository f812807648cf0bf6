from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from player.directory.directories import Directories
from player.net.loop import NetworkLoop
from player.settings import DirectorySettings
from tests import directories
from tests.loopback import LoopbackServer


@contextmanager
def opened(settings: DirectorySettings, **more: Any) -> Iterator[Directories]:
    """With a network of its own; `more` may be `subscriptions`, `login`, `patience`."""
    network = NetworkLoop(10.0, 20.0)
    made = Directories(settings, more.pop("subscriptions", dict), more.pop("login", {}.get), network, **more)
    try:
        yield made
    finally:
        made.close()
        network.close()


@pytest.fixture
def world(server: LoopbackServer) -> directories.Directories:
    """The directories on this machine."""
    return directories.Directories(server)


@pytest.fixture
def finder(world: directories.Directories) -> Iterator[Directories]:
    with opened(world.settings) as finder:
        yield finder
