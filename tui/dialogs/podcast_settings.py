"""The settings of one podcast. A change is saved, and applied to playback, when the cursor leaves its row.

Until then it is only shown: on the way to a value, left and right pass other values, some of which would download
episodes.
"""

from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from player.model.podcast import Podcast, PodcastId
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.text.sentences import _, mark, translate
from tui.actions.table import ACTIONS, bindings
from tui.dialogs.dialog import OptionsDialog
from tui.drawing.cells import fit, steady, width
from tui.drawing.podcast_fields import Field, change_in_words, fields
from tui.framework.screen import MOST_LETTERS

if TYPE_CHECKING:
    from player.player import Player

_AROUND, _AROUND_LOW = 9, 5
"""The lines of the dialog around the list; fewer on a low screen, which has no gaps."""
_LOW, _FEWEST = 16, 3
_BACK, _ON = "pane_left", "pane_right"
_STEPS = bindings(action for action in ACTIONS if action.id in (_BACK, _ON))
"""The keys that go to the pane on the left or right change a value by a step here."""
_STARTS_TYPING = frozenset('0123456789.+-"')


class PodcastSettingsScreen(OptionsDialog[None]):
    """Left and right change a value by a step, `delete` restores the default. `enter` saves a changed value, and so
    does leaving the row or the dialog. On a saved value, `enter` opens the field for typing another one, and so does a
    digit."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *_STEPS,
        ("enter", "take", mark("type")),
        ("escape,q", "close", mark("close")),
        ("left", "step(-1)"),
        Binding("right", "step(1)", mark("step"), key_display="left right"),
        ("delete,backspace", "default", mark("reset")),
    ]

    DEFAULT_CSS = """
    PodcastSettingsScreen {
        & Input { display: none; }
        &.-typing Input { display: block; }
    }
    """

    def __init__(self, player: "Player", podcast_id: PodcastId) -> None:
        super().__init__(_("Settings of this podcast"))
        self._player = player
        self._podcast_id = podcast_id
        self._fields = tuple(fields(inbox=player.settings.inbox.enabled).values())
        self._settings = AS_ALL
        """The settings that are shown, including the unsaved change."""
        self._unsaved: Field | None = None
        self._is_read = False
        steps = {_BACK: lambda: self.action_step(-1), _ON: lambda: self.action_step(1)}
        self.runs = {**self.runs, **steps}
        self._input = Input(max_length=MOST_LETTERS, select_on_focus=False)

    def words(self, action: str, words: str) -> str:
        return _("save") if action == "take" and self._unsaved else words

    def contents(self) -> ComposeResult:
        yield self.list
        self.told.add_class("gap")
        yield self.told
        yield self._input

    def on_resize(self) -> None:
        """Keeps the explanation and the field in view: on a low screen, the list scrolls."""
        height = self.app.size.height
        self.list.styles.max_height = max(_FEWEST, height - (_AROUND_LOW if height < _LOW else _AROUND))

    def on_mount(self) -> None:
        library, podcast_id = self._player.library, self._podcast_id
        self.read(lambda: (library.podcasts.get(podcast_id), library.podcast_settings.get(podcast_id)), self._show)

    def _show(self, found: tuple[Podcast, PodcastSettings]) -> None:
        podcast, self._settings = found
        self._is_read = True
        self._heading = _("Settings for {podcast}", podcast=podcast.title)
        self.show_frame()
        self.list.add_options([self._option(field) for field in self._fields])
        self.list.highlighted = 0
        self.tell(_("Saved when you leave the row, for this podcast only."))

    # -- changing ---------------------------------------------------------------------------------------------

    @property
    def _field(self) -> Field | None:
        """The field of the option under the cursor."""
        return None if not self._is_read or self.list.highlighted is None else self._fields[self.list.highlighted]

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
        """Shows the typed value; if it isn't valid, shows why and returns False."""
        try:
            settings = field.typed(self._settings, text)
        except ValueError as error:
            self.tell(str(error), trouble=True)
            return False
        self._change(field, settings)
        return True

    def _change(self, field: Field, settings: PodcastSettings) -> None:
        """Shows a change that is to be saved later."""
        if self._unsaved is not field:
            self._save()
        self._settings, self._unsaved = settings, field
        at = self._fields.index(field)
        self.list.replace_option_prompt_at_index(at, self._words(field))
        self.tell(change_in_words(field, settings))
        self.show_frame()

    def _save(self) -> None:
        """Saves the unsaved change, if there is one. A failure is published as a Notice."""
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
        """Saves the change however the dialog is closed, also when the app ends."""
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
        self.tell(_("{setting}: enter sets it, esc cancels.", setting=translate(field.title)))

    def _end_typing(self) -> None:
        self.remove_class("-typing")
        self.list.focus()

    def action_take(self) -> None:
        field = self._field
        if field is not None and self._input.has_focus:
            if self._take(field, self._input.value.strip()):
                self._save()
                self.show_frame()
                self._end_typing()
        elif self._unsaved:
            self._save()
            self.show_frame()
        elif field is not None:
            self._type(field)

    # -- contents ---------------------------------------------------------------------------------------------

    def _option(self, field: Field) -> Option:
        return Option(self._words(field))

    def _words(self, field: Field) -> Content:
        title = fit(translate(field.title), 2 + max(width(translate(one.title)) for one in self._fields))
        role = "$text" if field.written(self._settings) else "$muted"
        return Content.assemble(title, Content.styled(steady(field.shown(self._settings)), role))

    def action_close(self) -> None:
        if self._typing:
            self._end_typing()
            self.tell("")
        else:
            self.dismiss(None)
