"""What the process that measures is given."""

from msgspec import Struct


class Order(Struct, frozen=True):
    """The bytes of an episode: `data`, or what of the file at `path` is there, as (from, to) in bytes.

    `size` is that of the whole file, None if it isn't known; `duration_ms` is what the episode is said to last.
    """

    path: str
    spans: tuple[tuple[int, int], ...]
    size: int | None
    duration_ms: int | None
    data: bytes = b""

    @property
    def reach(self) -> int:
        """How many bytes are there from the start on."""
        return len(self.data) or next((end for start, end in self.spans if start <= 0 < end), 0)
