"""The ways to sync: each folder beside this module that has a WAY is one, so that a new one touches no other file.

What others have to know of a way they ask its WAY; what it needs to sync is loaded when it does.
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
    from player.net.loop import NetworkLoop
    from player.net.requester import Login
    from player.paths import Paths

WITHOUT_FACTS = frozenset({Carried.POSITIONS, Carried.PLAYED, Carried.UNPLAYED, Carried.SUBSCRIPTIONS})
"""What isn't a `Fact`: all that servers carry."""
POLL_S = 2.0
"""Seconds between two polls of a BrowserLogin."""
_CONNECT_S, _SILENCE_S = 10.0, 30.0


class Typed(Struct, frozen=True):
    """As it was typed: `address` of a server, or a path. `name` is what people call this device."""

    way: str
    address: str
    name: str
    user: str = ""
    password: str = ""


class Field(Struct, frozen=True):
    """Something that has to be typed for a way. `example` stands in the field while it is empty."""

    name: Literal["address", "user", "password"]
    label: str
    example: str = ""


class BrowserLogin(Protocol):
    """One attempt to log in in a browser, for one thread: `begin`, then `poll` every few seconds. `abort` comes from
    any thread, and ends what is under way with a SyncError."""

    def begin(self) -> str:
        """The address to open. Raises SyncError."""
        ...

    def poll(self) -> Typed | None:
        """What would have been typed, user and password too; None as long as nobody has logged in. Raises SyncError."""
        ...

    def abort(self) -> None: ...


class Means(NamedTuple):
    """What targets work with. `login` finds the name and password for a server."""

    paths: Paths
    login: Login
    network: NetworkLoop


class Way:
    """A way to sync. Its texts are marked sentences."""

    name: ClassVar[str]
    """Kept in the library and typed on command lines: small letters and digits."""
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

    def address(self, typed: str) -> str:
        """The address that was meant; that of a server, if the way doesn't say otherwise. Raises EarmarkError."""
        from player.sync.web.addresses import server_address

        return server_address(typed)

    def account(self, address: str, user: str, device: str, name: str) -> SyncAccount:
        """With what the library has to know of the way, which it keeps: a way that carries facts from now on has to be
        set up again for them."""
        has_facts = not self.carries <= WITHOUT_FACTS
        return SyncAccount(self.name, address, user, device, name, self.step_ms, has_facts)

    def browser_login(self, typed: Typed, network: NetworkLoop) -> BrowserLogin | None:  # noqa: ARG002 - for its ways
        """None where nobody logs in in a browser. Raises EarmarkError."""
        return None

    def target(self, account: SyncAccount, means: Means) -> SyncTarget:
        """Asks nothing of the network or the disk yet."""
        raise NotImplementedError

    def look(self, account: SyncAccount, target: SyncTarget) -> Pulled:  # noqa: ARG002 - for the ways that need it
        """All that is there, before the first merge. Changes nothing there. Raises SyncError."""
        return target.pull("", whole=True)

    def join(self, account: SyncAccount, paths: Paths) -> None:
        """What the first merge begins with. Raises SyncError."""

    def leave(self, paths: Paths) -> None:
        """What belongs to the account on this computer, beside its login, is deleted."""


def ways() -> Sequence[Way]:
    return _ways(tuple(room.__path__))


@cache
def _ways(folders: Sequence[str]) -> Sequence[Way]:
    """Once: while Earmark runs, another version may be installed over it."""
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


def target_of(account: SyncAccount, paths: Paths, login: Login, network: NetworkLoop) -> SyncTarget:
    """As `Way.target`. Raises EarmarkError: this Earmark doesn't know the way."""
    return way_of(account.target).target(account, Means(paths, login, network))


def own_network() -> NetworkLoop:
    """For a process that has none yet; its user closes it."""
    from player.net.loop import NetworkLoop

    return NetworkLoop(_CONNECT_S, _SILENCE_S)
