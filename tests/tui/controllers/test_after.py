"""What a controller does once the player has done what it asked for: on the screen's thread, or nothing."""

from collections.abc import Callable
from concurrent.futures import Future

import pytest

from player.errors import LibraryError
from tests.tui.controllers.fake import FakeUi
from tui.controllers.ui import after, say_after


def refused() -> "Future[int]":
    future: Future[int] = Future()
    future.set_exception(LibraryError("The disk is full"))
    return future


def cancelled() -> "Future[int]":
    future: Future[int] = Future()
    future.cancel()
    return future


def test_the_result_is_passed_on_once_it_is_there() -> None:
    future: Future[int] = Future()
    results: list[int] = []
    after(FakeUi(), future, results.append, lambda: results.append(-1))
    assert results == []
    future.set_result(7)
    assert results == [7]


@pytest.mark.parametrize("ended", [refused, cancelled])
def test_what_failed_or_was_cancelled_is_passed_on_as_that_and_never_raised(ended: Callable[[], Future[int]]) -> None:
    results: list[int] = []
    after(FakeUi(), ended(), results.append, lambda: results.append(-1))
    after(FakeUi(), ended(), results.append)
    assert results == [-1]


@pytest.mark.parametrize("ended", [refused, cancelled])
def test_nothing_is_said_of_what_failed(ended: Callable[[], Future[int]]) -> None:
    ui = FakeUi()
    say_after(ui, ended(), lambda number: f"{number} done")
    assert ui.messages == []


def test_words_that_are_empty_are_not_said() -> None:
    ui, future = FakeUi(), Future[int]()
    say_after(ui, future, lambda number: f"{number} done" if number else "")
    future.set_result(0)
    done = Future[int]()
    done.set_result(3)
    say_after(ui, done, lambda number: f"{number} done")
    assert ui.messages == ["3 done"]
