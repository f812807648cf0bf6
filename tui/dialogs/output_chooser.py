"""Chooses where the sound goes, among the outputs that were found."""

import logging
from concurrent.futures import Future
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from player.errors import EarmarkError
from player.playback.outputs import FoundOutput, SoundOutput
from player.text.sentences import _
from tui.dialogs.dialog import MOVES, Dialog, Options
from tui.drawing.cells import steady
from tui.look.glyphs import glyphs_of
from tui.widgets.choices import Choice, Choices

if TYPE_CHECKING:
    from player.player import Player

log = logging.getLogger(__name__)

_SYSTEM = FoundOutput(SoundOutput(), _("System default"))
_BUG = _("Something went wrong inside Earmark. See the log.")


class OutputScreen(Dialog[None]):
    """Playback continues on the new output from the same position. The choice survives restarts."""

    BINDINGS: ClassVar[list[BindingType]] = [*MOVES, ("escape,q", "close")]

    class _Found(Message):
        def __init__(self, future: "Future[tuple[FoundOutput, ...]]") -> None:
            super().__init__()
            self.future = future

    def __init__(self, player: "Player") -> None:
        super().__init__()
        self._player = player
        self._shown: list[FoundOutput] = []
        self._list = Options()
        self.runs = {**self.runs, **self._list.moves()}
        self._notice = Static("", classes="muted", markup=False)

    def heading(self) -> str:
        return _("Sound output")

    def choices(self) -> tuple[Choice, ...]:
        return Choice("choose", "enter", _("choose")), Choice("close", "esc", _("close"))

    def contents(self) -> ComposeResult:
        yield self._list
        yield self._notice

    def on_mount(self) -> None:
        self._show([_SYSTEM])
        self._notice.update(_("Looking for sound outputs{ellipsis}", ellipsis=glyphs_of(self.app).ellipsis))
        self._list.focus()
        # Called in whichever thread it ends in; a dialog that was closed meanwhile takes no message.
        self._player.find_outputs().add_done_callback(lambda future: self.post_message(self._Found(future)))

    def on_output_screen__found(self, event: _Found) -> None:
        error = event.future.exception()
        if error is None:
            self._notice.display = False
            self._show([_SYSTEM, *event.future.result()])
            return
        if not isinstance(error, EarmarkError):
            log.error("looking for sound outputs failed", exc_info=error)
        self._notice.update(str(error) if isinstance(error, EarmarkError) else _BUG)

    def _show(self, found: list[FoundOutput]) -> None:
        now = self._player.output.now
        if all(one.output != now for one in found):
            name = now.device or now.output
            found = [*found, FoundOutput(now, _("{output} (not found)", output=name))]
        self._shown = found
        self._list.clear_options()
        self._list.add_options([Option(_words(one, chosen=one.output == now)) for one in found])
        self._list.highlighted = next(at for at, one in enumerate(found) if one.output == now)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self._choose(event.option_index)

    @on(Choices.Chosen)
    def _answered(self, event: Choices.Chosen) -> None:
        if event.answer == "choose" and self._list.highlighted is not None:
            self._choose(self._list.highlighted)
        else:
            self.dismiss()

    def _choose(self, at: int) -> None:
        chosen = self._shown[at]
        if chosen.output != self._player.output.now:
            self._player.choose_output(chosen.output)
        self.dismiss()

    def action_close(self) -> None:
        self.dismiss()


def _words(found: FoundOutput, *, chosen: bool) -> Content:
    return Content.assemble(Content(steady(found.title)), Content.styled(f"  {_('now')}" if chosen else "", "$muted"))
