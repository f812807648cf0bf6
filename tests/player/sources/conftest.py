"""A library without the podcasts that a new one starts with, and the sources it refreshes from."""

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
