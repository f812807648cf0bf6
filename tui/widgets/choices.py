"""The answers to a question: each a key and a word, to press or to click."""

from dataclasses import dataclass

from msgspec import Struct
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.message import Message
from textual.widgets import Static


class Choice(Struct, frozen=True):
    """`answer` is what the choice means to whoever asked; `keys` is how its key is written."""

    answer: str
    key: str
    words: str


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
        key = Content.styled(choice.key.ljust(key_cells), "bold $text")
        super().__init__(Content.assemble(key, " ", choice.words))
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
