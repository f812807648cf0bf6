"""One HTTP request and its response, by libcurl. Callers decide what to read of it and word its failures."""

from __future__ import annotations

import asyncio
import functools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast
from urllib.parse import quote, urlsplit

from msgspec import Struct

from player.net.curl_loop import Multi
from player.net.dns import Names
from player.net.exchange import SHOUTCAST, Exchange, Head, Receiver
from player.net.failures import FailureReason, RequestFailed
from player.net.proxies import Proxies
from player.net.trust import Trust, trusted

if TYPE_CHECKING:
    import pycurl

_BUFFER, _BUFFER_OF_ONE = 512 * 1024, 64 * 1024
"""Bytes read at a time; fewer of a large response, so that a small one isn't held up."""
_KEPT_S = 15
"""Seconds that an idle connection is kept open."""

_SUPPRESS_CONNECT_HEADERS = 265
"""CURLOPT_SUPPRESS_CONNECT_HEADERS, for which pycurl has no name: a proxy's headers aren't part of the response."""

_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_.])?")
_NUMERIC = re.compile(r"[0-9.]+|[0-9a-f:.]*:[0-9a-f:.]*")
_PLAIN = re.compile(r"[A-Za-z0-9/._~!$&'()*+,;=:@%-]*")
_LEGAL = "/!$&'()*+,;=:@%?~[]"


class Client:
    """A pool of connections, for one event loop. `connect` and `silence` are timeouts in seconds."""

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
        """Requests `url`, an http or https address. Raises Failed.

        `afresh`: over a new connection. `cookies` are sent, and those received are added to them.
        `several_at_once`: HTTP/2 where the server offers it, for many small responses. A large one would hold up the
        others, and buffer what isn't read yet.
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
        """Call it when no request is running."""
        self.multi.close()

    async def _proxy_looked_up(self, proxy: str) -> str:
        try:
            return await self._looked_up(_target(proxy))
        except RequestFailed as error:
            offline = error.reason is FailureReason.NO_NAME_SERVER
            raise error if offline else RequestFailed(FailureReason.PROXY) from error

    async def _looked_up(self, target: _Target) -> str:
        """A server's address as libcurl's RESOLVE option takes it. libcurl's own lookups would delay the exit, and
        don't tell an unknown host from a missing network."""
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
        except (OSError, UnicodeError) as error:  # not a valid host name
            raise RequestFailed(FailureReason.BAD_ADDRESS) from error
        whole = ",".join(f"[{one}]" if ":" in one else one for one in addresses)
        return f"{target.host}:{target.port}:{whole}" if whole else ""


class _Target(Struct, frozen=True):
    url: str
    scheme: str
    host: str
    port: int


_PORTS = {"http": 80, "https": 443}


def _target(url: str) -> _Target:
    """The address rebuilt from its parts, in ASCII and without a login, so that our parser and libcurl's can't
    disagree about it. Raises RequestFailed."""
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
    except ValueError as error:  # includes UnicodeError and idna's errors
        raise RequestFailed(FailureReason.BAD_ADDRESS) from error
    where = f"[{host}]" if ":" in host else host
    whole = f"{parts.scheme}://{where}:{port}{path or '/'}" + (f"?{query}" if query else "")
    return _Target(whole, parts.scheme, host, port)


def _prepare(curl: pycurl.Curl, scheme: str, proxy: str, several_at_once: bool) -> None:
    """Sets the options that all requests share."""
    import pycurl

    for option, value in (
        (pycurl.NOSIGNAL, 1),
        (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
        (pycurl.FOLLOWLOCATION, 0),
        (pycurl.HTTP09_ALLOWED, 0),
        (pycurl.HTTPAUTH, pycurl.HTTPAUTH_BASIC),
        (pycurl.NETRC, pycurl.NETRC_IGNORED),
        (pycurl.PROXY, proxy),
        (pycurl.NOPROXY, ""),  # the environment's proxies are read by `Proxies`
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
        curl.setopt(pycurl.PIPEWAIT, 1)  # multiplex on one connection rather than open several
    if scheme == "https":
        _believe(curl, pycurl.CAINFO, pycurl.CAPATH)
    if proxy.startswith("https:"):
        _believe(curl, pycurl.PROXY_CAINFO, pycurl.PROXY_CAPATH)


def _believe(curl: pycurl.Curl, file: int, folder: int) -> None:
    """Sets both options, as libcurl and pycurl have defaults of their own. libcurl verifies servers and proxies by
    default."""
    trust = _trust()
    for option, where in ((file, trust.file), (folder, trust.folder)):
        if where:
            curl.setopt(option, where)
        else:
            curl.unsetopt(option)


@functools.cache
def _trust() -> Trust:
    return trusted()
