"""Pages of settings: groups of fields that are changed in place, and found by words. A change is saved, and applied,
when the cursor leaves its row.

Until then it is only shown: on the way to a value, left and right pass other values, some of which would download
episodes.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from player.configuration.catalogue import value_of, with_value
from player.errors import EarmarkError
from player.events import SettingsChanged
from player.settings import Settings
from player.settings_file import Problem, read_settings, sentence
from player.text.sentences import _, mark, plural, translate
from tui.actions.table import ACTIONS, bindings
from tui.config_file import CHOICES, CHOSEN, applied, mistake_in, problems_of, remembered_as
from tui.dialogs.dialog import OptionsDialog
from tui.drawing.cells import fit, steady, width
from tui.drawing.fields import Field, Group, S, change_in_words
from tui.drawing.general_fields import general_groups, words_of
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import UNICODE, glyphs_of

if TYPE_CHECKING:
    from player.player import Player

_AROUND, _AROUND_LOW = 5, 2
"""The lines of the dialog around the list and the explanation; fewer on a low screen, which has no gaps."""
_COLUMNS, _LOW, _FEWEST, _MOST = 76, 16, 3, 30
_TOLD, _TOLD_LOW = 3, 2
"""The lines that the explanation has at least, so that the list seldom changes its height."""
_BESIDES = 10
"""The cells of a row besides its title and value: frame, padding, cursor, mark and scrollbar."""
_MOST_PROBLEMS = 2
_BACK, _ON, _SEARCH = "pane_left", "pane_right", "filter"
_KEYS = bindings(action for action in ACTIONS if action.id in (_BACK, _ON, _SEARCH))
"""The keys that go to the pane on the left or right change a value by a step here; those that filter search."""
_STARTS_TYPING = frozenset('0123456789.+-"')


class Row(NamedTuple, Generic[S]):
    """The title of a group, or one of its fields."""

    group: Group[S]
    field: Field[S] | None = None


class SettingsPage(OptionsDialog[None], Generic[S]):
    """Left and right change a value by a step, `delete` restores the default. `enter` saves a changed value, and so
    does leaving the row or the dialog. On a saved value, `enter` opens the field for typing another one, and so does a
    digit; on the title of a group, `enter` folds or unfolds it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *_KEYS,
        ("enter", "take", mark("type")),
        ("escape,q", "close", mark("close")),
        Binding("slash", "search", mark("search"), key_display="/"),
        ("left", "step(-1)"),
        Binding("right", "step(1)", mark("step"), key_display="left right"),
        ("delete,backspace", "default", mark("reset")),
    ]

    DEFAULT_CSS = """
    SettingsPage {
        & #dialog { width: 76; overflow-y: hidden; }
        & Input { display: none; }
        &.-typing Input { display: block; }
    }
    """

    def __init__(self, player: "Player", heading: str, hint: str = "") -> None:
        """`hint` is shown with fields that have no description."""
        super().__init__(heading)
        self.hint = hint
        self._player = player
        self._groups: Sequence[Group[S]] = ()
        self._rows: list[Row[S]] = []
        self._at: Row[S] | None = None
        """The row under the cursor."""
        self._unfolded: dict[str, bool] = {}
        self._title_cells = self._height = 0
        self._words = ""
        """What is searched for; "" for all."""
        self._searching = False
        self._settings: S
        """The settings that are shown, including the unsaved change; `_saved` are without it."""
        self._saved: S
        self._unsaved: Field[S] | None = None
        self._wrong: Mapping[str, str] = {}
        """What is wrong with settings, by their names."""
        steps = {_BACK: lambda: self.action_step(-1), _ON: lambda: self.action_step(1), _SEARCH: self.action_search}
        self.runs = {**self.runs, **steps}
        self._input = Input(max_length=MOST_LETTERS, select_on_focus=False)

    def store(self, field: Field[S], settings: S) -> Future[Any]:
        """Saves the field as it is in the settings. A failure is published as a Notice, too."""
        raise NotImplementedError

    def show(
        self, groups: Sequence[Group[S]], settings: S, wrong: Mapping[str, str] | None = None, at: str = ""
    ) -> None:
        """Shows the settings, with the cursor on the field with the name `at`, or else on the first."""
        self._groups, self._wrong = groups, wrong or {}
        self._settings = self._saved = settings
        self._unfolded = {group.title: not group.folded for group in groups}
        self.show_frame()
        rows = [Row(group, field) for group in groups for field in group.fields]
        row = next((one for one in rows if one.field is not None and one.field.name == at), rows[0])
        self._unfolded[row.group.title] = True
        self._fill(row)

    # -- the frame --------------------------------------------------------------------------------------------

    def heading(self) -> str | Content:
        return f"{self._heading}: {self._words}" if self._words else self._heading

    def words(self, action: str, words: str) -> str:
        if self._typing:
            search = {"take": _("go on"), "close": _("end the search")}
            return (search if self._searching else {"take": _("set"), "close": _("cancel")}).get(action, "")
        if action != "take" or self._at is None:
            return words
        if (field := self._at.field) is None:
            return _("fold") if self._is_unfolded(self._at.group) else _("unfold")
        return _("save") if self._unsaved else _("change") if field.is_choice else words

    def contents(self) -> ComposeResult:
        yield self.list
        self.told.add_class("gap")
        yield self.told
        yield self._input

    def on_resize(self) -> None:
        self._fill(self._at)

    def _explain(self) -> None:
        """Says what is under the cursor, in full, and keeps that in view: the list scrolls."""
        if (row := self._at) is None:
            self.tell(_("Nothing found. esc shows all settings.") if self._words else "")
            return
        if (field := row.field) is None:
            self.tell(f"{translate(row.group.title)}\n{translate(row.group.words)}")
        else:
            wrong = self._wrong.get(field.name, "")
            words = self._in_glyphs(change_in_words(field, self._settings))
            self.tell(f"{words}\n{wrong or field.about or self.hint}", trouble=bool(wrong))

    def tell(self, words: str, *, trouble: bool = False) -> None:
        height, columns = self.app.size.height, min(_COLUMNS, self.app.size.width) - 6
        low = height < _LOW
        lines = sum(len(wrap(line, max(columns, 1))) for line in words.split("\n"))
        told = max(_TOLD_LOW if low else _TOLD, lines)
        room = height - (_AROUND_LOW if low else _AROUND) - self._typing
        self.told.styles.min_height, self.told.styles.max_height = told, max(1, room - _FEWEST)
        self.list.styles.height = self.list.styles.max_height = max(_FEWEST, min(_MOST, self._height, room - told))
        super().tell(words, trouble=trouble)
        self.call_after_refresh(self.list.scroll_to_highlight)

    # -- the list ---------------------------------------------------------------------------------------------

    def _fill(self, at: Row[S] | None) -> None:
        """Lists what is found, or unfolded, with the cursor on the row `at`, or else on the first field, or the first
        that has the words in its name."""
        if not self._groups:
            return
        self._rows = []
        for group in self._groups:
            found = group.found(self._words)
            if not self._words and not self._unfolded[group.title]:
                found = [one for one in found if one.differs(self._saved) or one.name in self._wrong]
            if found or not self._words:
                self._rows += [Row(group), *(Row(group, field) for field in found)]
        if not self._words:  # a search leaves the height as it is
            self._height = len(self._rows)
        longest = max((width(translate(one.field.title)) for one in self._rows if one.field is not None), default=0)
        self._title_cells = min(longest, (min(_COLUMNS, self.app.size.width) - _BESIDES) * 6 // 10)
        self.list.clear_options()
        self.list.add_options([Option(self._drawn(row)) for row in self._rows])
        here = [number for number, row in enumerate(self._rows) if _is_same(row, at)]
        named = [number for number, row in enumerate(self._rows) if row.field and row.field.has(self._words)]
        self.list.highlighted = next(iter((*here, *named)), 1 if self._rows else None)
        self._arrive()

    def _drawn(self, row: Row[S]) -> Content:
        glyphs = glyphs_of(self.app)
        if row.field is None:
            title = translate(row.group.title)
            unfolded = bool(self._words) or self._unfolded[row.group.title]
            sign = glyphs.unfolded if unfolded else glyphs.folded
            changed = sum(one.differs(self._saved) for one in row.group.fields)
            count = plural(changed, "{n} changed. ", "{n} changed. ") if changed and not unfolded else ""
            about = Content.styled(f"  {count}{translate(row.group.words)}", "$muted")
            return Content.assemble(Content.styled(f"{sign} {title}", "bold $accent"), about)
        differs = row.field.differs(self._settings)
        sign = glyphs.failed if row.field.name in self._wrong else glyphs.bullet if differs else " "
        title = fit(translate(row.field.title), self._title_cells, ellipsis=glyphs.ellipsis)
        value = self._in_glyphs(row.field.shown(self._settings))
        return Content.assemble(f"{sign} {title}  ", Content.styled(value, "$text" if differs else "$muted"))

    def _in_glyphs(self, words: str) -> str:
        glyphs = glyphs_of(self.app)
        return steady(words).replace(UNICODE.times, glyphs.times).replace(UNICODE.dash, glyphs.dash)

    @on(OptionList.OptionHighlighted)
    def _moved(self) -> None:
        at = self.list.highlighted
        if at is not None and not _is_same(self._rows[at], self._at):
            self._arrive()

    def _arrive(self) -> None:
        at = self.list.highlighted
        self._at = None if at is None else self._rows[at]
        if self._at is None or self._unsaved is not self._at.field:
            self._save()
        self._explain()
        self.show_frame()

    # -- changing ---------------------------------------------------------------------------------------------

    def action_step(self, by: int) -> None:
        if (row := self._at) is None:
            return
        if (field := row.field) is None:
            self._fold(row, unfolded=by > 0)
        elif field.stepped is None:
            self._type(field)
        else:
            self._change(field, field.stepped(self._settings, by))

    def action_default(self) -> None:
        if self._at is not None and (field := self._at.field) is not None:
            self._take(field, field.default)

    def _is_unfolded(self, group: Group[S]) -> bool:
        return self._unfolded[group.title] and not self._words

    def _fold(self, row: Row[S], *, unfolded: bool) -> None:
        """Ends a search. What is unfolded is shown from its title on."""
        self._words = ""
        self._unfolded[row.group.title] = unfolded
        self._fill(row)
        if unfolded:
            self.call_after_refresh(self.list.scroll_to, y=self.list.highlighted, animate=False)

    def _take(self, field: Field[S], text: str) -> bool:
        """Shows the typed value; if it isn't valid, shows why and returns False."""
        try:
            settings = field.typed(self._settings, text)
        except (ValueError, EarmarkError) as error:
            self.tell(str(error), trouble=True)
            return False
        self._change(field, settings)
        return True

    def _change(self, field: Field[S], settings: S) -> None:
        """Shows a change that is to be saved later."""
        self._settings, self._unsaved = settings, field
        self._redraw(field)
        self._explain()
        self.show_frame()

    def _redraw(self, field: Field[S]) -> None:
        for at, row in enumerate(self._rows):
            if row.field is field:
                self.list.replace_option_prompt_at_index(at, self._drawn(row))

    def _save(self) -> None:
        """Saves the unsaved change, if there is one."""
        field, self._unsaved = self._unsaved, None
        if field is None:
            return
        before, self._saved = self._saved, self._settings
        storing = self.store(field, self._settings)
        storing.add_done_callback(partial(self.call_later, self._stored, field, before))

    def _stored(self, field: Field[S], before: S, storing: Future[Any]) -> None:
        """If the field wasn't saved, it is shown again as it is, and why."""
        error = storing.exception()
        if not isinstance(error, Exception):
            self._wrong = {name: what for name, what in self._wrong.items() if name != field.name}
            return
        self._saved = field.typed(self._saved, field.written(before))
        if self._unsaved is not field:
            self._settings = field.typed(self._settings, field.written(before))
            self._redraw(field)
        self.failed(error)

    def on_unmount(self) -> None:
        """Saves the change however the dialog is closed, also when the app ends."""
        self._save()

    # -- typing -----------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """A character that can begin a value is typed into the field; in a search, the arrows move in the list."""
        field = self._at.field if self._at else None
        if self._typing and self._searching and event.key in ("up", "down"):
            event.stop()
            self.list.move_by(1 if event.key == "down" else -1)
        elif field and not field.is_choice and not self._typing and event.character in _STARTS_TYPING:
            event.stop()
            self._type(field, event.character)

    @property
    def _typing(self) -> bool:
        return self.has_class("-typing")

    def action_search(self) -> None:
        self._save()
        self._searching = True
        self._open(self._words, _("Search names and descriptions"))
        self._input.action_select_all()

    @on(Input.Changed)
    def _typed(self) -> None:
        if self._searching and self._input.value.strip() != self._words:
            self._words = self._input.value.strip()
            self._fill(None)

    def _type(self, field: Field[S], text: str | None = None) -> None:
        self._searching = False
        self._open(field.written(self._settings) if text is None else text, translate(field.title))
        self._input.password = field.is_secret
        self._explain()

    def _open(self, text: str, placeholder: str) -> None:
        self.add_class("-typing")
        self._input.password = False
        self._input.value, self._input.placeholder = text, placeholder
        self._input.focus()
        self._input.cursor_position = len(text)

    def _end_typing(self) -> None:
        self.remove_class("-typing")
        self._searching = False
        self.list.focus()
        self._explain()

    def action_take(self) -> None:
        field = self._at.field if self._at else None
        if self._typing:
            if self._searching:
                self._end_typing()
            elif field is not None and self._take(field, self._input.value.strip()):
                self._save()
                self._end_typing()
        elif self._unsaved:
            self._save()
        elif field is None:
            if self._at is not None:
                self._fold(self._at, unfolded=not self._is_unfolded(self._at.group))
        elif field.is_choice:
            self.action_step(1)
        else:
            self._type(field)
        self.show_frame()

    def action_close(self) -> None:
        if self._words and (self._searching or not self._typing):
            self._words = ""
            self._end_typing()
            self._fill(self._at)
        elif self._typing:
            self._end_typing()
        else:
            self.dismiss(None)


def _is_same(row: Row[S], other: Row[S] | None) -> bool:
    return other is not None and row.group is other.group and row.field is other.field


class SettingsScreen(SettingsPage[Settings]):
    """The settings of config.toml. The cursor begins on the one with the name `at`."""

    def __init__(self, player: "Player", at: str = "") -> None:
        super().__init__(player, _("Settings"))
        self._begins_at = at

    def on_mount(self) -> None:
        self.read(self._found, self._show)

    def _found(self) -> tuple[Sequence[Group[Settings]], Settings, Sequence[Problem]]:
        from tui.look.built_in import BUILT_IN
        from tui.look.own_themes import own_themes

        paths = self._player.paths
        # What was chosen a moment ago may not be in the library yet.
        just_now = {key: self._player.remembered(key) for key in CHOICES.values()}
        remembered = {**self._player.library.state.all(), **just_now}
        settings = read_settings(paths.settings, self._player.settings).settings
        for name in CHOSEN:
            value = applied(remembered, name, value_of(settings, name), settings)
            settings = with_value(settings, name, value)
        return general_groups((*BUILT_IN, *own_themes(paths.themes).themes)), settings, problems_of(paths)

    def _show(self, found: tuple[Sequence[Group[Settings]], Settings, Sequence[Problem]]) -> None:
        groups, settings, problems = found
        path = Path(self._player.paths.settings.name)  # whole, it would leave no room for what is wrong
        self.show(groups, settings, {one.name: sentence(path, one) for one in problems}, self._begins_at)
        if problems:
            self.tell("\n".join(sentence(path, one) for one in problems[:_MOST_PROBLEMS]), trouble=True)

    def store(self, field: Field[Settings], settings: Settings) -> Future[Any]:
        player, name, value = self._player, field.name, value_of(settings, field.name)
        words = words_of(value) if field.differs(settings) else None

        def forget_choice(stored: Future[Any]) -> None:
            """What was chosen in the app instead counts no more."""
            if stored.exception() is None:
                player.remember(remembered_as(name), "")
                if value == value_of(player.settings, name):
                    player.bus.publish(SettingsChanged((name,)))

        storing = player.change_setting(name, words, partial(mistake_in, player.paths, name))
        if name in CHOSEN:
            storing.add_done_callback(forget_choice)
        return storing
