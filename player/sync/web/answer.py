"""What a sync server sent, read piece by piece: one bad entry of a list doesn't spoil the others."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from player.links.urls import web_address
from player.sync.target import SyncError
from player.sync.web import server_errors

_MOST_ENTRIES = 2_000_000
"""The most commas in an answer: the memory that a list takes is bounded by the number of its entries, not of its
bytes."""
_MOST_CHANGED = 1_000
"""The most addresses in `update_urls`."""
_ENTRY_LIMIT = 64 * 1024
"""The most bytes of an entry. Actions have 0.4 KB."""
_MOST_SECONDS = 1 << 53
_NOTHING = (b"null", b'""')
_BOM = b"\xef\xbb\xbf"


class Answer:
    """JSON of any shape, from the server at `url`. It must have at least one of `keys`. Raises SyncError if it isn't an
    object, or has none of them."""

    def __init__(self, url: str, body: bytes, *keys: str) -> None:
        self._url = url
        body = body.removeprefix(_BOM).strip()
        if body.startswith(b"<"):
            raise server_errors.web_page(url)
        if body.count(b",") > _MOST_ENTRIES:
            raise server_errors.nonsense(url)
        found = _decoded(body, dict[str, msgspec.Raw])
        if _is_cut_short(body):
            raise server_errors.cut_short(url)
        if not isinstance(found, dict) or (keys and not any(key in found for key in keys)):
            raise server_errors.nonsense(url)
        self._fields: dict[str, msgspec.Raw] = found

    def entries(self, key: str) -> Sequence[msgspec.Raw]:
        """The entries of a list, which PHP writes as an object if it has gaps. Raises SyncError for anything else."""
        raw = self._fields.get(key)
        if raw is None or bytes(raw) in _NOTHING:
            return ()
        if not isinstance(found := _decoded(raw, list[msgspec.Raw]), BaseException):
            return tuple(found)
        if not isinstance(found := _decoded(raw, dict[str, msgspec.Raw]), BaseException):
            return tuple(found.values())
        raise server_errors.nonsense(self._url)

    def texts(self, key: str) -> tuple[str, ...]:
        """The strings of a list."""
        values = (value_of(raw) for raw in self.entries(key))
        return tuple(value for value in values if isinstance(value, str))

    def timestamp(self) -> int | None:
        """The server's time in seconds, for the next request; None if it sent none."""
        return whole(value_of(self._fields["timestamp"])) if "timestamp" in self._fields else None

    def text(self, key: str) -> str:
        value = value_of(self._fields[key]) if key in self._fields else None
        return value if isinstance(value, str) else ""

    def inner(self, key: str) -> "Answer":
        """The object under a key. Raises SyncError."""
        return Answer(self._url, bytes(self._fields.get(key, b"")))

    def update_urls(self) -> Iterator[tuple[str, str]]:
        """Addresses that the server has changed, each with its new form: "" for an address that it doesn't accept.
        Small servers leave the list out, or send "" instead."""
        try:
            pairs = self.entries("update_urls")
        except SyncError:
            return
        for raw in pairs[:_MOST_CHANGED]:
            match value_of(raw):
                case [str(old), str(new)] if old != new:
                    yield old, web_address(new.strip())
                case [str(old), None]:
                    yield old, ""


def records(url: str, body: bytes) -> tuple[dict[str, Any], ...]:
    """The objects of a list that makes up a whole answer. Raises SyncError."""
    body = body.removeprefix(_BOM).strip()
    if body.startswith(b"<"):
        raise server_errors.web_page(url)
    if _is_cut_short(body):
        raise server_errors.cut_short(url)
    found = Answer(url, b'{"list":' + (body or b"null") + b"}").entries("list")
    values = (value_of(raw) for raw in found)
    return tuple(value for value in values if isinstance(value, dict))


def receipt(url: str, body: bytes) -> Answer | None:
    """The answer to an upload. Small servers send nothing, or something other than an object: only a web page means
    that they took nothing. Raises SyncError."""
    try:
        return Answer(url, body)
    except SyncError:
        if body.lstrip().startswith(b"<"):
            raise
        return None


def value_of(raw: msgspec.Raw) -> Any:
    """The value of an entry, as Python's own types; None if it can't be read, or is too large."""
    if len(bytes(raw)) > _ENTRY_LIMIT:
        return None
    found = _decoded(raw, None)
    return None if isinstance(found, BaseException) else found


def whole(value: object) -> int | None:
    """A number of seconds, possibly as text, with or without a fraction; None for anything else, including negative
    numbers."""
    if isinstance(value, str) and len(value) < 30:
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST_SECONDS:
        return None
    return int(value)


def _is_cut_short(body: bytes) -> bool:
    """Whether the text ends within its JSON. An empty text says nothing."""
    found = _decoded(body, msgspec.Raw) if body else None
    return isinstance(found, msgspec.DecodeError) and "truncated" in str(found)


def _decoded(body: bytes | msgspec.Raw, kind: Any) -> Any:
    """The text decoded as that type, with the values inside as they were sent; or the error, if that fails."""
    try:
        return msgspec.json.decode(body) if kind is None else msgspec.json.decode(body, type=kind)
    except (ValueError, RecursionError) as error:  # msgspec's own errors are ValueErrors
        return error
