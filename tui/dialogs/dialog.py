"""The base of dialogs: a frame with a title and keys over the dimmed screen, work on other threads, a list of
options."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import ClassVar, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Input, OptionList, Static

from player.errors import EarmarkError
from player.library import Interrupted
from player.text.sentences import _, translate
from tui.actions.keys import Meaning, TypedKeys
from tui.actions.table import ACTIONS, bindings, key_label, sequences
from tui.drawing.cells import fit, steady, width
from tui.framework.screen import OwnScreen, start_worker
from tui.look.glyphs import glyphs_of
from tui.terminal.line_by_line import say
from tui.widgets.busy_line import BusyLine
from tui.widgets.choices import Choice, Choices, Frame
from tui.widgets.selectable_lines import SelectableLines
from tui.widgets.virtual_list import VirtualList

log = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")
_TOLD_S = 2.0
_TOGETHER = (Meaning.BEGINS, Meaning.ENDS, Meaning.NOTHING)
_EVERYWHERE = frozenset({"pause", "help"})


class Dialog(ModalScreen[T], OwnScreen[T]):
    """A dialog, whose `contents` are in a frame with its heading. The bindings that have words are shown as keys in the
    bottom border, the most important first; a click on one does the same as the key.

    `told` is a line of words, and `line` an animated line while work is under way; `contents` places them. The keys for
    pausing and for the help work here too, and so do sequences of two keys, unless they are typed into a field.
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
        &.-waits BusyLine { display: none; }
        &.-waits BusyLine.-busy { display: block; }
        &.-waits #told.-silent { display: none; }
    }
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-high")]  # noqa: RUF012 - as Textual declares it

    def __init__(self, heading: str | Content = "", told: str = "", *, classes: str | None = None) -> None:
        """With the class `-waits`, `told` and `line` take no room while they have nothing to show."""
        super().__init__(classes=classes)
        self._heading = heading
        self.line = BusyLine()
        self._told = told
        self.told = Static(told, id="told", classes="muted" if told else "muted -silent", markup=False)
        self.runs = {"pause": lambda: self._act_below("pause"), "help": lambda: self._act_below("help")}
        self._typed_keys: TypedKeys | None = None

    # -- for subclasses ---------------------------------------------------------------------------------------

    def heading(self) -> str | Content:
        """The title in the top border."""
        return self._heading

    def words(self, action: str, words: str) -> str:  # noqa: ARG002 - for subclasses
        """The words in the bottom border for the binding with this action. `words` are the binding's own; "" leaves it
        out."""
        return words

    def contents(self) -> ComposeResult:
        """The widgets inside the frame."""
        raise NotImplementedError

    def action_take(self) -> None:
        """The action of `enter`, also in a field or a list."""

    def action_close(self) -> None:
        self.dismiss(None)

    # -- the frame --------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        heading = self.heading()
        say(self.app, ". ".join(filter(None, (str(heading), self._told))))
        with Frame(heading, self.choices(), id="dialog"):
            yield from self.contents()

    def choices(self) -> list[Choice]:
        """The keys in the bottom border, the most important first; a click on one runs its `answer` as an action."""
        glyphs = glyphs_of(self.app)
        choices: list[Choice] = []
        for one in self.BINDINGS:
            binding = Binding(*one) if isinstance(one, tuple) else one
            if words := self.words(binding.action, translate(binding.description) if binding.description else ""):
                keys = (binding.key_display or binding.key.split(",")[0]).split()
                choices.append(Choice(binding.action, " ".join(key_label(key, glyphs) for key in keys), words))
        return choices

    @property
    def frame(self) -> Frame:
        return self.query_one("#dialog", Frame)

    def show_frame(self) -> None:
        """Updates the title and the keys. Does nothing if the dialog has been closed."""
        for frame in self.query("#dialog").results(Frame):
            frame.head(self.heading())
            frame.offer(self.choices())

    def on_key(self, event: events.Key) -> None:
        """Runs the actions of sequences of two keys, unless they are typed into a field."""
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
    async def _key_clicked(self, event: Choices.Chosen) -> None:
        await self.run_action(event.answer)

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    @on(VirtualList.Chosen)
    def _enter_pressed(self, event: Input.Submitted | OptionList.OptionSelected | VirtualList.Chosen) -> None:
        event.stop()
        self.action_take()

    def _act_below(self, action_id: str) -> None:
        below = (screen for screen in reversed(self.app.screen_stack) if not isinstance(screen, ModalScreen))
        if isinstance(screen := next(below, None), OwnScreen):
            screen.act(action_id)

    # -- work on other threads --------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        return self.line.busy

    def begin(self, words: str, work: Callable[[], R] | Future[R], done: Callable[[R], object]) -> None:
        """Runs `work` on another thread, or waits for a future, and calls `done` with the result; a failure is shown
        here. Until it has ended, no other work begins. Once the dialog is closed, nothing is called."""
        if self.busy:
            return

        def ended(future: Future[R]) -> None:
            self.show_busy("")
            self._pass_on(future, done, self.failed)

        self.show_busy(words)
        self._await(work, ended, "work")

    def read(
        self,
        work: Callable[[], R] | Future[R],
        done: Callable[[R], object],
        failed: Callable[[Exception], object] | None = None,
        *,
        group: str = "read",
    ) -> None:
        """As `begin`, without showing the progress; later work of the same `group` replaces earlier work."""
        self._await(work, lambda future: self._pass_on(future, done, failed or self.failed), group)

    def _await(self, work: Callable[[], R] | Future[R], ended: Callable[[Future[R]], None], group: str) -> None:
        async def run(work: Callable[[], R]) -> None:
            future: Future[R] = Future()
            try:
                future.set_result(await asyncio.to_thread(work))
            except Exception as error:  # noqa: BLE001 - the dialog shows it, and stays open
                future.set_exception(error)
            ended(future)

        if isinstance(work, Future):  # the callback runs on any thread; a closed dialog takes no call
            work.add_done_callback(partial(self.call_later, ended))
        else:
            start_worker(self, partial(run, work), group=group, exclusive=True)

    def _pass_on(self, future: Future[R], done: Callable[[R], object], failed: Callable[[Exception], object]) -> None:
        try:
            result = future.result()
        except Interrupted:
            return  # what was read isn't wanted any more
        except Exception as error:
            if not isinstance(error, EarmarkError):
                log.exception("what a dialog began has failed")
            failed(error)
        else:
            done(result)

    def failed(self, error: Exception) -> None:
        """Shows that work has failed."""
        self.tell(sentence_of(error), trouble=True)

    def tell(self, words: str, *, trouble: bool = False) -> None:
        say(self.app, words)
        self.told.update(steady(words))
        self.told.set_class(trouble, "-trouble")
        self.told.set_class(not words, "-silent")
        if trouble:
            self.call_after_refresh(self.told.scroll_visible, animate=False)

    def show_busy(self, words: str) -> None:
        """Shows that work is under way; "" ends that."""
        self.line.busy = bool(words)
        self.line.set_class(bool(words), "-busy")
        self.tell(f"{words}{glyphs_of(self.app).ellipsis}" if words else "")
        self.show_frame()


def sentence_of(error: Exception) -> str:
    """The sentence about a failure; for a bug, one that points to the log."""
    return str(error) if isinstance(error, EarmarkError) else _("Something went wrong inside Earmark. See the log.")


def field(label: str, of: Input) -> Horizontal:
    """A line with a label and its field."""
    return Horizontal(Static(label, classes="label", markup=False), of, classes="field")


def fields(*labelled: tuple[str, Input]) -> ComposeResult:
    """Several lines with labels, one below the other with gaps, and with the fields in a column."""
    cells = max((width(label) for label, _of in labelled), default=0)
    for at, (label, of) in enumerate(labelled):
        line = field(fit(label, cells), of)
        line.set_class(at > 0, "gap")
        yield line


_PAGE = 8
_MOVES = ("down", "up", "first", "last")
MOVES = bindings(action for action in ACTIONS if action.id in _MOVES)
"""Bindings for a dialog whose `runs` include `Options.moves`."""


class Options(OptionList):
    """A list of options of one line each, after a cell for the cursor's bar."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"options--bar"}
    DEFAULT_CSS = """
    Options {
        text-wrap: nowrap;
        text-overflow: ellipsis;
        & > .options--bar { color: $accent; }
    }
    """

    def moves(self) -> dict[str, Callable[[], None]]:
        """The functions of the actions that move in lists, by action id."""
        steps = self.action_cursor_down, self.action_cursor_up, self.action_first, self.action_last
        return dict(zip(_MOVES, steps, strict=True))

    def move_by(self, rows: int, /) -> None:
        if self.highlighted is not None:
            self.highlighted = max(0, min(self.highlighted + rows, self.option_count - 1))

    def move_by_pages(self, pages: int, /) -> None:
        self.move_by(pages * _PAGE)

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        if self.highlighted != y + self.scroll_offset.y or not strip.cell_length:
            return strip
        if self.get_component_rich_style("option-list--option-highlighted", partial=True).reverse:
            # Without colours. Textual's style for options drops reverse video.
            strip = strip.apply_style(Style(reverse=True))
        (padding, *_none) = strip.crop(0, 1)
        bar = self.get_component_rich_style("options--bar", partial=True)
        style = bar if padding.style is None else padding.style + bar
        return Strip.join([Strip([Segment(glyphs_of(self.app).cursor, style)], 1), strip.crop(1)])


class OptionsDialog(Dialog[T]):
    """A dialog with a `list` of options, in which the listener's own keys move."""

    BINDINGS: ClassVar[list[BindingType]] = [*MOVES]

    def __init__(self, heading: str | Content = "", *options: str | Content, told: str = "") -> None:
        super().__init__(heading, told)
        self.list = Options(*options)
        self.runs = {**self.runs, **self.list.moves()}

    def contents(self) -> ComposeResult:
        yield self.list

    def on_mount(self) -> None:
        self.list.focus()
