"""A remote file as its server describes it, to tell whether it is still the same."""

import re

from msgspec import Struct

_CONTENT_RANGE = re.compile(r"bytes\s+(?:(\d+)-(\d+)|\*)/(\d+|\*)", re.IGNORECASE)


class RemoteVersion(Struct, frozen=True):
    """`length` (bytes) is None while unknown. `ranged`: the server accepts ranges. `resolved`: where redirects led.

    `slot`: the bytes set apart for each segment of a recording in HLS (`etag` names its playlist); 0 for a file.
    """

    etag: str = ""
    last_modified: str = ""
    length: int | None = None
    ranged: bool = False
    resolved: str = ""
    slot: int = 0

    @property
    def condition(self) -> str:
        """For `If-Range` (RFC 9110, 13.1.5), which takes no weak ETag."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.last_modified

    def same_file(self, other: "RemoteVersion") -> bool:
        """Whether bytes of both may be combined. What only one of them has counts as no difference."""
        if self.length is not None and other.length is not None and self.length != other.length:
            return False
        if self.etag and other.etag:
            return self.etag == other.etag
        return not (self.last_modified and other.last_modified) or self.last_modified == other.last_modified

    def updated(self, newer: "RemoteVersion") -> "RemoteVersion":
        """The same file, with the newer description."""
        return RemoteVersion(
            newer.etag or self.etag,
            newer.last_modified or self.last_modified,
            self.length if newer.length is None else newer.length,
            newer.ranged,
            newer.resolved,
        )


class ContentRange(Struct, frozen=True):
    """`Content-Range` (RFC 9110, 14.4). `start` is None for a 416 response."""

    start: int | None
    length: int | None

    @classmethod
    def parse(cls, text: str) -> "ContentRange | None":
        found = _CONTENT_RANGE.fullmatch(text.strip())
        if not found:
            return None
        start, _, length = found.groups()
        return cls(int(start) if start else None, None if length == "*" else int(length))
