"""Nextcloud's app GPodder Sync (github.com/thrillfall/nextcloud-gpodder) as a target."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from player.links.urls import in_ascii
from player.model.syncing import Outgoing, Pulled, Pushed, SyncAccount
from player.sync.nextcloud.kept_actions import KeptActions
from player.sync.target import SyncError, SyncFailure
from player.sync.ways import WITHOUT_FACTS
from player.sync.web import cursor as cursors
from player.sync.web import exchanged_lists, server_errors
from player.sync.web.answer import Answer, receipt
from player.sync.web.api import Api, stored_login
from player.sync.web.pulling import Pull
from player.sync.web.server_errors import StatusError
from player.sync.web.wire import Dialect, Wire
from player.text.sentences import _

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop
    from player.net.requester import Login

_APP = "index.php/apps/gpoddersync"


def _now() -> datetime:
    return datetime.now(UTC)


class NextcloudTarget:
    """Implements SyncTarget. Actions have whole seconds, and no device."""

    carries = WITHOUT_FACTS
    most_at_once = exchanged_lists.MOST_AT_ONCE

    def __init__(
        self, account: SyncAccount, network: NetworkLoop, login: Login, *, now: Callable[[], datetime] = _now
    ) -> None:
        """`login` finds the stored name and app password for a server."""
        self._now = now
        self._api = Api(account.address, network, stored_login(account.address, login))
        self._pull = Pull(account.address, Dialect.NEXTCLOUD, self._subscriptions, self._actions, now=now)
        self._kept = KeptActions()
        self._has_sent = False

    def pull(self, cursor: str, *, whole: bool) -> Pulled:
        before = cursors.read(cursor, has_sent=self._has_sent)
        whole = whole or not before.actions
        pulled = self._pull.run(before, whole=whole)
        if not pulled.is_whole:
            self._kept.learn(pulled.actions)
            return pulled
        forgotten = pulled.forgotten or (bool(cursor) and self._kept.lacks(pulled.actions))
        self._kept.learn_all(pulled.actions)
        return replace(pulled, forgotten=forgotten)

    def push(self, outgoing: Outgoing) -> Pushed:
        shipment = exchanged_lists.Shipment(self._api.address, outgoing, Dialect.NEXTCLOUD, _as_kept)
        shipment.subscriptions(self._send_subscriptions)
        waiting = shipment.waiting()
        if waiting and not self._kept.is_complete:
            entries = self._actions(0).entries("actions")
            self._kept.learn_all(exchanged_lists.actions(entries, Dialect.NEXTCLOUD, self._now())[0])
        to_send, needless = self._kept.merged(waiting, outgoing.known)
        shipment.needless(needless)
        shipment.actions(to_send, self._send_actions)
        pushed = shipment.pushed()
        self._has_sent = self._has_sent or bool(pushed.sent)
        taken = set(pushed.sent)
        self._kept.learn([action for numbers, action in to_send if taken.issuperset(numbers)])
        return pushed

    def abort(self) -> None:
        self._api.abort()

    # -- inside -----------------------------------------------------------------------------------------------

    def _subscriptions(self, since: int) -> Answer:
        # A change made after a pull, but in the same second, isn't later than that second.
        return self._answer(self._get("subscriptions", max(0, since - 1)), "add", "remove", "timestamp")

    def _actions(self, since: int) -> Answer:
        return self._answer(self._get("episode_action", since), "actions", "timestamp")

    def _send_subscriptions(self, add: list[str], remove: list[str]) -> Answer | None:
        body = self._api.post(f"{_APP}/subscription_change/create", {"add": add, "remove": remove})
        return receipt(self._api.address, body)

    def _send_actions(self, entries: list[Wire]) -> Answer | None:
        return receipt(self._api.address, self._api.post(f"{_APP}/episode_action/create", entries))

    def _get(self, what: str, since: int) -> bytes:
        try:
            return self._api.get(f"{_APP}/{what}", since=since)
        except StatusError as error:
            if error.status != 404:
                raise
            host = server_errors.server_name(self._api.address)
            raise SyncError(
                SyncFailure.NOT_A_SERVER,
                _("{host} has no GPodder Sync (404)", host=host),
                _("Install this app on the Nextcloud, or check its address."),
            ) from error

    def _answer(self, body: bytes, *keys: str) -> Answer:
        return Answer(self._api.address, body, *keys)


_LONGEST = 1_000
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_PLACE = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Fa-f:.]+\])(?::\d+)?")


def _as_kept(feed: str) -> str:
    """The app silently drops addresses that PHP's FILTER_VALIDATE_URL doesn't accept: with letters that aren't ASCII,
    with characters other than letters, digits and hyphens in the host name, or too long."""
    address = in_ascii(feed)
    place = address.partition("://")[2].partition("/")[0].partition("?")[0]
    return address if len(address) <= _LONGEST and _PLACE.fullmatch(place) else ""
