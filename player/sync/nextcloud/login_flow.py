"""Signing in to Nextcloud in the browser: Login Flow v2 (docs.nextcloud.com, Developer Manual, Login Flow).

The listener opens an address, on this computer or by scanning it with a phone, and signs in there. Earmark gets a
password of its own, which can be withdrawn in Nextcloud's settings, and never sees the listener's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from player.links.urls import on_same_server, web_address
from player.sync.target import SyncError, SyncFailure
from player.sync.ways import Typed
from player.sync.web import server_errors
from player.sync.web.answer import Answer
from player.sync.web.api import Api, server_address
from player.sync.web.server_errors import StatusError
from player.text.cleaning import clean_line
from player.text.sentences import _

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop

PATIENCE_S = 20 * 60.0
"""Seconds after which Nextcloud discards the attempt."""
_PASSING = frozenset({SyncFailure.UNREACHABLE, SyncFailure.BUSY, SyncFailure.FAULT})
_MOST_FAILS = 10
"""How many polls in a row may fail: a phone that signs in meanwhile needs no network here."""
_LONGEST = 500
"""Characters of a token, a name, a password. Nextcloud's have 128, 64 and 72."""


class LoginFlow:
    """Implements BrowserLogin. The password is for Earmark only."""

    def __init__(
        self, address: str, device: str, network: NetworkLoop, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`address` as typed; `device` is the password's name in Nextcloud's settings. Raises SyncError."""
        agent = f"Earmark ({clean_line(device, 60)})".encode("ascii", "replace").decode()
        self._api = Api(server_address(address), network, lambda _url: None, agent=agent)
        self._device = device
        self._clock = clock
        self._endpoint = self._token = ""
        self._until = 0.0
        self._fails = 0
        self._aborted = False

    def begin(self) -> str:
        """The address to open, in a browser. Raises SyncError."""
        try:
            body = self._api.post_once("index.php/login/v2")
        except StatusError as error:
            if error.failure is SyncFailure.NOT_A_SERVER:
                raise _no_nextcloud(self._api.address) from error
            raise
        answer = Answer(self._api.address, body, "poll")
        poll = answer.inner("poll")
        self._endpoint, self._token = self._own(poll.text("endpoint")), poll.text("token")
        login = self._own(answer.text("login"))
        if not (login and self._endpoint and 0 < len(self._token) <= _LONGEST):
            raise server_errors.nonsense(self._api.address)
        self._until = self._clock() + PATIENCE_S
        return login

    def poll(self) -> Typed | None:
        """None until somebody has signed in, or while the server can't be asked for a moment. Raises SyncError, also
        after `PATIENCE_S`."""
        if self._clock() >= self._until:
            raise SyncError(
                SyncFailure.LOGIN,
                _("Nobody signed in to {host} in time", host=server_errors.server_name(self._api.address)),
                _("Begin again."),
            )
        try:
            body = self._api.post_form(self._endpoint, {"token": self._token})
        except SyncError as error:
            if isinstance(error, StatusError) and error.status == 404:
                self._fails = 0
                return None
            self._fails += 1
            if self._aborted or error.failure not in _PASSING or self._fails >= _MOST_FAILS:
                raise
            return None
        answer = Answer(self._api.address, body, "appPassword")
        address = self._own(answer.text("server").rstrip("/"))
        user, password = answer.text("loginName"), answer.text("appPassword")
        if not address or not (_is_plain(user) and _is_plain(password)):
            raise server_errors.nonsense(self._api.address)
        return Typed("nextcloud", server_address(address), self._device, user, password)

    def abort(self) -> None:
        self._aborted = True
        self._api.abort()

    def _own(self, address: str) -> str:
        """The address if it belongs to this server, "" otherwise. A Nextcloud behind a proxy may believe that it isn't
        encrypted."""
        here = self._api.address
        if here.startswith("https:") and address.startswith("http:"):
            parts = urlsplit(web_address(address))
            address = urlunsplit(parts._replace(scheme="https", netloc=urlsplit(here).netloc))
        found = web_address(address)
        return found if found and on_same_server(found, here) else ""


def _is_plain(text: str) -> bool:
    return 0 < len(text) <= _LONGEST and text.isprintable()


def _no_nextcloud(address: str) -> SyncError:
    host = server_errors.server_name(address)
    return SyncError(
        SyncFailure.NOT_A_SERVER,
        _("{host} isn't a Nextcloud, or is an old one", host=host),
        _("Check the server's address."),
    )
