"""One request and its answer, by libcurl. What of it is wanted, and what a failure means to a person, others know."""

from __future__ import annotations

import asyncio
import errno
import functools
import re
from collections.abc import Coroutine, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import quote, urlsplit

from player.net.curl_loop import Multi
from player.net.dns import Names
from player.net.failures import RequestFailed, Trouble
from player.net.proxies import Proxies
from player.net.trust import Trust, trusted

if TYPE_CHECKING:
    import pycurl

_BUFFER, _BUFFER_OF_ONE = 512 * 1024, 64 * 1024
"""Bytes that are read at once; of a large answer fewer, so that a small one beside it comes through."""
_LITTLE, _SOON_S = 64 * 1024, 0.5
"""An unwanted body with less than so many bytes is read, for so long: a connection that was read empty is kept."""
_KEPT_S = 15
"""Seconds that a connection is kept without use."""

_SUPPRESS_CONNECT_HEADERS = 265
"""CURLOPT_SUPPRESS_CONNECT_HEADERS, which pycurl has no name for: what a proxy says is no part of an answer."""

_SHOUTCAST = "ICY 200"
"""How old servers of live streams begin their answer, which is otherwise one of HTTP."""

_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_.])?")
_NUMERIC = re.compile(r"[0-9.]+|[0-9a-f:.]*:[0-9a-f:.]*")
_PLAIN = re.compile(r"[A-Za-z0-9/._~!$&'()*+,;=:@%-]*")
_LEGAL = "/!$&'()*+,;=:@%?~[]"


class Headers(Mapping[str, str]):
    """By names in any case. What came several times is one value, with commas between."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def add(self, name: str, value: str) -> None:
        name = name.lower()
        before = self._values.get(name)
        self._values[name] = value if before is None else f"{before}, {value}"

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@dataclass(frozen=True, slots=True)
class Head:
    status: int
    headers: Headers


class Taker(Protocol):
    """Takes an answer. What it raises ends the exchange, and comes out of it."""

    def begin(self, head: Head) -> bool:
        """Whether the body is wanted."""

    def allows(self, size: int) -> bool:
        """Whether a piece of so many bytes may come now; if not, `make_room` is awaited first."""

    def make_room(self, size: int) -> Coroutine[Any, Any, None]: ...

    def add(self, piece: memoryview) -> None: ...


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
        taker: Taker,
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
            return await _Exchange(self, curl, taker, self.silence if silence is None else silence).run()
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
            offline = error.trouble is Trouble.NOBODY_TO_ASK
            raise error if offline else RequestFailed(Trouble.PROXY) from error

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
            raise RequestFailed(Trouble.NOT_IN_TIME) from error
        except socket.gaierror as error:
            again = error.errno == socket.EAI_AGAIN
            raise RequestFailed(Trouble.NOBODY_TO_ASK if again else Trouble.NO_NAME) from error
        except (OSError, UnicodeError) as error:  # a name that can be none
            raise RequestFailed(Trouble.BAD_ADDRESS) from error
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
            raise RequestFailed(Trouble.BAD_ADDRESS)
        path = parts.path if _PLAIN.fullmatch(parts.path) else quote(parts.path, safe=_LEGAL)
        query = parts.query if _PLAIN.fullmatch(parts.query) else quote(parts.query, safe=_LEGAL)
    except ValueError as error:  # UnicodeError and idna's are of this kind
        raise RequestFailed(Trouble.BAD_ADDRESS) from error
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
        (pycurl.HTTP200ALIASES, [_SHOUTCAST]),
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


class _Exchange:
    """One request under way."""

    def __init__(self, client: Client, curl: pycurl.Curl, taker: Taker, silence: float) -> None:
        import pycurl

        self._client = client
        self._silence = silence
        self._curl = curl
        self._taker = taker
        self._loop = asyncio.get_running_loop()
        self._status = 0
        self._headers = Headers()
        self._head: Head | None = None
        self._wanted = False
        self._error: BaseException | None = None
        self._unwanted = 0
        self._pause = pycurl.WRITEFUNC_PAUSE
        self._room: asyncio.Task[None] | None = None
        self._listening: asyncio.TimerHandle | None = None
        curl.setopt(pycurl.HEADERFUNCTION, self._on_header)
        curl.setopt(pycurl.WRITEFUNCTION, self._on_piece, use_memoryview=True)

    async def run(self) -> Head:
        import pycurl

        self._began = self._loop.time()
        self._listen_for(self._silence)
        failed: RequestFailed | None = None
        try:
            await self._client.multi.perform(self._curl)
        except pycurl.error as error:
            failed = _failure(self._curl, *error.args)
        except RequestFailed as error:
            failed = error
        finally:
            if self._listening is not None:
                self._listening.cancel()
            if self._room is not None:
                self._room.cancel()
        if self._error is not None:
            raise self._error
        if failed is not None and (self._head is None or self._wanted):
            raise failed
        if self._head is None:
            raise RequestFailed(Trouble.BROKEN)
        return self._head

    # -- what libcurl calls; what is raised here it would only print ------------------------------------------

    def _on_header(self, line: bytes) -> int:
        if self._head is not None:  # what comes after a body
            return len(line)
        try:
            return len(line) if self._understand(line.decode("latin-1")) else -1
        except Exception as error:  # noqa: BLE001 — comes out of `run`
            self._error = error
            return -1

    def _on_piece(self, piece: memoryview) -> int:
        try:
            if not self._wanted:
                self._unwanted += len(piece)
                return len(piece) if self._unwanted <= _LITTLE else -1
            if not self._taker.allows(len(piece)):
                if self._room is None or self._room.done():
                    self._room = self._loop.create_task(self._make_room(len(piece)))
                return self._pause
            self._taker.add(piece)
            return len(piece)
        except Exception as error:  # noqa: BLE001 — comes out of `run`
            self._error = error
            return -1

    # -- the head ---------------------------------------------------------------------------------------------

    def _understand(self, line: str) -> bool:
        """Whether to go on."""
        if line.startswith(("HTTP/", _SHOUTCAST)):
            status = line.partition(" ")[2][:3]
            self._status, self._headers = int(status) if status.isdecimal() else 0, Headers()
        elif line.strip("\r\n"):
            name, colon, value = line.partition(":")
            name, value = name.strip(), value.strip()
            if colon and name.lower() == "content-length" and self._headers.get(name, value) != value:
                raise RequestFailed(Trouble.BROKEN)  # a body of two lengths
            if colon and not (name.lower() == "content-length" and name in self._headers):
                self._headers.add(name, value)
        elif self._status >= 200:
            self._head = Head(self._status, self._headers)
            self._wanted = self._taker.begin(self._head)
            return self._wanted or self._soon_over()
        return True

    def _soon_over(self) -> bool:
        """Whether an unwanted body is worth reading."""
        length = self._headers.get("Content-Length", "")
        if self._status == 304 or (length.isdecimal() and int(length[:20]) <= _LITTLE):
            self._listen_for(_SOON_S)
            return True
        return False

    # -- waiting ----------------------------------------------------------------------------------------------

    async def _make_room(self, size: int) -> None:
        await self._taker.make_room(size)
        self._began = self._loop.time()
        self._client.multi.go_on(self._curl)

    def _listen_for(self, seconds: float) -> None:
        if self._listening is not None:
            self._listening.cancel()
        self._listening = self._loop.call_later(seconds, self._listen)

    def _listen(self) -> None:
        """Ends what has heard nothing for too long, once it has asked; waiting for room is no silence."""
        import pycurl

        silence = self._silence
        unwanted = self._head is not None and not self._wanted
        asked: Any = self._curl.getinfo(pycurl.PRETRANSFER_TIME)
        if not unwanted and (not asked or (self._room is not None and not self._room.done())):
            self._listen_for(silence)
            return
        quiet = self._loop.time() - max(self._began + asked, self._client.multi.heard(self._curl))
        if unwanted or quiet >= silence:
            self._client.multi.stop(self._curl, RequestFailed(Trouble.SILENT))
        else:
            self._listen_for(silence - quiet)


_NO_WAY = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL}
_TROUBLES = {  # by libcurl's number of the error (libcurl-errors)
    3: Trouble.BAD_ADDRESS,
    5: Trouble.PROXY,
    6: Trouble.NO_NAME,
    18: Trouble.CUT_SHORT,
    28: Trouble.NOT_IN_TIME,
    35: Trouble.TLS,
    52: Trouble.CUT_SHORT,
    53: Trouble.TLS,
    54: Trouble.TLS,
    59: Trouble.TLS,
    60: Trouble.CERTIFICATE,
    66: Trouble.TLS,
    77: Trouble.CERTIFICATES,
    83: Trouble.CERTIFICATE,
    91: Trouble.CERTIFICATE,
    97: Trouble.PROXY,
}
_GONE = re.compile(r"SSL_ERROR_SYSCALL|unexpected eof|reset by peer|Broken pipe", re.IGNORECASE)
"""Said where the connection went away while the encryption was being agreed on: nobody refused anything."""
_REASON = re.compile(r"^SSL[^:]*:\s*|\s*\(\d+\)$")
"""What stands around a certificate's own reason."""


def _failure(curl: pycurl.Curl, code: int, text: str = "") -> RequestFailed:
    import pycurl

    said: Any = curl.getinfo(pycurl.HTTP_CONNECTCODE)
    if said >= 300:
        return RequestFailed(Trouble.PROXY)
    if code == pycurl.E_COULDNT_CONNECT:
        number: Any = curl.getinfo(pycurl.OS_ERRNO)
        if number == errno.ECONNREFUSED:
            return RequestFailed(Trouble.REFUSED)
        return RequestFailed(Trouble.NO_WAY if number in _NO_WAY else Trouble.BROKEN, text)
    trouble = _TROUBLES.get(code, Trouble.BROKEN)
    if trouble is Trouble.TLS and _GONE.search(text):
        trouble = Trouble.BROKEN
    return RequestFailed(trouble, _REASON.sub("", text) if trouble is Trouble.CERTIFICATE else text)
