"""How many episodes of a list are downloaded by themselves."""

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from player.errors import EarmarkError
from player.model.podcast_settings import MOST_NEWEST
from player.text.cleaning import clean_line
from player.text.sentences import _
from tui.dialogs.dialog import Dialog, field
from tui.drawing.cells import steady
from tui.widgets.choices import Choice, Choices

_SHOWN = 60


class ListDownloads(Dialog[int]):
    """Ends with the number, 0 for none, or with None. `read` answers with the present one; it may raise EarmarkError
    and runs in a thread."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close")]

    def __init__(self, title: str, read: Callable[[], int]) -> None:
        super().__init__()
        self._heading = _("Download “{title}”", title=steady(clean_line(title, _SHOWN)))
        self._read = read
        self._input = Input(placeholder="0", id="number", max_length=4, type="integer")
        self._notice = Static(_("How many of its first unplayed episodes. 0: none."), classes="muted", markup=False)

    def heading(self) -> str:
        return self._heading

    def choices(self) -> tuple[Choice, ...]:
        return Choice("save", "enter", _("save")), Choice("close", "esc", _("cancel"))

    def contents(self) -> ComposeResult:
        yield field(_("Episodes"), self._input)
        self._notice.add_class("gap")
        yield self._notice

    def on_mount(self) -> None:
        self._input.focus()
        self.run_worker(self._show_present, thread=True)

    def _show_present(self) -> None:
        try:
            most = self._read()
        except EarmarkError:
            return
        self.app.call_from_thread(self._fill, most)

    def _fill(self, most: int) -> None:
        if most and not self._input.value:
            self._input.value = str(most)
            self._input.cursor_position = len(self._input.value)

    @on(Input.Submitted)
    def _save(self) -> None:
        text = self._input.value.strip() or "0"
        if not (text.isascii() and text.isdigit() and int(text) <= MOST_NEWEST):
            self._notice.update(_("Type a number up to {most}.", most=MOST_NEWEST))
            self._notice.set_class(True, "-trouble")
            return
        self.dismiss(int(text))

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "save":
            self._save()
        else:
            self.action_close()

    def action_close(self) -> None:
        self.dismiss(None)
