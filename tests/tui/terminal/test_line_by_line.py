"""What a screen reader's terminal is sent: each line once, what is typed alone, and the news in one place."""

import re
from typing import Any

import pytest
from textual._compositor import CompositorUpdate
from textual.app import App, ComposeResult
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Static

from tests.tui.alone import until
from tui.framework.rendering import DrawsOver
from tui.look.glyphs import CURSOR, SPOKEN
from tui.terminal.line_by_line import LineByLine, fitting, say

DOWN = Key("down", None)


class Form(DrawsOver[None]):
    """A field with a label, and three rows, of which `at` has the cursor. `sent` is what the terminal gets."""

    CSS = "Input { border: none; height: 1; padding: 0; } Static { height: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []
        self.reader = LineByLine(self, self.sent.append)

    def compose(self) -> ComposeResult:
        yield Input(placeholder="Words", select_on_focus=False)
        for row in range(3):
            yield Static(id=f"row-{row}", markup=False)

    def on_mount(self) -> None:
        self.show(0)

    def show(self, at: int, state: str = SPOKEN.new) -> None:
        for row in range(3):
            mark = CURSOR if row == at else ""
            self.query_one(f"#row-{row}", Static).update(f"{mark}{state} Episode {row}")

    def _display(self, screen: Screen[Any], renderable: object) -> None:
        if isinstance(renderable, CompositorUpdate) and (words := self.reader.complete(screen, renderable)) is not None:
            self.sent.append(words.render_segments(self.console))

    async def types(self, pilot: Pilot[None]) -> None:
        self.query_one(Input).focus()
        await pilot.press("a")
        await until(pilot, lambda: self.cursor_position == (1, 0))

    async def settles(self, pilot: Pilot[None]) -> str:
        await pilot.pause()
        sent, self.sent[:] = "".join(self.sent), []
        return sent


async def test_a_line_is_sent_once_and_again_only_when_it_says_something_else() -> None:
    app = Form()
    async with app.run_test(size=(40, 10)) as pilot:
        app.query_one(Input).disabled = True
        await until(pilot, lambda: app.cursor_position == (0, 1))
        first = await app.settles(pilot)
        assert "\x1b[?25h" in first
        assert re.findall(r"\x1b\[(\d);1H([^\x1b]+)", first)[-3:] == [
            ("2", "new, Episode 0"),
            ("3", "new, Episode 1"),
            ("4", "new, Episode 2"),
        ]
        app.show(1)
        await until(pilot, lambda: app.cursor_position == (0, 2))
        assert await app.settles(pilot) == "", "the cursor alone has moved"
        app.show(1, SPOKEN.played)
        await until(pilot, lambda: bool(app.sent))
        assert "played, Episode 1" in await app.settles(pilot)
        app.reader.forget()
        app.screen.refresh()
        await until(pilot, lambda: bool(app.sent))
        assert "played, Episode 2" in await app.settles(pilot), "a terminal that lost it gets everything again"


async def test_of_what_is_typed_only_the_new_letters_are_sent() -> None:
    app = Form()
    async with app.run_test(size=(40, 10)) as pilot:
        field = app.query_one(Input)
        field.focus()
        await pilot.press("a", "b")
        await app.settles(pilot)
        await pilot.press(",")
        sent = await app.settles(pilot)
        assert re.findall(r"\x1b\[1;3H,", sent)
        assert "ab" not in sent
        assert app.cursor_position == (3, 0)
        await pilot.press("left", "x")
        assert "x," in await app.settles(pilot)
        assert app.cursor_position == (3, 0)


async def test_a_key_goes_to_the_row_alone_though_something_is_drawn_before_it_is_carried_out() -> None:
    app = Form()
    async with app.run_test(size=(40, 10)) as pilot:
        await app.types(pilot)
        app.reader.pressed(DOWN)
        app.show(0, SPOKEN.played)
        await until(pilot, lambda: app.cursor_position == (0, 1))
        assert app.reader.goes_to_row()
        app.reader.pressed(DOWN)
        assert not app.reader.goes_to_row(), "the next key moves from there"


async def test_of_two_keys_that_come_at_once_the_second_moves_on() -> None:
    app = Form()
    async with app.run_test(size=(40, 10)) as pilot:
        await app.types(pilot)
        app.reader.pressed(DOWN)
        app.reader.pressed(DOWN)
        assert [app.reader.goes_to_row(), app.reader.goes_to_row()] == [True, False]


async def test_news_are_in_the_last_rows_until_the_next_and_the_cursor_stays() -> None:
    app = Form()
    async with app.run_test(size=(40, 10)) as pilot:
        await app.settles(pilot)
        assert say(app, "Starred")
        assert "".join(app.sent) == "\x1b[11;1H\x1b[K\x1b[12;1H\x1b[K\x1b[13;1HStarred\x1b[K\x1b[1;1H"
        app.sent.clear()
        say(app, "Starred")
        assert app.sent == [], "two screens say the same, and it is said once"
        say(app, "One sentence that is longer than a line, and goes on")
        assert "\x1b[12;1HOne sentence that is longer than a line,\x1b[K\x1b[13;1Hand goes on\x1b[K" in app.sent[0]


def test_an_app_that_is_not_for_a_screen_reader_says_nothing() -> None:
    assert not say(App(), "Starred")


@pytest.mark.parametrize(
    ("words", "fits"),
    [
        ("new, Episode, 10 min", "new, Episode, 10 min"),
        ("new, Episode, 10 minutes", "new, Episode"),
        ("A sentence without any facts", "A sentence without a"),
    ],
)
def test_a_fact_that_is_not_whole_is_left_out(words: str, fits: str) -> None:
    assert fitting(words, 20) == fits
