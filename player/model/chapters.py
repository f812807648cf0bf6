"""The chapters of an episode, and where they come from."""

from bisect import bisect_right
from enum import Enum

from msgspec import Struct


class Chapter(Struct, frozen=True):
    """`end_ms` only where its source says it; `hidden` ones (`toc: false`) are in no list and count for what is shown
    while they play. `url` is its link."""

    start_ms: int
    title: str
    end_ms: int | None = None
    url: str = ""
    image_url: str = ""
    hidden: bool = False


class ChapterSource(Enum):
    """Where chapters come from, the best first."""

    JSON = "json"
    PODLOVE = "podlove"
    FILE = "file"
    NOTES = "notes"


class Chapters(Struct, frozen=True):
    """An episode's chapters in their order, hidden ones too; `source` is None when it has none."""

    items: tuple[Chapter, ...] = ()
    source: ChapterSource | None = None

    @property
    def listed(self) -> tuple[Chapter, ...]:
        """Those for a list of contents."""
        return tuple(one for one in self.items if not one.hidden)

    def at(self, position_ms: int) -> Chapter | None:
        """The one that plays there; None before the first, after an end, and where there are none.

        A hidden one stands in the middle of another, which goes on when it has ended.
        """
        after = bisect_right(self.items, position_ms, key=lambda one: one.start_ms)
        for found in reversed(self.items[:after]):
            if found.end_ms is None or position_ms < found.end_ms:
                return found
            if not found.hidden:
                break
        return None

    def end_of(self, chapter: Chapter, duration_ms: int | None) -> int | None:
        """Where it ends: as its source says, else where the next one begins, at last with the episode."""
        if chapter.end_ms is not None:
            return chapter.end_ms
        later = (one.start_ms for one in self.items if one.start_ms > chapter.start_ms and not one.hidden)
        return next(later, duration_ms)
