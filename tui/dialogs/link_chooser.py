"""The links of an episode: a number selects one, `/` filters, `enter` opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from player.notes.episode_links import Links, TimeLink
from player.text.sentences import _, mark, translate
from tui.actions.action import Action
from tui.actions.keys import MovingKeys
from tui.actions.table import ACTIONS, CURSOR_MOVES, bindings, key_label
from tui.dialogs.dialog import Dialog
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import glyphs_of
from tui.terminal.browser import open_link
from tui.terminal.clipboard import copy_link, copy_links
from tui.widgets.choices import Choice
from tui.widgets.link_list import LinkList
from tui.widgets.virtual_list import VirtualList

_SHARED = frozenset({"filter", "back", "quit", "play", "links", "copy_link", "copy_links"})
"""The actions that, like the moving ones, have the same keys and effects here as everywhere."""
_HINTS = (
    ("play", mark("open")), ("back", mark("close")), ("copy_link", mark("copy")), ("filter", mark("filter")),
    ("links", mark("open, stay")), ("copy_links", mark("copy all")),
)  # fmt: skip
"""The keys in the bottom border, the most important first."""
_FILTER_HINTS = (("play", mark("open")), ("back", mark("clear filter")))


class LinksScreen(Dialog[int]):
    """Answers with the time of the chosen link, in ms. Pages are opened and copied from here; `say` reports opening one
    after the dialog has closed.

    `links` may be a function that finds the links, which is called in a thread.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(CURSOR_MOVES),
        *bindings(action for action in ACTIONS if action.id in _SHARED),
    ]

    DEFAULT_CSS = """
    LinksScreen {
        & #dialog { width: 84; padding: 1 0 1 1; overflow: hidden; }
        & LinkList { height: auto; max-height: 70vh; }
        & #asked { height: 1; display: none; padding: 0 1; margin-bottom: 1; }
        & #sign { width: 2; color: $muted; text-style: bold; }
        & Input { width: 1fr; }
        &.-filtering #asked { display: block; }
        &.-low #dialog { padding: 0; }
        &.-low LinkList { max-height: 75vh; }
        &.-low #asked { margin: 0; }
    }
    """

    def __init__(self, links: Links | Callable[[], Links], say: Callable[[str], None]) -> None:
        super().__init__(_("Links"))
        self._find = links if callable(links) else None
        self._links = Links() if callable(links) else links
        self._say = say
        self._list = LinkList(self._links, id="links")
        self._input = Input(placeholder=_("Filter by title or URL"), id="filter", max_length=MOST_LETTERS)
        self._digits = ""
        self._waits = False
        """Whether `enter` was pressed before the links were found."""
        self._labels: dict[str, str] = {}
        self.runs = {
            **self.runs,
            **MovingKeys(lambda: self._list).runs,
            "play": self.action_take,
            "links": self._open_and_stay,
            "copy_link": self._copy,
            "copy_links": self._copy_all,
            "filter": self._open_filter,
            "back": self._back,
            "quit": self.action_close,
        }

    def choices(self) -> list[Choice]:
        hints = _FILTER_HINTS if self._filtering else _HINTS
        labels = self._labels
        return [Choice(f"act({one!r})", labels[one], translate(words)) for one, words in hints if labels.get(one)]

    def contents(self) -> ComposeResult:
        with Horizontal(id="asked"):
            yield Static("/", id="sign")
            yield self._input
        yield self._list

    def on_mount(self) -> None:
        actions: Sequence[Action] = getattr(self.app, "actions", ACTIONS)
        glyphs = glyphs_of(self.app)
        self._labels = {action.id: key_label(action.keys[0], glyphs) for action in actions if action.keys}
        self.show_frame()
        self._list.focus()
        if self._find is not None:
            self.read(self._find, self._found)

    def _found(self, links: Links) -> None:
        self._links, self._find = links, None
        self._show()
        for digit in self._digits:
            self._list.type_digit(digit)
        if self._waits:
            self.action_take()

    def _show(self) -> None:
        self._list.show(self._links, self._input.value if self._filtering else "")

    # -- keys -------------------------------------------------------------------------------------------------

    @property
    def _filtering(self) -> bool:
        return self.has_class("-filtering")

    def _show_keys(self, news: str = "") -> None:
        """Shows the keys, or the `news` in their place."""
        if news:
            self.frame.say(news)
        else:
            self.show_frame()

    def on_key(self, event: events.Key) -> None:
        if event.character and event.character in "0123456789" and not self._filtering:
            event.stop()
            self._digits += event.character
            self._list.type_digit(event.character)

    def action_take(self) -> None:
        """Closes the dialog and opens the page, or answers with the time. Waits for links that are still being
        found."""
        self._waits = self._find is not None
        chosen = self._list.chosen
        if isinstance(chosen, TimeLink):
            self.dismiss(chosen.ms)
        elif chosen is not None:
            self.dismiss(None)
            open_link(self.app, chosen.address, self._say)

    def _open_and_stay(self) -> None:
        """Opens the page without closing the dialog."""
        chosen = self._list.chosen
        if isinstance(chosen, TimeLink):
            self.action_take()
        elif chosen is not None:
            open_link(self.app, chosen.address, self._show_keys)

    def _copy(self) -> None:
        chosen = self._list.chosen
        if isinstance(chosen, TimeLink):
            self._show_keys(_("A timestamp has no link to copy"))
        else:
            self._show_keys(copy_link(self.app, chosen.address if chosen else ""))

    def _copy_all(self) -> None:
        self._show_keys(copy_links(self.app, self._links))

    def _open_filter(self) -> None:
        self.add_class("-filtering")
        self._input.focus()
        self._show_keys()

    @on(Input.Changed)
    def _filter(self) -> None:
        self._show()

    def _back(self) -> None:
        if not self._filtering:
            self.dismiss(None)
            return
        self.remove_class("-filtering")
        self._input.value = ""
        self._list.focus()
        self._show()
        self._show_keys()

    @on(VirtualList.Moved)
    def _moved(self, event: VirtualList.Moved) -> None:
        event.stop()
        self._show_keys()
