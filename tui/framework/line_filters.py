"""What each line goes through, in less time: Textual makes one anew for each of its filters, 10 µs, and copies all its
themes to find the one that is worn, 25 µs."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from rich.segment import Segment
from textual.app import App, ReturnType
from textual.color import Color
from textual.filter import LineFilter
from textual.theme import Theme


class TextFilter(LineFilter):
    """A filter that changes text. It mustn't be applied twice, as to what shows through behind a dialog."""


class LineFilters(LineFilter):
    """Several filters as one. Lines cache what a filter has made of them, so the same ones should be made only once."""

    def __init__(self, filters: Iterable[LineFilter] = ()) -> None:
        super().__init__()
        self.filters = tuple(filters)

    def of(self, filters: Iterable[LineFilter]) -> Self:
        """Itself, if it is of these filters; otherwise one that is."""
        wanted = tuple(filters)
        return self if wanted == self.filters else type(self)(wanted)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        for one in self.filters:
            segments = one.apply(segments, background)
        return segments


def each_of(filters: Iterable[LineFilter]) -> Iterator[LineFilter]:
    """The filters by themselves, in order."""
    for one in filters:
        if isinstance(one, LineFilters):
            yield from each_of(one.filters)
        else:
            yield one


class FiltersAtOnce(App[ReturnType]):
    """An app whose filters are applied as one, and that doesn't copy the list of its themes for each line."""

    _at_once = LineFilters()

    def get_line_filters(self) -> Sequence[LineFilter]:
        self._at_once = self._at_once.of(super().get_line_filters())
        return (self._at_once,) if self._at_once.filters else ()

    @property
    def available_themes(self) -> dict[str, Theme]:
        return self._registered_themes
