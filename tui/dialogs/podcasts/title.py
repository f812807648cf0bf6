"""A title of the listener's own for a podcast."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from player.model.podcast import Podcast
from player.text.cleaning import LINE_LIMIT, clean_line
from player.text.directions import without_marks
from player.text.sentences import _
from tui.dialogs.dialog import Dialog, field
from tui.drawing.cells import steady
from tui.widgets.choices import Choice, Choices

_SHOWN = 80


class TitleScreen(Dialog[str]):
    """Ends with the title, which is "" for that of the feed, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close")]

    def __init__(self, podcast: Podcast) -> None:
        super().__init__()
        feed_title = steady(clean_line(podcast.feed_title or podcast.title, _SHOWN))
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
