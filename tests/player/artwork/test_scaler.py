"""The process that scales: what it survives, and what ends it."""

from collections.abc import Callable

import pytest

from player.artwork.picture import Order, Shape
from player.artwork.scaler import SECONDS, Scaler
from tests.player.artwork.images import claims, halves

SHAPE = Shape(4, 2)


def test_it_answers_one_image_after_the_other_whatever_is_wrong_with_the_first() -> None:
    scaler = Scaler()
    try:
        assert scaler.scale(Order(claims(6_000, 6_000), SHAPE)).problem
        assert scaler.scale(Order(b"nothing", SHAPE)).problem
        assert scaler.scale(Order(halves(), SHAPE)).picture is not None
        assert scaler._process is not None
        scaler._process.kill()
        assert scaler.scale(Order(halves(), SHAPE)).problem == "the process that scales it has died"
        assert scaler.scale(Order(halves(), SHAPE)).picture is not None
    finally:
        scaler.close()


def test_one_that_takes_too_long_is_given_up() -> None:
    scaler = Scaler(seconds=0.0)
    try:
        assert scaler.scale(Order(halves(), SHAPE)).problem == "it took too long"
    finally:
        scaler.close()


def test_a_deadline_that_comes_just_after_the_answer_costs_no_other_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    class LateTimer:
        def __init__(self, seconds: float, function: Callable[[], None]) -> None:
            self.seconds, self.function = seconds, function

        def start(self) -> None:
            pass

        def cancel(self) -> None:
            if self.seconds == SECONDS:
                self.function()

    scaler = Scaler()
    try:
        monkeypatch.setattr("player.artwork.scaler.threading.Timer", LateTimer)
        assert scaler.scale(Order(halves(), SHAPE)).picture is not None
        process = scaler._process
        assert scaler.scale(Order(halves(), SHAPE)).picture is not None
        assert scaler._process is process is not None
    finally:
        scaler._rest = None
        scaler.close()


def test_after_a_while_without_work_it_ends() -> None:
    scaler = Scaler(idle_s=0.01)
    assert scaler.scale(Order(halves(), SHAPE)).picture is not None
    process = scaler._process
    if process is not None:
        assert process.wait(10) is not None
    scaler.close()
    assert scaler.scale(Order(halves(), SHAPE)).problem == "Earmark is ending"
