"""One request and its answer, by libcurl. What of it is wanted, and what a failure means to a person, others know."""

from __future__ import annotations

import asyncio
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import quote, urlsplit

from player.net.curl_loop import Multi
from player.net.dns import Names
from player.net.exchange import SHOUTCAST, Exchange, Head, Receiver
from player.net.failures import FailureReason, RequestFailed
from player.net.proxies import Proxies
from player.net.trust import Trust, trusted

if TYPE_CHECKING:
    import pycurl

_BUFFER, _BUFFER_OF_ONE = 512 * 1024, 64 * 1024
"""Bytes that are read at once; of a large answer fewer, so that a small one beside it comes through."""
_KEPT_S = 15
"""Seconds that a connection is kept without use."""

_SUPPRESS_CONNECT_HEADERS = 265
"""CURLOPT_SUPPRESS_CONNECT_HEADERS, which pycurl has no name for: what a proxy says is no part of an answer."""

_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_.])?")
_NUMERIC = re.compile(r"[0-9.]+|[0-9a-f:.]*:[0-9a-f:.]*")
_PLAIN = re.compile(r"[A-Za-z0-9/._~!$&'()*+,;=:@%-]*")
_LEGAL = "/!$&'()*+,;=:@%?~[]"


class Client:
    """Connections that many requests share. On one event loop; `connect` and `silence` are seconds."""

    def __init__(self, connect: float, silence: float) -> None:
        self.connect = connect
        self.silence = silence
        self.multi = Multi()
        self._names = Names()
        self._proxies = Proxies()

    async def get(
        self,
        url: str,
        receiver: Receiver,
        headers: Mapping[str, str],
        login: tuple[str, str] | None = None,
        *,
        afresh: bool = False,
        silence: float | None = None,
        cookies: list[str] | None = None,
        several_at_once: bool = True,
    ) -> Head:
        """What stands at `url`, an http or https address. Raises Failed.

        `afresh`: not over a kept connection. `cookies` are sent, and those that come are added to them.
        `several_at_once`: HTTP/2 where the server offers it, for many small answers; a large one holds up the others,
        and what waits for its reader takes memory.
        """
        import pycurl

        target = _target(url)
        proxy = self._proxies.of(target.scheme, target.host)
        curl = pycurl.Curl()
        try:
            _prepare(curl, target.scheme, proxy, several_at_once)
            curl.setopt(pycurl.URL, target.url)
            curl.setopt(pycurl.HTTPHEADER, [f"{name}: {value}" for name, value in headers.items()])
            curl.setopt(pycurl.CONNECTTIMEOUT_MS, int(self.connect * 1000))
            curl.setopt(pycurl.FRESH_CONNECT, afresh)
            if login:
                curl.setopt(pycurl.USERNAME, login[0].encode())
                curl.setopt(pycurl.PASSWORD, login[1].encode())
            if known := await (self._proxy_looked_up(proxy) if proxy else self._looked_up(target)):
                curl.setopt(pycurl.RESOLVE, [known])
            if cookies is not None:
                curl.setopt(pycurl.COOKIEFILE, "")
                for cookie in cookies:
                    curl.setopt(pycurl.COOKIELIST, cookie)
            return await Exchange(self.multi, curl, receiver, self.silence if silence is None else silence).run()
        finally:
            if cookies is not None:
                cookies[:] = cast(list[str], curl.getinfo(pycurl.INFO_COOKIELIST))
            curl.close()

    def close(self) -> None:
        """When no request is under way any more."""
        self.multi.close()

    async def _proxy_looked_up(self, proxy: str) -> str:
        try:
            return await self._looked_up(_target(proxy))
        except RequestFailed as error:
            offline = error.reason is FailureReason.NO_NAME_SERVER
            raise error if offline else RequestFailed(FailureReason.PROXY) from error

    async def _looked_up(self, target: _Target) -> str:
        """Where a server stands, as libcurl takes it. It could look up names itself, and would wait for that at the
        end, and not tell a name that isn't there from a network that isn't."""
        import socket

        if _NUMERIC.fullmatch(target.host):
            return ""
        try:
            async with asyncio.timeout(self.connect):
                addresses = await self._names.addresses(target.host)
        except TimeoutError as error:
            raise RequestFailed(FailureReason.TIMED_OUT) from error
        except socket.gaierror as error:
            again = error.errno == socket.EAI_AGAIN
            raise RequestFailed(FailureReason.NO_NAME_SERVER if again else FailureReason.UNKNOWN_HOST) from error
        except (OSError, UnicodeError) as error:  # a name that can be none
            raise RequestFailed(FailureReason.BAD_ADDRESS) from error
        whole = ",".join(f"[{one}]" if ":" in one else one for one in addresses)
        return f"{target.host}:{target.port}:{whole}" if whole else ""


@dataclass(frozen=True, slots=True)
class _Target:
    url: str
    scheme: str
    host: str
    port: int


_PORTS = {"http": 80, "https": 443}


def _target(url: str) -> _Target:
    """The address made anew of its parts, in ASCII and without a login: no two readers of addresses, ours and
    libcurl's, can take it for different ones. Raises Failed."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 1080)
        if not host.isascii():
            import idna

            host = idna.encode(host, uts46=True).decode()
        if not (_HOST.fullmatch(host) or _NUMERIC.fullmatch(host)):
            raise RequestFailed(FailureReason.BAD_ADDRESS)
        path = parts.path if _PLAIN.fullmatch(parts.path) else quote(parts.path, safe=_LEGAL)
        query = parts.query if _PLAIN.fullmatch(parts.query) else quote(parts.query, safe=_LEGAL)
    except ValueError as error:  # UnicodeError and idna's are of this kind
        raise RequestFailed(FailureReason.BAD_ADDRESS) from error
    where = f"[{host}]" if ":" in host else host
    whole = f"{parts.scheme}://{where}:{port}{path or '/'}" + (f"?{query}" if query else "")
    return _Target(whole, parts.scheme, host, port)


def _prepare(curl: pycurl.Curl, scheme: str, proxy: str, several_at_once: bool) -> None:
    """What is the same for all requests of a kind."""
    import pycurl

    for option, value in (
        (pycurl.NOSIGNAL, 1),
        (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
        (pycurl.FOLLOWLOCATION, 0),
        (pycurl.HTTP09_ALLOWED, 0),
        (pycurl.HTTPAUTH, pycurl.HTTPAUTH_BASIC),
        (pycurl.NETRC, pycurl.NETRC_IGNORED),
        (pycurl.PROXY, proxy),
        (pycurl.NOPROXY, ""),  # what the environment says of it we have asked ourselves
        (_SUPPRESS_CONNECT_HEADERS, 1),
        (pycurl.HEADEROPT, pycurl.HEADER_SEPARATE),
        (pycurl.HTTP200ALIASES, [SHOUTCAST]),
        (pycurl.BUFFERSIZE, _BUFFER if several_at_once else _BUFFER_OF_ONE),
        (pycurl.MAXAGE_CONN, _KEPT_S),
    ):
        curl.setopt(option, value)
    if not several_at_once:
        curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)
    elif scheme == "https":
        curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS)
        curl.setopt(pycurl.PIPEWAIT, 1)  # several requests on one connection rather than one connection each
    if scheme == "https":
        _believe(curl, pycurl.CAINFO, pycurl.CAPATH)
    if proxy.startswith("https:"):
        _believe(curl, pycurl.PROXY_CAINFO, pycurl.PROXY_CAPATH)


def _believe(curl: pycurl.Curl, file: int, folder: int) -> None:
    """Sets both options, for libcurl and pycurl have guesses of their own. That servers and proxies have to prove who
    they are is what libcurl does unasked."""
    trust = _trust()
    for option, where in ((file, trust.file), (folder, trust.folder)):
        if where:
            curl.setopt(option, where)
        else:
            curl.unsetopt(option)


@functools.cache
def _trust() -> Trust:
    return trusted()
