"""A server with the gpodder API (gpoddernet.readthedocs.io, version 2) as a target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from player.model.syncing import Outgoing, Pulled, Pushed, SubscriptionChange, SyncAccount
from player.sync.gpodder.devices import Devices
from player.sync.target import SyncFailure
from player.sync.ways import WITHOUT_FACTS
from player.sync.web import cursor as cursors
from player.sync.web import exchanged_lists, server_errors
from player.sync.web.answer import Answer, receipt
from player.sync.web.api import Api, in_path, stored_login
from player.sync.web.cursor import Cursor
from player.sync.web.pulling import Pull
from player.sync.web.server_errors import StatusError
from player.sync.web.wire import Dialect, Wire

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop
    from player.net.requester import Login


_NAMED = 5
_LINKED_S = 10
"""How long it takes until linked devices have each other's podcasts."""


def _now() -> datetime:
    return datetime.now(UTC)


class GpodderTarget:
    """Implements SyncTarget. Actions have whole seconds."""

    carries = WITHOUT_FACTS
    most_at_once = exchanged_lists.MOST_AT_ONCE

    def __init__(
        self, account: SyncAccount, network: NetworkLoop, login: Login, *, now: Callable[[], datetime] = _now
    ) -> None:
        """`login` finds the stored name and password for a server."""
        self._user = in_path(account.user)
        self._device = in_path(account.device)
        self._api = Api(account.address, network, stored_login(account.address, login), sign_in=self._sign_in)
        self._devices = Devices(self._api, account)
        self._has_sent = False
        self._cursor = Cursor()
        """The cursor of the last pull."""
        self._apart: tuple[str, ...] = ()
        """The devices to link, as far as that hasn't been done."""
        self._has_linked = False
        self._pull = Pull(account.address, Dialect.GPODDER, self._subscriptions, self._actions, now=now)

    def pull(self, cursor: str, *, whole: bool) -> Pulled:
        before = cursors.read(cursor, has_sent=self._has_sent)
        whole = whole or not before.actions
        forgotten = self._devices.make_known(again=whole)
        linked_by_others: tuple[str, ...] = ()
        if not before.linked and (whole or not self._has_linked):
            together, self._apart = self._devices.others()
            whole = whole or bool(self._apart)
            linked_by_others = together if cursor and not self._apart else ()
            if cursor or not self._apart:  # the first pull only looks
                before = replace(before, linked=self._link())
        try:
            pulled = self._pull.run(before, whole=whole or forgotten)
        except StatusError as error:
            if error.status != 404 or not self._devices.make_known(again=True):
                raise
            forgotten, pulled = True, self._pull.run(before, whole=True)
        self._cursor = cursors.read(pulled.cursor)
        if self._has_linked and whole:
            self._cursor = replace(self._cursor, pushed=self._cursor.subscriptions + _LINKED_S)
        return replace(
            pulled,
            cursor=cursors.write(self._cursor),
            subscriptions=tuple(
                {
                    *pulled.subscriptions,
                    *self._of_others(self._apart if whole else (), wanted=True),
                    *self._of_others(linked_by_others, wanted=False, since=before.subscriptions),
                }
            ),
            devices=self._devices.names,
            forgotten=bool(cursor) and (forgotten or pulled.forgotten),
            unread=(*pulled.unread, *(() if before.linked or not cursor else self._not_linked())),
        )

    def push(self, outgoing: Outgoing) -> Pushed:
        takes_s = 1  # an action sent just now belongs to the second that the server names
        if outgoing.subscriptions and self._apart and not self._has_linked:
            self._link()
            takes_s = _LINKED_S
        shipment = exchanged_lists.Shipment(self._api.address, outgoing, Dialect.GPODDER)
        shipment.subscriptions(self._send_subscriptions)
        shipment.actions([((number,), action) for number, action in shipment.waiting()], self._send_actions)
        pushed = shipment.pushed()
        self._has_sent = self._has_sent or bool(pushed.sent)
        if outgoing.subscriptions and self._cursor.subscriptions:
            at = self._subscriptions(self._cursor.subscriptions).timestamp() or 0
            self._cursor = replace(self._cursor, pushed=at and at + takes_s)
            return replace(pushed, cursor=cursors.write(self._cursor))
        return pushed

    def abort(self) -> None:
        self._api.abort()

    # -- from the server --------------------------------------------------------------------------------------

    def _subscriptions(self, since: int) -> Answer:
        path = f"api/2/subscriptions/{self._user}/{self._device}.json"
        return self._answer(self._api.get(path, since=since), "add", "remove", "timestamp")

    def _actions(self, since: int) -> Answer:
        path = f"api/2/episodes/{self._user}.json"
        return self._answer(self._api.get(path, since=since, aggregated="false"), "actions", "timestamp")

    # -- to the server ----------------------------------------------------------------------------------------

    def _send_subscriptions(self, add: list[str], remove: list[str]) -> Answer | None:
        path = f"api/2/subscriptions/{self._user}/{self._device}.json"
        return self._receipt(self._api.post(path, {"add": add, "remove": remove}))

    def _send_actions(self, entries: list[Wire]) -> Answer | None:
        return self._receipt(self._api.post(f"api/2/episodes/{self._user}.json", entries))

    # -- other devices ----------------------------------------------------------------------------------------

    def _link(self) -> bool:
        """Only once: a listener who links no device, or separates them again, has a reason."""
        self._has_linked = True
        return self._devices.link(self._apart)

    def _of_others(self, devices: Sequence[str], *, wanted: bool, since: int = 0) -> Iterator[SubscriptionChange]:
        """The podcasts that other devices have (`wanted`), which reach this one some time after they were linked; or
        those that they have given up since that timestamp. If another device linked this one and then gave up a
        podcast, this one's own list doesn't say so: the podcast came and went between two pulls."""
        for device in devices:
            with suppress(StatusError):
                path = f"api/2/subscriptions/{self._user}/{in_path(device)}.json"
                answer = self._answer(self._api.get(path, since=since), "add", "remove", "timestamp")
                yield from (one for one in exchanged_lists.subscriptions(answer) if one.subscribed is wanted)

    def _not_linked(self) -> Iterator[str]:
        if self._apart:
            names = ", ".join(map(self._devices.title, self._apart[:_NAMED]))
            yield server_errors.not_linked(self._api.address, names)

    # -- inside -----------------------------------------------------------------------------------------------

    def _answer(self, body: bytes, *keys: str) -> Answer:
        return Answer(self._api.address, body, *keys)

    def _receipt(self, body: bytes) -> Answer | None:
        return receipt(self._api.address, body)

    def _sign_in(self) -> None:
        """Begins a session. A server without sessions doesn't have this address: then the password was wrong."""
        try:
            self._api.post_once(f"api/2/auth/{self._user}/login.json")
        except StatusError as error:
            if error.failure is SyncFailure.NOT_A_SERVER:
                raise server_errors.of_status(self._api.address, 401) from error
            raise
