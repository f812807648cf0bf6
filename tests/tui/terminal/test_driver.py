"""The driver's signal for a new size, which may come while the last one is handled."""

import asyncio
from typing import Any

import pytest
from textual.geometry import Size

from tui.terminal.driver import TerminalDriver


async def test_a_size_that_comes_while_another_is_read_is_the_last_that_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    driver: Any = object.__new__(TerminalDriver)
    driver._loop, driver._in_band_window_resize, driver._sent = asyncio.get_running_loop(), False, Size(0, 0)
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
