"""What a directory sent, read piece by piece: decoding all of a hostile answer would hold up the screen for 0.9 s."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec

from player.directory import directory_errors

Record = Mapping[str, Any]

_MOST_RECORDS = 200
_RECORD_LIMIT = 64 * 1024
"""Bytes. The largest of Podcast Index have 5 KB."""
_BOM = b"\xef\xbb\xbf"


class Answer:
    """JSON of any shape, from the directory called `name`."""

    def __init__(self, name: str, body: bytes) -> None:
        self._name = name
        self._body = body.removeprefix(_BOM)

    def records(self, *path: str) -> Iterator[Record]:
        """The objects of the list at the end of a path of keys, 200 at most; what isn't an object is left out.

        Raises DirectoryError if there is no list.
        """
        return self._objects(self._decode(self._at(path), list[msgspec.Raw]))

    def one_or_more(self, *path: str) -> Iterator[Record]:
        """The same for a list that is missing where it would be empty, and replaced by its object where it has one."""
        *parents, key = path
        parent = self._decode(self._at(tuple(parents)), dict[str, msgspec.Raw])
        if key not in parent:
            return iter(())
        try:
            return self._objects(msgspec.json.decode(parent[key], type=list[msgspec.Raw]))
        except (ValueError, RecursionError):
            return self._objects([parent[key]])

    def text(self, *path: str) -> str:
        """What is at the end of a path of keys, as JSON without quotes; "" for nothing. Raises DirectoryError."""
        *parents, key = path
        found = self._decode(self._at(tuple(parents)), dict[str, msgspec.Raw]).get(key)
        return bytes(found)[:100].decode(errors="replace").strip('"') if found is not None else ""

    # -- inside -----------------------------------------------------------------------------------------------

    def _at(self, path: tuple[str, ...]) -> bytes | msgspec.Raw:
        here: bytes | msgspec.Raw = self._body
        for key in path:
            inner = self._decode(here, dict[str, msgspec.Raw]).get(key)
            if inner is None:
                raise directory_errors.nonsense(self._name)
            here = inner
        return here

    def _decode(self, body: bytes | msgspec.Raw, kind: Any) -> Any:
        """As that type, which holds what is inside as it was sent."""
        try:
            return msgspec.json.decode(body, type=kind)
        except (ValueError, RecursionError) as error:  # msgspec's own are ValueErrors
            raise directory_errors.nonsense(self._name) from error

    def _objects(self, raw: list[msgspec.Raw]) -> Iterator[Record]:
        for one in islice(raw, _MOST_RECORDS):
            if len(bytes(one)) > _RECORD_LIMIT:
                continue
            try:
                yield msgspec.json.decode(one, type=dict[str, Any])
            except (ValueError, RecursionError):
                continue
