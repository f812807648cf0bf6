"""The palette: a field, and what fits what is typed in it."""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Input

from player.errors import EarmarkError
from player.library import Interrupted
from player.text.sentences import _, translate
from tui.actions.palette import Command, Hit, Kind, offered, score, search
from tui.dialogs.dialog import Dialog
from tui.framework.screen import MOST_LETTERS
from tui.widgets.choices import Choice, Choices
from tui.widgets.commands import CommandRow, CommandRows
from tui.widgets.virtual_list import VirtualList

log = logging.getLogger(__name__)

Groups = list[tuple[Kind, list[Hit]]]
FindEpisodes = Callable[[str, Callable[[], bool]], Sequence[Command]]
"""Finds episodes by words of their titles, in a thread, until it is cancelled. May raise EarmarkError."""
_FEW = 400
"""So many commands are searched while the key is handled; more of them in a thread."""


class Palette(Dialog[None]):
    """Runs what is chosen, once it is closed. `ran` is given its id; `recent` are the ids of what was run before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "close"),
        ("down,ctrl+n", "move(1)"),
        ("up,ctrl+p", "move(-1)"),
        ("pagedown", "page(1)"),
        ("pageup", "page(-1)"),
    ]

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

    class _Found(Message):
        """What fits `words`; `episodes`: those only."""

        def __init__(self, words: str, groups: Groups, *, episodes: bool) -> None:
            super().__init__()
            self.words = words
            self.groups = groups
            self.episodes = episodes

    def __init__(
        self,
        found: Sequence[Command],
        recent: Sequence[str] = (),
        ran: Callable[[str], None] = lambda _id: None,
        find_episodes: FindEpisodes = lambda _words, _cancelled: (),
    ) -> None:
        super().__init__()
        self._commands = found
        self._recent = recent
        self._ran = ran
        self._find_episodes = find_episodes
        self._input = Input(placeholder=_("Commands, lists, podcasts and episodes"), max_length=MOST_LETTERS)
        self._list = CommandRows(id="commands")
        self._list.can_focus = False
        self._groups: Groups = []
        self._episodes: Groups = []
        self._hits: dict[str, Command] = {}
        self._answered = ""
        """The words that `_groups` fit."""
        self._all_answered = ""
        """The words that `_episodes` fit too."""
        self._entered = False
        """Whether `enter` was pressed for words that have no answer yet."""

    def heading(self) -> str:
        return _("Find anything")

    def choices(self) -> tuple[Choice, ...]:
        return Choice("run", "enter", _("run")), Choice("close", "esc", _("close"))

    def contents(self) -> ComposeResult:
        yield self._input
        yield self._list

    def on_mount(self) -> None:
        self._input.focus()
        self._groups = offered(self._commands, self._recent)
        self._show()

    # -- finding ------------------------------------------------------------------------------------------------

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        words = event.value.strip()
        self._episodes, self._entered = [], False
        if not words:
            self._answered = self._all_answered = ""
            self._groups = offered(self._commands, self._recent)
            self._show()
            return
        if len(self._commands) <= _FEW:
            self._groups, self._answered = search(self._commands, words, self._recent), words
            self._show()
        self.run_worker(partial(self._find_aside, words), thread=True, group="find")

    def _find_aside(self, words: str) -> None:
        """In a thread; ends when something else is typed."""

        def cancelled() -> bool:
            return words != self._input.value.strip() or not self.is_attached

        if len(self._commands) > _FEW:
            groups = search(self._commands, words, self._recent, cancelled)
            if cancelled():
                return
            self.post_message(self._Found(words, groups, episodes=False))
        found: Sequence[Command] = ()
        try:
            found = self._find_episodes(words, cancelled)
        except Interrupted:
            return
        except EarmarkError as error:
            log.info("the palette finds no episodes: %s", error)
        self.post_message(
            self._Found(
                words, [(Kind.EPISODES, [Hit(one, score(words, one.title)[1]) for one in found])], episodes=True
            )
        )

    def on_palette__found(self, event: _Found) -> None:
        """Episodes come below all else, so that the row under the cursor stays."""
        if event.words != self._input.value.strip():
            return
        if event.episodes:
            self._episodes = [(kind, hits) for kind, hits in event.groups if hits]
            self._all_answered = event.words
        else:
            self._groups, self._answered = event.groups, event.words
        self._show(from_top=not event.episodes)
        if self._entered:
            self._run()

    def _show(self, *, from_top: bool = True) -> None:
        rows: list[CommandRow] = []
        self._hits = {}
        for kind, hits in [*self._groups, *self._episodes]:
            if rows:
                rows.append(CommandRow("", heading=True))
            rows.append(CommandRow(translate(kind.value).upper(), heading=True))
            for hit in hits:
                answer = str(len(self._hits))
                self._hits[answer] = hit.command
                one = hit.command
                rows.append(
                    CommandRow(one.title, one.key, one.detail, hit.letters, answer, quiet=kind is Kind.EPISODES)
                )
        self._list.show_rows(rows, _("Nothing found"), from_top=from_top)

    # -- keys ---------------------------------------------------------------------------------------------------

    @on(Choices.Chosen)
    def _clicked(self, event: Choices.Chosen) -> None:
        if event.answer == "run":
            self._run()
        else:
            self.action_close()

    @on(Input.Submitted)
    @on(VirtualList.Chosen)
    def _run(self) -> None:
        words = self._input.value.strip()
        self._entered = self._answered != words
        if self._entered:
            return
        row = self._list.chosen
        command = self._hits.get(row.answer) if row else None
        if command is None:
            self._entered = self._all_answered != words
            return
        if command.id:
            self._ran(command.id)
        self.dismiss(None)
        self.app.call_later(command.run)

    @on(VirtualList.Moved)
    def _moved(self, event: VirtualList.Moved) -> None:
        event.stop()

    def action_move(self, by: int) -> None:
        self._list.move_by(by)

    def action_page(self, by: int) -> None:
        self._list.move_by_pages(by)

    def action_close(self) -> None:
        self.dismiss(None)
