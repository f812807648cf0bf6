"""Setting up syncing, for the app and the command alike: from the typed values to an account and a first merge."""

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

from player.errors import LibraryBusy
from player.library import Library
from player.links.addresses import audiobookshelf_address
from player.measuring.around import SoundsAround
from player.measuring.kept_sounds import KeptSounds
from player.model.episode import EpisodeId
from player.model.syncing import Carried, Pulled, SyncAccount, SyncPlan, Taken
from player.paths import Paths
from player.sync.round import Round, Sent, alone_in_time, utc_now
from player.sync.ways import Means, Typed, find, way_of
from player.sync.web import server_errors
from player.text.cleaning import clean_line

if TYPE_CHECKING:
    from player.net.credentials import Credentials, Tokens
    from player.net.loop import NetworkLoop

_LONGEST_NAME = 60
_PATIENCE_S, _LOOK_S = 60.0, 0.1


class SignedIn(Struct, frozen=True):
    """An account that hasn't been used yet. `login`: name and password for its server; None for a folder."""

    account: SyncAccount
    login: tuple[str, str] | None = None


def device_name(typed: str = "") -> str:
    """The name of this device: as typed, else its host's name."""
    return clean_line(typed or platform.node().partition(".")[0] or "earmark", _LONGEST_NAME)


def signed_in(typed: Typed, paths: Paths) -> SignedIn:
    """Raises EarmarkError if the address isn't valid, or if this Earmark doesn't know the way."""
    way, name = way_of(typed.way), device_name(typed.name)
    account = way.account(way.address(typed.address), typed.user, device_id(name, paths.data), name)
    return SignedIn(account, (typed.user, typed.password) if typed.password else None)


def device_id(name: str, data: Path) -> str:
    """Always the same id for the same name and library; other libraries on a machine have other ids."""
    made = hashlib.sha256(f"{platform.node()}\n{data}".encode(errors="replace")).hexdigest()[:6]
    plain = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.")[:30]
    return f"{plain or 'earmark'}-{made}"


class HeldTokens:
    """Holds the tokens of the server that is being set up, until they are stored."""

    def __init__(self) -> None:
        self.held: Tokens | None = None

    @property
    def name(self) -> str:
        return self.held.name if self.held else ""

    def tokens(self, address: str, /) -> Tokens | None:  # noqa: ARG002 - there is but one
        return self.held

    def remember_tokens(self, address: str, tokens: Tokens, /) -> None:  # noqa: ARG002
        self.held = tokens

    def renewed(
        self,
        address: str,  # noqa: ARG002
        expired: str,  # noqa: ARG002
        renew: Callable[[Tokens], Tokens],
        /,
    ) -> Tokens | None:
        self.held = renew(self.held) if self.held else None
        return self.held


class SetUp:
    """One attempt: `look`, then `merge`, then `send`; for one thread at a time. Any thread may call `abort`.

    `look` changes nothing, neither here nor on the target. If the process ends between `merge` and `send`, nothing is
    lost.
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
        self._way = way_of(self.account.target)
        self._tokens = HeldTokens()
        means = Means(paths, lambda _address: self._login, network, self._tokens)
        self._target = self._way.target(self.account, means)
        self._pulled = Pulled()

    @property
    def carries(self) -> frozenset[Carried]:
        return self._target.carries

    def look(self) -> SyncPlan:
        """Signs in and pulls everything. Returns what the first merge would change. Raises SyncError, LibraryError."""
        self._pulled = self._way.look(self.account, self._target)
        self.account = replace(self.account, user=self._tokens.name or self.account.user)
        return self._library.syncing.plan(self._pulled, self._now(), self.account, self.carries)

    def merge(self, playing: Set[EpisodeId] = frozenset()) -> Taken:
        """After a backup, takes over what was pulled, as one act that can be undone. From here on there is an account.
        Raises SyncError, LibraryError."""
        with alone_in_time(self._paths.sync_lock):
            self._way.join(self.account, self._paths)
            self._back_up()
            self.keep_login()
            syncing = self._library.syncing
            syncing.set_account(self.account)
            if self._pulled.devices:
                syncing.name_devices(dict(self._pulled.devices))
            return syncing.take(self._pulled, self._now(), playing)

    def _back_up(self) -> None:
        """Waits for the daily backup, which opening the library may have begun."""
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
        """Raises SyncError, LibraryError; entries that aren't sent are sent by the next round."""
        with alone_in_time(self._paths.sync_lock):
            around = SoundsAround(self._library, KeptSounds(self._paths.sounds))
            sent = Round(self._library, self._target, now=self._now, around=around).push()
            self._library.syncing.succeeded(self._now())
            return sent

    def check(self) -> None:
        """Whether the login is right: pulls what is new and drops it. Raises SyncError, LibraryError."""
        self._target.pull(self._library.syncing.state().cursor, whole=False)
        if self._tokens.name not in ("", self.account.user):
            raise server_errors.other_user(self._tokens.name, self.account.user)

    def keep_login(self) -> None:
        """Stores the tokens, if the server gave any, else the name and password."""
        if (tokens := self._tokens.held) is not None:
            self._credentials.remember_tokens(self.account.address, tokens)
        elif self._login is not None:
            self._credentials.remember(self.account.address, *self._login)

    def abort(self) -> None:
        """Ends the current work with a SyncError."""
        self._target.abort()


def rename_device(library: Library, paths: Paths, typed: str) -> None:
    """Its id stays, so that nothing is sent again. Raises LibraryError."""
    with alone_in_time(paths.sync_lock):
        if (account := library.syncing.account()) is not None:
            library.syncing.set_account(replace(account, name=device_name(typed)))


def forget(library: Library, paths: Paths, credentials: Credentials) -> None:
    """Ends syncing; the history stays, here and on the target. Raises LibraryError."""
    with alone_in_time(paths.sync_lock):
        account = library.syncing.account()
        library.syncing.forget_account()
    if account is None:
        return
    if (way := find(account.target)) is not None:
        way.leave(paths)
    if account.user and not _has_podcasts_of(library, account.address):
        credentials.forget(account.address)


def _has_podcasts_of(library: Library, server: str) -> bool:
    """Whether podcasts here come from that Audiobookshelf server; they need the login, too."""
    found = (audiobookshelf_address(podcast.url) for podcast in library.podcasts.all())
    return any(one is not None and one.server == server for one in found)
