"""The settings of one podcast. A change is saved, and applies to what is playing, when the cursor leaves its row.

Until then it is only shown: on the way to a value, left and right pass others, some of which would download episodes.
"""

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from player.errors import EarmarkError
from player.model.podcast import PodcastId
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.text.sentences import _, translate
from tui.actions.table import ACTIONS, bindings
from tui.dialogs.dialog import MOVES, Dialog, Options
from tui.drawing.cells import fit, steady, width
from tui.drawing.fields import Field, change_in_words, fields
from tui.framework.screen import MOST_LETTERS
from tui.framework.workers import start_worker
from tui.look.glyphs import glyphs_of
from tui.widgets.choices import Choice, Choices

if TYPE_CHECKING:
    from player.player import Player

_AROUND, _AROUND_LOW = 9, 5
"""Lines of the dialog around the list; a low screen saves the gaps."""
_LOW, _FEWEST = 16, 3
_BACK, _ON = "pane_left", "pane_right"
_STEPS = bindings(action for action in ACTIONS if action.id in (_BACK, _ON))
"""What goes to the pane on the left or right, changes a value by a step."""
_STARTS_TYPING = frozenset('0123456789.+-"')


class PodcastSettingsScreen(Dialog[None]):
    """Left and right change a value by a step, `delete` restores the default; `enter` saves it, and so does leaving the
    row or the dialog. `enter` on a saved value or a digit types one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES, *_STEPS,
        ("escape,q", "close"), ("left", "step(-1)"), ("right", "step(1)"), ("backspace,delete", "default"),
    ]  # fmt: skip

    DEFAULT_CSS = """
    PodcastSettingsScreen {
        & Input { display: none; }
        &.-typing Input { display: block; }
    }
    """

    def __init__(self, player: "Player", podcast_id: PodcastId) -> None:
        super().__init__()
        self._player = player
        self._podcast_id = podcast_id
        self._fields = tuple(fields(inbox=player.settings.inbox.enabled).values())
        self._settings = AS_ALL
        """What is shown: with the change that isn't saved yet."""
        self._unsaved: Field | None = None
        self._is_read = False
        self._title = _("Settings of this podcast")
        self._list = Options()
        steps = {_BACK: lambda: self.action_step(-1), _ON: lambda: self.action_step(1)}
        self.runs = {**self.runs, **self._list.moves(), **steps}
        self._input = Input(max_length=MOST_LETTERS, select_on_focus=False)
        self._notice = Static("", classes="muted", markup=False, id="told")

    def heading(self) -> str:
        return self._title

    def choices(self) -> tuple[Choice, ...]:
        arrows = glyphs_of(self.app)
        return (
            Choice("type", "enter", _("save") if self._unsaved else _("type")),
            Choice("close", "esc", _("close")),
            Choice("step", f"{arrows.left} {arrows.right}", _("step")),
            Choice("default", "del", _("reset")),
        )

    def contents(self) -> ComposeResult:
        yield self._list
        self._notice.add_class("gap")
        yield self._notice
        yield self._input

    def on_resize(self) -> None:
        """Keeps the explanation and the field in view: where there is little room, the list scrolls."""
        height = self.app.size.height
        self._list.styles.max_height = max(_FEWEST, height - (_AROUND_LOW if height < _LOW else _AROUND))

    def on_mount(self) -> None:
        self._list.focus()
        start_worker(self, self._read)

    async def _read(self) -> None:
        library = self._player.library
        try:
            podcast, settings = await asyncio.to_thread(
                lambda: (library.podcasts.get(self._podcast_id), library.podcast_settings.get(self._podcast_id))
            )
        except EarmarkError as error:
            self._show_notice(str(error), trouble=True)
            return
        self._settings, self._is_read = settings, True
        self._title = _("Settings for {podcast}", podcast=podcast.title)
        self.show_frame()
        self._list.add_options([self._option(field) for field in self._fields])
        self._list.highlighted = 0
        self._show_notice(_("Saved when you leave the row, for this podcast only."))

    # -- changing ---------------------------------------------------------------------------------------------

    @property
    def _field(self) -> Field | None:
        """The field of the option under the cursor."""
        return None if not self._is_read or self._list.highlighted is None else self._fields[self._list.highlighted]

    def action_step(self, by: int) -> None:
        field = self._field
        if field is None:
            return
        if field.stepped is None:
            self._type(field)
            return
        self._change(field, field.stepped(self._settings, by))

    def action_default(self) -> None:
        if (field := self._field) is not None:
            self._take(field, "")

    def _take(self, field: Field, text: str) -> bool:
        """Shows what was typed; if it can't be understood, shows why and returns False."""
        try:
            settings = field.typed(self._settings, text)
        except ValueError as error:
            self._show_notice(str(error), trouble=True)
            return False
        self._change(field, settings)
        return True

    def _change(self, field: Field, settings: PodcastSettings) -> None:
        """Shows the change, which is to be saved."""
        if self._unsaved is not field:
            self._save()
        self._settings, self._unsaved = settings, field
        at = self._fields.index(field)
        self._list.replace_option_prompt_at_index(at, self._words(field))
        self._show_notice(change_in_words(field, settings))
        self.show_frame()

    def _save(self) -> None:
        """Has the value that is shown written, if it isn't yet; a failure is published as a Notice."""
        field, self._unsaved = self._unsaved, None
        if field is not None:
            text = field.written(self._settings)
            self._player.change_podcast_settings(self._podcast_id, lambda settings: field.typed(settings, text))

    @on(OptionList.OptionHighlighted)
    def _moved(self) -> None:
        if self._unsaved is not self._field:
            self._save()
            self.show_frame()

    def on_unmount(self) -> None:
        """However the dialog is closed, and when the app ends, what is shown is kept."""
        self._save()

    # -- typing -----------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """A character that can begin a value is typed into the field."""
        field = self._field
        if field is not None and not self._typing and event.character and event.character in _STARTS_TYPING:
            event.stop()
            self._type(field, event.character)

    @property
    def _typing(self) -> bool:
        return self.has_class("-typing")

    def _type(self, field: Field, text: str | None = None) -> None:
        self.add_class("-typing")
        self._input.value = field.written(self._settings) if text is None else text
        self._input.placeholder = translate(field.title)
        self._input.focus()
        self._input.cursor_position = len(self._input.value)
        self._show_notice(_("{setting}: enter sets it, esc cancels.", setting=translate(field.title)))

    def _end_typing(self) -> None:
        self.remove_class("-typing")
        self._list.focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if (field := self._field) is not None and self._take(field, event.value.strip()):
            self._save()
            self.show_frame()
            self._end_typing()

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        if self._unsaved:
            self._save()
            self.show_frame()
        elif (field := self._field) is not None:
            self._type(field)

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        match event.answer:
            case "step":
                self.action_step(1)
            case "type":
                self._selected()
            case "default":
                self.action_default()
            case _:
                self.action_close()

    # -- what is shown ----------------------------------------------------------------------------------------

    def _option(self, field: Field) -> Option:
        return Option(self._words(field))

    def _words(self, field: Field) -> Content:
        title = fit(translate(field.title), 2 + max(width(translate(one.title)) for one in self._fields))
        role = "$text" if field.written(self._settings) else "$muted"
        return Content.assemble(title, Content.styled(steady(field.shown(self._settings)), role))

    def _show_notice(self, words: str, *, trouble: bool = False) -> None:
        self._notice.update(words)
        self._notice.set_class(trouble, "-trouble")

    def action_close(self) -> None:
        if self._typing:
            self._end_typing()
            self._show_notice("")
        else:
            self.dismiss()
