import pytest

from player.library import Library
from player.model.episode import EpisodeId
from tests.player.library.helpers import URL, apply_feed, episode
from tests.sound.sound_server import sound, sound_server

__all__ = ["sound", "sound_server"]


@pytest.fixture
def ids(library: Library) -> tuple[EpisodeId, ...]:
    """Three episodes of half an hour, the newest first."""
    return apply_feed(library, library.podcasts.add(URL, "A show"), *(episode(number) for number in range(3))).new
