"""What is set for a podcast applies to its episodes from their first moment, and to no others."""

from collections.abc import Iterator

import pytest

from player.library import Library
from player.model.chapters import Chapter, Chapters
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState
from player.model.podcast import PodcastId
from player.model.podcast_settings import PodcastSettings
from player.playback.last_session import left_off
from player.playback.rules.skipping import SkipRules
from tests.player.library.helpers import URL, episode, take_in
from tests.player.playback.test_controller import MINUTES, Stage

WORDS = SkipRules(("Sponsor",))


@pytest.fixture
def stage(library: Library) -> Iterator[Stage]:
    made = Stage(library)
    yield made
    made.end()


@pytest.fixture
def other(library: Library) -> EpisodeId:
    """An episode of another podcast."""
    return take_in(library, library.podcasts.add(f"{URL}/other"), episode(50), title="Another show").new[0]


@pytest.fixture
def podcast(library: Library, ids: tuple[EpisodeId, ...]) -> PodcastId:
    return library.episodes.get(ids[0]).podcast_id


def own(stage: Stage, podcast: PodcastId, settings: PodcastSettings) -> None:
    """As a dialog does."""
    stage.library.podcast_settings.set(podcast, settings)
    stage.deck.settings_changed(podcast)


# -- speed ------------------------------------------------------------------------------------------------------


def test_an_episode_of_a_podcast_with_its_own_speed_starts_at_it_and_another_does_not(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    own(stage, podcast, PodcastSettings(speed=1.5))
    stage.deck.set_speed(1.1)
    stage.play(ids[0])
    assert stage.said[-1] == ("load", 0, 1.5, 100)
    assert stage.deck.status.speed == 1.5
    stage.play(other)
    assert stage.said[-1] == ("load", 0, 1.1, 100)
    assert stage.deck.status.speed == 1.1


def test_the_speed_keys_change_the_speed_that_applies(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    own(stage, podcast, PodcastSettings(speed=1.5, skip_intro_ms=0, gain_db=2.0))
    stage.play(ids[0])
    stage.deck.set_speed(1.7)
    stage.play(other)
    assert stage.deck.status.speed == 1.0, "that of all the others was left alone"
    stage.deck.set_speed(1.2)
    stage.play(ids[1])
    assert stage.deck.status.speed == 1.7
    assert stage.saver.flush(5)
    assert stage.library.podcast_settings.get(podcast) == PodcastSettings(speed=1.7, gain_db=2.0)
    assert stage.library.state.get("speed") == "1.2"


def test_a_podcasts_speed_that_is_not_on_the_disk_yet_applies_all_the_same(
    library: Library, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    library.podcast_settings.set(podcast, PodcastSettings(speed=1.5))
    stage = Stage(library)
    with library.transaction():
        # Nobody else writes meanwhile.
        stage.play(ids[0])
        stage.deck.set_speed(2.0)
        stage.play(other)
        stage.play(ids[1])
        assert stage.deck.status.speed == 2.0
    stage.end()
    assert library.podcast_settings.get(podcast).speed == 2.0


def test_after_a_restart_the_podcasts_speed_is_shown_from_the_first_frame_on(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    own(stage, podcast, PodcastSettings(speed=1.5))
    stage.deck.set_speed(0.9)
    stage.play(ids[0])
    stage.move(2_000)
    stage.deck.tick()
    stage.end()
    assert left_off(stage.library).speed == 1.5
    stage.begin()
    stage.deck.recall()
    assert stage.deck.status.speed == 1.5
    stage.play(other)
    assert stage.deck.status.speed == 0.9


def test_a_speed_that_is_set_while_its_podcast_plays_applies_at_once(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    stage.play(ids[0])
    own(stage, podcast, PodcastSettings(speed=2.0))
    assert stage.said[-1] == ("speed", 2.0)
    own(stage, podcast, PodcastSettings())
    assert stage.said[-1] == ("speed", 1.0)
    another = stage.library.episodes.get(other).podcast_id
    own(stage, another, PodcastSettings(speed=3.0))
    assert stage.deck.status.speed == 1.0


def test_the_speed_of_a_podcast_goes_with_it(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    own(stage, podcast, PodcastSettings(speed=2.0))
    stage.play(ids[0])
    stage.deck.forget(podcast)
    assert stage.deck.status.speed == 1.0
    stage.deck.set_speed(1.3)
    stage.play(other)
    assert stage.deck.status.speed == 1.3


# -- chapters ---------------------------------------------------------------------------------------------------


def with_chapters(stage: Stage, episode_id: EpisodeId) -> None:
    stage.deck.navigation.take_chapters(
        episode_id, Chapters((Chapter(0, "Talk"), Chapter(60_000, "Sponsor: a shop"), Chapter(90_000, "Ad: a bank")))
    )


def test_words_that_are_set_while_it_plays_skip_the_next_chapter_that_has_them(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId
) -> None:
    stage.play(ids[0])
    with_chapters(stage, ids[0])
    own(stage, podcast, PodcastSettings(skip_chapters=("Ad",)))
    stage.move(60_000)
    stage.deck.tick()
    assert stage.place == 60_000, "its own words go before those for all"
    stage.move(90_000)
    stage.deck.tick()
    assert stage.place > 10 * MINUTES


def test_after_its_podcast_was_renamed_an_episode_skips_by_the_same_words(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId
) -> None:
    own(stage, podcast, PodcastSettings(skip_chapters=()))
    take_in(stage.library, stage.library.podcasts.get(podcast), episode(0), title="Quite another name")
    stage.play(ids[0])
    with_chapters(stage, ids[0])
    stage.move(60_000)
    stage.deck.tick()
    assert stage.place == 60_000
    assert stage.state is PlaybackState.PLAYING
