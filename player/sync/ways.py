"""The ways to sync: each folder beside this module that has a WAY is one, so that adding a way touches no other file.

Other modules ask the WAY for everything that they have to know; the code that syncs is loaded when it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Protocol

from msgspec import Struct

import player.sync as room
from player.errors import EarmarkError
from player.model.syncing import Carried, Pulled, SyncAccount
from player.sync.target import SyncTarget
from player.text.sentences import _

if TYPE_CHECKING:
    from player.net.credentials import Credentials, TokenStore
    from player.net.loop import NetworkLoop
    from player.net.requester import Login
    from player.paths import Paths

WITHOUT_FACTS = frozenset({Carried.POSITIONS, Carried.PLAYED, Carried.UNPLAYED, Carried.SUBSCRIPTIONS})
"""Everything except facts, which is what servers carry."""
POLL_S = 2.0
"""Seconds between two polls of a BrowserLogin."""
_CONNECT_S, _SILENCE_S = 10.0, 30.0


class Typed(Struct, frozen=True):
    """The values as typed: `address` of a server, or a path. `name` is the name of this device."""

    way: str
    address: str
    name: str
    user: str = ""
    password: str = ""


class Field(Struct, frozen=True):
    """A value that has to be typed for a way, unless it is `optional`. `example` is shown in the field while it is
    empty."""

    name: Literal["address", "user", "password"]
    label: str
    example: str = ""
    optional: bool = False


class BrowserLogin(Protocol):
    """One attempt to sign in in a browser, for one thread: `begin`, then `poll` every few seconds. Any thread may call
    `abort`, which ends the current work with a SyncError."""

    def begin(self) -> str:
        """The address to open. Raises SyncError."""
        ...

    def poll(self) -> Typed | None:
        """The values that would otherwise be typed, including user and password; None until somebody has signed in.
        Raises SyncError."""
        ...

    def abort(self) -> None: ...


class Means(NamedTuple):
    """What targets need to work. `login` finds the name and password for a server; `tokens` has what servers gave in
    place of a password."""

    paths: Paths
    login: Login
    network: NetworkLoop
    tokens: TokenStore


class Way:
    """A way to sync. Its texts are marked sentences."""

    name: ClassVar[str]
    """Stored in the library and typed on command lines: small letters and digits."""
    place: ClassVar[int] = 50
    """The lowest comes first in lists."""
    title: ClassVar[str]
    """Stands before the address: `gpodder server https://example.com`."""
    listed: ClassVar[str] = ""
    """Its title in the list of ways, where that is another."""
    through: ClassVar[str]
    """With its article, after “Sync through”."""
    summary: ClassVar[str]
    """In a few words."""
    about: ClassVar[str]
    """In a sentence or two."""
    note: ClassVar[str]
    """Below the fields."""
    example: ClassVar[str]
    """What follows `earmark sync setup NAME`."""
    fields: ClassVar[tuple[Field, ...]]
    carries: ClassVar[frozenset[Carried]] = WITHOUT_FACTS
    step_ms: ClassVar[int] = 1000
    """The precision of times: 1000 where it keeps whole seconds."""
    needs_network: ClassVar[bool] = True

    def asks_for(self, name: str) -> bool:
        return any(field.name == name for field in self.fields)

    def needs(self, name: str) -> bool:
        """Whether it asks for that value and requires it."""
        return any(field.name == name and not field.optional for field in self.fields)

    def address(self, typed: str) -> str:
        """The address that was meant; a server's, unless the way overrides this. Raises EarmarkError."""
        from player.sync.web.api import server_address

        return server_address(typed)

    def account(self, address: str, user: str, device: str, name: str) -> SyncAccount:
        """An account with the way's properties, which the library stores: if a way begins to carry facts, it has to be
        set up again for them."""
        has_facts = not self.carries <= WITHOUT_FACTS
        return SyncAccount(self.name, address, user, device, name, self.step_ms, has_facts)

    def browser_login(self, typed: Typed, network: NetworkLoop) -> BrowserLogin | None:  # noqa: ARG002 - for its ways
        """None if the way has no login in a browser. Raises EarmarkError."""
        return None

    def target(self, account: SyncAccount, means: Means) -> SyncTarget:
        """Uses neither the network nor the disk yet."""
        raise NotImplementedError

    def look(self, account: SyncAccount, target: SyncTarget) -> Pulled:  # noqa: ARG002 - for the ways that need it
        """Pulls everything, before the first merge. Changes nothing on the target. Raises SyncError."""
        return target.pull("", whole=True)

    def join(self, account: SyncAccount, paths: Paths) -> None:
        """The first step of the first merge. Raises SyncError."""

    def leave(self, paths: Paths) -> None:
        """Deletes what belongs to the account on this computer, except its login."""


def ways() -> Sequence[Way]:
    return _ways(tuple(room.__path__))


@cache
def _ways(folders: Sequence[str]) -> Sequence[Way]:
    """Only once: while Earmark runs, another version may be installed over it."""
    rooms = (import_module(f"{room.__name__}.{one.name}") for one in iter_modules(folders) if one.ispkg)
    return sorted((one.WAY for one in rooms if hasattr(one, "WAY")), key=lambda way: (way.place, way.name))


def find(name: str) -> Way | None:
    """None for a way that a newer Earmark knows."""
    return next((way for way in ways() if way.name == name), None)


def way_of(name: str) -> Way:
    """Raises EarmarkError: this Earmark doesn't know it."""
    if (way := find(name)) is None:
        raise unknown(name)
    return way


def unknown(name: str) -> EarmarkError:
    return EarmarkError(
        _("This version of Earmark can't sync through “{way}”", way=name),
        _("Update Earmark, or set up another way with: earmark sync setup KIND WHERE"),
    )


def needs_network(account: SyncAccount) -> bool:
    return (way := find(account.target)) is None or way.needs_network


def target_of(account: SyncAccount, paths: Paths, credentials: Credentials, network: NetworkLoop) -> SyncTarget:
    """As `Way.target`. Raises EarmarkError: this Earmark doesn't know the way."""
    return way_of(account.target).target(account, Means(paths, credentials.find, network, credentials))


def own_network() -> NetworkLoop:
    """For a process that has no network client yet; the caller closes it."""
    from player.net.loop import NetworkLoop

    return NetworkLoop(_CONNECT_S, _SILENCE_S)
