"""A screen closes once, itself alone, whatever asks it to."""

from textual.app import App
from textual.screen import ModalScreen, Screen

from tests.tui.stage import stocked
from tui.dialogs.palette import Palette
from tui.framework.screen import ClosesOnce


class Asking(ClosesOnce, ModalScreen[str]):
    """A dialog of nothing."""


async def test_a_dialog_that_is_dismissed_twice_closes_nothing_else() -> None:
    answers: list[str | None] = []
    app: App[None] = App()
    async with app.run_test() as pilot:
        first, second = Asking(), Asking()
        await app.push_screen(first, answers.append)
        await app.push_screen(second, answers.append)
        second.dismiss("yes")
        second.dismiss("no")
        await pilot.pause()
        assert (app.screen, answers) == (first, ["yes"])


async def test_a_dialog_under_another_one_closes_when_that_is_gone() -> None:
    answers: list[str | None] = []
    app: App[None] = App()
    async with app.run_test() as pilot:
        below, above = Asking(), Asking()
        base = app.screen
        await app.push_screen(below, answers.append)
        await app.push_screen(above, answers.append)
        below.dismiss("late")
        await pilot.pause()
        assert (app.screen, answers) == (above, [])
        above.dismiss("now")
        await pilot.pause()
        await pilot.pause()
        assert (app.screen, answers) == (base, ["now", "late"])


async def test_clicks_in_one_read_close_the_palette_and_the_help_alone() -> None:
    async with stocked(drawn=True) as stage:
        main: Screen[object] = stage.app.screen
        for key in ("ctrl+p", "question_mark"):
            await stage.press(key)
            await stage.until(lambda: isinstance(stage.app.screen, Palette), "the screen to open")
            top = stage.app.screen
            for _ in range(3):
                top.dismiss()
            await stage.until(lambda: stage.app.screen is main, "it to close")
            await stage.press("j")
            assert stage.app.is_running, key
