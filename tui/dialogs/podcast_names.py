"""The tags of a podcast, in one line with commas between them, and a title of the listener's own for it."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.suggester import Suggester
from textual.widgets import Input, Static

from player.model.podcast import Podcast
from player.text.cleaning import LINE_LIMIT, clean_line, fold
from player.text.directions import without_marks
from player.text.names import completed, offered, tags_in
from player.text.sentences import _
from tui.dialogs.dialog import Dialog, field
from tui.drawing.cells import steady
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import glyphs_of
from tui.widgets.choices import Choice, Choices

_SHOWN, _SHOWN_LOW, _LOW = 5, 3, 16
"""Rows of tags; fewer of them on a screen of fewer rows than that."""


class TagsScreen(Dialog[tuple[str, ...]]):
    """Ends with the tags, or with None. `known` are those of all podcasts, in the order in which they are offered."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "close"),
        ("tab", "take"),
        ("down,ctrl+n", "move(1)"),
        ("up,ctrl+p", "move(-1)"),
    ]

    DEFAULT_CSS = """
    TagsScreen {
        & #rows { text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    def __init__(self, podcast: Podcast, known: Sequence[str]) -> None:
        super().__init__()
        self._heading = _("Tags of {podcast}", podcast=steady(podcast.title))
        self._known = known
        self._at = 0
        tags = "".join(f"{tag}, " for tag in podcast.tags)
        self._input = Input(
            without_marks(steady(tags)),
            placeholder=_("work, long walks"),
            id="tags",
            max_length=MOST_LETTERS,
            select_on_focus=False,
            suggester=_TagSuggester(known),
        )
        self._rows = Static("", id="rows", markup=False)

    def heading(self) -> str:
        return self._heading

    def choices(self) -> tuple[Choice, ...]:
        return Choice("save", "enter", _("save")), Choice("close", "esc", _("cancel")), Choice("take", "tab", _("add"))

    def contents(self) -> ComposeResult:
        yield field(_("Tags"), self._input)
        self._rows.add_class("gap")
        yield self._rows
        yield Static(_("Separate tags with commas."), classes="muted gap", markup=False)

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    @property
    def _offered(self) -> tuple[str, ...]:
        return offered(self._input.value, self._known)

    @on(Input.Changed)
    def _typed(self) -> None:
        self._at = 0
        self._draw()

    def _draw(self) -> None:
        found, glyphs = self._offered, glyphs_of(self.app)
        shown = _SHOWN if self.app.size.height >= _LOW else _SHOWN_LOW
        first = max(0, self._at - shown + 1)
        lines = Text()
        for row, tag in enumerate(found[first : first + shown], first):
            sign = glyphs.cursor if row == self._at else " "
            lines.append(f"{sign} {steady(tag)}\n", "bold" if row == self._at else "")
        lines.rstrip()
        self._rows.update(lines)
        self._rows.display = bool(found)

    def action_move(self, by: int) -> None:
        self._at = max(0, min(self._at + by, len(self._offered) - 1))
        self._draw()

    def action_take(self) -> None:
        """Completes the last tag to the one under the cursor."""
        if self._at < len(found := self._offered):
            self._input.value = completed(self._input.value, found[self._at])
            self._input.cursor_position = len(self._input.value)
        self._input.focus()

    @on(Input.Submitted)
    def _save(self) -> None:
        self.dismiss(tags_in(self._input.value))

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        match event.answer:
            case "save":
                self._save()
            case "take":
                self.action_take()
            case _:
                self.action_close()

    def action_close(self) -> None:
        self.dismiss(None)


class _TagSuggester(Suggester):
    """The rest of the tag stands muted after the cursor; `→` takes it."""

    def __init__(self, known: Sequence[str]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._known = known

    async def get_suggestion(self, value: str) -> str | None:
        typed = value.rpartition(",")[2].lstrip()
        first = next(iter(offered(value, self._known)), "")
        begins = bool(typed) and fold(first[: len(typed)]) == fold(typed)
        return value + first[len(typed) :] if begins else None


_SHOWN_CELLS = 80


class TitleScreen(Dialog[str]):
    """Ends with the title, which is "" for that of the feed, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close")]

    def __init__(self, podcast: Podcast) -> None:
        super().__init__()
        feed_title = steady(clean_line(podcast.feed_title or podcast.title, _SHOWN_CELLS))
        self._about = _("Its feed calls it “{title}”. Leave this empty to use that.", title=feed_title)
        self._input = Input(
            without_marks(steady(podcast.title)), placeholder=feed_title, id="title", max_length=LINE_LIMIT
        )

    def heading(self) -> str:
        return _("Rename the podcast")

    def choices(self) -> tuple[Choice, ...]:
        return Choice("save", "enter", _("rename")), Choice("close", "esc", _("cancel"))

    def contents(self) -> ComposeResult:
        yield field(_("Title"), self._input)
        yield Static(self._about, classes="muted gap", markup=False)

    @on(Input.Submitted)
    def _save(self) -> None:
        self.dismiss(self._input.value.strip())

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "save":
            self._save()
        else:
            self.action_close()

    def action_close(self) -> None:
        self.dismiss(None)
