"""Setting up syncing, step by step; and the page that says how it stands."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from player.errors import EarmarkError
from player.events import SyncChanged
from player.model.playback import Severity
from player.model.syncing.targets import SyncAccount, TargetKind
from player.player import Player
from player.sync.carries import CARRIES
from player.sync.setup import device_name, forget, rename_device
from player.sync.words import target_words
from player.text.sentences import _
from tui.controllers.syncing.attempt import Attempt, Prepared
from tui.controllers.ui import Ui
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.syncing.browser_login import BrowserLoginScreen
from tui.dialogs.syncing.first_merge import FirstMergeScreen
from tui.dialogs.syncing.rename import RenameDeviceScreen
from tui.dialogs.syncing.standing import SyncScreen
from tui.dialogs.syncing.typed import Typed, TypedScreen
from tui.dialogs.syncing.ways import WaysScreen
from tui.drawing.syncing.standing import Standing

R = TypeVar("R")


class SyncPages:
    """Opens one dialog after the other."""

    def __init__(self, player: Player, ui: Ui) -> None:
        self._player = player
        self._ui = ui
        self._attempt = Attempt(player)

    def open(self) -> None:
        """How it stands; without an account, the ways to choose from."""
        self._do(self._player.library.syncing.account, self._opened)

    def _opened(self, account: SyncAccount | None) -> None:
        if account is None:
            self._ui.push(WaysScreen(CARRIES), self._way_chosen)
        else:
            self._ui.push(SyncScreen(self), partial(self._wished, account))

    # -- setting up -------------------------------------------------------------------------------------------

    def _way_chosen(self, way: TargetKind | None) -> None:
        if way is not None:
            self._ask(Typed(way, "", device_name()))

    def _ask(self, start: Typed) -> None:
        attempt = self._attempt
        if start.target is TargetKind.NEXTCLOUD:
            begin = TypedScreen(start, attempt.begin_login, attempt.abort)
            self._ui.push(begin, lambda link: self._wait_for_login(link, attempt.wait_and_look, self._looked))
        else:
            self._ui.push(TypedScreen(start, attempt.look, attempt.abort), self._looked)

    def _wait_for_login(self, link: str | None, wait: Callable[[], R], done: Callable[[R | None], None]) -> None:
        if link is not None:
            self._ui.push(BrowserLoginScreen(link, wait, self._attempt.abort), done)

    def _looked(self, prepared: Prepared | None) -> None:
        if prepared is not None:
            undo = self._ui.key_of("undo")
            merge = partial(self._attempt.merge, undo)
            self._ui.push(FirstMergeScreen(prepared.lines, merge, self.follow, undo))

    # -- with an account --------------------------------------------------------------------------------------

    def standing(self) -> Standing:
        """Reads the library. Raises LibraryError."""
        sync, syncing = self._player.services.sync, self._player.library.syncing
        account = syncing.account()
        return Standing(
            status=replace(sync.status, account=account, state=syncing.state(), counts=syncing.counts()),
            carries=CARRIES[account.target] if account else frozenset(),
            devices=tuple(syncing.devices()),
            refusals=tuple(syncing.refusals()),
            offline=self._player.network.offline and account is not None and account.target is not TargetKind.FOLDER,
        )

    def now(self) -> str:
        return self._player.services.sync.now()

    def follow(self, changed: Callable[[SyncChanged], None]) -> Callable[[], None]:
        return self._player.bus.subscribe(SyncChanged, changed)

    def _wished(self, account: SyncAccount, wish: str | None) -> None:
        match wish:
            case "rename":
                self._ui.push(RenameDeviceScreen(account.name or account.device), self._renamed)
            case "sign_in":
                self._sign_in(account)
            case "forget":
                self._ui.push(_forgetting(account), self._forget)

    def _renamed(self, name: str | None) -> None:
        player = self._player
        if name is None:
            self.open()
        else:
            self._do(lambda: rename_device(player.library, player.paths, name), lambda _none: self._changed())

    def _sign_in(self, account: SyncAccount) -> None:
        attempt = self._attempt
        start = Typed(account.target, account.address, account.name, account.user)
        if account.target is TargetKind.NEXTCLOUD:
            begin = TypedScreen(start, attempt.begin_login, attempt.abort, again=True)
            self._ui.push(
                begin, lambda link: self._wait_for_login(link, partial(attempt.wait_and_keep, account), self._signed_in)
            )
        else:
            work = partial(attempt.sign_in_again, account)
            self._ui.push(TypedScreen(start, work, attempt.abort, again=True), self._signed_in)

    def _signed_in(self, done: bool | None) -> None:
        if done:
            self._changed()

    def _forget(self, yes: bool | None) -> None:
        player = self._player
        if not yes:
            self.open()
            return

        def forgotten(_none: None) -> None:
            self._player.services.sync.account_changed()
            self._ui.say(_("Earmark doesn't sync any more"))

        self._do(lambda: forget(player.library, player.paths, player.credentials), forgotten)

    def _changed(self) -> None:
        """The account has another name or password."""
        sync = self._player.services.sync

        def follow() -> None:
            sync.account_changed()
            sync.now()

        self._do(follow, lambda _none: self.open())

    # -- inside -----------------------------------------------------------------------------------------------

    def _do(self, work: Callable[[], R], done: Callable[[R], object]) -> None:
        """Off the screen's thread, then `done` on it."""

        async def run() -> None:
            try:
                result = await asyncio.to_thread(work)
            except EarmarkError as error:
                self._ui.say(str(error), Severity.ERROR)
            else:
                done(result)

        self._ui.in_background(run, "sync")


def _forgetting(account: SyncAccount) -> ConfirmScreen:
    return ConfirmScreen(
        _("Stop syncing with {target}?", target=target_words(account)),
        _("What you have heard stays as it is, here and there. The login is deleted from this computer."),
        _("stop syncing"),
        _("cancel"),
        title=_("Forget the account"),
        danger=True,
    )
