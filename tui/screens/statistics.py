"""The listener's statistics, a year at a time."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.binding import BindingType

from player.errors import EarmarkError
from player.model.episode import EpisodeId
from player.player import Player
from player.text.sentences import _
from tui.actions.action import Action, Focus
from tui.actions.table import bindings, key_for
from tui.bridge import NoticeArrived
from tui.controllers.about_pages import save_year, statistics
from tui.controllers.links import FindController
from tui.drawing.runs import Line
from tui.drawing.statistics import MOST_COLUMNS, StatisticsSheet
from tui.screens.page_screen import PageScreen, page_actions
from tui.widgets.cursor_page import MARGIN
from tui.widgets.pages import AboutPage

_LONG_S = 0.4
"""After this long, an empty page says what it is waiting for."""
_HERE = frozenset({"quit", "help", "statistics", "pane_left", "pane_right", "offline"})
_ACTIONS = page_actions(_HERE)


class StatisticsPage(AboutPage):
    """While the mouse is over a day of the calendar, shows how much was heard on that day in place of the scale."""

    def __init__(self) -> None:
        super().__init__(MOST_COLUMNS)
        self._day: date | None = None

    def line_of(self, row: int) -> Line:
        sheet = self.sheet
        if self._day is not None and isinstance(sheet, StatisticsSheet) and row == self.first_row + sheet.scale_row:
            return sheet.calendar.day_words(self._day) if sheet.calendar else ()
        return super().line_of(row)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        offset, sheet = event.get_content_offset(self), self.sheet
        day = None
        if offset is not None and isinstance(sheet, StatisticsSheet) and sheet.calendar is not None:
            row = self.scroll_offset.y + offset.y - self.first_row - sheet.calendar_row
            day = sheet.calendar.day_at(row, offset.x - MARGIN)
        self._point_at(day)

    def on_leave(self, _event: events.Leave) -> None:
        self._point_at(None)

    def _point_at(self, day: date | None) -> None:
        if day != self._day:
            self._day = day
            self.redraw()


class StatisticsScreen(PageScreen):
    """The keys for panes go to the previous and the next year; `enter` saves the year as Markdown."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(_ACTIONS)]

    page: StatisticsPage

    def __init__(
        self, player: Player, actions: Sequence[Action], today: date, choose: Callable[[EpisodeId], None]
    ) -> None:
        super().__init__(player, actions)
        self.choose = choose
        self._today = today
        self._year = today.year
        empty = _("Nothing heard yet. Press {play} on an episode: what you hear counts from then on.")
        keys = f"{key_for('pane_left', actions)} {key_for('pane_right', actions)}"
        self._words = empty.format(play=key_for("play", actions)), _("{keys} other years", keys=keys)
        self.page = StatisticsPage()
        self.finding = FindController(self, self.page)
        self.run_by(_ACTIONS, {"statistics": self.back, "pane_left": self.left, "pane_right": self.right})

    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        self.in_background(self._fill, "page")

    async def _fill(self) -> None:
        read = statistics(self.player, self._year, self._today, self._words)
        waiting = self.set_timer(_LONG_S, self._say_it_takes_time)
        try:
            self.page.fill(await asyncio.to_thread(read))
        except EarmarkError as error:
            self.page.say_instead(str(error))
        finally:
            waiting.stop()

    def _say_it_takes_time(self) -> None:
        if self.page.sheet is None:
            self.page.say_instead(_("Adding up what you heard…"))

    def moving(self) -> AboutPage:
        return self.page

    def follow(self, href: str) -> None:
        """Does nothing: the page has no links."""

    def show_hints(self) -> None:
        self.show_keys(Focus.ABOUT, None, _("save as Markdown"), podcast=False)

    @on(NoticeArrived)
    def _notice_arrived(self, event: NoticeArrived) -> None:
        self.show_notice(event.notice)

    def left(self) -> None:
        self._go(-1)

    def right(self) -> None:
        self._go(1)

    def _go(self, by: int) -> None:
        if self._year + by > self._today.year:
            self.say(_("That year is still to come"))
            return
        self._year += by
        self._show()

    def enter(self) -> None:
        from tui.dialogs.export import FilePurpose, FileScreen

        year = self._year
        purpose = FilePurpose(
            _("Save {year} as Markdown", year=year),
            _("A year in review, as a text file"),
            _("save"),
            partial(_save, year, self._today),
            start=f"~/earmark-{year}.md",
        )
        self.push(FileScreen(self.player, purpose))


def _save(year: int, today: date, player: Player, path: Path) -> str:
    save_year(player.library, year, today, path)
    return _("Saved {year} to {file}", year=year, file=path)
