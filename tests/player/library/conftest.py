import pytest

from player.library import Library
from player.model.episode import EpisodeId
from player.model.podcast import Podcast
from tests.player.library.helpers import URL, apply_feed, episode


@pytest.fixture
def podcast(library: Library) -> Podcast:
    return library.podcasts.add(URL, "A show")


@pytest.fixture
def ids(library: Library, podcast: Podcast) -> tuple[EpisodeId, ...]:
    """Five episodes, the newest first."""
    return apply_feed(library, podcast, *(episode(number) for number in range(5))).new
