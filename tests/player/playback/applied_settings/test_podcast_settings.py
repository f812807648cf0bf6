"""What is set for a podcast applies to its episodes from their first moment, and to no others."""

from collections.abc import Iterator

import pytest

from player.errors import MediaError
from player.library import Library
from player.model.episode import Chapter, Chapters, EpisodeId
from player.model.playback import PlaybackState
from player.model.podcast import PodcastId
from player.model.podcast_settings import PodcastSettings
from player.playback.engine import Measured, Playing
from player.playback.last_session import last_session
from player.playback.rules import SkipRules
from player.playback.up_next import EndedBy
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import HeldMedia, silence
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
    return apply_feed(library, library.podcasts.add(f"{URL}/other"), episode(50), title="Another show").new[0]


@pytest.fixture
def podcast(library: Library, ids: tuple[EpisodeId, ...]) -> PodcastId:
    return library.episodes.get(ids[0]).podcast_id


def own(stage: Stage, podcast: PodcastId, settings: PodcastSettings) -> None:
    """As a dialog does."""
    stage.library.podcast_settings.set(podcast, settings)
    stage.controller.settings_changed(podcast)


# -- speed ------------------------------------------------------------------------------------------------------


def test_an_episode_of_a_podcast_with_its_own_speed_starts_at_it_and_another_does_not(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    own(stage, podcast, PodcastSettings(speed=1.5))
    stage.controller.set_speed(1.1)
    stage.play(ids[0])
    assert stage.engine_calls[-1] == ("load", 0, 1.5, 100)
    assert stage.controller.status.speed == 1.5
    stage.play(other)
    assert stage.engine_calls[-1] == ("load", 0, 1.1, 100)
    assert stage.controller.status.speed == 1.1


def test_the_speed_keys_leave_the_podcasts_own_speed_alone(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    own(stage, podcast, PodcastSettings(speed=1.5, gain_db=2.0))
    stage.play(ids[0])
    stage.controller.set_speed(1.7)
    assert stage.controller.status.speed == 1.7
    own(stage, podcast, PodcastSettings(speed=1.5, gain_db=3.0))
    assert stage.controller.status.speed == 1.7, "something else was set"
    stage.play(other)
    assert stage.controller.status.speed == 1.0, "that of all the others was left alone"
    stage.controller.set_speed(1.2)
    stage.play(ids[1])
    assert stage.controller.status.speed == 1.5
    assert stage.saver.flush(5)
    assert stage.library.podcast_settings.get(podcast) == PodcastSettings(speed=1.5, gain_db=3.0)
    assert stage.library.state.get("speed") == "1.2"


def test_a_podcasts_speed_that_is_set_goes_before_what_was_chosen_for_now(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId
) -> None:
    own(stage, podcast, PodcastSettings(speed=1.5))
    stage.play(ids[0])
    stage.controller.set_speed(1.7)
    own(stage, podcast, PodcastSettings(speed=2.0))
    assert stage.controller.status.speed == 2.0
    own(stage, podcast, PodcastSettings())
    assert stage.controller.status.speed == 1.0


def test_a_speed_that_is_kept_for_the_podcast_is_no_longer_that_of_all_the_others(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    stage.controller.set_speed(1.1)
    stage.play(ids[0])
    stage.controller.set_speed(1.3)
    stage.play(ids[1])
    stage.controller.set_speed(1.4)
    own(stage, podcast, PodcastSettings(speed=1.4))
    assert stage.controller.status.speed == 1.4
    stage.play(other)
    assert stage.controller.status.speed == 1.1
    assert stage.saver.flush(5)
    assert stage.library.state.get("speed") == "1.1"


def test_after_a_restart_the_podcasts_speed_is_shown_from_the_first_frame_on(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    own(stage, podcast, PodcastSettings(speed=1.5))
    stage.controller.set_speed(0.9)
    stage.play(ids[0])
    stage.move(2_000)
    stage.controller.tick()
    stage.end()
    assert last_session(stage.library).speed == 1.5
    stage.begin()
    stage.controller.restore()
    assert stage.controller.status.speed == 1.5
    stage.play(other)
    assert stage.controller.status.speed == 0.9


def test_a_speed_that_is_set_while_its_podcast_plays_applies_at_once(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    stage.play(ids[0])
    own(stage, podcast, PodcastSettings(speed=2.0))
    assert stage.engine_calls[-1] == ("speed", 2.0)
    own(stage, podcast, PodcastSettings())
    assert stage.engine_calls[-1] == ("speed", 1.0)
    another = stage.library.episodes.get(other).podcast_id
    own(stage, another, PodcastSettings(speed=3.0))
    assert stage.controller.status.speed == 1.0


def test_the_speed_of_a_podcast_goes_with_it(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    own(stage, podcast, PodcastSettings(speed=2.0))
    stage.play(ids[0])
    stage.controller.forget(podcast)
    assert stage.controller.status.speed == 1.0
    stage.controller.set_speed(1.3)
    stage.play(other)
    assert stage.controller.status.speed == 1.3


# -- gain -------------------------------------------------------------------------------------------------------


def test_a_podcasts_gain_comes_on_top_of_the_volume_which_stays_the_listeners(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    own(stage, podcast, PodcastSettings(gain_db=6.0))
    stage.play(ids[0])
    assert stage.engine_calls == [("load", 0, 1.0, 126)], "the cube of 1.26 is 2, which is 6 dB"
    assert stage.controller.status.volume == 100
    own(stage, podcast, PodcastSettings(gain_db=20.0))
    assert ("volume", 150) in stage.engine_calls, "an engine goes no further"
    stage.play(other)
    assert stage.engine_calls[-1] == ("load", 0, 1.0, 100)


# -- chapters ---------------------------------------------------------------------------------------------------


def with_chapters(stage: Stage, episode_id: EpisodeId) -> None:
    stage.controller.navigation.set_chapters(
        episode_id, Chapters((Chapter(0, "Talk"), Chapter(60_000, "Sponsor: a shop"), Chapter(90_000, "Ad: a bank")))
    )


def test_words_that_are_set_while_it_plays_skip_the_next_chapter_that_has_them(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId
) -> None:
    stage.play(ids[0])
    with_chapters(stage, ids[0])
    own(stage, podcast, PodcastSettings(skip_chapters=("Ad",)))
    stage.move(60_000)
    stage.controller.tick()
    assert stage.position_ms == 60_000, "its own words go before those for all"
    stage.move(90_000)
    stage.controller.tick()
    assert stage.position_ms > 10 * MINUTES


def test_after_its_podcast_was_renamed_an_episode_skips_by_the_same_words(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId
) -> None:
    own(stage, podcast, PodcastSettings(skip_chapters=()))
    apply_feed(stage.library, stage.library.podcasts.get(podcast), episode(0), title="Quite another name")
    stage.play(ids[0])
    with_chapters(stage, ids[0])
    stage.move(60_000)
    stage.controller.tick()
    assert stage.position_ms == 60_000
    assert stage.state is PlaybackState.PLAYING


# -- intro and outro --------------------------------------------------------------------------------------------

AD = PodcastSettings(skip_intro_ms=30_000, skip_outro_ms=60_000)


def test_an_episode_begins_behind_the_intro_and_u_goes_back(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId
) -> None:
    own(stage, podcast, AD)
    stage.play(ids[0])
    assert stage.engine_calls == [("load", 30_000, 1.0, 100)]
    assert stage.notices == ["Skipped the intro"]
    stage.controller.navigation.undo_jump()
    assert stage.position_ms == 0
    stage.move(2_000)
    stage.controller.tick()
    assert stage.position_ms == 2_000


def test_an_episode_of_another_podcast_begins_at_its_start(stage: Stage, podcast: PodcastId, other: EpisodeId) -> None:
    own(stage, podcast, AD)
    stage.play(other)
    assert stage.engine_calls == [("load", 0, 1.0, 100)]


@pytest.mark.parametrize("away_s", [1, 3_600], ids=["at once", "after an hour, a little earlier"])
def test_what_was_left_within_the_intro_is_resumed_there(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, away_s: int
) -> None:
    own(stage, podcast, AD)
    stage.library.progress.save(ids[0], 2_000, None, stage.time.now())
    stage.time.pass_(away_s)
    stage.play(ids[0])
    assert stage.position_ms in (0, 2_000)
    stage.move(stage.position_ms + 100)
    stage.controller.tick()
    assert stage.position_ms < 2_500
    assert stage.notices == []


def test_a_pause_at_the_beginning_of_what_was_begun_skips_nothing_more(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId
) -> None:
    own(stage, podcast, AD)
    stage.play(ids[0])
    stage.move(40_000)
    stage.controller.pause()
    stage.controller.resume()
    assert stage.position_ms == 40_000


def test_who_asks_for_the_start_hears_the_intro(stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId) -> None:
    own(stage, podcast, AD)
    stage.play(ids[0], 0)
    stage.controller.tick()
    assert stage.engine_calls == [("load", 0, 1.0, 100)]
    stage.play(ids[1])
    stage.move(90_000)
    stage.controller.navigation.seek_to(0)
    stage.controller.tick()
    assert stage.position_ms == 0


def test_an_intro_that_is_set_while_it_plays_moves_nothing(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId
) -> None:
    stage.play(ids[0])
    stage.move(5_000)
    own(stage, podcast, AD)
    stage.controller.tick()
    assert stage.position_ms == 5_000


def test_an_attempt_that_brings_no_sound_leaves_the_episode_unbegun(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId
) -> None:
    own(stage, podcast, AD)
    stage.controller.play(ids[0])
    stage.settle()
    stage.fail(MediaError("There is nothing there (404)"))
    assert (stage.position_ms, stage.saved(ids[0])) == (0, None)


def test_an_episode_shorter_than_the_intro_is_heard_from_its_start(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId
) -> None:
    """The feed said half an hour; the bytes say twenty seconds."""
    own(stage, podcast, AD)
    stage.store.media = lambda _episode: HeldMedia(silence(1))
    stage.play(ids[0])
    assert stage.engine_calls == [("load", 30_000, 1.0, 100)]
    stage.controller.on_report(Measured(stage.engine.generation, 20_000, exact=True))
    assert stage.engine_calls[-1] == ("seek", 0)
    stage.move(5_000)
    stage.controller.tick()
    assert (stage.position_ms, stage.state) == (5_000, PlaybackState.PLAYING)


def test_an_episode_that_was_over_behind_the_intro_is_not_played_but_begun_again(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId
) -> None:
    """Nothing told its length before the engine had come to its end."""
    own(stage, podcast, AD)
    stage.store.media = lambda _episode: HeldMedia(b"ID3" + bytes(2000))
    stage.play(ids[0])
    stage.read_all()
    stage.finish()
    stage.settle()
    assert stage.engine_calls[-1] == ("load", 0, 1.0, 100)
    assert stage.saver.flush(5)
    assert not stage.library.episodes.get(ids[0]).played


def test_the_outro_ends_the_episode(stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId) -> None:
    own(stage, podcast, AD)
    stage.play(ids[0])
    stage.move(29 * MINUTES - 200)
    stage.controller.tick()
    assert stage.position_ms == 29 * MINUTES - 200
    stage.move(29 * MINUTES + 50)
    stage.controller.tick()
    assert stage.state is PlaybackState.ENDED
    assert stage.notices[-1] == "Skipped the outro"
    assert stage.saved(ids[0]) is None
    assert stage.library.episodes.get(ids[0]).played
    assert [(ended.episode_id, ended.by) for ended in stage.asked] == [(ids[0], EndedBy.FINISHED)]
    stage.controller.navigation.undo_jump()
    stage.controller.resume()
    stage.settle()
    stage.controller.on_report(Playing(stage.engine.generation))
    stage.controller.tick()
    assert (stage.state, stage.position_ms) == (PlaybackState.PLAYING, 29 * MINUTES + 50)


def test_who_jumps_into_the_outro_hears_it(stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId) -> None:
    own(stage, podcast, AD)
    stage.play(ids[0])
    stage.controller.navigation.seek_to(29 * MINUTES + 10_000)
    stage.controller.tick()
    assert stage.state is PlaybackState.PLAYING


def test_by_a_guessed_length_no_end_is_cut_off(stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId) -> None:
    own(stage, podcast, AD)
    stage.store.media = lambda _episode: HeldMedia(b"ID3" + bytes(2000))
    stage.play(ids[0])
    stage.move(29 * MINUTES + 50)
    stage.controller.tick()
    assert stage.state is PlaybackState.PLAYING


def test_what_plays_goes_by_its_podcasts_new_title_at_once(
    stage: Stage, ids: tuple[EpisodeId, ...], podcast: PodcastId, other: EpisodeId
) -> None:
    stage.play(ids[0])
    stage.library.shelf.rename(podcast, "Mine")
    stage.controller.settings_changed(stage.library.episodes.get(other).podcast_id)
    assert stage.controller.status.episode
    assert stage.controller.status.episode.podcast == "A show"
    stage.controller.settings_changed(podcast)
    assert stage.controller.status.episode.podcast == "Mine"
    assert stage.controller.status.state is PlaybackState.PLAYING
