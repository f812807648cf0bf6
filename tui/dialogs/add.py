"""The dialog that adds a podcast by its address."""

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from player.errors import HttpFailure
from player.links.urls import host, with_login
from player.model.podcast import Podcast
from player.text.sentences import _, mark
from tui.dialogs.dialog import Dialog, field
from tui.framework.screen import MOST_LETTERS

if TYPE_CHECKING:
    from player.player import Player

_WHAT = _("Feed URL, the podcast's website, or a folder of audio")


class AddScreen(Dialog[bool]):
    """Closes with True when the podcast has been added; events tell the screen below.

    A failure is shown here, with the address kept. Closing the dialog before the answer cancels the subscription.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("add")), ("escape", "close", mark("cancel"))]

    def __init__(self, player: "Player", address: str = "") -> None:
        """An `address` is added at once."""
        super().__init__(_("Add a podcast"), _WHAT)
        self._address = address
        self._player = player
        self._asked_for = ""
        self._input = Input(address, placeholder="https://", select_on_focus=False, max_length=MOST_LETTERS)

    def contents(self) -> ComposeResult:
        yield field(_("URL"), self._input)
        yield self.line
        yield self.told

    def on_mount(self) -> None:
        if self._address:
            self._ask_player(self._address)

    def action_take(self) -> None:
        if self.busy:
            return
        if url := self._input.value.strip():
            self._ask_player(url)
        else:
            self.tell(_WHAT)

    def _ask_player(self, url: str) -> None:
        self._asked_for = url
        self.begin(_("Fetching feed"), self._player.add(url), self._added)

    def _added(self, _podcast: Podcast) -> None:
        self.dismiss(True)

    def failed(self, error: Exception) -> None:
        super().failed(error)
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
        if not self.busy:
            self.tell(_WHAT)

    def action_close(self) -> None:
        if self.busy:
            self._player.cancel_add(self._asked_for)
        self.dismiss(False)
