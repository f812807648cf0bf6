"""Finding words in the entries of a page: `/` opens a line to type them in; `n` and `N` go from one to the next."""

from textual import events

from tui.look.glyphs import glyphs_of
from tui.screens.following import FollowingScreen
from tui.widgets.cursor_page import CursorPage


class FindingScreen(FollowingScreen):
    """`page` is searched while the keys go to it."""

    @property
    def page(self) -> CursorPage:
        raise NotImplementedError

    @property
    def on_page(self) -> bool:
        """Whether the keys go to the page."""
        return True

    def find_on_page(self) -> bool:
        """Opens the line to type in; False where the page has no entries."""
        if self.page.entry is None:
            return False
        from tui.dialogs.find import FindScreen

        def closed(stay: bool | None) -> None:
            if stay:
                self._step_found(0)
            else:
                self.page.find("")

        self.app.push_screen(FindScreen(self.page.find), closed)
        return True

    def on_key(self, event: events.Key) -> None:
        """While words that were found are marked, `n` and `N` go from one place to the next, and `esc` ends it."""
        if not self.page.found or not self.on_page:
            return
        if event.character in ("n", "N"):
            self._step_found(1 if event.character == "n" else -1)
        elif event.key == "escape":
            self.page.find("")
            self.say("")
        else:
            return
        event.stop()
        event.prevent_default()

    def _step_found(self, step: int) -> None:
        words, dot = self.page.found, glyphs_of(self.app).dot
        which, count = self.page.find(words, step)
        self.say(f"“{words}” {which} of {count} {dot} n next {dot} N previous {dot} esc ends")
