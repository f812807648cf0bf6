from collections.abc import Iterator

import pytest

from player.net.loop import NetworkLoop


@pytest.fixture
def network() -> Iterator[NetworkLoop]:
    loop = NetworkLoop(5.0, 5.0)
    yield loop
    loop.close()
