"""The dialogs for the tags of a podcast, in one line and separated by commas, and for the listener's own title for
it."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.suggester import Suggester
from textual.widgets import Input

from player.model.podcast import Podcast
from player.text.cleaning import LINE_LIMIT, clean_line, fold
from player.text.directions import without_marks
from player.text.sentences import _, mark
from player.text.typed_names import completed, offered, tags_in
from tui.dialogs.confirm import Ask
from tui.dialogs.dialog import field
from tui.dialogs.picker import Picker, TextRows
from tui.drawing.cells import steady
from tui.framework.screen import MOST_LETTERS

_SHOWN, _SHOWN_LOW, _LOW = 5, 3, 16
"""The number of rows of tags, and the smaller number on screens with fewer than `_LOW` rows."""


class TagsScreen(Picker[tuple[str, ...]]):
    """Answers with the tags, or with None. `known` are the tags of all podcasts, in the order in which they are
    offered."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", mark("save")),
        ("escape", "close", mark("cancel")),
        ("tab", "complete", mark("add")),
    ]

    DEFAULT_CSS = """
    TagsScreen {
        & #rows { text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    def __init__(self, podcast: Podcast, known: Sequence[str]) -> None:
        self.tags = TextRows(lambda: _SHOWN if self.app.size.height >= _LOW else _SHOWN_LOW)
        tags = "".join(f"{tag}, " for tag in podcast.tags)
        of = Input(
            without_marks(steady(tags)),
            placeholder=_("work, long walks"),
            id="tags",
            max_length=MOST_LETTERS,
            select_on_focus=False,
            suggester=_TagSuggester(known),
        )
        told = _("Separate tags with commas.")
        super().__init__(_("Tags of {podcast}", podcast=steady(podcast.title)), of, self.tags, told)
        self._known = known

    def contents(self) -> ComposeResult:
        yield field(_("Tags"), self.field)
        yield self.tags
        self.told.add_class("gap")
        yield self.told

    def on_resize(self) -> None:
        self._show(from_top=False)

    @property
    def _offered(self) -> tuple[str, ...]:
        return offered(self.field.value, self._known)

    @on(Input.Changed)
    def _changed(self) -> None:
        self._show()

    def _show(self, *, from_top: bool = True) -> None:
        self.tags.show(self._offered, from_top=from_top)
        self.tags.display = bool(self._offered)

    def action_complete(self) -> None:
        """Replaces the last typed tag with the one under the cursor."""
        if self.tags.at < len(found := self._offered):
            self.field.value = completed(self.field.value, found[self.tags.at])
            self.field.cursor_position = len(self.field.value)
        self.field.focus()

    def action_take(self) -> None:
        self.dismiss(tags_in(self.field.value))


class _TagSuggester(Suggester):
    """Suggests the rest of the tag after the cursor; `→` accepts it."""

    def __init__(self, known: Sequence[str]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._known = known

    async def get_suggestion(self, value: str) -> str | None:
        typed = value.rpartition(",")[2].lstrip()
        first = next(iter(offered(value, self._known)), "")
        begins = bool(typed) and fold(first[: len(typed)]) == fold(typed)
        return value + first[len(typed) :] if begins else None


_SHOWN_CELLS = 80


class TitleScreen(Ask):
    """Answers with the title ("" for the feed's title), or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("rename")), ("escape", "close", mark("cancel"))]

    def __init__(self, podcast: Podcast) -> None:
        title = steady(clean_line(podcast.feed_title or podcast.title, _SHOWN_CELLS))
        about = _("Its feed calls it “{title}”. Leave this empty to use that.", title=title)
        own = without_marks(steady(podcast.title))
        of = Input(own, placeholder=title, id="title", max_length=LINE_LIMIT)
        super().__init__(_("Rename the podcast"), _("Title"), of, about)
