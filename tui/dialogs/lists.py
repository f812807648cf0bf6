"""Dialogs for smart lists and playlists: the editor with completion of searches, choosing a playlist, and how many
episodes are downloaded."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.suggester import Suggester
from textual.widgets import Input, Static

from player.library.search.query import Names, choices, complete, filters_named, parse
from player.model.filters import SavedList
from player.model.podcast_settings import MOST_NEWEST
from player.text.cleaning import clean_line, fold
from player.text.sentences import _, mark, plural, translate
from tui.actions.table import key_label
from tui.dialogs.confirm import Ask
from tui.dialogs.dialog import Dialog, field, fields
from tui.dialogs.picker import Picker, TextRows
from tui.drawing.cells import cut, steady
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import glyphs_of

if TYPE_CHECKING:
    from player.library import Library
    from player.player import Player


_SHOWN_CELLS = 60


class ListDownloads(Ask):
    """Answers with the digits of a number, "0" for none, or with None. `read` returns the current number; it runs in a
    thread and may raise EarmarkError."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("save")), ("escape", "close", mark("cancel"))]

    def __init__(self, title: str, read: Callable[[], int]) -> None:
        of = Input(placeholder="0", id="number", max_length=4, type="integer")
        about = _("How many of its first unplayed episodes. 0: none.")
        heading = _("Download “{title}”", title=steady(clean_line(title, _SHOWN_CELLS)))
        super().__init__(heading, _("Episodes"), of, about)
        self._present = read

    def on_mount(self) -> None:
        self.read(self._present, self._fill, lambda _error: None)

    def _fill(self, most: int) -> None:
        if most and not self.field.value:
            self.field.value = str(most)
            self.field.cursor_position = len(self.field.value)

    def action_take(self) -> None:
        text = self.field.value.strip() or "0"
        if text.isascii() and text.isdigit() and int(text) <= MOST_NEWEST:
            self.dismiss(text)
        else:
            self.tell(_("Type a number up to {most}.", most=MOST_NEWEST), trouble=True)


_MOST_SHOWN, _CELLS = 8, 54


class PlaylistChooser(Picker[SavedList | str]):
    """Answers with a playlist, with the name of a new one, or with None. `taken` are the case-folded names of smart
    lists."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("add")), ("escape", "close", mark("cancel"))]

    def __init__(self, playlists: Sequence[SavedList], number: int, taken: set[str]) -> None:
        heading = plural(number, "Add {n:,} episode to a playlist", "Add {n:,} episodes to a playlist")
        self.names = TextRows(lambda: _MOST_SHOWN)
        told = _("Choose one, or type the name of a new one") if playlists else ""
        super().__init__(heading, Input(max_length=80), self.names, told)
        self._playlists = playlists
        self._taken = taken

    def contents(self) -> ComposeResult:
        yield field(_("Name"), self.field)
        if self._playlists:
            yield self.told
        yield self.names

    @property
    def _offered(self) -> list[SavedList | str]:
        """The playlists whose names contain the typed text, then a new one of that name."""
        found: list[SavedList | str] = [one for one in self._playlists if fold(self.typed) in fold(one.title)]
        if self.typed and not any(fold(one.title) == fold(self.typed) for one in self._playlists):
            found.append(self.typed)
        return found

    def on_mount(self) -> None:
        self._show()

    @on(Input.Changed)
    def _show(self) -> None:
        self.names.show([self._offer(one) for one in self._offered])

    def _offer(self, one: SavedList | str) -> str:
        ellipsis = glyphs_of(self.app).ellipsis
        if isinstance(one, SavedList):
            return cut(one.title, _CELLS, ellipsis)
        if one.casefold() in self._taken:
            return _("“{title}” is the name of a smart list", title=one)
        return _("New playlist “{title}”", title=cut(one, _CELLS - 16, ellipsis))

    def action_take(self) -> None:
        if self.names.at < len(offered := self._offered):
            one = offered[self.names.at]
            if isinstance(one, SavedList) or one.casefold() not in self._taken:
                self.dismiss(one)


_MOST_SPEAKERS = 1_000
"""The most speakers whose names are completed."""
QUERY_HELP = mark(
    '"two words"  begin*  -without  title:word  said:word  speaker:name  podcast:name  tag:work  is:unplayed  '
    "duration:<20m  longer:30m  shorter:1h  age:<7d  after:2026-03  before:2026  sort:oldest  limit:50"
)
"""The words that a search understands, but for those that say what others say shorter."""


class QuerySuggester(Suggester):
    """Completes searches. `names` are the names of podcasts, tags and speakers, once they have been read; everything
    else is completed without them."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.names = Names()

    def read_names(self, library: "Library") -> None:
        """Reads the library. Blocks. Raises LibraryError."""
        speakers = library.search.speakers(_MOST_SPEAKERS)
        self.names = Names.of(library.podcasts.all(), library.shelf.tags().values(), speakers)

    async def get_suggestion(self, value: str) -> str | None:
        return complete(value, self.names)


_MOST_OFFERED = 6


class ListEditor(Dialog[tuple[str, str]]):
    """Answers with the name and the search ("" for a playlist), or with None. `taken` are the case-folded names of
    other lists. `query` is None for a playlist, which has no search.

    Below the search are the number of episodes that it finds now, or the filters that may complete it, and the words
    that it understands."""

    DEFAULT_CSS = """
    ListEditor.-low #syntax { display: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", mark("save")),
        ("escape", "close", mark("cancel")),
        ("tab,shift+tab,down,up", "other_field"),
    ]

    def __init__(
        self, player: "Player", heading: str, title: str = "", query: str | None = None, *, taken: set[str]
    ) -> None:
        super().__init__(heading)
        self._player = player
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

    def contents(self) -> ComposeResult:
        labelled = [(_("Name"), self._title_field)]
        if self._query_field is not None:
            labelled.append((_("Search"), self._query_field))
        yield from fields(*labelled)
        self.told.add_class("gap")
        yield self.told
        if self._query_field is not None:
            yield Static(translate(QUERY_HELP), id="syntax", classes="muted gap", markup=False)

    def on_mount(self) -> None:
        if self._query_field is not None:
            read = partial(self._suggester.read_names, self._player.library)
            self.read(read, lambda _read: None, lambda _error: None)
            self._typed()

    @on(Input.Changed)
    def _typed(self) -> None:
        self._show_query(self._query)

    def _show_query(self, query: str) -> None:
        if problems := parse(query).problems:
            self.tell(" ".join(problems), trouble=True)
        elif offered := choices(query, self._suggester.names) or filters_named(query):
            words = {"key": key_label("right", glyphs_of(self.app)), "offered": "  ".join(offered[:_MOST_OFFERED])}
            self.tell(_("{key} completes: {offered}", **words))
        elif query.strip():
            self.read(partial(self._count, query), self._show_count, lambda _error: None, group="count")
        else:
            self.tell("")

    def _count(self, query: str) -> tuple[str, int, bool]:
        """Called in a thread."""
        return query, *self._player.library.size_of(query.strip(), lambda: self._query != query)

    def _show_count(self, counted: tuple[str, int, bool]) -> None:
        query, number, more = counted
        if query != self._query:
            return
        words = (
            _("{n:,}+ episodes now", n=number) if more else plural(number, "{n:,} episode now", "{n:,} episodes now")
        )
        self.tell(words)

    @property
    def _query(self) -> str:
        return "" if self._query_field is None else self._query_field.value

    def action_take(self) -> None:
        title = self._title_field.value.strip()
        query = self._query.strip()
        if not title:
            self._title_field.focus()
            self.tell(_("Type a name for the list."))
        elif title.casefold() in self._taken:
            self._title_field.focus()
            self.tell(_("There is a list called “{title}” already.", title=title), trouble=True)
        elif self._query_field is not None and not query:
            self._query_field.focus()
            self.tell(_("Type what the list should find, such as is:unplayed duration:<20m."))
        elif problems := parse(f"{query} ").problems:
            self.tell(" ".join(problems), trouble=True)
        else:
            self.dismiss((title, query))

    def action_other_field(self) -> None:
        if self._query_field is not None:
            (self._title_field if self.focused is self._query_field else self._query_field).focus()
