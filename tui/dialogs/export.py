"""Exports: the dialog that asks for the path."""

from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Input, Static

from player.errors import EarmarkError
from player.links.addresses import with_home
from player.text.sentences import _, plural
from tui.dialogs.dialog import Dialog, Options, field
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import glyphs_of
from tui.widgets.choices import Choice, Choices

if TYPE_CHECKING:
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
    """Asks for a path; `~` is the home folder. A failure is told here, with the path kept.

    Of several purposes up and down choose one while the path is typed; `heading` is that of them all.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close"), ("up", "kind(-1)"), ("down", "kind(1)")]

    class _Done(Message):
        def __init__(self, words: str, *, trouble: bool = False) -> None:
            super().__init__()
            self.words = words
            self.trouble = trouble

    def __init__(self, player: "Player", *purposes: FilePurpose, heading: str = "") -> None:
        super().__init__()
        self._player = player
        self._purposes = purposes
        self._purpose = purposes[0]
        self._heading = heading or self._purpose.heading
        self._kinds = Options(*(one.heading for one in purposes))
        self._kinds.can_focus = False
        self._input = Input(
            self._purpose.start, placeholder="~/podcasts.opml", select_on_focus=False, max_length=MOST_LETTERS
        )
        self._notice = Static(self._purpose.what, id="told", classes="muted gap", markup=False)

    def heading(self) -> str:
        return self._heading

    def choices(self) -> tuple[Choice, ...]:
        arrows = glyphs_of(self.app)
        kind = (Choice("kind", f"{arrows.up} {arrows.down}", _("kind")),) if len(self._purposes) > 1 else ()
        return Choice("go", "enter", self._purpose.word), Choice("close", "esc", _("cancel")), *kind

    def contents(self) -> ComposeResult:
        if len(self._purposes) > 1:
            yield self._kinds
        line = field(_("File"), self._input)
        line.set_class(len(self._purposes) > 1, "gap")
        yield line
        yield self._notice

    def on_mount(self) -> None:
        self._kinds.highlighted = 0
        self._input.focus()

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "go":
            self._take()
        elif event.answer == "kind":
            self.action_kind(1)
        else:
            self.dismiss()

    @on(Options.OptionSelected)
    def _selected(self, event: Options.OptionSelected) -> None:
        self._choose(event.option_index)

    def action_kind(self, by: int) -> None:
        self._choose((self._purposes.index(self._purpose) + by) % len(self._purposes))

    def _choose(self, at: int) -> None:
        """A path that was typed stays."""
        before, self._purpose = self._purpose, self._purposes[at]
        self._kinds.highlighted = at
        if self._input.value == before.start:
            self._input.value = self._purpose.start
            self._input.cursor_position = len(self._purpose.start)
        self._show_notice(self._purpose.what)

    @on(Input.Submitted)
    def _take(self) -> None:
        path = self._input.value.strip().strip("\"'")
        if not path:
            self._show_notice(self._purpose.what)
            return
        self.run_worker(lambda: self._work_aside(with_home(path)), thread=True, exclusive=True)

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


def _export_opml(player: "Player", path: Path) -> str:
    written: Future[int] = player.export_podcasts(path)
    return plural(written.result(), "{n:,} podcast exported to {file}", "{n:,} podcasts exported to {file}", file=path)


def _export_all(player: "Player", path: Path) -> str:
    from player.exports.archive import save_archive

    save_archive(path, player.library, datetime.now(UTC))
    return _("Everything exported to {file}", file=path)


def _export_document(player: "Player", path: Path) -> str:
    from player.exports.markdown import save_document

    save_document(path, player.library, datetime.now(UTC))
    return _("Document exported to {file}", file=path)


EXPORTS = (
    FilePurpose(
        _("Podcasts, for other players"),
        _("Save as OPML. Usernames and passwords are not included."),
        _("export"),
        _export_opml,
        start="~/podcasts.opml",
    ),
    FilePurpose(
        _("Everything, for Earmark on another computer"),
        _("Podcasts, marks, lists, bookmarks, history: all but passwords and downloads. Only you can read it."),
        _("export"),
        _export_all,
        start="~/earmark.json",
    ),
    FilePurpose(
        _("A document to read"),
        _("Podcasts, starred episodes, bookmarks and what you heard, as Markdown"),
        _("export"),
        _export_document,
        start="~/podcasts.md",
    ),
)
