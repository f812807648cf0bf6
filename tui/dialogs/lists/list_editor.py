"""A list's name, and the search that makes it."""

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from player.errors import EarmarkError
from player.library.search.completion import Names, choices
from player.library.search.query import parse
from player.text.sentences import _
from tui.dialogs.dialog import Dialog, field
from tui.dialogs.lists.query_suggester import QuerySuggester
from tui.drawing.cells import fit, width
from tui.framework.input_limits import MOST_LETTERS
from tui.widgets.choices import Choice, Choices

if TYPE_CHECKING:
    from player.player import Player

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
