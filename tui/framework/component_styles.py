"""Styles of a widget's parts (Textual's component classes), each worked out when it is first asked for.

Textual works out all of them whenever a widget gets its styles: for the main screen 150, of which the first frame needs
a third; they were an eighth of a start.
"""

from textual.css.model import RuleSet
from textual.css.styles import RenderStyles
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

RuleSet.__hash__ = object.__hash__  # type: ignore[method-assign]  # the same value, without calling Python each time


class _ComponentStyles(dict[str, RenderStyles]):
    """Those of `node` that were asked for, by the names of their classes."""

    def __init__(self, sheet: "ComponentsOnDemand", node: DOMNode) -> None:
        super().__init__()
        self._sheet, self._node = sheet, node

    def __contains__(self, name: object) -> bool:
        return name in self._node._get_component_classes()

    def __missing__(self, name: str) -> RenderStyles:
        if name not in self:
            raise KeyError(name)
        styles = self[name] = self._sheet.component_of(self._node, name)
        return styles


class ComponentsOnDemand(Stylesheet):
    """A style sheet for `App.stylesheet`. It styles widgets as Textual's own does."""

    def component_of(self, node: DOMNode, name: str) -> RenderStyles:
        part = DOMNode(classes=name)
        part._attach(node)
        self.apply(part, animate=False)
        return part.styles

    def _process_component_classes(self, node: DOMNode) -> None:
        known = node._component_styles
        if isinstance(known, _ComponentStyles):
            before = dict(known)
            known.update((name, self.component_of(node, name)) for name in before)
            if known != before:
                node.refresh()
        elif node._get_component_classes():
            node._component_styles = _ComponentStyles(self, node)
