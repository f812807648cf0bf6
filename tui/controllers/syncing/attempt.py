"""One attempt to set up syncing or to sign in again: what waits for servers and disks."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from player.errors import EarmarkError
from player.model.syncing.targets import SyncAccount, TargetKind
from player.player import Player
from player.sync.setup import SetUp, SignedIn, folder_account, gpodder_account, nextcloud_account
from player.sync.target import SyncError, SyncFailure
from player.sync.words import arrived_words, carried_words, not_carried_words, plan_lines, target_words
from player.text.sentences import _

if TYPE_CHECKING:
    from player.sync.nextcloud.login_flow import LoginFlow, NextcloudLogin
    from tui.dialogs.syncing.typed import Typed


class Prepared(Struct, frozen=True):
    """What the first merge would do, as lines of text."""

    lines: Sequence[str]


class Attempt:
    """Every method waits, and raises EarmarkError; `abort`, from any thread, ends what waits."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._set_up: SetUp | None = None
        self._login: LoginFlow | None = None
        self._name = ""
        self._aborted = threading.Event()

    def abort(self) -> None:
        self._aborted.set()
        for waiting in (self._set_up, self._login):
            if waiting is not None:
                waiting.abort()

    # -- a server with a password, or a folder ----------------------------------------------------------------

    def look(self, typed: Typed) -> Prepared:
        """Logs in and finds out what would change."""
        paths = self._player.paths
        if typed.target is TargetKind.FOLDER:
            return self._look(folder_account(typed.address, typed.name, paths))
        return self._look(
            gpodder_account(typed.address, typed.user, lambda _address: typed.password, typed.name, paths)
        )

    def sign_in_again(self, account: SyncAccount, typed: Typed) -> bool:
        return self._keep(SignedIn(account, (account.user, typed.password)))

    # -- Nextcloud --------------------------------------------------------------------------------------------

    def begin_login(self, typed: Typed) -> str:
        """The address to open in a browser."""
        from player.sync.nextcloud.login_flow import LoginFlow

        self._aborted.clear()
        self._name = typed.name
        self._login = LoginFlow(typed.address, typed.name, self._player.services.media.network)
        return self._login.begin()

    def wait_and_look(self) -> Prepared:
        login = self._wait_for_login()
        return self._look(nextcloud_account(login.address, login.user, login.password, self._name, self._player.paths))

    def wait_and_keep(self, account: SyncAccount) -> bool:
        login = self._wait_for_login()
        if login.user != account.user:
            raise EarmarkError(
                _("You signed in as {user}, but Earmark syncs as {other}", user=login.user, other=account.user),
                _("Sign in with that name; or forget the account, and set up syncing again."),
            )
        return self._keep(SignedIn(account, (login.user, login.password)))

    def _wait_for_login(self) -> NextcloudLogin:
        from player.sync.nextcloud.login_flow import POLL_S

        assert self._login is not None
        while True:
            if (login := self._login.poll()) is not None:
                return login
            if self._aborted.wait(POLL_S):
                raise SyncError(SyncFailure.UNREACHABLE, _("Cancelled"))

    # -- the first merge --------------------------------------------------------------------------------------

    def merge(self, undo: str) -> list[str]:
        """Merges, and answers with what has changed, as lines of text. What the others don't have is sent in the
        background. `undo` is the key that takes the merge back."""
        assert self._set_up is not None
        taken = self._player.services.sync.merge(self._set_up.merge)
        back = [f"  {_('{key} takes back what changed here.', key=undo)}"] if taken.act_id else []
        return [arrived_words(taken), *back]

    def _made(self, signed_in: SignedIn) -> SetUp:
        player = self._player
        self._aborted.clear()
        self._set_up = SetUp(signed_in, player.library, player.paths, player.credentials, player.services.media.network)
        return self._set_up

    def _look(self, signed_in: SignedIn) -> Prepared:
        set_up = self._made(signed_in)
        target = target_words(set_up.account)
        lines = [*plan_lines(set_up.look(), target), _("Syncs:"), f"  {carried_words(set_up.carries)}"]
        if missing := not_carried_words(set_up.carries):
            lines += [_("Doesn't sync:"), f"  {missing}"]
        return Prepared(lines)

    def _keep(self, signed_in: SignedIn) -> bool:
        set_up = self._made(signed_in)
        set_up.check()
        set_up.keep_login()
        return True
