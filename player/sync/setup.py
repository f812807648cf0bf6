"""Setting up syncing, for the app and the command alike: from what was typed to an account and a first merge."""

from __future__ import annotations

import hashlib
import platform
import re
import time
from collections.abc import Callable, Set
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from player.errors import EarmarkError, LibraryBusy
from player.library import Library
from player.model.episode import EpisodeId
from player.model.syncing import Carried, Pulled, SyncAccount, SyncPlan, Taken, TargetKind
from player.paths import Paths
from player.sync.alone import alone_in_time
from player.sync.choosing import target_of
from player.sync.round import Round, Sent, utc_now
from player.text.cleaning import clean_line
from player.text.sentences import _

if TYPE_CHECKING:
    from player.net.credentials import Credentials
    from player.net.loop import NetworkLoop

_LONGEST_NAME = 60
_PATIENCE_S, _LOOK_S = 60.0, 0.1


class SignedIn(Struct, frozen=True):
    """An account that nothing has been done with yet. `login`: name and password for its server; None for a folder."""

    account: SyncAccount
    login: tuple[str, str] | None = None


def device_name(typed: str = "") -> str:
    """What people call this device: what they typed, else its host's name."""
    return clean_line(typed or platform.node().partition(".")[0] or "earmark", _LONGEST_NAME)


def folder_account(typed: str, name: str, paths: Paths) -> SignedIn:
    """`typed` is the path of a folder that exists. Raises EarmarkError."""
    from player.links.addresses import with_home

    path = with_home(typed).absolute()
    if not path.is_dir():
        raise EarmarkError(_("There is no folder {path}", path=path), _("Make it, or correct the path."))
    return SignedIn(_account(TargetKind.FOLDER, str(path), "", name, paths))


def gpodder_account(typed: str, user: str, password: Callable[[str], str], name: str, paths: Paths) -> SignedIn:
    """`typed` is the server's address; `password` is asked for the one at the address it stands for. Raises SyncError,
    and what `password` raises."""
    from player.sync.web.addresses import server_address

    address = server_address(typed)
    return SignedIn(_account(TargetKind.GPODDER, address, user, name, paths), (user, password(address)))


def nextcloud_account(address: str, user: str, password: str, name: str, paths: Paths) -> SignedIn:
    """As it was answered by the server when the listener had signed in there."""
    return SignedIn(_account(TargetKind.NEXTCLOUD, address, user, name, paths), (user, password))


def _account(target: TargetKind, address: str, user: str, name: str, paths: Paths) -> SyncAccount:
    name = device_name(name)
    return SyncAccount(target, address, user, device_id(name, paths.data), name)


def device_id(name: str, data: Path) -> str:
    """The same for the same name and library; other libraries of a machine have others."""
    made = hashlib.sha256(f"{platform.node()}\n{data}".encode(errors="replace")).hexdigest()[:6]
    plain = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.")[:30]
    return f"{plain or 'earmark'}-{made}"


class SetUp:
    """One attempt: `look`, then `merge`, then `send`; for one thread at a time. `abort` comes from any.

    `look` changes nothing, neither here nor there. If the process ends between `merge` and `send`, nothing is lost.
    """

    def __init__(
        self,
        signed_in: SignedIn,
        library: Library,
        paths: Paths,
        credentials: Credentials,
        network: NetworkLoop,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self.account = signed_in.account
        self._login = signed_in.login
        self._library = library
        self._paths = paths
        self._credentials = credentials
        self._now = now
        self._target = target_of(self.account, paths, lambda _address: self._login, network)
        self._pulled = Pulled()

    @property
    def carries(self) -> frozenset[Carried]:
        return self._target.carries

    def look(self) -> SyncPlan:
        """Logs in and asks for all that is there. Answers what the first merge would change. Raises SyncError,
        LibraryError."""
        if self.account.target is TargetKind.FOLDER:
            from player.sync.folder.folder_target import look_into

            self._pulled = look_into(Path(self.account.address))
        else:
            self._pulled = self._target.pull("", whole=True)
        return self._library.syncing.plan(self._pulled, self._now(), self.account)

    def merge(self, playing: Set[EpisodeId] = frozenset()) -> Taken:
        """After a backup, what was looked at is taken, as one act that can be undone. From here on there is an account.
        Raises SyncError, LibraryError."""
        with alone_in_time(self._paths.sync_lock):
            if self.account.target is TargetKind.FOLDER:
                from player.sync.folder.folder_target import join_folder

                join_folder(Path(self.account.address), self._paths.sync_folder)
            self._back_up()
            self.keep_login()
            syncing = self._library.syncing
            syncing.set_account(self.account)
            if self._pulled.devices:
                syncing.name_devices(dict(self._pulled.devices))
            return syncing.take(self._pulled, self._now(), playing)

    def _back_up(self) -> None:
        """Waits for the day's backup, which opening the library may have begun."""
        end = time.monotonic() + _PATIENCE_S
        while True:
            try:
                self._library.back_up()
                return
            except LibraryBusy:
                if time.monotonic() > end:
                    raise
            time.sleep(_LOOK_S)

    def send(self) -> Sent:
        """Raises SyncError, LibraryError; what isn't sent is sent by the next round."""
        with alone_in_time(self._paths.sync_lock):
            sent = Round(self._library, self._target, now=self._now).push()
            self._library.syncing.succeeded(self._now())
            return sent

    def check(self) -> None:
        """Whether the login is right: asks for what is new and drops it. Raises SyncError, LibraryError."""
        self._target.pull(self._library.syncing.state().cursor, whole=False)

    def keep_login(self) -> None:
        if self._login is not None:
            self._credentials.remember(self.account.address, *self._login)

    def abort(self) -> None:
        """Ends what is under way with a SyncError."""
        self._target.abort()


def rename_device(library: Library, paths: Paths, typed: str) -> None:
    """Its id stays, so that nothing is sent again. Raises LibraryError."""
    with alone_in_time(paths.sync_lock):
        if (account := library.syncing.account()) is not None:
            library.syncing.set_account(replace(account, name=device_name(typed)))


def forget(library: Library, paths: Paths, credentials: Credentials) -> None:
    """Ends syncing; what was heard stays, here and there. Raises LibraryError."""
    with alone_in_time(paths.sync_lock):
        account = library.syncing.account()
        library.syncing.forget_account()
    if account is None:
        return
    if account.target is TargetKind.FOLDER:
        paths.sync_folder.unlink(missing_ok=True)
    else:
        credentials.forget(account.address)
