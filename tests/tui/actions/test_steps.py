"""Digits that belong together, and speeds that go by tenths."""

import pytest

from player.playback.last_session import stepped_speed
from tui.actions.keys import TypedDigits


def typed(*keys: str, apart: float = 0.1) -> TypedDigits:
    digits = TypedDigits()
    for number, key in enumerate(keys):
        digits = digits.then(key, 100 + number * apart)
    return digits


def test_only_one_digit_pressed_twice_is_a_pair() -> None:
    assert typed("0", "0").is_pair
    assert typed("j", "0", "0").is_pair
    for keys in (("0",), ("1", "0"), ("1", "0", "0"), ("0", "j", "0"), ("0", "0", "0"), ("j",)):
        assert not typed(*keys).is_pair


def test_digits_that_are_seconds_apart_do_not_belong_together() -> None:
    assert not typed("0", "0", apart=3).is_pair
    assert typed("1", "0", apart=3).digits == "0"


@pytest.mark.parametrize(
    ("speed", "by", "then"),
    [
        (1.0, 0.1, 1.1), (1.1, -0.1, 1.0), (1.25, 0.1, 1.3), (1.25, -0.1, 1.2), (1.05, -0.1, 1.0), (0.95, 0.1, 1.0),
        (3.0, 0.1, 3.0), (0.5, -0.1, 0.5), (2.9, 0.1, 3.0), (0.7, -0.1, 0.6),
    ],
)  # fmt: skip
def test_speeds_go_by_tenths(speed: float, by: float, then: float) -> None:
    assert stepped_speed(speed, by) == pytest.approx(then)
