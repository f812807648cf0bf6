"""Choices of a key and a word, to press or to click, and the frame of a dialog with its keys in the bottom border."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.drawing.cells import steady, width

_GAP, _SMALL_GAP = 3, 2
_BEFORE, _AROUND = 3, 6
"""The cells of the border before a title or the keys, and on both sides of them."""


class Choice(Struct, frozen=True):
    """`answer` identifies the choice for the dialog; `key` is its key as shown.

    `danger`: the choice deletes something, and is drawn in the colour of errors.
    """

    answer: str
    key: str
    words: str
    danger: bool = False

    @property
    def cells(self) -> int:
        return width(f"{self.key} {self.words}" if self.words else self.key)

    @property
    def drawn(self) -> Content:
        style = "bold $error" if self.danger else "bold $text"
        words = Content.styled(f" {self.words}" if self.words else "", "$error" if self.danger else "$muted")
        return Content.assemble(Content.styled(self.key, style), words)


class ChoiceLabel(Static):
    DEFAULT_CSS = """
    ChoiceLabel {
        width: auto;
        height: auto;
        color: $muted;
        &:hover { background: $line; }
    }
    """

    def __init__(self, choice: Choice, key_cells: int) -> None:
        style = "$error" if choice.danger else "$text"
        key = Content.styled(choice.key.ljust(key_cells), f"bold {style}")
        words = Content.styled(choice.words, "$error") if choice.danger else Content(choice.words)
        super().__init__(Content.assemble(key, " ", words))
        self.choice = choice

    def on_click(self) -> None:
        self.post_message(Choices.Chosen(self.choice.answer))


class Choices(Container):
    """Choices in a row, or one below the other with their words in a column."""

    @dataclass
    class Chosen(Message):
        answer: str

    DEFAULT_CSS = """
    Choices {
        height: auto;
        layout: horizontal;
        & > ChoiceLabel { margin-right: 3; }
        &.-stacked { layout: vertical; }
        &.-stacked > ChoiceLabel { margin-right: 0; width: 100%; }
    }
    """

    def __init__(self, *choices: Choice, stacked: bool = False) -> None:
        super().__init__(classes="-stacked" if stacked else "")
        self._choices = choices
        self._key_cells = max(len(choice.key) for choice in choices) if stacked else 0

    def compose(self) -> ComposeResult:
        for choice in self._choices:
            yield ChoiceLabel(choice, self._key_cells)


class Frame(Vertical):
    """A panel with its title in the top border and its keys in the bottom border; a click on one posts
    `Choices.Chosen`."""

    DEFAULT_CSS = """
    Frame {
        border: round $faint;
        border-title-color: $text;
        border-title-style: bold;
        border-subtitle-align: left;
        border-subtitle-color: $muted;
        border-subtitle-background: $panel;
        background: $panel;

        &.-ascii { border: ascii $faint; }
        &.-few-colours { border: round $muted; }
        &.-ascii.-few-colours { border: ascii $muted; }
    }
    """

    def __init__(self, heading: str | Content, choices: Sequence[Choice], *, id: str) -> None:
        super().__init__(id=id)
        self._choices: Sequence[Choice] = choices
        self.placed: tuple[tuple[int, Choice], ...] = ()
        """The choices that are shown, each with its first column."""
        self.head(heading)

    def head(self, heading: str | Content) -> None:
        """Shows a title in the top border."""
        self.border_title = Content(steady(heading)) if isinstance(heading, str) else heading

    def offer(self, choices: Sequence[Choice]) -> None:
        """Shows these choices, the most important first, as many as fit."""
        self._choices = choices
        self._place()

    def say(self, words: str) -> None:
        """Shows a few words in place of the choices, until `offer` is called."""
        self._choices, self.placed = (), ()
        self.border_subtitle = Content(steady(words))

    def _place(self) -> None:
        """Places the choices in the bottom border. If two of them don't fit, the gap gets smaller, then the second is
        reduced to its key."""
        room, few = self.outer_size.width - _AROUND, self._choices[:2]
        gap = _GAP if sum(choice.cells for choice in few) + _GAP <= room else _SMALL_GAP
        column, placed = 0, []
        for at, choice in enumerate(self._choices):
            fits = column + choice.cells <= room
            shown = choice if fits or at >= len(few) else replace(choice, words="")
            if column + shown.cells > room:
                break
            placed.append((_BEFORE + column, shown))
            column += shown.cells + gap
        self.placed = tuple(placed)
        self.border_subtitle = Content(" " * gap).join([choice.drawn for _, choice in placed])

    def on_mount(self) -> None:
        app: Any = self.app
        self.set_class(getattr(app, "glyphs", None) is not None and not app.glyphs.rare, "-ascii")
        self.set_class(app.console.color_system not in ("truecolor", "256"), "-few-colours")

    def on_resize(self) -> None:
        if self._choices:
            self._place()

    def on_click(self, event: events.Click) -> None:
        if event.widget is not self or event.y != self.outer_size.height - 1:
            return
        for column, choice in self.placed:
            if column <= event.x < column + choice.cells:
                self.post_message(Choices.Chosen(choice.answer))
