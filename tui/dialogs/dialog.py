"""What dialogs share: a frame with a title and keys on the dimmed screen, and a list of options."""

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Input, OptionList, Static

from tui.actions.table import ACTIONS, bindings, sequences
from tui.actions.typed_keys import Meaning, TypedKeys
from tui.framework.screen import OwnScreen
from tui.look.glyphs import UNICODE, glyphs_of
from tui.widgets.choices import Choice, Choices, Frame
from tui.widgets.selectable_lines import SelectableLines

T = TypeVar("T")
_PRESSED = "press "
"""Begins the answer of a choice that stands for its key."""
_NAMES = {"esc": "escape", "del": "delete", UNICODE.left: "left", UNICODE.right: "right"}
"""Textual's names of keys that are written another way."""
_TOLD_S = 2.0
_TOGETHER = (Meaning.BEGINS, Meaning.ENDS, Meaning.NOTHING)
_EVERYWHERE = frozenset({"pause", "help"})


class Dialog(ModalScreen[T], OwnScreen[T]):
    """Gives its `contents` a frame with its `heading` and its `choices`.

    The keys that pause and that show all keys work here too, and two keys for one action, unless they are typed into a
    field.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(action for action in ACTIONS if action.id in _EVERYWHERE)]

    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        background: $background 70%;

        & #dialog {
            width: 64;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            padding: 1 2;
            overflow-y: auto;
            scrollbar-size-vertical: 1;
            scrollbar-background: $panel;
            scrollbar-background-hover: $panel;
            scrollbar-background-active: $panel;
        }
        &.-low #dialog { padding: 0 1; }
        & .field { height: 1; }
        & .field > .label { width: auto; color: $muted; margin-right: 2; }
        & .field > Input { width: 1fr; }
        & Input {
            height: 1;
            border: none;
            padding: 0 1;
            background: $background;
            &:focus { border: none; background-tint: $foreground 0%; }
        }
        & Input:nocolor > .input--cursor { text-style: reverse; }
        & OptionList {
            height: auto;
            max-height: 60vh;
            border: none;
            padding: 0;
            background: $panel;
            text-wrap: nowrap;
            text-overflow: ellipsis;
            scrollbar-size-vertical: 1;
            scrollbar-background: $panel;
            &:focus { border: none; background-tint: $foreground 0%; }
        }
        & OptionList > .option-list--option { padding: 0 1; text-style: none; color: $text; }
        & OptionList > .option-list--option-highlighted,
        & OptionList:focus > .option-list--option-highlighted { background: $line; color: $text; text-style: bold; }
        & OptionList:nocolor > .option-list--option-highlighted { text-style: bold underline; }
        & .strong { text-style: bold; height: auto; }
        & .muted { color: $muted; height: auto; }
        & .gap { margin-top: 1; }
        &.-low .gap { margin-top: 0; }
        & #told.-trouble { color: $error; }
    }
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-high")]  # noqa: RUF012 - as Textual declares it

    def __init__(self) -> None:
        super().__init__()
        self.runs = {"pause": lambda: self._act_below("pause"), "help": lambda: self._act_below("help")}
        self._typed_keys: TypedKeys | None = None

    # -- what each dialog has its own of ----------------------------------------------------------------------

    def heading(self) -> str | Content:
        """The title in the top border."""
        raise NotImplementedError

    def choices(self) -> Sequence[Choice]:
        """The keys in the bottom border, the most important first. A click on one posts `Choices.Chosen`."""
        raise NotImplementedError

    def contents(self) -> ComposeResult:
        """What is inside the frame."""
        raise NotImplementedError

    # -- the frame --------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        with Frame(self.heading(), self.choices(), id="dialog"):
            yield from self.contents()

    @property
    def frame(self) -> Frame:
        return self.query_one("#dialog", Frame)

    def show_frame(self) -> None:
        """The title or the keys may have changed. What ends after the dialog was closed finds no frame any more."""
        for frame in self.query("#dialog").results(Frame):
            frame.head(self.heading())
            frame.offer(self.choices())

    def on_key(self, event: events.Key) -> None:
        """Two keys that are pressed one after the other, unless they are typed into a field."""
        if self._typed_keys is None:
            pairs = sequences(getattr(self.app, "actions", ACTIONS)).items()
            self._typed_keys = TypedKeys({pair: action_id for pair, action_id in pairs if action_id in self.runs})
        if isinstance(self.focused, Input):
            self._typed_keys.forget()
            return
        pressed = self._typed_keys.press(event.key)
        if pressed.meaning in _TOGETHER and event.key != "escape":
            event.stop()
            event.prevent_default()
            self.act(pressed.action_id)

    @on(SelectableLines.Selected)
    def _text_selected(self, event: SelectableLines.Selected) -> None:
        from tui.terminal.clipboard import copy_text

        self.notify(copy_text(self.app, event.text), timeout=_TOLD_S)

    @on(Choices.Chosen)
    def _key_clicked(self, event: Choices.Chosen) -> None:
        if event.answer.startswith(_PRESSED):
            key = event.answer.removeprefix(_PRESSED).split()[-1]
            self.app.simulate_key(_NAMES.get(key, key))

    def _act_below(self, action_id: str) -> None:
        below = (screen for screen in reversed(self.app.screen_stack) if not isinstance(screen, ModalScreen))
        if isinstance(screen := next(below, None), OwnScreen):
            screen.act(action_id)


def field(label: str, of: Input) -> Horizontal:
    """A line with a label and its field."""
    return Horizontal(Static(label, classes="label", markup=False), of, classes="field")


def keys(*hints: tuple[str, str]) -> list[Choice]:
    """Keys and what they do; a click presses them."""
    return [Choice(_PRESSED + key, key, words) for key, words in hints]


_MOVES = ("down", "up", "first", "last")
MOVES = bindings(action for action in ACTIONS if action.id in _MOVES)
"""For the bindings of a dialog whose `runs` has those of `Options.moves`."""


class Options(OptionList):
    """Each option is one line, with a cell before it for the bar."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"options--bar"}
    DEFAULT_CSS = """
    Options {
        text-wrap: nowrap;
        text-overflow: ellipsis;
        & > .options--bar { color: $accent; }
    }
    """

    def moves(self) -> dict[str, Callable[[], None]]:
        """What the actions that move in lists run, by the action's id."""
        steps = self.action_cursor_down, self.action_cursor_up, self.action_first, self.action_last
        return dict(zip(_MOVES, steps, strict=True))

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        if self.highlighted != y + self.scroll_offset.y or not strip.cell_length:
            return strip
        if self.get_component_rich_style("option-list--option-highlighted", partial=True).reverse:
            # Without colours: Textual draws options in a style that knows no reverse video.
            strip = strip.apply_style(Style(reverse=True))
        (padding, *_none) = strip.crop(0, 1)
        bar = self.get_component_rich_style("options--bar", partial=True)
        style = bar if padding.style is None else padding.style + bar
        return Strip.join([Strip([Segment(glyphs_of(self.app).cursor, style)], 1), strip.crop(1)])
