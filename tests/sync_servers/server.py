"""What both kinds of servers have in common: an account, a clock that the test sets, and faults."""

import json
import time
from base64 import b64decode
from collections.abc import Callable
from threading import RLock
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from tests.loopback import LoopbackServer, Request

USER, PASSWORD = "ada", "s3cr€t"

Entry = dict[str, Any]


class Refusal(Exception):
    """Answered in place of what was asked for."""

    def __init__(self, status: int, body: str = "", **headers: str) -> None:
        super().__init__(status)
        self.status = status
        self.body = body
        self.headers = headers


def anything(_entry: Entry) -> bool:
    return True


def nothing(_entry: Entry) -> bool:
    return False


class SyncServer:
    """`with GpodderServer() as server:`. Attributes may be set while it runs. `now` is its clock, in seconds."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self.now = now
        self.password = PASSWORD
        self.is_html = False
        """A network's page to sign in to answers in its stead."""
        self.busy: list[Refusal] = []
        """The answers to the next requests."""
        self.lost_answers = 0
        """How many uploads are taken before their connections end without an answer."""
        self.refuses: Callable[[Entry], bool] = nothing
        """Entries because of which all that is sent with them is refused (400)."""
        self.breaks_at: Callable[[Entry], bool] = nothing
        """The same, with a 500."""
        self.asked: list[tuple[str, str]] = []
        """Method and path of each request, with its parameters."""
        self.sent: list[Any] = []
        """What was uploaded, as JSON was read."""
        self._lock = RLock()
        self._http = LoopbackServer()
        self._http.otherwise = self._answer

    @property
    def address(self) -> str:
        return self._http.url("")

    @property
    def http(self) -> LoopbackServer:
        return self._http

    def timestamp(self) -> int:
        return int(self.now())

    def __enter__(self) -> Self:
        self._http.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.__exit__(kind, error, trace)

    # -- for the kinds of servers -----------------------------------------------------------------------------

    def respond(self, method: str, path: str, query: dict[str, str], body: Any, request: Request) -> Any:
        """What is answered, as JSON. Raises Refusal."""
        raise NotImplementedError

    def login(self, request: Request) -> str:
        """The user. Raises Refusal."""
        kind, _, coded = request.headers.get("Authorization", "").partition(" ")
        if kind != "Basic":
            raise Refusal(401)
        user, _, password = b64decode(coded).decode().partition(":")
        if (user, password) != (USER, self.password):
            raise Refusal(401, '{"message": "Invalid username/password"}')
        return user

    def check(self, entries: Any) -> None:
        """Raises Refusal for all of them because of one."""
        if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
            raise Refusal(400, "a list is needed")
        for one in entries:
            if self.refuses(one) or not self.has_addresses(one):
                raise Refusal(400, "Invalid URL")
            if self.breaks_at(one):
                raise Refusal(500, "SQLSTATE[22001]: String data, right truncated")

    def has_addresses(self, entry: Entry) -> bool:
        """Whether the addresses of an action are such that it is taken."""
        return is_web(entry.get("podcast")) and is_web(entry.get("episode"))

    # -- inside -----------------------------------------------------------------------------------------------

    def _answer(self, request: Request) -> None:
        with self._lock:
            parts = urlsplit(request.path)
            self.asked.append((request.command, request.path))
            headers: dict[str, str] = {}
            try:
                if self.busy:
                    raise self.busy.pop(0)
                if self.is_html:
                    raise Refusal(200, "<!DOCTYPE html><title>Welcome to our hotel</title>")
                body = self._read(request)
                found = self.respond(request.command, parts.path, dict(parse_qsl(parts.query)), body, request)
                headers = self.headers_to_set(request)
                if request.command != "GET" and self.lost_answers:
                    self.lost_answers -= 1
                    request.close_connection = True
                    return
                status, text = 200, found if isinstance(found, str) else json.dumps(found)
            except Refusal as refusal:
                status, text, headers = refusal.status, refusal.body, refusal.headers
        request.reply(text.encode(), "application/json", status=status, headers=headers)

    def headers_to_set(self, request: Request) -> dict[str, str]:
        return {}

    def _read(self, request: Request) -> Any:
        if not request.body or request.headers["Content-Type"] != "application/json":
            return dict(parse_qsl(request.body.decode()))
        try:
            body = json.loads(request.body)
        except ValueError:
            raise Refusal(400, "no JSON") from None
        self.sent.append(body)
        return body


def is_web(address: Any) -> bool:
    return isinstance(address, str) and address.startswith(("http://", "https://"))
