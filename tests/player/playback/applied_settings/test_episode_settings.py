"""What applies to an episode: the settings of all, those for its podcast's title, and its podcast's own."""

import pytest

from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.playback.applied_settings import EpisodeSettings, resolve
from player.playback.rules import SkipRules, rules
from player.settings import Audio, Playback

REWIND = rules(Playback())
SKIP = SkipRules(("Sponsor",), {"A show": ("Outro",)})


@pytest.mark.parametrize(
    ("podcast", "own", "words"),
    [
        ("Another", AS_ALL, ("Sponsor",)),
        ("a SHOW", AS_ALL, ("Outro",)),
        ("A show", PodcastSettings(skip_chapters=("Ad",)), ("Ad",)),
        ("Renamed", PodcastSettings(skip_chapters=("Ad",)), ("Ad",)),
        ("A show", PodcastSettings(skip_chapters=()), ()),
        ("A show", PodcastSettings(speed=2.0), ("Outro",)),
    ],
)
def test_a_podcasts_own_words_go_before_those_for_its_title_and_those_before_those_for_all(
    podcast: str, own: PodcastSettings, words: tuple[str, ...]
) -> None:
    assert resolve(REWIND, SKIP, Audio(), (podcast,), own).skip_words == words


def test_a_renamed_podcast_goes_by_the_listeners_title_and_then_by_the_feeds() -> None:
    skip = SkipRules(("Sponsor",), {"A show": ("Outro",), "My show": ("Ad",)})
    assert resolve(REWIND, skip, Audio(), ("My show", "A show"), AS_ALL).skip_words == ("Ad",)
    assert resolve(REWIND, skip, Audio(), ("Renamed", "A show"), AS_ALL).skip_words == ("Outro",)
    assert resolve(REWIND, skip, Audio(), ("Renamed", "Another"), AS_ALL).skip_words == ("Sponsor",)


def test_without_settings_of_its_own_all_is_as_for_all() -> None:
    assert resolve(REWIND, SkipRules(), Audio(), ("A show",), AS_ALL) == EpisodeSettings(REWIND)


def test_the_rest_is_the_podcasts_own() -> None:
    own = PodcastSettings(1.5, 30_000, 20_000, -3.0)
    found = resolve(REWIND, SkipRules(), Audio(), ("A show",), own)
    assert (found.speed, found.skip_intro_ms, found.skip_outro_ms, found.gain_db) == (1.5, 30_000, 20_000, -3.0)
    assert found.rewind == REWIND
