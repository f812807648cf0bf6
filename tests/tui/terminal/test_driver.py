"""The driver: sizes, which may come while the last one is handled, and floods of reports."""

import asyncio
from collections import deque
from collections.abc import Callable
from threading import Lock
from types import SimpleNamespace
from typing import Any

import pytest
from textual.geometry import Size
from textual.message import Message

from tui.terminal.driver import TerminalDriver
from tui.terminal.input import TerminalInput


async def test_a_size_that_comes_while_another_is_read_is_the_last_that_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    driver: Any = object.__new__(TerminalDriver)
    driver._loop, driver._sent = asyncio.get_running_loop(), Size(0, 0)
    sizes, sent = [(30, 8), (100, 30)], []

    def read() -> tuple[int, int]:
        size = sizes[0]
        if len(sizes) > 1:
            del sizes[0]
            driver._resized()
        return size

    monkeypatch.setattr(driver, "_get_terminal_size", read)
    monkeypatch.setattr(driver, "send_message", lambda message: sent.append(message.size))
    driver._resized()
    while not sent or sizes[0] != sent[-1]:
        await asyncio.sleep(0)
    assert sent[-1] == Size(100, 30)


def driver_of(posted: list[Message], turns: list[Callable[[], None]]) -> Any:
    """A driver whose app does what it is told when one of its `turns` is called."""

    def call_later(turn: Callable[[], None]) -> bool:
        turns.append(turn)
        return True

    app = SimpleNamespace(post_message=posted.append, call_later=call_later)
    driver: Any = object.__new__(TerminalDriver)
    driver._app, driver._loop = app, SimpleNamespace(call_soon_threadsafe=turns.append)
    driver._waiting, driver._guard, driver._handing_on, driver._handed_on_at = deque(), Lock(), False, 0.0
    driver.cursor_origin, driver._down_buttons, driver._last_move_event = None, [], None
    driver.answered = lambda _answer: None
    return driver


@pytest.mark.parametrize(
    "flood",
    [
        "\x1b[<35;{n};5M",
        "\x1b[I\x1b[O",
        "\x1b[<64;5;5M",
        "\x1b[?997;1n",
        "\x1b[<35;{n};5M\x1b[I\x1b[?997;2n",
        "\x1b[<0;5;5M",
    ],
)
def test_of_thousands_of_reports_few_wait_and_a_key_comes_soon(flood: str) -> None:
    posted: list[Any] = []
    turns: list[Callable[[], None]] = []
    driver = driver_of(posted, turns)
    driver._take(TerminalInput(), "".join(flood.format(n=1 + n % 99) for n in range(10_000)) + "j")
    while turns:
        turns.pop(0)()
    assert len(posted) < 60
    assert posted[-1].key == "j"


def test_keys_go_on_where_the_app_never_says_that_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    posted: list[Any] = []
    turns: list[Callable[[], None]] = []
    driver = driver_of(posted, turns)
    driver._take(TerminalInput(), "\x1b[I")
    turns.pop()()
    turns.clear()  # dropped: the app has no screen at that moment
    driver._take(TerminalInput(), "j")
    assert not turns
    monkeypatch.setattr("tui.terminal.driver.monotonic", lambda: driver._handed_on_at + 1)
    driver._take(TerminalInput(), "k")
    while turns:
        turns.pop(0)()
    assert [one.key for one in posted[1:]] == ["j", "k"]


def test_what_cannot_be_read_is_logged_and_the_next_key_is_read(caplog: pytest.LogCaptureFixture) -> None:
    posted: list[Any] = []
    turns: list[Callable[[], None]] = []
    driver = driver_of(posted, turns)
    parser: Any = TerminalInput()
    parser.parse_mouse_code = lambda _code: 1 // 0
    parser = driver._take(parser, "\x1b[<0;1;1M")
    driver._take(parser, "j")
    while turns:
        turns.pop(0)()
    assert [one.key for one in posted] == ["j"]
    assert "can't be read" in caplog.text


def test_a_size_beyond_any_screen_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = driver_of([], [])
    driver._sent = Size(0, 0)
    monkeypatch.setattr(driver, "_get_terminal_size", lambda: (65_535, 65_535))
    driver._send_size()
    assert driver._sent.area <= 1_000_000


def test_after_a_stop_the_screen_and_its_pictures_are_drawn_again() -> None:
    turns: list[Callable[[], None]] = []
    driver = driver_of([], turns)
    driver._suspended, driver._output = False, None
    drawn: list[str] = []
    driver.drawn_anew = lambda: drawn.append("pictures")
    driver._app.screen = SimpleNamespace(refresh=lambda: drawn.append("screen"))
    driver._app.screen_stack = [driver._app.screen]
    driver._sigcont_application()
    while turns:
        turns.pop(0)()
    assert drawn == ["pictures", "screen"]
