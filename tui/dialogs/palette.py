"""The list of commands: what can be done here and everywhere, and whatever matches the typed words."""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.widgets import Input

from player.text.sentences import _, mark, translate
from tui.actions.action import Action
from tui.actions.keys import MovingKeys
from tui.actions.palette import Command, Hit, Kind, offered, score, search
from tui.actions.table import ACTIONS, keys_of
from tui.dialogs.picker import Picker
from tui.framework.screen import MOST_LETTERS
from tui.widgets.command_rows import CommandRow, CommandRows, SearchField

log = logging.getLogger(__name__)

Groups = list[tuple[str, list[Hit]]]
FindMore = Callable[[str, Callable[[], bool]], Sequence[Command]]
"""Finds settings, then episodes, by words. Called in a thread; stops when it is cancelled. May raise EarmarkError."""
_FEW = 400
"""Up to this many commands are searched while the key is handled; more of them in a thread."""


class Palette(Picker[None]):
    """Runs the chosen command after closing. `here` are the ids of the commands that are listed first, `recent` of
    those that were run before; `ran` is called with an id. While the field is empty, the keys of `actions` that move in
    lists do so here, and the key that opened it closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("run")), ("escape", "close", mark("close"))]

    DEFAULT_CSS = """
    Palette {
        align: center top;
        & #dialog { width: 76; height: 76vh; margin: 2 0; padding: 1 0 0 1; overflow: hidden; }
        & Input { width: 100%; margin: 0 2 1 1; }
        & CommandRows { height: 1fr; }
        &.-low #dialog { height: 100%; margin: 0; padding: 0; }
        &.-low Input { margin: 0 1; }
    }
    """

    def __init__(
        self,
        found: Sequence[Command],
        recent: Sequence[str] = (),
        ran: Callable[[str], None] = lambda _id: None,
        find_more: FindMore = lambda _words, _cancelled: (),
        here: Sequence[str] = (),
        actions: Sequence[Action] = ACTIONS,
    ) -> None:
        self.commands = CommandRows(id="commands")
        self.commands.can_focus = False
        of = SearchField(self._take, placeholder=_("What to do, a key, a setting, a podcast, an episode"))
        of.max_length = MOST_LETTERS
        super().__init__(_("Commands and keys"), of, self.commands)
        self.runs = {
            **self.runs,
            **MovingKeys(lambda: self.commands).runs,
            "filter": lambda: None,
            "back": self.action_close,
            "help": self.action_close,
        }
        self._commands = found
        self._recent, self._here = recent, here
        self._ran = ran
        self._actions = actions
        self._find_more = find_more
        self._groups: Groups = []
        self._more: Groups = []
        self._hits: dict[str, Command] = {}

    def on_mount(self) -> None:
        self._groups = offered(self._commands, self._recent, self._here)
        self._show()

    # -- finding ------------------------------------------------------------------------------------------------

    @on(Input.Changed)
    def _typed(self) -> None:
        words = self.typed
        self._more, self.entered = [], False
        self.forget("commands")
        self.forget("more")
        if not words:
            self._groups = offered(self._commands, self._recent, self._here)
            self._show()
        elif len(self._commands) <= _FEW:
            self._found(words, search(self._commands, words, self._recent))
        else:
            commands, recent = self._commands, self._recent
            self.ask("commands", partial(search, commands, words, recent), partial(self._found, words))

    def _found(self, words: str, groups: Groups) -> None:
        self._groups = groups
        self.ask("more", partial(self._find_more, words), partial(self._found_more, words), self._found_none)
        self._show()
        if self.entered:
            self.action_take()

    def _found_more(self, words: str, found: Sequence[Command]) -> None:
        """Adds what was found below all other rows, so that the row under the cursor stays."""
        hits = [(kind, list(those)) for kind, those in groupby(found, key=lambda one: one.kind)]
        self._more = [(kind, [Hit(one, score(words, one.title)[1]) for one in those]) for kind, those in hits]
        self._show(from_top=False)
        if self.entered:
            self.action_take()

    def _found_none(self, error: Exception) -> None:
        log.info("the list of commands finds no episodes: %s", error)

    def _show(self, *, from_top: bool = True) -> None:
        rows: list[CommandRow] = []
        self._hits = {}
        for kind, hits in [*self._groups, *self._more]:
            if rows:
                rows.append(CommandRow("", heading=True))
            rows.append(CommandRow(translate(kind).upper(), heading=True))
            for hit in hits:
                answer = str(len(self._hits))
                self._hits[answer] = hit.command
                one = hit.command
                rows.append(
                    CommandRow(one.title, one.key, one.detail, hit.letters, answer, quiet=kind is Kind.EPISODES)
                )
        self.commands.show_rows(rows, _("Nothing found"), from_top=from_top)

    # -- keys ---------------------------------------------------------------------------------------------------

    def action_take(self) -> None:
        row = self.commands.chosen
        command = self._hits.get(row.answer) if row else None
        self.entered = self.waits_for("commands") or (command is None and self.waits_for("more"))
        if self.entered or command is None or command.run is None:
            return
        if command.id:
            self._ran(command.id)
        self.dismiss(None)
        self.app.call_later(command.run)

    def _take(self, key: str) -> bool:
        """Does what the key does in lists; False if it does nothing here."""
        action = next((one for one in self._actions if one.id in self.runs and key in keys_of((one,), self.runs)), None)
        if action is not None:
            self.act(action.id)
        return action is not None
