"""Finds words in the entries of a page: `/` opens a line to type in; `n` and `N` go to the next and previous match."""

from collections.abc import Callable

from player.text.sentences import _
from tui.controllers.ui import Ui
from tui.widgets.cursor_page import CursorPage


class FindController:
    """Searches `page` while it has the focus, which `on_page` tells."""

    def __init__(self, ui: Ui, page: CursorPage, on_page: Callable[[], bool]) -> None:
        self._ui = ui
        self._page = page
        self._on_page = on_page

    def open(self) -> bool:
        """Opens the line to type in; False where there is nothing to find words in."""
        if not self._page.findable:
            return False
        from tui.dialogs.find_in_page import FindInPage

        def closed(stay: bool | None) -> None:
            if stay:
                self._step(0)
            else:
                self._page.find("")

        self._ui.push(FindInPage(self._page.find), closed)
        return True

    def takes(self, key: str, character: str | None) -> bool:
        """While words that were found are marked, `n` and `N` go to the next and previous match, and `esc` ends it."""
        if not self._page.found or not self._on_page():
            return False
        if character in ("n", "N"):
            self._step(1 if character == "n" else -1)
        elif key == "escape":
            self._page.find("")
            self._ui.say("")
        else:
            return False
        return True

    def _step(self, step: int) -> None:
        words, dot = self._page.found, self._ui.glyphs.dot
        which, count = self._page.find(words, step)
        found = _("“{words}” {which} of {count}", words=words, which=which, count=count)
        self._ui.say(f"{found} {dot} n {_('next')} {dot} N {_('previous')} {dot} esc {_('ends')}")
