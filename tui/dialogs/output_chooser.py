"""The dialog that chooses a sound output."""

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets.option_list import Option

from player.playback.outputs import FoundOutput, SoundOutput
from player.text.sentences import _, mark
from tui.dialogs.dialog import OptionsDialog, sentence_of
from tui.drawing.cells import steady
from tui.look.glyphs import glyphs_of

if TYPE_CHECKING:
    from player.player import Player


class OutputScreen(OptionsDialog[None]):
    """Lists the sound outputs; the devices on the network follow as soon as they have answered. Playback continues on
    the chosen one from the same position. The choice is remembered."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("choose")), ("escape,q", "close", mark("close"))]

    def __init__(self, player: "Player") -> None:
        super().__init__(_("Sound output"))
        self._player = player
        self._here: tuple[FoundOutput, ...] = ()
        self._there: tuple[FoundOutput, ...] = ()
        self._shown: list[FoundOutput] = []

    def contents(self) -> ComposeResult:
        yield self.list
        yield self.told

    def on_mount(self) -> None:
        self._show()
        self.tell(_("Looking for sound outputs{ellipsis}", ellipsis=glyphs_of(self.app).ellipsis))
        self.read(self._player.find_outputs(), self._found)

    def failed(self, error: Exception) -> None:
        self.tell(sentence_of(error))

    def _found(self, found: tuple[FoundOutput, ...]) -> None:
        from player.playback.casting.finding import can_cast, how_to_cast

        self._here = found
        self._show()
        if not can_cast():
            self.tell(how_to_cast())
            return
        ellipsis = glyphs_of(self.app).ellipsis
        self.tell(_("Looking for devices on the network{ellipsis}", ellipsis=ellipsis))
        self.read(self._player.find_devices(), self._found_devices)

    def _found_devices(self, found: tuple[FoundOutput, ...]) -> None:
        self.told.display = False
        self._there = found
        self._show()

    def _show(self) -> None:
        now, title = self._player.output.now, self._player.output.title
        at = self.list.highlighted
        under = self._shown[at].output if at is not None and self._shown else now
        self._shown = [FoundOutput(SoundOutput(), _("System default")), *self._here, *self._there]
        if all(one.output != now for one in self._shown):
            name = title or now.device or now.output
            self._shown.append(FoundOutput(now, _("{output} (not found)", output=name)))
        self.list.clear_options()
        self.list.add_options([Option(_words(one, chosen=one.output == now)) for one in self._shown])
        self.list.highlighted = next((at for at, one in enumerate(self._shown) if one.output == under), 0)

    def action_take(self) -> None:
        if (at := self.list.highlighted) is not None and self._shown[at].output != self._player.output.now:
            chosen = self._shown[at]
            self._player.choose_output(chosen.output, chosen.title)
        self.dismiss(None)


def _words(found: FoundOutput, *, chosen: bool) -> Content:
    return Content.assemble(Content(steady(found.title)), Content.styled(f"  {_('now')}" if chosen else "", "$muted"))
