"""Lists of podcasts from and to files: the dialogs that ask for the path."""

from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, Static

from player.errors import EarmarkError
from tui.dialogs.dialog import Dialog
from tui.drawing import labels
from tui.framework.input_limits import MOST_LETTERS
from tui.widgets.choices import Choice, Choices

if TYPE_CHECKING:
    from player.feeds.opml import Outline
    from player.player import Player


class FileScreen(Dialog[None]):
    """Asks for a path; `~` is the home folder. A failure is told here, with the path kept."""

    HEADING = ""
    WHAT = ""
    WORD = ""
    START = ""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close")]

    class _Done(Message):
        def __init__(self, words: str, *, trouble: bool = False) -> None:
            super().__init__()
            self.words = words
            self.trouble = trouble

    def __init__(self, player: "Player") -> None:
        super().__init__()
        self._player = player
        self._input = Input(self.START, placeholder="~/podcasts.opml", select_on_focus=False, max_length=MOST_LETTERS)
        self._told = Static(self.WHAT, id="told", classes="muted gap", markup=False)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static(self.HEADING, classes="title")
            self._input.add_class("gap")
            yield self._input
            yield self._told
            choices = Choices(Choice("go", "enter", self.WORD), Choice("close", "esc", "close"))
            choices.add_class("gap")
            yield choices

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "go":
            self._take()
        else:
            self.dismiss()

    @on(Input.Submitted)
    def _take(self) -> None:
        path = self._input.value.strip().strip("\"'")
        if not path:
            self._tell(self.WHAT)
            return
        self.run_worker(lambda: self._work_aside(Path(path).expanduser()), thread=True, exclusive=True)

    def _work_aside(self, path: Path) -> None:
        try:
            words = self.work(path)
        except EarmarkError as error:
            self.post_message(self._Done(str(error), trouble=True))
        else:
            self.post_message(self._Done(words))

    def work(self, path: Path) -> str:
        """In a thread: does it, and says what was done. Raises EarmarkError."""
        raise NotImplementedError

    def on_file_screen__done(self, event: _Done) -> None:
        if event.trouble:
            self._tell(event.words, trouble=True)
        else:
            if event.words:
                self._player.notify(event.words)
            self.dismiss()

    @on(Input.Changed)
    def _changed(self) -> None:
        self._tell(self.WHAT)

    def _tell(self, words: str, *, trouble: bool = False) -> None:
        self._told.update(words)
        self._told.set_class(trouble, "-trouble")

    def action_close(self) -> None:
        self.dismiss()


class ImportScreen(FileScreen):
    HEADING = "Import podcasts"
    WHAT = "An OPML file, as other players export it, or a text with an address a line."
    WORD = "import"

    def work(self, path: Path) -> str:
        from player.feeds.opml import load_opml

        outlines: list[Outline] = load_opml(path)
        self._player.import_podcasts(outlines)
        return f"Importing {labels.count(len(outlines), 'podcast', 'podcasts')}"


class ExportScreen(FileScreen):
    HEADING = "Export podcasts"
    WHAT = "The OPML file to write. Names and passwords in addresses are left out."
    WORD = "export"
    START = "~/podcasts.opml"

    def work(self, path: Path) -> str:
        written: Future[int] = self._player.export_podcasts(path)
        return f"{labels.count(written.result(), 'podcast', 'podcasts')} written to {path}"
