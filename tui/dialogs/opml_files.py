"""Lists of podcasts from and to files: the dialogs that ask for the path."""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, Static

from player.errors import EarmarkError
from player.text.sentences import _, plural
from tui.dialogs.dialog import Dialog
from tui.framework.input_limits import MOST_LETTERS
from tui.widgets.choices import Choice, Choices

if TYPE_CHECKING:
    from player.feeds.opml import Outline
    from player.player import Player


class FilePurpose(Struct, frozen=True):
    """What is done with a file: `work` does it, in a thread, says what was done, and raises EarmarkError.

    `what` says what file is meant, `word` what `enter` does, and `start` is the path that is offered.
    """

    heading: str
    what: str
    word: str
    work: "Callable[[Player, Path], str]"
    start: str = ""


class FileScreen(Dialog[None]):
    """Asks for a path; `~` is the home folder. A failure is told here, with the path kept."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close")]

    class _Done(Message):
        def __init__(self, words: str, *, trouble: bool = False) -> None:
            super().__init__()
            self.words = words
            self.trouble = trouble

    def __init__(self, player: "Player", purpose: FilePurpose) -> None:
        super().__init__()
        self._player = player
        self._purpose = purpose
        self._input = Input(
            purpose.start, placeholder="~/podcasts.opml", select_on_focus=False, max_length=MOST_LETTERS
        )
        self._notice = Static(purpose.what, id="told", classes="muted gap", markup=False)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static(self._purpose.heading, classes="title")
            self._input.add_class("gap")
            yield self._input
            yield self._notice
            choices = Choices(Choice("go", "enter", self._purpose.word), Choice("close", "esc", "close"))
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
            self._show_notice(self._purpose.what)
            return
        self.run_worker(lambda: self._work_aside(Path(path).expanduser()), thread=True, exclusive=True)

    def _work_aside(self, path: Path) -> None:
        try:
            words = self._purpose.work(self._player, path)
        except EarmarkError as error:
            self.post_message(self._Done(str(error), trouble=True))
        else:
            self.post_message(self._Done(words))

    def on_file_screen__done(self, event: _Done) -> None:
        if event.trouble:
            self._show_notice(event.words, trouble=True)
        else:
            if event.words:
                self._player.notify(event.words)
            self.dismiss()

    @on(Input.Changed)
    def _changed(self) -> None:
        self._show_notice(self._purpose.what)

    def _show_notice(self, words: str, *, trouble: bool = False) -> None:
        self._notice.update(words)
        self._notice.set_class(trouble, "-trouble")

    def action_close(self) -> None:
        self.dismiss()


def _import(player: "Player", path: Path) -> str:
    from player.feeds.opml import load_opml

    outlines: list[Outline] = load_opml(path)
    player.import_podcasts(outlines)
    return plural(len(outlines), "Importing {n:,} podcast", "Importing {n:,} podcasts")


def _export(player: "Player", path: Path) -> str:
    written: Future[int] = player.export_podcasts(path)
    return plural(written.result(), "{n:,} podcast exported to {file}", "{n:,} podcasts exported to {file}", file=path)


IMPORT = FilePurpose(
    _("Import podcasts"),
    _("An OPML export from another player, or a text file with one URL per line"),
    _("import"),
    _import,
)
EXPORT = FilePurpose(
    _("Export podcasts"),
    _("Save as OPML. Usernames and passwords are not included."),
    _("export"),
    _export,
    start="~/podcasts.opml",
)
