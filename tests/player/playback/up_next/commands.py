"""`player.acts`, carried out at once."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from player.acts import Acts
from tests.player.playback.up_next.stage import Stage

T = TypeVar("T")


def at_once(work: Callable[[], T]) -> Future[T]:
    future: Future[T] = Future()
    future.set_result(work())
    return future


def acts_of(stage: Stage) -> Acts:
    return Acts(stage.library, stage.bus, at_once)
