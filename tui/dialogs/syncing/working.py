"""What the dialogs about syncing share: they ask servers and disks on another thread, and say what comes of it."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from textual.widgets import Static

from player.errors import EarmarkError
from player.text.sentences import _
from tui.dialogs.dialog import Dialog
from tui.drawing.cells import steady
from tui.framework.workers import start_worker
from tui.look.glyphs import glyphs_of
from tui.widgets.busy_line import BusyLine


def lines_of(lines: Sequence[str]) -> list[Static]:
    """Each keeps its indent where it is wrapped. What isn't indented stands out."""
    return [_line(line, len(line) - len(line.lstrip(" "))) for line in lines]


def _line(line: str, indent: int) -> Static:
    shown = Static(steady(line.strip()), classes="" if indent else "strong", markup=False)
    shown.styles.height = "auto"
    shown.styles.padding = (0, 0, 0, indent)
    return shown


log = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")


class WorkingDialog(Dialog[T]):
    """Shows `told`, a line of words, and above it `line`, which moves while something is under way."""

    DEFAULT_CSS = """
    WorkingDialog {
        & BusyLine { display: none; }
        & BusyLine.-busy { display: block; }
        & #told.-silent { display: none; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.line = BusyLine()
        self.told = Static("", id="told", classes="muted -silent", markup=False)

    @property
    def busy(self) -> bool:
        return self.line.busy

    def begin(self, words: str, work: Callable[[], R], done: Callable[[R], object]) -> None:
        """Runs `work` on another thread and calls `done` with what it returns; an EarmarkError becomes words here.
        Until then nothing else is begun. Once the dialog is closed, nothing is called."""
        if self.busy:
            return
        self.show_busy(words)
        start_worker(self, partial(self._wait_for, work, done), group="work")

    def read(self, work: Callable[[], R], done: Callable[[R], object]) -> None:
        """The same without a word about it; a later call takes the place of an earlier one."""
        start_worker(self, partial(self._read, work, done), group="read", exclusive=True)

    async def _read(self, work: Callable[[], R], done: Callable[[R], object]) -> None:
        try:
            result = await asyncio.to_thread(work)
        except EarmarkError as error:
            self.failed(error)
        else:
            done(result)

    async def _wait_for(self, work: Callable[[], R], done: Callable[[R], object]) -> None:
        try:
            result = await asyncio.to_thread(work)
        except EarmarkError as error:
            self.show_busy("")
            self.failed(error)
        except Exception:
            log.exception("a dialog about syncing failed")
            self.show_busy("")
            self.tell(_("Something went wrong inside Earmark. See the log."), trouble=True)
        else:
            self.show_busy("")
            done(result)

    def failed(self, error: EarmarkError) -> None:
        """What was begun has failed."""
        self.tell(str(error), trouble=True)

    def tell(self, words: str, *, trouble: bool = False) -> None:
        self.told.update(steady(words))
        self.told.set_class(trouble, "-trouble")
        self.told.set_class(not words, "-silent")
        if trouble:
            self.call_after_refresh(self.told.scroll_visible, animate=False)

    def show_busy(self, words: str) -> None:
        """Something is under way; "" ends that."""
        self.line.busy = bool(words)
        self.line.set_class(bool(words), "-busy")
        self.tell(f"{words}{glyphs_of(self.app).ellipsis}" if words else "")
        self.show_frame()
