"""Pages over the whole screen about a podcast or a person, from the library."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from player.errors import EarmarkError
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.player import Player
from player.text.sentences import _
from tui.actions.action import Action, Focus, Group
from tui.actions.table import ACTIONS, bindings
from tui.bridge import ListsTouched
from tui.controllers.arranging import ArrangingController
from tui.controllers.lists.queue import QueueController
from tui.controllers.lists.selection import Targets
from tui.controllers.lists.undo import UndoController
from tui.controllers.page.about_pages import Build, person, show
from tui.controllers.page.find import FindController
from tui.controllers.page.links import LinksController
from tui.drawing.episode_tabs import person_of
from tui.drawing.finding.links import find_of, preview_of
from tui.drawing.podcast_pages import EPISODE
from tui.drawing.runs import Run
from tui.look.glyphs import glyphs_of
from tui.screens.base import BaseScreen
from tui.widgets.cursor_page import MARGIN, CursorPage
from tui.widgets.footer import FooterContext

if TYPE_CHECKING:
    from player.directory.found_podcast import FoundPodcast

_NOT_HERE = frozenset({"pane_left", "pane_right", "next_pane", "previous_pane"})
_HERE = frozenset({
    "queue", "queue_next", "skip", "previous", "copy_link", "quit", "about", "people", "help", "filter",
    "podcast_settings", "tags", "rename", "pin", "undo", "redo", "offline",
})  # fmt: skip
_ACTIONS = tuple(
    action
    for action in ACTIONS
    if action.id in _HERE or (action.group in (Group.LISTEN, Group.MOVE) and action.id not in _NOT_HERE)
)
_COLUMNS = 76
_TOP = 1


class AboutPage(CursorPage):
    """`fill` it with what to show, in lines of at most `columns` cells."""

    def __init__(self, columns: int = _COLUMNS) -> None:
        super().__init__(id="page")
        self._columns = columns
        self._build: Build | None = None

    def fill(self, build: Build) -> None:
        self._build = build
        self._lay_out()

    def say_instead(self, sentence: str) -> None:
        self.show_lines([(), (Run(sentence, "muted"),)])

    def _lay_out(self) -> None:
        if self._build is None or not self.size.width:
            return
        room = max(1, self.app.size.width - 2 * MARGIN - 1)
        columns = max(10, min(self._columns, room))
        self.styles.padding = (0, max(0, (room - columns) // 2))
        self.sheet = self._build(columns, glyphs_of(self.app))
        self.first_row = _TOP
        self.show_lines([*[()] * _TOP, *self.sheet.lines, ()])

    def on_resize(self, _event: events.Resize) -> None:
        self._lay_out()


class AboutScreen(BaseScreen):
    """`read` is called in a thread; `choose` with the chosen episode, after the screen has closed. `podcast_id`: the
    podcast that the page is about."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(_ACTIONS)]

    DEFAULT_CSS = """
    AboutScreen {
        layout: vertical;
        background: $background;
        overflow: hidden hidden;
        & #page { height: 1fr; }
    }
    """

    AUTO_FOCUS = "#page"

    def __init__(
        self,
        player: Player,
        actions: Sequence[Action],
        read: Callable[[], Build],
        choose: Callable[[EpisodeId], None],
        podcast_id: PodcastId | None = None,
    ) -> None:
        super().__init__(player, actions)
        self._podcast_id = podcast_id
        self._read = read
        self._choose = choose
        self._page = AboutPage()
        self._links = LinksController(player, self, self.playback, lambda: None)
        self.finding = FindController(self, self._page, lambda: True)
        queue = QueueController(player, self, self._targets, lambda _episode: None)
        arranging = ArrangingController(player, self, lambda: podcast_id, _("This page isn't about a podcast"))
        undoing = UndoController(player, self, lambda _episodes: None)
        self.run_by(
            _ACTIONS,
            here=self,
            back_stack=self,
            page=self,
            podcasts=self,
            queue=queue,
            arranging=arranging,
            undoing=undoing,
        )

    def compose(self) -> ComposeResult:
        yield self._page
        yield self.bar
        yield self.footer

    def on_mount(self) -> None:
        self.chapters_in_bar.chart(self.status.episode)
        self.in_background(self._fill, "page")

    @on(ListsTouched)
    def _podcast_touched(self) -> None:
        if self._podcast_id is not None:
            self.in_background(self._fill, "page")

    async def _fill(self) -> None:
        try:
            self._page.fill(await asyncio.to_thread(self._read))
        except EarmarkError as error:
            self._page.say_instead(str(error))

    def moving(self) -> AboutPage:
        return self._page

    def show_hints(self) -> None:
        status = self.status
        loaded = status.episode.id if status.episode else None
        podcast = self._podcast_id is not None
        self.footer.show(FooterContext(Focus.ABOUT, None, loaded, status.state, podcast=podcast))

    # -- keys -------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        if (entry := self._page.entry) is not None:
            self.follow(entry.href)

    def _targets(self, act: Callable[[Targets], object]) -> None:
        """The episode under the cursor."""
        href = self._page.entry.href if self._page.entry else ""
        if href.startswith(EPISODE):
            act(Targets((EpisodeId(int(href.removeprefix(EPISODE))),)))
        else:
            self.say(_("No episode selected"))

    def follow(self, href: str) -> None:
        """Follows a link to an episode or a person's page; any other opens."""
        number = href.removeprefix(EPISODE)
        if number != href:
            self.go_to_episode(EpisodeId(int(number)))
        elif name := person_of(href):
            self.app.switch_screen(AboutScreen(self.player, self.actions, person(self.player, name), self._choose))
        elif url := preview_of(href):
            self._preview(url, self._page.entry.text if self._page.entry else "")
        elif words := find_of(href):
            self._find_podcasts(words)
        else:
            self._links.follow(href)

    def _preview(self, url: str, title: str) -> None:
        """The page of a podcast that this one recommends."""
        from tui.controllers.finding.preview import Wanted
        from tui.screens.finding.preview import PreviewScreen

        wanted = Wanted(url, title)
        self.push(PreviewScreen(self.player, self.actions, wanted, self._show_podcast, self._open_another))

    def _find_podcasts(self, words: str) -> None:
        from tui.screens.finding.find import FindScreen

        def preview(podcast: "FoundPodcast", _then: Callable[[PodcastId | None], None]) -> None:
            self._preview(podcast.feed_url, podcast.title)

        def closed(podcast_id: PodcastId | None) -> None:
            if podcast_id is not None:
                self._show_podcast(podcast_id)

        self.push(FindScreen(self.player, preview, words=words), closed)

    def _show_podcast(self, podcast_id: PodcastId) -> None:
        """The same page about one that the listener has."""
        self.push(AboutScreen(self.player, self.actions, show(self.player, podcast_id), self._choose, podcast_id))

    def _open_another(self, read: Callable[[], Build], choose: Callable[[EpisodeId], None]) -> None:
        self.push(AboutScreen(self.player, self.actions, read, choose))

    def find(self) -> None:
        if not self.finding.open():
            self.say(_("Nothing to search here"))

    def copy(self) -> None:
        entry = self._page.entry
        self.copy_link(entry.url if entry else "")

    def go_to_episode(self, episode_id: EpisodeId) -> None:
        self.dismiss()
        self._choose(episode_id)

    def settings(self) -> None:
        """Opens the podcast's settings."""
        from tui.dialogs.podcast_settings import PodcastSettingsScreen

        if self._podcast_id is None:
            self.say(_("This page isn't about a podcast"))
        else:
            self.push(PodcastSettingsScreen(self.player, self._podcast_id))

    def back(self) -> None:
        self.dismiss()

    about = people = quit = back
