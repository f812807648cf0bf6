"""Coming from another app: the dialog that asks for its file, and shows what would come before anything changes."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

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
from tui.widgets.choices import Choice, Choices

if TYPE_CHECKING:
    from player.model.foreign import ForeignLibrary
    from player.player import Player
    from player.transfer.bring import Preview
    from player.transfer.load import FoundFile


class ImportScreen(Dialog[None]):
    """`enter` reads the file and shows what will come; `enter` again imports it. Up and down choose among the files of
    other apps that are on this computer."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close"), ("up", "found(-1)"), ("down", "found(1)")]

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

    class _Found(Message):
        def __init__(self, files: "list[FoundFile]") -> None:
            super().__init__()
            self.files = files

    class _Previewed(Message):
        def __init__(self, path: str, read: "ForeignLibrary", preview: "Preview") -> None:
            super().__init__()
            self.path = path
            self.read = read
            self.preview = preview

    class _Checked(Message):
        """What an export of everything would change here."""

        def __init__(self, path: str, words: str) -> None:
            super().__init__()
            self.path = path
            self.words = words

    class _Restored(Message):
        pass

    class _Failed(Message):
        def __init__(self, path: str, words: str) -> None:
            super().__init__()
            self.path = path
            self.words = words

    def __init__(self, player: "Player") -> None:
        super().__init__()
        self._player = player
        self._files: list[FoundFile] = []
        self._read: ForeignLibrary | None = None
        self._export = ""
        self._what = _("An export of Earmark or of another app, its database, OPML, or text with one URL per line")
        self._options = Options()
        self._options.can_focus = False
        self._input = Input(placeholder="~/podcasts.opml", select_on_focus=False, max_length=MOST_LETTERS)
        self._notice = Static(self._what, id="told", classes="muted gap", markup=False)
        self._missing = Static("", id="missing", markup=False)

    def heading(self) -> str:
        return _("Import podcasts")

    def choices(self) -> tuple[Choice, ...]:
        return Choice("go", "enter", _("import")), Choice("close", "esc", _("close"))

    def contents(self) -> ComposeResult:
        yield self._options
        yield field(_("File"), self._input)
        yield self._notice
        yield self._missing

    def on_mount(self) -> None:
        self._input.focus()
        self.run_worker(self._look_for_files, thread=True, group="places")

    # -- the files of other apps ------------------------------------------------------------------------------

    def _look_for_files(self) -> None:
        from player.transfer.load import found_files

        if files := found_files():
            self.post_message(self._Found(files))

    def on_import_screen__found(self, event: _Found) -> None:
        self._files = event.files
        self._options.add_options([f"{one.app}  {_shown(one.path)}" for one in self._files])
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
        self._choose(event.option_index)

    def _choose(self, at: int) -> None:
        self._options.highlighted = at
        self._input.value = _shown(self._files[at].path)
        self._input.cursor_position = len(self._input.value)
        self._input.focus()

    # -- what is typed ----------------------------------------------------------------------------------------

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "go":
            self._take()
        else:
            self.dismiss()

    @on(Input.Changed)
    def _changed(self) -> None:
        self._read, self._export = None, ""
        self._show(self._what)

    @on(Input.Submitted)
    def _take(self) -> None:
        if self._read is not None:
            self._player.bring(self._read)
            self.dismiss()
        elif path := self._export:
            self._show(_("Importing {file} …", file=path))
            self.run_worker(lambda: self._restore(path), thread=True, exclusive=True, group="preview")
        elif path := self._typed:
            self._show(_("Reading {file} …", file=path))
            self.run_worker(lambda: self._preview(path), thread=True, exclusive=True, group="preview")
        else:
            self._show(self._what)

    @property
    def _typed(self) -> str:
        return self._input.value.strip().strip("\"'")

    def _preview(self, path: str) -> None:
        from player.transfer.bring import preview
        from player.transfer.earmark import recognises, restore, sentences
        from player.transfer.load import load

        try:
            file = with_home(path)
            if recognises(file):
                report = restore(file, self._player.library, dry_run=True)
                self.post_message(self._Checked(path, " ".join(sentences(report))))
                return
            read = load(file)
            self.post_message(self._Previewed(path, read, preview(self._player.library, read)))
        except EarmarkError as error:
            self.post_message(self._Failed(path, str(error)))

    def on_import_screen__previewed(self, event: _Previewed) -> None:
        if event.path != self._typed:
            return
        self._read = event.read
        found = event.preview
        if found.app:
            words = _("{app}: {what}.", app=found.app, what=found.summary)
        elif found.known:
            words = f"{found.summary}."
        else:
            words = plural(found.podcasts, "{n:,} podcast found.", "{n:,} podcasts found.")
        enter = plural(found.podcasts, "Press enter to import it.", "Press enter to import them.")
        self._show(f"{words} {enter}", ready=True)
        self._missing.update("\n".join(found.left_out))
        self._missing.set_class(bool(found.left_out), "-some")

    def on_import_screen__checked(self, event: _Checked) -> None:
        if event.path == self._typed:
            self._export = event.path
            what = _("This is what would change:")
            enter = plural(1, "Press enter to import it.", "Press enter to import them.")
            self._show(f"{what} {event.words} {enter}", ready=True)

    def _restore(self, path: str) -> None:
        """All of it at once, which takes a second or two; then the feeds are read while the app goes on."""
        from player.events import LibraryChanged
        from player.transfer.earmark import restore, sentences

        player = self._player
        try:
            report = restore(with_home(path), player.library)
        except EarmarkError as error:
            self.post_message(self._Failed(path, str(error)))
            return
        player.bus.publish(LibraryChanged())
        player.notify(" ".join(sentences(report)))
        if to_read := [*report.restored.added, *report.restored.unread]:
            player.refresh(to_read)
        self.post_message(self._Restored())

    def on_import_screen__restored(self) -> None:
        self.dismiss()

    def on_import_screen__failed(self, event: _Failed) -> None:
        if event.path == self._typed:
            self._show(event.words, trouble=True)

    def _show(self, words: str, *, trouble: bool = False, ready: bool = False) -> None:
        self._notice.update(words)
        self._notice.set_class(trouble, "-trouble")
        self._notice.set_class(ready, "-ready")
        self._missing.remove_class("-some")

    def action_close(self) -> None:
        self.dismiss()


def _shown(path: Path) -> str:
    """With `~` for the home folder."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
