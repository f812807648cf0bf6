"""The page of a podcast without a subscription: its episodes, which can be played."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, ClassVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackStatus
from player.model.podcast import PodcastId
from player.player import Player
from player.text.sentences import _, mark
from tui.actions.action import Action, Focus, Group
from tui.actions.table import ACTIONS, bindings
from tui.bridge import AttachmentsArrived, EpisodesTouched, PodcastArrived, StateChanged, StatusMoved
from tui.controllers.links import FindController, LinksController
from tui.controllers.lists.inbox import NeverNew
from tui.controllers.lists.selection import Targets
from tui.controllers.page import NotesController, PageController
from tui.controllers.preview import PreviewController, Wanted
from tui.controllers.ui import LibraryReader, no_episode
from tui.screens.page_screen import PageScreen
from tui.widgets.episode_page import EpisodePage
from tui.widgets.episodes_pane import EpisodesPane
from tui.widgets.virtual_list import VirtualList

_BOTH = 90
"""The least columns of a terminal with room for both the list and the notes."""
_SHORT, _TINY = 20, 9
_HERE = frozenset({
    "add", "refresh", "star", "played", "queue", "queue_next", "skip", "previous", "about", "people", "links",
    "copy_link", "copy_links", "tab_notes", "tab_chapters", "tab_transcript", "tab_links", "tab_bookmarks",
    "tab_comments", "follow", "filter", "read", "download", "undo", "redo", "help", "quit", "summarise",
})  # fmt: skip
_CHANGED: dict[str, dict[str, Any]] = {
    "add": {"title": mark("Subscribe to this podcast"), "word": mark("subscribe"), "footer": 98},
    "back": {"footer": 97, "where": ()},
    "refresh": {"title": mark("Try to open the podcast again")},
}
"""How the words and places in the footer of some actions differ on this screen."""
_ACTIONS = tuple(
    replace(action, **_CHANGED.get(action.id, {}))
    for action in ACTIONS
    if action.id in _HERE or action.group in (Group.LISTEN, Group.MOVE)
)


def _with_keys_of(actions: Sequence[Action]) -> tuple[Action, ...]:
    """The actions of a preview, with the listener's keys."""
    keys = {action.id: action.keys for action in actions}
    return tuple(replace(one, keys=keys.get(one.id, one.keys)) for one in _ACTIONS)


class PreviewScreen(PageScreen):
    """`in_library` is called, after the screen has closed, with a podcast that turned out to be a subscription."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(_ACTIONS)]

    DEFAULT_CSS = """
    PreviewScreen {
        color: $text;
    }
    """

    AUTO_FOCUS = "#episodes"

    page: EpisodePage

    def __init__(
        self,
        player: Player,
        actions: Sequence[Action],
        wanted: Wanted,
        in_library: Callable[[PodcastId], None],
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__(player, _with_keys_of(actions))
        self._then = in_library
        self.pane = EpisodesPane(player.library.episodes.rows, today, id="pane")
        self.page = EpisodePage(id="notes")
        self._on_notes = False
        self._reader = LibraryReader(self)
        self.preview = PreviewController(player, self, self._reader, self.pane, wanted)
        self._links = LinksController(player, self, self.page)
        self.pages = PageController(player, self, self.page, self._links)
        self.notes = NotesController(self, self.page, self.pages, self.pane.episodes)
        self.finding = FindController(self, self.page)
        self.run_by(_ACTIONS, {
            **self.pages.runs, "copy_link": self.copy, "copy_links": self._links.copy_all, "filter": self.find,
            "read": self.read, "add": self.add, "refresh": self.podcast, "about": self.about,
            "pane_left": self.left, "pane_right": self.right, "next_pane": self.next, "previous_pane": self.next,
        })  # fmt: skip

    def use(self, actions: Sequence[Action]) -> None:
        super().use(_with_keys_of(actions))

    def compose(self) -> ComposeResult:
        with Horizontal(id="body"):
            yield self.pane
            yield self.page
        yield self.bar_row
        yield self.footer

    def on_mount(self) -> None:
        self._arrange()
        self.preview.open()
        self.notes.show()

    def on_unmount(self) -> None:
        self.preview.close()
        self._reader.close()

    # -- state ------------------------------------------------------------------------------------------------

    @property
    def episode(self) -> Episode | None:
        """The episode under the cursor."""
        return self.preview.episode

    @property
    def chosen_episode(self) -> Episode | None:
        return self.episode or self.status.episode

    @property
    def on_page(self) -> bool:
        return self._on_notes

    def instead(self) -> tuple[str, ...]:
        return self.preview.words

    def go_to_page(self) -> None:
        self._go_to(notes=True)

    def on_resize(self) -> None:
        self.set_class(self.size.height < _SHORT, "-short")
        self.set_class(self.size.height < _TINY, "-tiny")
        self._arrange()

    def _arrange(self) -> None:
        columns = self.app.size.width
        both = columns >= _BOTH
        self.pane.display = both or not self._on_notes
        self.page.display = both or self._on_notes
        self.pane.styles.width = columns // 2 if both else columns
        self.page.styles.width = columns - columns // 2 if both else columns
        self.notes.show()

    def _go_to(self, *, notes: bool) -> None:
        self._on_notes = notes
        self._arrange()
        (self.page if notes else self.pane.episodes).focus()
        self.show_hints()

    def on_descendant_focus(self) -> None:
        self._on_notes = self.focused is self.page
        self.show_hints()

    def moving(self) -> VirtualList | EpisodePage:
        return self.page if self._on_notes else self.pane.episodes

    def show_hints(self) -> None:
        preview = self.preview
        entry = self.pages.enter_word if self._on_notes else ""
        addable = preview.busy or (preview.podcast is not None and preview.podcast.previewed)
        where = Focus.FILTER if self.pane.typing else Focus.NOTES if self._on_notes else Focus.EPISODES
        self.show_keys(where, self.episode, entry, leaves=True, addable=addable)

    # -- events -----------------------------------------------------------------------------------------------

    def list_changed(self) -> None:
        self.notes.forget()
        self.notes.show()
        self.show_hints()

    def show_status(self, status: PlaybackStatus) -> None:
        super().show_status(status)
        self.pane.episodes.show_status(status)

    @on(StatusMoved)
    def _page_follows(self, event: StatusMoved) -> None:
        self.page.follow(event.status)

    @on(AttachmentsArrived)
    def _more_beside(self, event: AttachmentsArrived) -> None:
        self.pages.attachments_arrived(event.episode_id)

    @on(EpisodesTouched)
    def _episodes_touched(self, event: EpisodesTouched) -> None:
        self.pane.episodes.forget(event.episode_ids)

    @on(StateChanged)
    def _state_changed(self) -> None:
        self.preview.load()

    @on(PodcastArrived)
    def _podcast_arrived(self, event: PodcastArrived) -> None:
        self.preview.arrived(event.podcast_id)

    @on(VirtualList.Moved, "#episodes")
    def _moved(self) -> None:
        self.notes.show_soon()
        self.show_hints()

    @on(VirtualList.Chosen, "#episodes")
    def _clicked(self) -> None:
        self.enter()

    @on(EpisodesPane.Filtered)
    def _filtered(self, event: EpisodesPane.Filtered) -> None:
        self.preview.filter(event.text)

    @on(Input.Submitted, "#filter")
    def _filter_kept(self) -> None:
        self._go_to(notes=False)

    # -- keys -------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        if self._on_notes:
            if not self.pages.follow_entry():
                self.read()
        elif self.preview.trouble:
            self.preview.open()
        elif (episode := self.episode) is not None:
            self.playback.play_episode(episode.id, self.preview.view)
        else:
            self.say(no_episode())

    def add(self) -> None:
        """Subscribes to the podcast."""
        self.preview.subscribe()

    def podcast(self) -> None:
        """Tries to open the podcast again after a failure."""
        if self.preview.trouble:
            self.preview.open()
        else:
            self.say(_("The feed was just read"))

    def read(self) -> None:
        """Opens the page of the episode under the cursor over the whole screen."""
        if (episode := self.episode) is None:
            self.say(no_episode())
        else:
            self.app_ui.open_reading(self, episode, self.preview.step, NeverNew(), self.notes.known(episode))

    def about(self) -> None:
        from tui.controllers.about_pages import show

        if (podcast := self.preview.podcast) is not None:
            self.open_about(show(self.player, podcast.id))

    def find(self) -> None:
        if not (self._on_notes and self.finding.open()):
            self._go_to(notes=False)
            self.pane.open_filter(_("Filter by title"))

    def copy(self) -> None:
        self.pages.copy_link()

    def follow(self, href: str) -> None:
        self.pages.follow(href)

    def back(self) -> None:
        """Ends the filter, or goes from the notes to the list, and from the list back to the previous screen."""
        if self.pane.filtering and not self._on_notes:
            self.pane.close_filter()
            self._go_to(notes=False)
        elif self._on_notes:
            self._go_to(notes=False)
        else:
            self.dismiss()

    def left(self) -> None:
        self._go_to(notes=False)

    def right(self) -> None:
        self._go_to(notes=True)

    def next(self) -> None:
        self._go_to(notes=not self._on_notes)

    def go_to_episode(self, episode_id: EpisodeId) -> None:
        """Moves the cursor to an episode of this podcast."""
        self._go_to(notes=False)
        self.preview.go_to(episode_id)

    # -- internals --------------------------------------------------------------------------------------------

    def put(self, episode: Episode) -> None:
        self.pane.episodes.put(episode)

    def episodes(self, act: Callable[[Targets], object]) -> None:
        if (episode := self.episode) is not None:
            act(Targets((episode.id,), episode))
        else:
            self.say(no_episode())

    def go_to_library(self, podcast_id: PodcastId) -> None:
        self.dismiss()
        self.call_later(self._then, podcast_id)
