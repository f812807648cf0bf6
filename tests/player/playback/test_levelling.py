"""How loud an episode becomes, from what is known of it, and which effects its sound gets."""

import pytest

from player.library.loudness import MeasuredLoudness
from player.model.effects import Boost, Effects, Trim, level_of
from player.model.episode import Episode, EpisodeId
from player.model.podcast import PodcastId
from player.playback.levelling import Known, Levelling, gain_db


def own(lufs: float, minutes: float, *, is_whole: bool = False) -> MeasuredLoudness:
    return MeasuredLoudness(lufs, -1.0, round(minutes * 60_000), is_whole)


@pytest.mark.parametrize(
    ("known", "gain"),
    [
        (Known(own(-24.0, 60, is_whole=True), -20.0), 8.0),
        (Known(own(-24.0, 12), -20.0), 8.0),
        (Known(own(-24.0, 3), -20.0), 4.0),
        (Known(None, -10.0), -6.0),
        (Known(own(-24.0, 0.6)), 8.0),
        (Known(own(-24.0, 0.3)), 0.0),
        (Known(), 0.0),
        (Known(own(-60.0, 60, is_whole=True)), 20.0),
    ],
)
def test_its_own_loudness_counts_once_it_is_known_then_the_podcasts_then_its_first_half_minute(
    known: Known, gain: float
) -> None:
    assert gain_db(-16.0, known) == gain
    assert gain_db(None, known) is None


@pytest.mark.parametrize(
    ("text", "lufs"),
    [("off", None), ("-16", -16.0), ("-14.5 LUFS", -14.5), ("\N{MINUS SIGN}18", -18.0), (" OFF ", None)],
)
def test_levels_as_people_write_them(text: str, lufs: float | None) -> None:
    assert level_of(text) == lufs


@pytest.mark.parametrize("text", ["", "16", "-3", "-99", "loud", "nan", "-inf"])
def test_other_levels_are_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="from -31 to -9 LUFS"):
        level_of(text)


def episode(number: int) -> Episode:
    return Episode(EpisodeId(number), PodcastId(1), "P", "T", f"g{number}", "u")


def test_effects_follow_the_settings_the_episode_and_what_is_measured() -> None:
    applied: list[Effects] = []
    known = {1: Known(None, -20.0), 2: Known()}
    levelling = Levelling(lambda one: known[one.id], applied.append)
    levelling.choose(episode(1), None, Effects())
    assert applied == [Effects(lufs=-20.0)]
    levelling.choose(episode(1), -16.0, Effects(boost=Boost.GENTLE, trim=Trim.STRONG))
    assert applied[-1] == Effects(4.0, Boost.GENTLE, trim=Trim.STRONG, lufs=-20.0)
    levelling.measured(EpisodeId(1), own(-26.0, 30, is_whole=True), ((1_000, 3_000),))
    assert applied[-1] == Effects(10.0, Boost.GENTLE, trim=Trim.STRONG, lufs=-26.0, pauses=((1_000, 3_000),))
    count = len(applied)
    levelling.measured(EpisodeId(2), own(-10.0, 30), ())  # another episode
    levelling.measured(EpisodeId(1), None, ())  # nothing new
    assert len(applied) == count
    levelling.choose(episode(2), -16.0, Effects())
    assert applied[-1] == Effects(0.0)
    levelling.choose(None, None, Effects())
    assert applied[-1] == Effects()
