"""The volume of a device goes with the listener's, from where the device was."""

import pytest

from player.model.effects import Boost, Effects, Trim
from player.playback.casting.cast_engine import _Levels
from player.playback.engine import PlaysElsewhere
from player.playback.report_handler import shortcomings


def test_a_device_that_is_turned_low_stays_low() -> None:
    levels = _Levels(100)
    assert not levels.differs(50), "nothing is known of the device yet"
    levels.read(0.2)
    assert not levels.differs(100)
    assert levels.chosen(150) == pytest.approx(0.3)
    assert levels.chosen(100) == pytest.approx(0.2)


def test_it_gets_no_louder_than_it_can() -> None:
    levels = _Levels(50)
    levels.read(0.8)
    assert levels.chosen(150) == 1.0


def test_what_begins_muted_can_be_heard_again() -> None:
    levels = _Levels(0)
    levels.read(0.5)
    assert levels.differs(0)
    assert levels.chosen(0) == 0.0
    assert levels.audible() == 0.5
    assert levels.chosen(100) == 0.5
    assert levels.audible() is None


def test_a_change_at_the_device_counts_from_then_on() -> None:
    levels = _Levels(100)
    levels.read(0.4)
    levels.chosen(50)
    for _time in range(4):
        levels.read(0.6)
    assert levels.chosen(100) == 1.0
    assert levels.chosen(25) == pytest.approx(0.3)


def test_an_answer_that_is_only_late_changes_nothing() -> None:
    levels = _Levels(100)
    levels.read(0.4)
    levels.chosen(50)
    levels.read(0.4)
    levels.read(0.2)
    assert levels.chosen(100) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("speed", "effects", "said"),
    [
        (1.0, Effects(), []),
        (2.0, Effects(), []),
        (3.0, Effects(), ["“Kitchen” plays at speeds from 0.5 to 2"]),
        (
            1.0,
            Effects(gain_db=0.0, boost=Boost.GENTLE, trim=Trim.STRONG, mono=True),
            ["“Kitchen” plays the episode as it is, without levelling, voice boost, trimmed pauses, mono"],
        ),
    ],
)
def test_what_a_device_cannot_do_is_said(speed: float, effects: Effects, said: list[str]) -> None:
    assert shortcomings(PlaysElsewhere(1, "Kitchen", "127.0.0.1:1", 0.5, 2.0), speed, effects) == said


def test_a_device_with_one_speed_says_so() -> None:
    assert shortcomings(PlaysElsewhere(1, "Kitchen", ""), 1.5, Effects()) == ["“Kitchen” plays at normal speed only"]
