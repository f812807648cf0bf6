"""A library without the shows that a new one holds: none of these tests may reach for the network's."""

from collections.abc import Iterator

import pytest

from player.library import Library
from player.paths import Paths


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    opened = Library(paths)
    opened.open()
    for podcast in opened.podcasts.all():
        opened.podcasts.remove(podcast.id)
    yield opened
    opened.close()
