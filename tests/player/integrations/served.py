"""What the tests of those that follow a session share: the session, and the bus that tells of it."""

from collections.abc import Iterator

import pytest

from player.events import Bus
from tests.player.integrations.fake_session import FakeSession


@pytest.fixture
def session() -> FakeSession:
    return FakeSession()


@pytest.fixture
def bus() -> Iterator[Bus]:
    made = Bus()
    yield made
    made.close(2)
