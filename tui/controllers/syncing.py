"""Syncing with other devices: the dialogs that set it up, and syncing on request."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from player.errors import EarmarkError
from player.events import Notice, SyncChanged
from player.model.playback import Severity
from player.model.syncing import SyncAccount
from player.player import Player
from player.sync.setup import SetUp, SignedIn, device_name, forget, rename_device, signed_in
from player.sync.sync_sentences import (
    arrived_words,
    carried_words,
    failure_words,
    not_carried_words,
    plan_lines,
    target_words,
)
from player.sync.target import SyncError, SyncFailure
from player.sync.ways import POLL_S, BrowserLogin, Typed, Way, find, needs_network, unknown, way_of, ways
from player.sync.web.server_errors import other_user
from player.text.sentences import _
from tui.controllers.ui import Ui
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.syncing import (
    BrowserLoginScreen,
    FirstMergeScreen,
    RenameDeviceScreen,
    SyncScreen,
    TypedScreen,
    WaysScreen,
)
from tui.drawing.syncing import Standing


class Prepared(Struct, frozen=True):
    """A preview of the first merge, as lines of text."""

    lines: Sequence[str]


class Attempt:
    """An attempt to sign in and to merge. Every method blocks, and raises EarmarkError; `abort` ends the wait, and may
    be called from any thread."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._set_up: SetUp | None = None
        self._login: BrowserLogin | None = None
        self._aborted = threading.Event()

    def abort(self) -> None:
        self._aborted.set()
        for waiting in (self._set_up, self._login):
            if waiting is not None:
                waiting.abort()

    # -- signing in -------------------------------------------------------------------------------------------

    def look(self, typed: Typed) -> str | Prepared:
        """Signs in and finds out what the first merge would change; or returns the address to open in a browser, after
        which `wait_and_look` waits for the login."""
        return self._begin_login(typed) or self._look(typed)

    def wait_and_look(self) -> Prepared:
        return self._look(self._wait_for_login())

    def sign_in_again(self, account: SyncAccount, typed: Typed) -> str | bool:
        """As `look`, but keeps the login instead of preparing a merge."""
        return self._begin_login(typed) or self._keep(account, typed)

    def wait_and_keep(self, account: SyncAccount) -> bool:
        login = self._wait_for_login()
        if login.user != account.user:
            raise other_user(login.user, account.user)
        return self._keep(account, login)

    def _begin_login(self, typed: Typed) -> str:
        """The address at which to sign in in a browser; "" for ways to sync that don't use one."""
        self._aborted.clear()
        self._login = way_of(typed.way).browser_login(typed, self._player.services.media.network)
        return self._login.begin() if self._login is not None else ""

    def _wait_for_login(self) -> Typed:
        assert self._login is not None
        while True:
            if (login := self._login.poll()) is not None:
                return login
            if self._aborted.wait(POLL_S):
                raise SyncError(SyncFailure.UNREACHABLE, _("Cancelled"))

    # -- the first merge --------------------------------------------------------------------------------------

    def merge(self, undo: str) -> list[str]:
        """Merges, and returns what has changed here, as lines of text. Actions that other devices don't have are sent
        in the background. `undo` is the key that takes the merge back."""
        assert self._set_up is not None
        taken = self._player.services.sync.merge(self._set_up.merge)
        back = [f"  {_('{key} undoes what changed here.', key=undo)}"] if taken.act_id else []
        return [arrived_words(taken), *back]

    def _made(self, of: SignedIn) -> SetUp:
        player = self._player
        self._aborted.clear()
        self._set_up = SetUp(of, player.library, player.paths, player.credentials, player.services.media.network)
        return self._set_up

    def _look(self, typed: Typed) -> Prepared:
        set_up = self._made(signed_in(typed, self._player.paths))
        plan = set_up.look()
        target = target_words(set_up.account)
        lines = [*plan_lines(plan, target), _("Syncs:"), f"  {carried_words(set_up.carries)}"]
        if missing := not_carried_words(set_up.carries):
            lines += [_("Doesn't sync:"), f"  {missing}"]
        return Prepared(lines)

    def _keep(self, account: SyncAccount, typed: Typed) -> bool:
        set_up = self._made(SignedIn(account, (account.user, typed.password)))
        set_up.check()
        set_up.keep_login()
        return True


class SyncNow:
    """Syncs on request; without an account it opens the choice of ways to sync. Reports success only if the round
    published no other news, such as a moved position."""

    def __init__(self, player: Player, ui: Ui) -> None:
        self._player = player
        self._ui = ui
        self._ends: tuple[Callable[[], None], ...] = ()
        self._has_news = False

    def begin(self) -> None:
        self._ui.in_background(self._begin, "sync now")

    async def _begin(self) -> None:
        if await asyncio.to_thread(self._player.library.syncing.account) is None:
            SyncPages(self._player, self._ui).open()
            return
        sync = self._player.services.sync
        begun = sync.status.under_way

        def changed(event: SyncChanged) -> None:
            """Called on the thread that syncs."""
            if event.status.rounds > begun and not event.status.busy:
                self._ui.call_later(self._ended, failure_words(event.status))

        self._ui.say(_("Syncing{ellipsis}", ellipsis=self._ui.glyphs.ellipsis))
        bus = self._player.bus
        self._ends = bus.subscribe(SyncChanged, changed), bus.subscribe(Notice, self._noticed)
        if problem := await asyncio.to_thread(sync.now):
            self._end()
            self._ui.say(problem, Severity.WARNING)

    def _noticed(self, _notice: Notice) -> None:
        self._has_news = True

    def _end(self) -> None:
        for end in self._ends:
            end()
        self._ends = ()

    def _ended(self, failure: str) -> None:
        """Only here, on the screen's thread, is it known whether the round has published news."""
        if not self._ends:
            return
        self._end()
        if failure:
            self._ui.say(failure, Severity.WARNING)
        elif not self._has_news:
            self._ui.say(_("Synced"))


R = TypeVar("R")


class SyncPages:
    """Opens the dialogs of syncing, one after the other."""

    def __init__(self, player: Player, ui: Ui) -> None:
        self._player = player
        self._ui = ui
        self._attempt = Attempt(player)

    def open(self) -> None:
        """Opens the page about the state of syncing; without an account, the choice of ways to sync."""
        self._do(self._player.library.syncing.account, self._opened)

    def _opened(self, account: SyncAccount | None) -> None:
        if account is None:
            self._ui.push(WaysScreen(ways()), self._way_chosen)
        else:
            self._ui.push(SyncScreen(self), partial(self._wished, account))

    # -- setting up -------------------------------------------------------------------------------------------

    def _way_chosen(self, way: Way | None) -> None:
        if way is not None:
            attempt = self._attempt
            looked = partial(self._begun, attempt.wait_and_look, self._looked)
            self._ui.push(TypedScreen(Typed(way.name, "", device_name()), attempt.look, attempt.abort), looked)

    def _begun(self, wait: Callable[[], R], done: Callable[[R | None], None], begun: str | R | None) -> None:
        """Waits for the login if `begun` is an address to open in a browser; any other result is passed to `done`."""
        if isinstance(begun, str):
            self._ui.push(BrowserLoginScreen(begun, wait, self._attempt.abort), done)
        else:
            done(begun)

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
            carries=way.carries if account and (way := find(account.target)) else frozenset(),
            devices=tuple(syncing.devices()),
            refusals=tuple(syncing.refusals()),
            offline=self._player.network.offline and account is not None and needs_network(account),
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
        if find(account.target) is None:
            self._ui.say(str(unknown(account.target)), Severity.ERROR)
            return
        attempt = self._attempt
        start = Typed(account.target, account.address, account.name, account.user)
        signed_in = partial(self._begun, partial(attempt.wait_and_keep, account), self._signed_in)
        work = partial(attempt.sign_in_again, account)
        self._ui.push(TypedScreen(start, work, attempt.abort, again=True), signed_in)

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
        """The account's device name or password has changed."""
        sync = self._player.services.sync

        def follow() -> None:
            sync.account_changed()
            sync.now()

        self._do(follow, lambda _none: self.open())

    # -- internals --------------------------------------------------------------------------------------------

    def _do(self, work: Callable[[], R], done: Callable[[R], object]) -> None:
        """Runs `work` off the screen's thread, then `done` on it."""

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
        _("Your listening stays as it is, here and there. The sign-in is deleted from this computer."),
        _("stop syncing"),
        _("cancel"),
        title=_("Forget the account"),
        danger=True,
    )
