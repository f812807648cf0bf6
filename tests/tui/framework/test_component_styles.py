"""Styles of a widget's parts are worked out when they are asked for, and follow the style sheet from then on."""

from typing import Any, ClassVar, Self

import pytest
from textual.dom import DOMNode

from tui.framework.rendering import ComponentsOnDemand

_SHEET = ".list--cursor { color: #ff0000; } .list--title { color: #00ff00; } .lit > .list--cursor { color: #0000ff; }"


class _List(DOMNode):
    COMPONENT_CLASSES: ClassVar[set[str]] = {"list--cursor", "list--title"}

    refreshed = 0

    def refresh(self, **_: bool) -> Self:
        self.refreshed += 1
        return self


class _Sheet(ComponentsOnDemand):
    def __init__(self) -> None:
        super().__init__()
        self.worked_out: list[str] = []

    def component_of(self, node: DOMNode, name: str) -> Any:
        self.worked_out.append(name)
        return super().component_of(node, name)


@pytest.fixture
def sheet() -> _Sheet:
    sheet = _Sheet()
    sheet.add_source(_SHEET)
    return sheet


def test_what_nobody_asks_for_is_not_worked_out(sheet: _Sheet) -> None:
    node = _List()
    sheet.apply(node)
    assert node.get_component_styles("list--cursor").color.hex == "#FF0000"
    assert node.get_component_styles("list--cursor").color.hex == "#FF0000"
    assert sheet.worked_out == ["list--cursor"]


def test_what_was_asked_for_follows_the_style_sheet_and_is_drawn_again(sheet: _Sheet) -> None:
    node = _List()
    sheet.apply(node)
    node.get_component_styles("list--cursor")
    node._classes.add("lit")
    sheet.apply(node)
    assert node.get_component_styles("list--cursor").color.hex == "#0000FF"
    assert node.refreshed == 1


def test_nothing_is_drawn_again_where_no_part_has_changed(sheet: _Sheet) -> None:
    node = _List()
    sheet.apply(node)
    node.get_component_styles("list--cursor")
    sheet.apply(node)
    assert node.refreshed == 0


def test_a_part_that_a_widget_does_not_have_is_an_error(sheet: _Sheet) -> None:
    node = _List()
    sheet.apply(node)
    with pytest.raises(KeyError):
        node.get_component_styles("list--foot")
