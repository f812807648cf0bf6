"""What a sync server sent, read piece by piece: one bad entry of a list doesn't spoil the others."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from player.links.urls import web_address
from player.sync.target import SyncError
from player.sync.web import server_errors

_MOST_ENTRIES = 2_000_000
"""Commas in an answer: what a list of them takes in memory is bounded by their number, not by its bytes."""
_MOST_CHANGED = 1_000
"""Addresses in `update_urls`."""
_ENTRY_LIMIT = 64 * 1024
"""Bytes of an entry. Actions have 0.4 KB."""
_MOST_SECONDS = 1 << 53
_NOTHING = (b"null", b'""')
_BOM = b"\xef\xbb\xbf"


class Answer:
    """JSON of any shape, from the server at `url`. `keys` of which it must have one. Raises SyncError if it isn't an
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
        """The entries of a list. PHP writes one with gaps as an object. Raises SyncError for what is neither."""
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
        """The server's time in seconds, for the next request; None where it sent none."""
        return whole(value_of(self._fields["timestamp"])) if "timestamp" in self._fields else None

    def text(self, key: str) -> str:
        value = value_of(self._fields[key]) if key in self._fields else None
        return value if isinstance(value, str) else ""

    def inner(self, key: str) -> "Answer":
        """The object under a key. Raises SyncError."""
        return Answer(self._url, bytes(self._fields.get(key, b"")))

    def update_urls(self) -> Iterator[tuple[str, str]]:
        """Addresses that the server has changed, and what to: "" for one that it doesn't take. Small servers leave the
        list out, or send "" for it."""
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
    """The objects of a list that is a whole answer. Raises SyncError."""
    body = body.removeprefix(_BOM).strip()
    if body.startswith(b"<"):
        raise server_errors.web_page(url)
    if _is_cut_short(body):
        raise server_errors.cut_short(url)
    found = Answer(url, b'{"list":' + (body or b"null") + b"}").entries("list")
    values = (value_of(raw) for raw in found)
    return tuple(value for value in values if isinstance(value, dict))


def receipt(url: str, body: bytes) -> Answer | None:
    """What is answered to an upload. Small servers answer nothing, or something else than an object: only a web page
    says that they took nothing. Raises SyncError."""
    try:
        return Answer(url, body)
    except SyncError:
        if body.lstrip().startswith(b"<"):
            raise
        return None


def value_of(raw: msgspec.Raw) -> Any:
    """What an entry says, as Python's own types; None for one that can't be read, or is too large."""
    if len(bytes(raw)) > _ENTRY_LIMIT:
        return None
    found = _decoded(raw, None)
    return None if isinstance(found, BaseException) else found


def whole(value: object) -> int | None:
    """A number of seconds, also as text, with or without a fraction; None for any other, negative ones included."""
    if isinstance(value, str) and len(value) < 30:
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST_SECONDS:
        return None
    return int(value)


def _is_cut_short(body: bytes) -> bool:
    """Whether it ends within its JSON. An empty one says nothing."""
    found = _decoded(body, msgspec.Raw) if body else None
    return isinstance(found, msgspec.DecodeError) and "truncated" in str(found)


def _decoded(body: bytes | msgspec.Raw, kind: Any) -> Any:
    """As that type, which holds what is inside as it was sent; the error where it can't be."""
    try:
        return msgspec.json.decode(body) if kind is None else msgspec.json.decode(body, type=kind)
    except (ValueError, RecursionError) as error:  # msgspec's own are ValueErrors
        return error
