"""Exports, and the dialog that asks for their path."""

from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from player.links.addresses import with_home
from player.text.sentences import _, mark, plural
from tui.dialogs.dialog import Dialog, Options, field
from tui.widgets.path_field import PathField

if TYPE_CHECKING:
    from player.player import Player


class FilePurpose(Struct, frozen=True):
    """A way to write a file. `work` does it, in a thread, and returns a sentence about the outcome; it raises
    EarmarkError.

    `what` describes the file, `word` is the label of `enter`, and `start` the suggested path.
    """

    heading: str
    what: str
    word: str
    work: "Callable[[Player, Path], str]"
    start: str = ""


class FileScreen(Dialog[None]):
    """Asks for a path; `~` is the home folder. A failure is shown here, with the path kept.

    If there are several purposes, up and down choose one of them while the path is typed; `heading` is their common
    heading.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", mark("export")),
        ("escape", "close", mark("cancel")),
        ("up", "kind(-1)"),
        Binding("down", "kind(1)", mark("kind"), key_display="up down"),
    ]

    def __init__(self, player: "Player", *purposes: FilePurpose, heading: str = "") -> None:
        super().__init__(heading or purposes[0].heading, purposes[0].what)
        self._player = player
        self._purposes = purposes
        self._purpose = purposes[0]
        self._kinds = Options(*(one.heading for one in purposes))
        self._kinds.can_focus = False
        self.field = PathField(self._purpose.start, placeholder="~/podcasts.opml")

    def words(self, action: str, words: str) -> str:
        if action == "take":
            return self._purpose.word
        return words if action == "close" or len(self._purposes) > 1 else ""

    def contents(self) -> ComposeResult:
        if len(self._purposes) > 1:
            yield self._kinds
        line = field(_("File"), self.field)
        line.set_class(len(self._purposes) > 1, "gap")
        yield line
        self.told.add_class("gap")
        yield self.told

    def on_mount(self) -> None:
        self._kinds.highlighted = 0
        self.field.focus()

    @on(Options.OptionSelected)
    def _selected(self, event: Options.OptionSelected) -> None:
        """An option was clicked; `enter` belongs to the field."""
        event.prevent_default()
        self._choose(event.option_index)

    def action_kind(self, by: int) -> None:
        self._choose((self._purposes.index(self._purpose) + by) % len(self._purposes))

    def _choose(self, at: int) -> None:
        """Chooses a purpose. A typed path stays."""
        before, self._purpose = self._purpose, self._purposes[at]
        self._kinds.highlighted = at
        if self.field.value == before.start:
            self.field.value = self._purpose.start
            self.field.cursor_position = len(self._purpose.start)
        self.tell(self._purpose.what)

    def action_take(self) -> None:
        if path := self.field.value.strip().strip("\"'"):
            self.read(lambda: self._purpose.work(self._player, with_home(path)), self._done)
        else:
            self.tell(self._purpose.what)

    def _done(self, words: str) -> None:
        if words:
            self._player.notify(words)
        self.dismiss(None)

    @on(Input.Changed)
    def _changed(self) -> None:
        self.tell(self._purpose.what)


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


def exports() -> tuple[FilePurpose, ...]:
    """What there is to export."""
    return (
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
