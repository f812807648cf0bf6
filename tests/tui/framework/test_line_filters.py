"""All filters of a line make one new line of it, in their order; behind a dialog only those that don't change text."""

from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip

from tui.framework.rendering import FiltersAtOnce, LineFilters, each_of
from tui.look.themes import theme_of

_GROUND = Color(0, 0, 0)


class Adds(LineFilter):
    def __init__(self, letter: str) -> None:
        super().__init__()
        self.letter = letter

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [*segments, Segment(self.letter)]


def test_they_are_applied_in_order_and_can_be_told_apart() -> None:
    first, second, third = Adds("a"), Adds("b"), Adds("c")
    both = LineFilters((LineFilters((first, second)), third))
    assert Strip([Segment("-")]).apply_filter(both, _GROUND).text == "-abc"
    assert list(each_of([both])) == [first, second, third]


def test_an_app_has_one_as_long_as_the_same_are_enabled() -> None:
    class Filtered(FiltersAtOnce[None]):
        pass

    app, plain, more = Filtered(), App[None](), Adds("a")
    app._filters.append(more)
    (once,) = app.get_line_filters()
    assert app.get_line_filters() == (once,)
    assert len(list(each_of([once]))) == len(plain.get_line_filters()) + 1
    more.enabled = False
    (other,) = app.get_line_filters()
    assert other is not once
    assert len(list(each_of([other]))) == len(plain.get_line_filters())


def test_a_theme_that_is_registered_later_is_found() -> None:
    class Themed(FiltersAtOnce[None]):
        pass

    app = Themed()
    assert app.available_themes == App[None]().available_themes
    assert app.get_theme("ink") is None
    app.register_theme(theme_of("ink"))
    assert app.get_theme("ink") == theme_of("ink")
