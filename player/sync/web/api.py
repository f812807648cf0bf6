"""Requests to one sync server, for one thread, and the server's address, as people type it and as servers answer it;
the only module for sync servers that uses the network.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

import msgspec

from player.links.urls import host, origin, own_origins, split_login, web_address
from player.net.exchange import Upload
from player.net.failures import RequestFailed
from player.net.fetch import Logins, Request, get
from player.net.requester import Login
from player.processes.threads import CancelToken
from player.sync.web import server_errors
from player.sync.web.server_errors import StatusError

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop


_INSIDE = re.compile(r"/(?:index\.php|api/2|apps/gpoddersync|login)(?:/.*)?$")
_HAS_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def server_address(typed: str) -> str:
    """The address that a server's paths are added to, without a slash at its end. Raises SyncError.

    People type a name alone, or copy the address of a page.
    """
    typed = typed.strip()
    is_one = typed.isprintable() and " " not in typed
    address = web_address(typed if _HAS_SCHEME.match(typed) else f"https://{typed}") if is_one else ""
    address = split_login(address)[0] if address else ""
    if not address or not host(address):
        raise server_errors.bad_address()
    address = address.partition("?")[0].partition("#")[0]
    return _INSIDE.sub("", address.rstrip("/")).rstrip("/")


LIMIT = 32 * 1024 * 1024
"""The most bytes of an answer, decompressed. Ten thousand actions have 3 MB."""
_SILENCE_S, _TOTAL_S = 20.0, 120.0
"""Seconds between two signs of life, and for a whole answer."""
_GOOD = range(200, 300)


class Api:
    """`address` is the server's, and its login is sent to no other. Redirects within it are followed; a move to
    encryption is remembered. `abort`, from any thread, ends the current request and all later ones."""

    def __init__(
        self,
        address: str,
        network: NetworkLoop,
        login: Login,
        *,
        agent: str = "",
        sign_in: Callable[[], object] | None = None,
        total_s: float = _TOTAL_S,
    ) -> None:
        """`agent`: the name of the client, if that isn't just Earmark. `sign_in` begins a session if the server wants
        one, and raises SyncError. Without it no cookies are kept: Nextcloud refuses apps that send any."""
        self._base = address
        self._sign_in = sign_in
        self._total_s = total_s
        self._network = network
        self._login = login
        self._cancel = CancelToken()
        self._cookies: list[str] = []
        self._own = own_origins(address)
        self._headers = {
            "Accept": "application/json",
            "OCS-APIRequest": "true",  # for Nextcloud: the request isn't from a web page
            **({"User-Agent": agent} if agent else {}),
        }

    @property
    def address(self) -> str:
        return self._base

    def get(self, path: str, **parameters: str | int) -> bytes:
        """The body of a 200. Raises SyncError."""
        query = f"?{urlencode(parameters)}" if parameters else ""
        return self._in_session(f"{path}{query}", None)

    def post(self, path: str, value: object) -> bytes:
        """Sends a value as JSON; returns the body of the answer. Raises SyncError."""
        return self._in_session(path, Upload(msgspec.json.encode(value), "application/json"))

    def post_form(self, url: str, fields: Mapping[str, str]) -> bytes:
        """The same for a form, sent to a whole address or a path."""
        return self._in_session(url, Upload(urlencode(fields).encode(), "application/x-www-form-urlencoded"))

    def post_once(self, path: str) -> bytes:
        """Sends an empty body, outside any session: to begin a session."""
        self._cookies.clear()
        return self._ask(path, Upload(b"", "application/json"))

    def abort(self) -> None:
        self._cancel.set()

    # -- inside -----------------------------------------------------------------------------------------------

    def _in_session(self, path: str, upload: Upload | None) -> bytes:
        """If the session has ended, begins another one, once."""
        try:
            return self._ask(path, upload)
        except StatusError as error:
            if error.status != 401 or self._sign_in is None:
                raise
        self._sign_in()
        return self._ask(path, upload)

    def _ask(self, path: str, upload: Upload | None) -> bytes:
        url = path if path.startswith(("http://", "https://")) else f"{self._base}/{path}"
        if self._sign_in is None:
            self._cookies.clear()
        request = Request(
            url=url, size=LIMIT, total_s=self._total_s, silence_s=_SILENCE_S, headers=self._headers, good=_GOOD,
            logins=Logins(self._login), fence=self._fence, upload=upload, cookies=self._cookies,
        )  # fmt: skip
        try:
            got = get(self._network, request, self._cancel)
        except RequestFailed as failed:
            if failed.status:
                self._remember_encryption(failed.url)
            raise server_errors.of_request(failed, url) from failed
        self._remember_encryption(got.url)
        return got.body

    def _fence(self, url: str) -> None:
        """Requests never go to another server, not even without the login: uploads say what was heard."""
        if origin(url) in self._own:
            return
        if origin(url).replace("http:", "https:", 1) in self._own:
            raise server_errors.not_secure(self._base)
        raise server_errors.moved_away(self._base, url)

    def _remember_encryption(self, url: str) -> None:
        """From now on the login isn't sent without encryption, not even to be redirected."""
        secure = self._base.replace("http:", "https:", 1)
        if self._base != secure and url.startswith(f"{secure}/"):
            self._base = secure


def stored_login(address: str, login: Login) -> Login:
    """The stored login for the account's server, whatever address on that server is requested. Raises SyncError if none
    is stored."""

    def find(_url: str) -> tuple[str, str] | None:
        found = login(address)
        if found is None:
            raise server_errors.no_password(address)
        return found

    return find


def in_path(text: str) -> str:
    """A name encoded as a part of a path."""
    return quote(text, safe="")
