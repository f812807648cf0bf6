"""A server with the gpodder API (gpoddernet.readthedocs.io, version 2) as a target."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from player.model.syncing.targets import Carried, Outgoing, Pulled, Pushed, SyncAccount
from player.sync.gpodder.devices import Devices
from player.sync.target import SyncFailure
from player.sync.web import cursor as cursors
from player.sync.web import lists, server_errors
from player.sync.web.answer import Answer, receipt
from player.sync.web.api import Api, in_path, stored_login
from player.sync.web.pulling import Pull
from player.sync.web.server_errors import StatusError
from player.sync.web.wire import Dialect, Wire

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop
    from player.net.requester import Login


def _now() -> datetime:
    return datetime.now(UTC)


class GpodderTarget:
    """Implements SyncTarget. Actions keep whole seconds."""

    carries = frozenset({Carried.POSITIONS, Carried.PLAYED, Carried.UNPLAYED, Carried.SUBSCRIPTIONS})
    most_at_once = lists.MOST_AT_ONCE

    def __init__(
        self, account: SyncAccount, network: NetworkLoop, login: Login, *, now: Callable[[], datetime] = _now
    ) -> None:
        """`login` finds the name and password that are kept for a server."""
        self._user = in_path(account.user)
        self._device = in_path(account.device)
        self._api = Api(account.address, network, stored_login(account.address, login), sign_in=self._sign_in)
        self._devices = Devices(self._api, account)
        self._has_sent = False
        self._pull = Pull(account.address, Dialect.GPODDER, self._subscriptions, self._actions, now=now)

    def pull(self, cursor: str, *, whole: bool) -> Pulled:
        before = cursors.read(cursor, has_sent=self._has_sent)
        whole = whole or not before.actions
        forgotten = self._devices.make_known(again=whole)
        try:
            pulled = self._pull.run(before, whole=whole or forgotten)
        except StatusError as error:
            if error.status != 404 or not self._devices.make_known(again=True):
                raise
            forgotten, pulled = True, self._pull.run(before, whole=True)
        return replace(pulled, devices=self._devices.names, forgotten=bool(cursor) and (forgotten or pulled.forgotten))

    def push(self, outgoing: Outgoing) -> Pushed:
        shipment = lists.Shipment(self._api.address, outgoing, Dialect.GPODDER)
        shipment.subscriptions(self._send_subscriptions)
        shipment.actions([((number,), action) for number, action in shipment.waiting()], self._send_actions)
        pushed = shipment.pushed()
        self._has_sent = self._has_sent or bool(pushed.sent)
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

    # -- inside -----------------------------------------------------------------------------------------------

    def _answer(self, body: bytes, *keys: str) -> Answer:
        return Answer(self._api.address, body, *keys)

    def _receipt(self, body: bytes) -> Answer | None:
        return receipt(self._api.address, body)

    def _sign_in(self) -> None:
        """Begins a session. A server without sessions has no such address: then the password was wrong."""
        try:
            self._api.post_once(f"api/2/auth/{self._user}/login.json")
        except StatusError as error:
            if error.failure is SyncFailure.NOT_A_SERVER:
                raise server_errors.of_status(self._api.address, 401) from error
            raise
