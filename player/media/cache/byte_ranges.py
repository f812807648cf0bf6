"""Which bytes of a file are cached: sorted, disjoint, half-open spans."""

from collections.abc import Iterable

from msgspec import Struct

Span = tuple[int, int]


class Ranges(Struct, frozen=True):
    spans: tuple[Span, ...] = ()

    @classmethod
    def of(cls, spans: Iterable[Span]) -> "Ranges":
        ranges = cls()
        for start, end in spans:
            ranges = ranges.add(start, end)
        return ranges

    def add(self, start: int, end: int) -> "Ranges":
        if start >= end:
            return self
        before = [span for span in self.spans if span[1] < start]
        after = [span for span in self.spans if span[0] > end]
        touched = self.spans[len(before) : len(self.spans) - len(after)]
        first, last = (touched[0][0], touched[-1][1]) if touched else (start, end)
        return Ranges((*before, (min(start, first), max(end, last)), *after))

    def reach(self, offset: int) -> int:
        """The end of the contiguous bytes from `offset` on; `offset` itself when it isn't cached."""
        for start, end in self.spans:
            if start <= offset < end:
                return end
        return offset

    def covers(self, start: int, end: int) -> bool:
        return start >= end or self.reach(start) >= end

    def gap(self, offset: int, size: int | None) -> tuple[int, int | None] | None:
        """The first missing span at or after `offset`; its end is None where nothing bounds it (`size` unknown)."""
        start = self.reach(offset)
        if size is not None and start >= size:
            return None
        following = (span[0] for span in self.spans if span[0] > start and (size is None or span[0] < size))
        return start, next(following, size)

    def overlap(self, start: int, end: int) -> tuple[Span, ...]:
        """The spans within `start` to `end`."""
        cut = ((max(start, a), min(end, b)) for a, b in self.spans)
        return tuple((a, b) for a, b in cut if a < b)
