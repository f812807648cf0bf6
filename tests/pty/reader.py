"""What a screen reader says: the line under the terminal's own cursor, and the news in the last rows."""

import re

from tests.pty.terminal import Terminal
from tui.terminal.line_by_line import NEWS_ROWS

_DRAWN = re.compile("[\u2500-\u25ff\u2800-\u28ff\ue000-\uf8ff]")
"""Lines, blocks, shapes, Braille, and characters for private use."""


class Reader:
    """`hears` the line under the cursor, `is_told` the news; both wait for it. After each key, nothing drawn may be on
    the screen, and the cursor is shown, above the news."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.heard: list[str] = []

    @property
    def line(self) -> str:
        return self.terminal.lines[self.terminal.cursor[1]]

    @property
    def news(self) -> str:
        return " ".join(self.terminal.lines[-NEWS_ROWS:]).strip()

    def press(self, *keys: str) -> None:
        self.terminal.press(*keys)

    def hears(self, wanted: str, *, after: str = "") -> str:
        """Waits for the line under the cursor to match; `after` this key. Returns the line."""
        if after:
            self.press(after)
        self.terminal.wait_until(lambda: bool(re.search(wanted, self.line)), f"/{wanted}/ under the cursor")
        self._check()
        self.heard.append(self.line)
        return self.line

    def is_told(self, wanted: str, *, after: str = "") -> str:
        """Waits for the news to match; `after` this key. Returns them."""
        if after:
            self.press(after)
        self.terminal.wait_until(lambda: bool(re.search(wanted, self.news)), f"/{wanted}/ in the news")
        self._check()
        return self.news

    def _check(self) -> None:
        assert self.terminal.shows_cursor
        assert self.terminal.cursor[1] < len(self.terminal.lines) - NEWS_ROWS
        assert not _DRAWN.search(self.terminal.text), self.terminal.text
