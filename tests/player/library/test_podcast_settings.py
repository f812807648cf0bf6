"""What is set for one podcast is there after a restart, is that podcast's alone, and goes with it."""

import pytest

from player.errors import NotFound
from player.library import Library
from player.model.effects import Boost, Trim
from player.model.podcast import Podcast, PodcastId
from player.model.podcast_settings import AS_ALL, NewEpisodeRules, NewEpisodes, PodcastSettings
from tests.player.library.helpers import URL

RULES = NewEpisodeRules(NewEpisodes.NEXT, True, 7, '"deep dive"', "rerun")
OWN = PodcastSettings(1.5, 30_000, 20_000, -3.5, ("Sponsor", "Ad"), RULES, boost=Boost.GENTLE, trim=Trim.STRONG)


def test_a_podcast_has_the_settings_of_all_until_it_has_its_own(library: Library, podcast: Podcast) -> None:
    other = library.podcasts.add(f"{URL}/other")
    assert library.podcast_settings.get(podcast.id) == AS_ALL
    library.podcast_settings.set(podcast.id, OWN)
    library.close()
    library.open()
    assert library.podcast_settings.get(podcast.id) == OWN
    assert library.podcast_settings.get(other.id) == AS_ALL
    library.podcast_settings.set(podcast.id, AS_ALL)
    assert library.podcast_settings.get(podcast.id) == AS_ALL
    library.check()


def test_no_words_are_something_else_than_the_words_of_all(library: Library, podcast: Podcast) -> None:
    library.podcast_settings.set(podcast.id, PodcastSettings(skip_chapters=()))
    assert library.podcast_settings.get(podcast.id).skip_chapters == ()
    library.check()


def test_too_much_is_the_most_there_is(library: Library, podcast: Podcast) -> None:
    library.podcast_settings.set(podcast.id, PodcastSettings(9.0, -5, 10**12, 90))
    assert library.podcast_settings.get(podcast.id) == PodcastSettings(3.0, 0, 3_600_000, 20.0)
    library.check()


def test_the_rules_for_new_episodes_have_their_limits(library: Library, podcast: Podcast) -> None:
    too_much = NewEpisodeRules(age_limit_days=10**9, include="  a\x1b[31m\nb " + "x" * 9_000)
    library.podcast_settings.set(podcast.id, PodcastSettings(new_episodes=too_much))
    rules = library.podcast_settings.new_episodes(podcast.id)
    assert rules.age_limit_days == 3650
    assert rules.include.startswith("a[31m b x")
    assert len(rules.include) == 500
    assert library.podcast_settings.get(podcast.id).new_episodes == rules
    library.check()


def test_they_go_with_their_podcast(library: Library, podcast: Podcast) -> None:
    library.podcast_settings.set(podcast.id, OWN)
    library.podcasts.remove(podcast.id)
    assert library.podcast_settings.get(podcast.id) == AS_ALL
    with pytest.raises(NotFound):
        library.podcast_settings.set(podcast.id, OWN)
    with pytest.raises(NotFound):
        library.podcast_settings.set(PodcastId(999), AS_ALL)
