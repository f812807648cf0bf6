"""The dialogs before the library is open: while opening takes time (it is being updated, or the disk is slow), and for
a damaged library: restore a backup, start with a fresh library, or quit.
"""

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from player.errors import DamagedLibrary
from player.library import Backup, BackupContents, FoundBackup, Repair
from player.text.sentences import _, mark
from player.text.times import full_moment
from tui.dialogs.dialog import Dialog, sentence_of
from tui.look.glyphs import glyphs_of
from tui.widgets.busy_line import BusyLine
from tui.widgets.choices import Choice, Choices

log = logging.getLogger(__name__)


_KEYS = ("b", "2", "3", "4")
"""The keys of the backups, of which the first is the best to restore."""


class Remedy(StrEnum):
    RESTORE = "restore "
    """Followed by the key of the backup."""
    FRESH = "fresh"
    QUIT = "quit"


class DamagedScreen(Dialog[bool]):
    """Answers with True when a library is open again, with False when the listener quits.

    `repair` does the work on the disk, on other threads: the listener sees the progress and can quit meanwhile. Good
    backups are offered once they are found, each with a summary of its contents.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("q,escape", "answer('quit')", mark("quit")),
        ("b,enter", "answer('restore b')"),
        *((key, f"answer('restore {key}')") for key in _KEYS[1:]),
        ("f", "answer('fresh')"),
    ]

    def __init__(self, damage: DamagedLibrary, folder: Path, repair: Repair) -> None:
        """`folder` is where the damaged file will be kept."""
        super().__init__(_("Your library is damaged"))
        self._damage = str(DamagedLibrary(damage.what))  # without its advice: the choices replace it
        self._folder = folder
        self._repair = repair
        self._backups: list[FoundBackup] = []
        self._looking = True
        self._changing = ""
        self._words = ""
        self._trouble = False

    def on_mount(self) -> None:
        self.read(self._repair.backups(), self._found, self._found_none)

    def on_unmount(self) -> None:
        self._repair.give_up()

    def contents(self) -> ComposeResult:
        yield Static(self._damage, markup=False)
        yield Static(
            _("The damaged file will be kept in {folder}.", folder=self._folder), classes="muted", markup=False
        )
        yield from self._progress()
        choices = Choices(*self._choices(), stacked=True)
        choices.add_class("gap")
        yield choices

    def _progress(self) -> Iterable[Static | BusyLine]:
        under_way = self._changing
        if self._looking and not self._words:
            under_way = under_way or _("Looking for backups{ellipsis}", ellipsis=glyphs_of(self.app).ellipsis)
        if under_way:
            self.line = BusyLine()
            self.line.busy = True
            self.line.add_class("gap")
            yield self.line
            yield Static(under_way, id="told", classes="muted", markup=False)
        elif self._words:
            kind = "-trouble" if self._trouble else "muted"
            yield Static(self._words, id="told", classes=f"gap {kind}", markup=False)

    def _choices(self) -> list[Choice]:
        if self._changing:
            return [Choice("answer('quit')", "q", _("quit"))]
        choices = [
            Choice("answer('fresh')", "f", _("start with a fresh library")),
            Choice("answer('quit')", "q", _("quit, and change nothing")),
        ]
        backups = self._backups[: len(_KEYS)]
        return [*(_offered(key, *found) for key, found in zip(_KEYS, backups, strict=False)), *choices]

    def action_answer(self, answer: str) -> None:
        ellipsis = glyphs_of(self.app).ellipsis
        if answer == Remedy.QUIT:
            self.dismiss(False)
        elif self._changing:
            return
        elif answer == Remedy.FRESH:
            self._change(_("Starting a fresh library{ellipsis}", ellipsis=ellipsis), self._repair.start_fresh)
        elif (number := _KEYS.index(answer.removeprefix(Remedy.RESTORE))) < len(self._backups):
            backup, _contents = self._backups[number]
            self._change(_("Restoring{ellipsis}", ellipsis=ellipsis), partial(self._repair.restore, backup))

    def _change(self, words: str, begin: Callable[[], Future[None]]) -> None:
        self._changing = words
        self._show("")
        self.read(begin(), lambda _changed: self.dismiss(True))

    def _found(self, backups: list[FoundBackup]) -> None:
        self._backups = backups
        self._looked("" if backups else _("There is no usable backup."))

    def _found_none(self, error: Exception) -> None:
        """Shows the error; the listener can still start with a fresh library."""
        self._looked(_told(error), trouble=True)

    def _looked(self, words: str, *, trouble: bool = False) -> None:
        self._looking = False
        if self._words:  # another step has failed meanwhile
            words, trouble = self._words, self._trouble
        self._show(words, trouble=trouble)

    def failed(self, error: Exception) -> None:
        """Shows the error; the listener can try again, or choose another remedy."""
        self._changing = ""
        self._show(_told(error), trouble=True)

    def _show(self, words: str, *, trouble: bool = False) -> None:
        self._words = words
        self._trouble = trouble
        self.refresh(recompose=True)


def _offered(key: str, backup: Backup, contents: BackupContents) -> Choice:
    words = _("restore the backup of {date}: {contents}", date=full_moment(backup.made_at), contents=contents.words)
    return Choice(f"answer('restore {key}')", key, words)


def _told(error: Exception) -> str:
    log.warning("the library can't be repaired", exc_info=error)
    return sentence_of(error)


class OpeningScreen(Dialog[None]):
    """Its only key quits; the app closes it when the library is open."""

    BINDINGS: ClassVar[list[BindingType]] = [("q,escape", "quit", mark("quit"))]

    def heading(self) -> str:
        return _("Opening your library{ellipsis}", ellipsis=glyphs_of(self.app).ellipsis)

    def contents(self) -> ComposeResult:
        yield Static(_("It may take a while: after an update, or on a slow disk."), markup=False)
        yield Static(_("You can quit at any time. Nothing is lost."), classes="muted", markup=False)

    def action_quit(self) -> None:
        self.app.exit(0)
