"""The process that scales survives whatever an image does; `tests/player/processes` has what befalls it."""

from contextlib import closing

from player.artwork.maker import Scaler
from player.artwork.picture import Order, Shape
from tests.player.artwork.images import claims, halves

SHAPE = Shape(4, 2)


def test_it_answers_one_image_after_the_other_whatever_is_wrong_with_the_first() -> None:
    with closing(Scaler()) as scaler:
        assert scaler.scale(Order(claims(6_000, 6_000), SHAPE)).problem
        ((child, _),) = scaler._sandbox._idle
        assert scaler.scale(Order(b"nothing", SHAPE)).problem
        assert scaler.scale(Order(halves(), SHAPE)).picture is not None
        assert scaler._sandbox._idle[0][0] is child


def test_without_an_answer_the_problem_says_why() -> None:
    with closing(Scaler(seconds=0.0)) as late:
        assert late.scale(Order(halves(), SHAPE)).problem == "it took over 0 s"
    assert late.scale(Order(halves(), SHAPE)).problem == "it was stopped"
