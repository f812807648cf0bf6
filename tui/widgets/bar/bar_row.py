"""The player bar, and on a wide screen the cover of what is playing before it."""

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal

from player.artwork.cover_art import CoverArt
from tui.pictures.covers import covers_of
from tui.terminal.pictures import CoverMode
from tui.widgets.cover import SMALL_COLUMNS, SMALL_ROWS, Cover
from tui.widgets.player_bar import LOW_TERMINAL, PlayerBar

_LEAST_COLUMNS = 120
_MARGIN = 2


class BarRow(Horizontal):
    """`show_cover` while something is loaded; the bar has the whole width otherwise."""

    DEFAULT_CSS = """
    BarRow {
        height: auto;
        background: $panel;
        & > Cover { display: none; margin-left: 2; }
        & > PlayerBar { width: 1fr; }
    }
    """

    def __init__(self, bar: PlayerBar) -> None:
        super().__init__()
        self._bar = bar
        self.cover = Cover(SMALL_COLUMNS, SMALL_ROWS)
        self._art: CoverArt | None = None

    def compose(self) -> ComposeResult:
        yield self.cover
        yield self._bar

    def show_cover(self, art: CoverArt | None) -> None:
        self._art = art
        if self.is_mounted:
            self._fit()

    def on_mount(self) -> None:
        self._fit()

    def on_resize(self, _event: events.Resize) -> None:
        self._fit()

    def _fit(self) -> None:
        width, height = self.app.size
        pictured = covers_of(self.app).mode not in (CoverMode.OFF, CoverMode.PLAIN)
        self.cover.display = pictured and self._art is not None and width >= _LEAST_COLUMNS and height >= LOW_TERMINAL
        self.cover.styles.margin = (max(0, self.size.height - SMALL_ROWS) // 2, 0, 0, _MARGIN)
        self.cover.show(self._art)
