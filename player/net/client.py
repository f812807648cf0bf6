"""One HTTP request and its response, by libcurl, and name lookups on threads that nothing waits for."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast
from urllib.parse import quote, urlsplit

from msgspec import Struct

from player.links.urls import origin
from player.net.connectivity import Seen, Watch
from player.net.credentials import Bearer
from player.net.exchange import SHOUTCAST, Exchange, Head, Multi, Receiver, Upload
from player.net.failures import FailureReason, RequestFailed
from player.net.surroundings import Proxies, Trust, trusted

if TYPE_CHECKING:
    import pycurl


_GOOD_S = 60.0
"""Seconds that an answer is cached."""


class _Found(Struct, frozen=True):
    addresses: tuple[str, ...]
    error: Exception | None
    until: float


class Names:
    """Lookups for one event loop. Concurrent lookups of a name share one."""

    def __init__(self) -> None:
        self._answers: dict[str, asyncio.Future[_Found]] = {}

    async def addresses(self, host: str) -> tuple[str, ...]:
        """Numeric addresses, the best first. Raises socket.gaierror, or UnicodeError for an invalid name."""
        loop = asyncio.get_running_loop()
        answer = self._answers.get(host)
        if answer is None or (answer.done() and answer.result().until < loop.time()):
            answer = self._answers[host] = loop.create_future()
            threading.Thread(target=_look_up, args=(host, loop, answer), name="earmark-lookup", daemon=True).start()
        found = await asyncio.shield(answer)
        if found.error is not None:
            raise found.error
        return found.addresses


def _look_up(host: str, loop: asyncio.AbstractEventLoop, answer: asyncio.Future[_Found]) -> None:
    error: Exception | None = None
    addresses: tuple[str, ...] = ()
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        addresses = tuple(dict.fromkeys(str(address[0]).partition("%")[0] for *_, address in found))
    except Exception as failed:  # noqa: BLE001 — raised in the coroutine that asked
        error = failed

    def publish() -> None:
        if not answer.done():
            answer.set_result(_Found(addresses, error, 0.0 if error else loop.time() + _GOOD_S))

    with contextlib.suppress(RuntimeError):  # the loop has been closed
        loop.call_soon_threadsafe(publish)


_BUFFER, _BUFFER_OF_ONE = 512 * 1024, 64 * 1024
"""Bytes read at a time; fewer of a large response, so that small responses aren't held up."""
_KEPT_S = 15
"""Seconds that an idle connection is kept open."""

_SUPPRESS_CONNECT_HEADERS = 265
"""CURLOPT_SUPPRESS_CONNECT_HEADERS, for which pycurl has no name: a proxy's headers aren't part of the response."""

_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_.])?")
_NUMERIC = re.compile(r"[0-9.]+|[0-9a-f:.]*:[0-9a-f:.]*")
_PLAIN = re.compile(r"[A-Za-z0-9/._~!$&'()*+,;=:@%-]*")
_PROXY_FAILED = frozenset({502, 503, 504})
"""Statuses by which a proxy says that it couldn't reach the server."""
_LEGAL = "/!$&'()*+,;=:@%?~[]"


class Client:
    """A pool of connections, for one event loop. `connect` and `silence` are timeouts in seconds. `watch` says whether
    requests may be made, and is told which server answered or couldn't be reached. `direct`: never through a proxy."""

    def __init__(self, connect: float, silence: float, watch: Watch | None = None, *, direct: bool = False) -> None:
        self.connect = connect
        self._watch = watch
        self.silence = silence
        self.multi = Multi()
        self._names = Names()
        self._proxies = Proxies({} if direct else None)

    async def request(
        self,
        url: str,
        receiver: Receiver,
        headers: Mapping[str, str],
        login: tuple[str, str] | None = None,
        *,
        upload: Upload | None = None,
        afresh: bool = False,
        silence: float | None = None,
        cookies: list[str] | None = None,
        several_at_once: bool = True,
        head_only: bool = False,
        anyway: bool = False,
    ) -> Head:
        """Requests `url`, an http or https address. Raises RequestFailed.

        `upload`: the body to send; without it the request is a GET. `afresh`: over a new connection. `cookies` are
        sent, and received cookies are added to them. `several_at_once`: HTTP/2 if the server offers it, for many small
        responses. A large response would hold up the other responses, and its unread bytes would be buffered.
        `head_only`: without a body. `anyway`: also while Earmark is offline.
        """
        import pycurl

        target = _target(url)
        proxy = self._proxies.of(target.scheme, target.host)
        self._refuse_offline(anyway)
        curl = pycurl.Curl()
        try:
            _prepare(curl, target.scheme, proxy, several_at_once)
            curl.setopt(pycurl.URL, target.url)
            more = upload.headers if upload is not None else {}
            token = {"Authorization": f"Bearer {login.token}"} if isinstance(login, Bearer) else {}
            sent = {**headers, **more, **token}
            curl.setopt(pycurl.HTTPHEADER, [f"{name}: {value}" for name, value in sent.items()])
            curl.setopt(pycurl.CONNECTTIMEOUT_MS, int(self.connect * 1000))
            curl.setopt(pycurl.FRESH_CONNECT, afresh)
            curl.setopt(pycurl.NOBODY, head_only)
            if upload is not None:
                _add(curl, upload)
            if login and not token:
                curl.setopt(pycurl.USERNAME, login[0].encode())
                curl.setopt(pycurl.PASSWORD, login[1].encode())
            with self._watched(target, proxied=bool(proxy)) as answered:
                if known := await (self._proxy_looked_up(proxy) if proxy else self._looked_up(target)):
                    curl.setopt(pycurl.RESOLVE, [known])
                if cookies is not None:
                    curl.setopt(pycurl.COOKIEFILE, "")
                    for cookie in cookies:
                        curl.setopt(pycurl.COOKIELIST, cookie)
                self._refuse_offline(anyway)  # it may have been chosen during the lookup
                quiet = self.silence if silence is None else silence
                return await Exchange(self.multi, curl, receiver, quiet, answered).run()
        finally:
            if cookies is not None:
                cookies[:] = cast(list[str], curl.getinfo(pycurl.INFO_COOKIELIST))
            curl.close()

    def close(self) -> None:
        """Call it when no request is running."""
        self.multi.close()

    async def reach(self, server: str) -> bool:
        """Whether the server (`https://example.com`) answers at all, offline or not."""
        try:
            await self.request(f"{server}/", _Nothing(), {}, silence=self.connect, head_only=True, anyway=True)
        except RequestFailed:
            return False
        return True

    def cut(self) -> None:
        """Ends all requests: Earmark is offline."""
        self.multi.stop_all(RequestFailed(FailureReason.OFFLINE))

    def _refuse_offline(self, anyway: bool) -> None:
        if self._watch is not None and self._watch.offline and not anyway:
            raise RequestFailed(FailureReason.OFFLINE)

    @contextmanager
    def _watched(self, target: _Target, *, proxied: bool) -> Iterator[Callable[[int], None]]:
        """A context manager that yields a function to call with the response's status. A failure inside is reported to
        the watch."""

        def tell(reason: FailureReason | None) -> None:
            if self._watch is not None and reason is not FailureReason.OFFLINE:
                self._watch.seen(Seen(origin(target.url), reason))

        def answered(status: int) -> None:
            if not (proxied and status in _PROXY_FAILED):
                tell(None)

        try:
            yield answered
        except RequestFailed as error:
            if error.reason is FailureReason.TIMED_OUT:
                error.limit = self.connect
            tell(error.reason)
            raise

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


class _Nothing:
    """Implements Receiver: only the head is wanted."""

    def begin(self, head: Head) -> bool:  # noqa: ARG002
        return False

    def allows(self, size: int) -> bool:  # noqa: ARG002
        return True

    async def make_room(self, size: int) -> None: ...

    def add(self, piece: memoryview) -> None: ...


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


def _add(curl: pycurl.Curl, upload: Upload) -> None:
    import pycurl

    curl.setopt(pycurl.POSTFIELDS, upload.body)
    curl.setopt(pycurl.CUSTOMREQUEST, upload.method)


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
