"""Asking on other threads as somebody types: late answers are dropped, and `enter` waits for the one that counts."""

from collections.abc import Callable
from threading import Event

from textual import on
from textual.widgets import Input

from player.errors import LibraryError
from tests.tui.alone import Alone, until, words_of
from tui.dialogs.picker import Picker, TextRows


class Asker(Picker[str]):
    """Finds what was typed, and the same with an exclamation mark, once the test lets it."""

    def __init__(self, answers: dict[str, Event]) -> None:
        self.names = TextRows(lambda: 3)
        super().__init__("Asker", Input(), self.names)
        self.answers = answers
        self.seen_cancelled: list[str] = []
        self.found: list[str] = []

    @on(Input.Changed)
    def _changed(self) -> None:
        words = self.typed
        self.ask("words", lambda cancelled: self._find(words, cancelled), self._show)

    def _find(self, words: str, cancelled: Callable[[], bool]) -> list[str]:
        assert self.answers[words].wait(30)
        if cancelled():
            self.seen_cancelled.append(words)
        if words == "bad":
            raise LibraryError("The library can't be read")
        return [words, f"{words}!"]

    def _show(self, found: list[str]) -> None:
        self.found = found
        self.names.show(found)
        if self.entered:
            self.action_take()

    def action_take(self) -> None:
        self.entered = self.waits_for("words")
        if not self.entered:
            self.dismiss(self.found[self.names.at])


async def test_an_answer_that_comes_too_late_is_dropped_and_its_work_is_told() -> None:
    answers = {"a": Event(), "ab": Event()}
    async with Alone().run_test(size=(80, 24)) as pilot:
        asker = Asker(answers)
        pilot.app.push_screen(asker)
        await pilot.press("a", "b")
        answers["ab"].set()
        await until(pilot, lambda: asker.found)
        answers["a"].set()
        await until(pilot, lambda: asker.seen_cancelled == ["a"])
        await pilot.pause()
        assert asker.found == ["ab", "ab!"]


async def test_enter_waits_for_the_answer_and_takes_the_row_under_the_cursor() -> None:
    answers = {"a": Event()}
    chosen: list[str | None] = []
    async with Alone().run_test(size=(80, 24)) as pilot:
        pilot.app.push_screen(Asker(answers), chosen.append)
        await pilot.press("a", "enter")
        assert chosen == []
        for event in answers.values():
            event.set()
        await until(pilot, lambda: chosen)
        assert chosen == ["a"]


async def test_the_arrows_move_in_the_rows_while_letters_are_typed() -> None:
    answers = {"a": Event()}
    chosen: list[str | None] = []
    async with Alone().run_test(size=(80, 24)) as pilot:
        asker = Asker(answers)
        pilot.app.push_screen(asker, chosen.append)
        for event in answers.values():
            event.set()
        await pilot.press("a")
        await until(pilot, lambda: asker.found)
        await pilot.press("down", "down", "enter")
        assert chosen == ["a!"]


async def test_a_failure_is_told_and_the_dialog_stays() -> None:
    answers = {"b": Event(), "ba": Event(), "bad": Event()}
    for event in answers.values():
        event.set()
    async with Alone().run_test(size=(80, 24)) as pilot:
        asker = Asker(answers)
        pilot.app.push_screen(asker)
        await pilot.pause()
        await asker.query_one("#dialog").mount(asker.told)
        await pilot.press(*"bad")
        await until(pilot, lambda: "The library can't be read" in words_of(pilot.app))
        assert not asker.waits_for("words")
