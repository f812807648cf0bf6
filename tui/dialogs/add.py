"""Adding a podcast by its address."""

import logging
from concurrent.futures import Future
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Input, Static

from player.errors import EarmarkError, HttpFailure
from player.links.urls import host, with_login
from player.model.podcast import Podcast
from player.text.sentences import _
from tui.dialogs.dialog import Dialog, field
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import glyphs_of
from tui.widgets.busy_line import BusyLine
from tui.widgets.choices import Choice, Choices

if TYPE_CHECKING:
    from player.player import Player

log = logging.getLogger(__name__)

_WHAT = _("Feed URL, the podcast's website, or a folder of audio")
_BUG = _("Something went wrong inside Earmark. See the log.")


class AddScreen(Dialog[bool]):
    """Closes with True when the podcast is there; the screen below hears of that by itself.

    A failure is told here, with the address kept. Closing the dialog before the answer cancels: nothing is subscribed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close")]

    class _Answered(Message):
        def __init__(self, future: Future[Podcast]) -> None:
            super().__init__()
            self.future = future

    def __init__(self, player: "Player", address: str = "") -> None:
        """`address` is added at once."""
        super().__init__()
        self._address = address
        self._player = player
        self._asked: Future[Podcast] | None = None
        self._asked_for = ""
        self._input = Input(address, placeholder="https://", select_on_focus=False, max_length=MOST_LETTERS)
        self._line = BusyLine()
        self._notice = Static(_WHAT, id="told", classes="muted", markup=False)

    def heading(self) -> str:
        return _("Add a podcast")

    def choices(self) -> tuple[Choice, ...]:
        return Choice("add", "enter", _("add")), Choice("close", "esc", _("cancel"))

    def contents(self) -> ComposeResult:
        yield field(_("URL"), self._input)
        yield self._line
        yield self._notice

    def on_mount(self) -> None:
        if self._address:
            self._ask_player(self._address)

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "add":
            self._look()
        else:
            self.action_close()

    @on(Input.Submitted)
    def _look(self) -> None:
        if self._asked is not None:
            return
        url = self._input.value.strip()
        if not url:
            self._show_notice(_WHAT)
            return
        self._ask_player(url)

    def _ask_player(self, url: str) -> None:
        self._show_notice(_("Fetching feed{ellipsis}", ellipsis=glyphs_of(self.app).ellipsis))
        self._line.busy = True
        self._asked_for = url
        self._asked = self._player.add(url)
        self._asked.add_done_callback(self._answered)

    def _answered(self, future: Future[Podcast]) -> None:
        """On the network's thread."""
        self.post_message(self._Answered(future))

    def on_add_screen__answered(self, event: _Answered) -> None:
        self._asked = None
        self._line.busy = False
        if not self.is_current:
            return
        error = event.future.exception()
        if error is None:
            self.dismiss(True)
            return
        self._show_notice(_sentence(error), trouble=True)
        if isinstance(error, HttpFailure) and error.status == 401:
            self._ask_for_login()

    def _ask_for_login(self) -> None:
        from player.feeds.subscribe import feed_address
        from tui.dialogs.confirm import LoginScreen

        address = feed_address(self._input.value)

        def given(login: tuple[str, str] | None) -> None:
            if login is not None:
                self._ask_player(with_login(address, *login))

        self.app.push_screen(LoginScreen(host(address)), given)

    @on(Input.Changed)
    def _changed(self) -> None:
        if self._asked is None:
            self._show_notice(_WHAT)

    def _show_notice(self, words: str, *, trouble: bool = False) -> None:
        self._notice.update(words)
        self._notice.set_class(trouble, "-trouble")

    def action_close(self) -> None:
        if self._asked is not None:
            self._player.cancel_add(self._asked_for)
        self.dismiss(False)


def _sentence(error: BaseException) -> str:
    if isinstance(error, EarmarkError):
        return str(error)
    log.error("adding a podcast failed", exc_info=error)
    return _BUG
