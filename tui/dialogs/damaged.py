"""The library is damaged: restore a backup, start with a fresh library, or quit."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from player.errors import DamagedLibrary, EarmarkError
from player.library import Backup, BackupContents, FoundBackup, Repair
from player.text.sentences import _
from player.text.times import full_moment
from tui.dialogs.dialog import Dialog
from tui.framework.workers import start_worker
from tui.look.glyphs import glyphs_of
from tui.widgets.busy_line import BusyLine
from tui.widgets.choices import Choice, Choices

log = logging.getLogger(__name__)


_KEYS = ("b", "2", "3", "4")
"""Those of the backups, the one to restore first."""


class Remedy(StrEnum):
    RESTORE = "restore "
    """Followed by the key of a backup."""
    FRESH = "fresh"
    QUIT = "quit"


class DamagedScreen(Dialog[bool]):
    """Ends with True when a library is open again, with False when the listener quits.

    The disk's work is done by `repair`, on other threads: the listener sees what is under way and can quit meanwhile.
    Good backups are offered once they are found, each with what it has.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("b,enter", "answer('restore b')"),
        *((key, f"answer('restore {key}')") for key in _KEYS[1:]),
        ("f", "answer('fresh')"),
        ("q,escape", "answer('quit')"),
    ]

    def __init__(self, damage: DamagedLibrary, folder: Path, repair: Repair) -> None:
        """`folder` is where the damaged file will be kept."""
        super().__init__()
        self._damage = str(DamagedLibrary(damage.what))  # the choices say what to do now
        self._folder = folder
        self._repair = repair
        self._backups: list[FoundBackup] = []
        self._looking = True
        self._changing = ""
        self._words = ""
        self._trouble = False

    def on_mount(self) -> None:
        start_worker(self, self._look_for_backup)

    def on_unmount(self) -> None:
        self._repair.give_up()

    def heading(self) -> str:
        return _("Your library is damaged")

    def choices(self) -> tuple[Choice, ...]:
        return (Choice(Remedy.QUIT, "q", _("quit")),)

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
            line = BusyLine()
            line.busy = True
            line.add_class("gap")
            yield line
            yield Static(under_way, id="told", classes="muted", markup=False)
        elif self._words:
            kind = "-trouble" if self._trouble else "muted"
            yield Static(self._words, id="told", classes=f"gap {kind}", markup=False)

    def _choices(self) -> list[Choice]:
        if self._changing:
            return [Choice(Remedy.QUIT, "q", _("quit"))]
        choices = [
            Choice(Remedy.FRESH, "f", _("start with a fresh library")),
            Choice(Remedy.QUIT, "q", _("quit, and change nothing")),
        ]
        backups = self._backups[: len(_KEYS)]
        return [*(_offered(key, *found) for key, found in zip(_KEYS, backups, strict=False)), *choices]

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        self.action_answer(event.answer)

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
        start_worker(self, partial(self._finish, begin()))

    async def _look_for_backup(self) -> None:
        words, trouble = "", False
        try:
            self._backups = await asyncio.wrap_future(self._repair.backups())
        except Exception as error:  # noqa: BLE001 - the listener can still start with a fresh library
            words, trouble = _sentence(error), True
        else:
            if not self._backups:
                words = _("There is no usable backup.")
        self._looking = False
        if self._words:  # something else has failed meanwhile
            words, trouble = self._words, self._trouble
        self._show(words, trouble=trouble)

    async def _finish(self, change: Future[None]) -> None:
        try:
            await asyncio.wrap_future(change)
        except Exception as error:  # noqa: BLE001 - the listener can try again, or something else
            self._changing = ""
            self._show(_sentence(error), trouble=True)
        else:
            self.dismiss(True)

    def _show(self, words: str, *, trouble: bool = False) -> None:
        self._words = words
        self._trouble = trouble
        self.refresh(recompose=True)


def _offered(key: str, backup: Backup, contents: BackupContents) -> Choice:
    words = _("restore the backup of {date}: {contents}", date=full_moment(backup.made_at), contents=contents.words)
    return Choice(Remedy.RESTORE + key, key, words)


def _sentence(error: Exception) -> str:
    if isinstance(error, EarmarkError):
        log.warning("the library can't be repaired", exc_info=error)
        return str(error)
    log.error("repairing the library failed", exc_info=error)
    return _("Something went wrong inside Earmark. See the log.")
