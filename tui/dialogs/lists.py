"""Smart lists and playlists: their editor, choosing one, completing a search, and how many are downloaded."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.suggester import Suggester
from textual.widgets import Input, Static

from player.errors import EarmarkError
from player.library.search.completion import Names, choices, complete
from player.library.search.query import parse
from player.model.filters import SavedList
from player.model.podcast_settings import MOST_NEWEST
from player.text.cleaning import clean_line, fold
from player.text.sentences import _, plural
from tui.dialogs.dialog import Dialog, field
from tui.drawing.cells import cut, fit, steady, width
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import glyphs_of
from tui.widgets.choices import Choice, Choices

if TYPE_CHECKING:
    from player.player import Player


_SHOWN_CELLS = 60


class ListDownloads(Dialog[int]):
    """Ends with the number, 0 for none, or with None. `read` answers with the present one; it may raise EarmarkError
    and runs in a thread."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close")]

    def __init__(self, title: str, read: Callable[[], int]) -> None:
        super().__init__()
        self._heading = _("Download “{title}”", title=steady(clean_line(title, _SHOWN_CELLS)))
        self._read = read
        self._input = Input(placeholder="0", id="number", max_length=4, type="integer")
        self._notice = Static(_("How many of its first unplayed episodes. 0: none."), classes="muted", markup=False)

    def heading(self) -> str:
        return self._heading

    def choices(self) -> tuple[Choice, ...]:
        return Choice("save", "enter", _("save")), Choice("close", "esc", _("cancel"))

    def contents(self) -> ComposeResult:
        yield field(_("Episodes"), self._input)
        self._notice.add_class("gap")
        yield self._notice

    def on_mount(self) -> None:
        self._input.focus()
        self.run_worker(self._show_present, thread=True)

    def _show_present(self) -> None:
        try:
            most = self._read()
        except EarmarkError:
            return
        self.app.call_from_thread(self._fill, most)

    def _fill(self, most: int) -> None:
        if most and not self._input.value:
            self._input.value = str(most)
            self._input.cursor_position = len(self._input.value)

    @on(Input.Submitted)
    def _save(self) -> None:
        text = self._input.value.strip() or "0"
        if not (text.isascii() and text.isdigit() and int(text) <= MOST_NEWEST):
            self._notice.update(_("Type a number up to {most}.", most=MOST_NEWEST))
            self._notice.set_class(True, "-trouble")
            return
        self.dismiss(int(text))

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "save":
            self._save()
        else:
            self.action_close()

    def action_close(self) -> None:
        self.dismiss(None)


_SHOWN, _CELLS = 8, 54


class PlaylistChooser(Dialog[SavedList | str]):
    """Ends with a playlist, with the name of a new one, or with None. `taken` are names that smart lists have."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "close"),
        ("down,ctrl+n", "move(1)"),
        ("up,ctrl+p", "move(-1)"),
    ]

    def __init__(self, playlists: Sequence[SavedList], number: int, taken: set[str]) -> None:
        super().__init__()
        self._playlists = playlists
        self._heading = plural(number, "Add {n:,} episode to a playlist", "Add {n:,} episodes to a playlist")
        self._taken = taken
        self._at = 0
        self._told = _("Choose one, or type the name of a new one") if playlists else ""
        self._input = Input(max_length=80)
        self._rows = Static("", id="rows", markup=False)

    def heading(self) -> str:
        return self._heading

    def choices(self) -> tuple[Choice, ...]:
        return Choice("add", "enter", _("add")), Choice("close", "esc", _("cancel"))

    def contents(self) -> ComposeResult:
        yield field(_("Name"), self._input)
        if self._told:
            yield Static(self._told, classes="muted", markup=False)
        self._rows.add_class("gap")
        yield self._rows

    def on_mount(self) -> None:
        self._draw()

    @property
    def _offered(self) -> list[SavedList | str]:
        """The playlists whose names have what was typed, then a new one of that name."""
        typed = self._input.value.strip()
        found: list[SavedList | str] = [one for one in self._playlists if fold(typed) in fold(one.title)]
        if typed and not any(fold(one.title) == fold(typed) for one in self._playlists):
            found.append(typed)
        return found

    @on(Input.Changed)
    def _typed(self) -> None:
        self._at = 0
        self._draw()

    def _draw(self) -> None:
        offered, glyphs = self._offered, glyphs_of(self.app)
        first = max(0, self._at - _SHOWN + 1)
        lines = Text()
        for row, one in enumerate(offered[first : first + _SHOWN], first):
            sign = glyphs.cursor if row == self._at else " "
            if isinstance(one, SavedList):
                name = cut(one.title, _CELLS, glyphs.ellipsis)
            elif one.casefold() in self._taken:
                name = _("“{title}” is the name of a smart list", title=one)
            else:
                name = _("New playlist “{title}”", title=cut(one, _CELLS - 16, glyphs.ellipsis))
            lines.append(f"{sign} {steady(name)}\n", "bold" if row == self._at else "")
        lines.rstrip()
        self._rows.update(lines)

    @on(Input.Submitted)
    def _choose(self) -> None:
        offered = self._offered
        if self._at < len(offered):
            one = offered[self._at]
            if isinstance(one, SavedList) or one.casefold() not in self._taken:
                self.dismiss(one)

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "add":
            self._choose()
        else:
            self.action_close()

    def action_move(self, by: int) -> None:
        self._at = max(0, min(self._at + by, len(self._offered) - 1))
        self._draw()

    def action_close(self) -> None:
        self.dismiss(None)


class QuerySuggester(Suggester):
    """`names` are those of podcasts and tags, once they have been read."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.names = Names()

    async def get_suggestion(self, value: str) -> str | None:
        return complete(value, self.names)


_MOST_OFFERED = 6


class ListEditor(Dialog[tuple[str, str]]):
    """Ends with the name and the search ("" for a playlist), or None. `taken` are names that other lists have, folded;
    `query` None: it is a playlist, which has no search."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close"), ("tab,shift+tab,down,up", "other_field")]

    def __init__(
        self, player: "Player", heading: str, title: str = "", query: str | None = None, *, taken: set[str]
    ) -> None:
        super().__init__()
        self._player = player
        self._heading = heading
        self._taken = taken
        self._suggester = QuerySuggester()
        self._title_field = Input(title, id="name", max_length=80)
        self._query_field = None
        if query is not None:
            self._query_field = Input(
                query,
                placeholder="is:unplayed duration:<20m tag:work sort:oldest",
                id="query",
                max_length=MOST_LETTERS,
                select_on_focus=False,
                suggester=self._suggester,
            )
        self._notice = Static("", id="told", classes="muted", markup=False)

    def heading(self) -> str:
        return self._heading

    def choices(self) -> tuple[Choice, ...]:
        return Choice("save", "enter", _("save")), Choice("close", "esc", _("cancel"))

    def contents(self) -> ComposeResult:
        name, search = _("Name"), _("Search")
        cells = max(width(name), width(search))
        yield field(fit(name, cells), self._title_field)
        if self._query_field is not None:
            line = field(fit(search, cells), self._query_field)
            line.add_class("gap")
            yield line
        self._notice.add_class("gap")
        yield self._notice

    def on_mount(self) -> None:
        self._title_field.focus()
        if self._query_field is not None:
            self.run_worker(self._read_names, thread=True)

    def _read_names(self) -> None:
        """In a thread: what the search can be completed with; without that it can be typed all the same."""
        try:
            library = self._player.library
            self._suggester.names = Names.of(library.podcasts.all(), library.shelf.tags().values())
        except EarmarkError:
            return

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if event.input is self._query_field:
            problems = parse(event.value).problems
            offered = choices(event.value, self._suggester.names)[:_MOST_OFFERED]
            self._show_notice(" ".join(problems) or "  ".join(offered), trouble=bool(problems))
        else:
            self._show_notice("")

    @on(Input.Submitted)
    def _save(self) -> None:
        title = self._title_field.value.strip()
        query = "" if self._query_field is None else self._query_field.value.strip()
        if not title:
            self._title_field.focus()
            self._show_notice(_("Type a name for the list."))
        elif title.casefold() in self._taken:
            self._title_field.focus()
            self._show_notice(_("There is a list called “{title}” already.", title=title), trouble=True)
        elif self._query_field is not None and not query:
            self._query_field.focus()
            self._show_notice(_("Type what the list should find, such as is:unplayed duration:<20m."))
        elif problems := parse(f"{query} ").problems:
            self._show_notice(" ".join(problems), trouble=True)
        else:
            self.dismiss((title, query))

    def _show_notice(self, words: str, *, trouble: bool = False) -> None:
        self._notice.update(words)
        self._notice.set_class(trouble, "-trouble")

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "save":
            self._save()
        else:
            self.action_close()

    def action_other_field(self) -> None:
        if self._query_field is not None:
            (self._title_field if self.focused is self._query_field else self._query_field).focus()

    def action_close(self) -> None:
        self.dismiss(None)
