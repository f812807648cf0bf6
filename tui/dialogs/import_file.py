"""The dialog that imports a file of another app: it asks for the file, and shows what would be imported before anything
changes."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from player.links.addresses import with_home
from player.text.sentences import _, mark, plural
from tui.dialogs.dialog import Dialog, Options, field, sentence_of
from tui.widgets.path_field import PathField

if TYPE_CHECKING:
    from concurrent.futures import Future

    from player.model.foreign import ForeignLibrary
    from player.player import Player
    from player.transfer.bring import Arrived
    from player.transfer.load import FoundFile

    Importing = Future[Arrived]


class _Preview(Struct, frozen=True):
    """A summary of what would be imported, what would be left out, and the function that imports it."""

    words: str
    left_out: tuple[str, ...]
    act: Callable[[], object]


class ImportScreen(Dialog["Importing"]):
    """`enter` reads the file and shows a preview; `enter` again imports it. Up and down choose among the files of other
    apps on this computer. Of the file at `path`, if there is one, the preview is shown at once. Its result is the
    import of another app's data, which may still be under way."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", mark("import")),
        ("escape", "close", mark("close")),
        ("up", "found(-1)"),
        ("down", "found(1)"),
    ]

    DEFAULT_CSS = """
    ImportScreen {
        & Options {
            height: auto;
            max-height: 7;
            display: none;
            &.-some { display: block; }
        }
        & #told.-ready { color: $text; }
        & #missing { color: $muted; height: auto; display: none; &.-some { display: block; } }
    }
    """

    def __init__(self, player: "Player", path: Path | None = None) -> None:
        what = _("An export of Earmark or of another app, its database, OPML, or text with one URL per line")
        super().__init__(_("Import podcasts"), what)
        self._player = player
        self._what = what
        self._files: list[FoundFile] = []
        self._import: Callable[[], object] | None = None
        """Imports the file that has been read."""
        self._options = Options()
        self._options.can_focus = False
        self._path = path
        self.field = PathField(placeholder="~/podcasts.opml")
        self._missing = Static("", id="missing", markup=False)

    def contents(self) -> ComposeResult:
        yield self._options
        yield field(_("File"), self.field)
        self.told.add_class("gap")
        yield self.told
        yield self._missing

    def on_mount(self) -> None:
        self.field.focus()
        self.read(_found_files, self._found, group="places")
        if self._path is not None:
            with self.prevent(Input.Changed):
                self._enter(self._path)
            self.action_take()

    # -- the files of other apps ------------------------------------------------------------------------------

    def _found(self, files: "list[FoundFile]") -> None:
        if not files:
            return
        self._files = files
        self._options.add_options([f"{one.app}  {shown(one.path)}" for one in self._files])
        self._options.highlighted = None
        self._options.add_class("-some")
        self._what = _("Choose one of these with up and down, or enter the path of another file")
        if not self._typed:
            self._show(self._what)

    def action_found(self, by: int) -> None:
        if self._files:
            at = self._options.highlighted
            self._choose(0 if at is None and by > 0 else ((at or 0) + by) % len(self._files))

    @on(Options.OptionSelected)
    def _selected(self, event: Options.OptionSelected) -> None:
        """An option was clicked; `enter` belongs to the field."""
        event.prevent_default()
        self._choose(event.option_index)

    def _choose(self, at: int) -> None:
        self._options.highlighted = at
        self._enter(self._files[at].path)
        self.field.focus()

    def _enter(self, path: Path) -> None:
        self.field.value = shown(path)
        self.field.cursor_position = len(self.field.value)

    # -- the path ---------------------------------------------------------------------------------------------

    @on(Input.Changed)
    def _changed(self) -> None:
        self._import = None
        self._show(self._what)

    def action_take(self) -> None:
        if self._import is not None:
            self._import()
        elif path := self._typed:
            self._show(_("Reading {file} …", file=path))
            show, failed = partial(self._show_preview, path), partial(self._not_read, path)
            self.read(partial(self._preview, path), show, failed, group="preview")
        else:
            self._show(self._what)

    @property
    def _typed(self) -> str:
        return self.field.value.strip().strip("\"'")

    def _preview(self, path: str) -> _Preview:
        """Reads the file. Blocks. Raises EarmarkError."""
        from player.transfer.bring import preview
        from player.transfer.earmark import recognises, restore, sentences
        from player.transfer.load import load

        file, library = with_home(path), self._player.library
        enter = _("Press enter to import this.")
        if recognises(file):
            words = " ".join([_("This is what would change:"), *sentences(restore(file, library, dry_run=True))])
            return _Preview(f"{words} {enter}", (), partial(self._begin_restoring, path))
        read = load(file)
        found = preview(library, read)
        if found.app:
            words = _("{app}: {what}.", app=found.app, what=found.summary)
        elif found.known:
            words = f"{found.summary}."
        else:
            words = plural(found.podcasts, "{n:,} podcast found.", "{n:,} podcasts found.")
            enter = plural(found.podcasts, "Press enter to import it.", "Press enter to import them.")
        return _Preview(f"{words} {enter}", tuple(found.left_out), partial(self._bring, read))

    def _show_preview(self, path: str, preview: _Preview) -> None:
        if path == self._typed:
            self._import = preview.act
            self._show(preview.words, ready=True)
            self._missing.update("\n".join(preview.left_out))
            self._missing.set_class(bool(preview.left_out), "-some")

    def _not_read(self, path: str, error: Exception) -> None:
        if path == self._typed:
            self._import = None
            self._show(sentence_of(error), trouble=True)

    def _bring(self, read: "ForeignLibrary") -> None:
        self.dismiss(self._player.bring(read))

    def _begin_restoring(self, path: str) -> None:
        self._import = lambda: None
        self._show(_("Importing {file} …", file=path))
        self.read(partial(self._restore, path), self.dismiss, partial(self._not_read, path), group="restore")

    def _restore(self, path: str) -> None:
        """Imports everything in one step, which takes a second or two; then the feeds are refreshed in the background.
        Raises EarmarkError."""
        from player.events import LibraryChanged
        from player.transfer.earmark import restore, sentences

        player = self._player
        report = restore(with_home(path), player.library)
        player.bus.publish(LibraryChanged())
        player.notify(" ".join(sentences(report)))
        if to_read := [*report.restored.added, *report.restored.unread]:
            player.refresh(to_read)

    def _show(self, words: str, *, trouble: bool = False, ready: bool = False) -> None:
        self.tell(words, trouble=trouble)
        self.told.set_class(ready, "-ready")
        self._missing.remove_class("-some")


def _found_files() -> "list[FoundFile]":
    from player.transfer.load import found_files

    return found_files()


def shown(path: Path) -> str:
    """The path, with `~` for the home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
