"""An episode's page over the whole screen, in a comfortable width for reading, above the player bar."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from player.errors import EarmarkError
from player.model.episode import Episode, EpisodeId
from player.player import Player
from player.text.sentences import _
from tui.actions.action import Action, Focus
from tui.actions.table import bindings
from tui.bridge import (
    AttachmentsArrived,
    BookmarksTouched,
    DownloadsMoved,
    ListsTouched,
    SegmentsTouched,
    StatusMoved,
    SubscriptionsChanged,
)
from tui.chosen import choose, chosen
from tui.controllers.links import FindController, LinksController
from tui.controllers.lists.inbox import New, PageVerdicts
from tui.controllers.lists.selection import Targets
from tui.controllers.page import PageBookmarks, PageController
from tui.controllers.segments import Line
from tui.screens.base import Step
from tui.screens.page_screen import PageScreen, page_actions
from tui.widgets.cursor_page import MARGIN
from tui.widgets.episode_page import EpisodePage

_HERE = frozenset({
    "read", "narrower", "wider", "next_episode", "previous_episode", "links", "copy_link", "copy_links", "help", "quit",
    "tab_notes", "tab_chapters", "tab_transcript", "tab_links", "tab_bookmarks", "tab_comments", "follow",
    "filter", "people", "refresh", "remove", "queue", "queue_next", "skip", "previous", "dismiss", "undo", "redo",
    "offline", "about", "summarise", "select",
})  # fmt: skip
_ACTIONS = page_actions(_HERE)
_NARROWEST, _WIDEST, _STEP = 32, 200, 4


class ReadingScreen(PageScreen):
    """`step` moves the cursor of the list behind this screen from the page's episode."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(_ACTIONS)]

    page: EpisodePage

    def __init__(
        self,
        player: Player,
        actions: Sequence[Action],
        episode: Episode,
        step: Step,
        go_to: Callable[[EpisodeId], None],
        inbox: New,
        notes: str | None = None,
    ) -> None:
        """`inbox` is the list behind this screen; `notes` are the episode's, if they have been read."""
        super().__init__(player, actions)
        self.episode = episode
        self._step = step
        self.choose = go_to
        self._known_notes = notes
        self._columns = reading_width(player)
        self.page = EpisodePage(id="page")
        self.links = LinksController(player, self, self.page)
        self.pages = PageController(player, self, self.page, self.links)
        self.page_bookmarks = PageBookmarks(player, self, self.page)
        self.finding = FindController(self, self.page)
        self.verdicts = PageVerdicts(player, self, inbox)
        self.run_by(_ACTIONS, {
            **self.pages.runs, "read": self.back, "narrower": self.narrower, "wider": self.wider,
            "next_episode": self.next, "previous_episode": self.previous, "copy_link": self.copy,
            "copy_links": self.links.copy_all, "filter": self.find, "remove": self.delete,
            "dismiss": self.verdicts.dismiss, "about": self.about, "select": self.select, "refresh": self.fetch_again,
        })  # fmt: skip

    def on_mount(self) -> None:
        if self._known_notes is None:
            self.pages.bring(self.episode)
        else:
            self.page.show(self.episode, self._known_notes)
            self.pages.show_beside()

    def place(self) -> Callable[[], object]:
        return self.pages.place()

    def said_line(self) -> Line | None:
        return self.pages.said_line() if self.on_page else None

    def tab(self) -> str:
        return self.pages.tab()

    def moving(self) -> EpisodePage:
        return self.page

    # -- events -----------------------------------------------------------------------------------------------

    @on(StatusMoved)
    def _page_follows(self, event: StatusMoved) -> None:
        self.page.follow(event.status)

    @on(BookmarksTouched)
    def _page_bookmarks_touched(self) -> None:
        self.page_bookmarks.changed()

    @on(DownloadsMoved)
    def _downloads_moved(self) -> None:
        self.pages.downloads_moved()

    @on(SegmentsTouched)
    def _segments_of_page_touched(self, event: SegmentsTouched) -> None:
        self.pages.segments_changed(event.episode_ids)

    @on(AttachmentsArrived)
    def _more_beside(self, event: AttachmentsArrived) -> None:
        self.pages.attachments_arrived(event.episode_id)

    @on(ListsTouched)
    @on(SubscriptionsChanged)
    def _podcasts_changed(self) -> None:
        self.in_background(self._read_again, "again")

    async def _read_again(self) -> None:
        """Updates the titles of the episode and its podcast. If the episode is no longer in the library, its page stays
        as it is."""
        try:
            episode = await asyncio.to_thread(self.player.library.episodes.get, self.episode.id)
        except EarmarkError:
            return
        if episode.id != self.episode.id:
            return
        self.episode, shown = episode, self.page.shown
        if shown is not None and shown[0].id == episode.id:
            self.page.show(episode, shown[1])
        else:
            self.pages.bring(episode)

    def show_hints(self) -> None:
        self.show_keys(Focus.READING, self.episode, self.pages.enter_word, inbox=self.verdicts.in_new)

    def follow(self, href: str) -> None:
        self.pages.follow(href)

    def select(self) -> None:
        if not self.select_lines(self.page):
            self.say(_("Only lines of a transcript can be selected here"))

    @property
    def chosen_episode(self) -> Episode | None:
        return self.episode

    def make_clip(self) -> None:
        self.clipping.open(self.page)

    def about(self) -> None:
        """Opens the podcast's page."""
        from tui.controllers.about_pages import show

        self.open_about(show(self.player, self.episode.podcast_id), self.episode.podcast_id)

    # -- width ------------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Centres the page, in the chosen width or as wide as fits."""
        columns = min(self._columns, self._room())
        self.page.be_wide(columns, (self._room() - columns) // 2)

    def _room(self) -> int:
        return max(1, self.app.size.width - 2 * MARGIN - 1)

    def narrower(self) -> None:
        self._change_width(-_STEP)

    def wider(self) -> None:
        self._change_width(_STEP)

    def _change_width(self, by: int) -> None:
        columns = min(self._columns, self._room()) + by
        self._columns = max(min(_NARROWEST, self._room()), min(columns, self._room(), _WIDEST))
        self._fit()
        choose(self.player, "reading_width", str(self._columns), str(self.player.settings.reading.width))
        self.say(_("Text width: {columns}", columns=self._columns))

    # -- keys -------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        if not self.pages.follow_entry():
            self.playback.play_episode(self.episode.id)

    def find(self) -> None:
        self.finding.open()

    def fetch_again(self) -> None:
        if not self.pages.refresh():
            self.say(_("Only comments can be refreshed here"))

    def copy(self) -> None:
        self.pages.copy_link()

    def delete(self) -> None:
        if not self.page_bookmarks.delete():
            self.say(_("Only bookmarks can be deleted here"))

    def next(self) -> None:
        self._show_or_say(self._step(1, self.episode.id), _("Last episode"))

    def previous(self) -> None:
        self._show_or_say(self._step(-1, self.episode.id), _("First episode"))

    def episodes(self, act: Callable[[Targets], object]) -> None:
        act(Targets((self.episode.id,), self.episode))

    def put(self, episode: Episode) -> None:
        self.episode = episode

    def take_back(self, ids: Sequence[EpisodeId]) -> None:
        self.verdicts.taken_back(ids)

    def _show_or_say(self, episode: Episode | None, words: str) -> None:
        if episode is None:
            self.say(words)
        else:
            self.turn_to(episode)

    def turn_to(self, episode: Episode) -> None:
        """Shows the page of another episode."""
        self.episode = episode
        self.pages.bring(episode)
        self.show_status(self.status)


def reading_width(player: Player) -> int:
    """The width chosen last, or else the one in the settings."""
    width = configured = player.settings.reading.width
    with suppress(ValueError):
        width = int(chosen(player, "reading_width", str(configured)))
    return max(_NARROWEST, min(width, _WIDEST))
