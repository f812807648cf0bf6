"""What the keys of the main screen mean: the episodes they act on, and the podcast that goes with them."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from player.errors import LibraryError
from player.library import Listing
from player.model.episode import Episode, EpisodeId
from player.model.filters import View
from player.model.podcast import Podcast, PodcastId
from player.text.sentences import _, plural
from tui.actions.action import Focus
from tui.controllers.lists.list import ListController
from tui.controllers.panes import PanesController
from tui.controllers.ui import Ui
from tui.widgets.episode_list import EpisodeList
from tui.widgets.rows.own_rows import NO_EPISODE, OwnRows
from tui.widgets.sidebar.sidebar import Sidebar


class Targets(Struct, frozen=True):
    """The episodes that a key acts on, in the order of the list. `episode` is the row of a single one under the cursor;
    None for several that were selected, whose rows need not have been read."""

    ids: tuple[EpisodeId, ...]
    episode: Episode | None = None


class Selection:
    """By the pane that has the focus, and the cursor of the list."""

    def __init__(
        self, ui: Ui, panes: PanesController, lists: ListController, sidebar: Sidebar, episodes: EpisodeList
    ) -> None:
        self._ui = ui
        self._reads = 0
        self._counted: tuple[Listing | None, range, int] = (None, range(0), 0)
        """How many episodes these rows of that list have."""
        self._panes = panes
        self._lists = lists
        self._sidebar = sidebar
        self._episodes = episodes

    @property
    def in_sidebar(self) -> bool:
        return self._panes.focus is Focus.SIDEBAR

    @property
    def on_page(self) -> bool:
        return self._panes.focus is Focus.NOTES

    @property
    def episode(self) -> Episode | None:
        """The one that a key means: none in the sidebar."""
        return None if self.in_sidebar else self._episodes.episode

    def episodes(self, act: Callable[[Targets], object]) -> None:
        """Calls `act` with the episodes that a key means: those that are selected, else the one under the cursor. Where
        there is none it says why, and `act` isn't called. `act` runs on the screen's thread, perhaps a moment later:
        the ids of many selected rows have to be read first."""
        if self.rows and not self.in_sidebar:
            self._act_on_selected(act)
        elif (episode := self.episode) is not None:
            act(Targets((episode.id,), episode))
        else:
            self._ui.say(self.no_episode())

    def with_list(self, act: Callable[[EpisodeId, Sequence[EpisodeId]], object]) -> None:
        """Calls `act` with the episode under the cursor and all of its list; as `episodes` does."""
        if (episode := self.episode) is None:
            self._ui.say(self.no_episode())
        else:
            rows = range(self._episodes.row_count())
            self._read_and_call(rows, lambda ids: act(episode.id, ids))

    def _act_on_selected(self, act: Callable[[Targets], object]) -> None:
        rows = self.rows
        self.end()

        def read(ids: tuple[EpisodeId, ...]) -> None:
            if ids:
                act(Targets(ids))
            else:
                self._ui.say(self.no_episode())

        self._read_and_call(rows, read)

    def _read_and_call(self, rows: range, act: Callable[[tuple[EpisodeId, ...]], object]) -> None:
        """One after the other, so that acts stay in their order."""

        async def read_and_act() -> None:
            try:
                ids = await self._episodes.ids_of(rows)
            except LibraryError as error:
                self._ui.notify(str(error), severity="error", markup=False)
            else:
                act(ids)

        self._reads += 1
        self._ui.in_background(read_and_act, f"selected {self._reads}")

    # -- many rows --------------------------------------------------------------------------------------------

    @property
    def rows(self) -> range:
        """Those that are selected."""
        return self._episodes.selected

    @property
    def words(self) -> str:
        """For the footer: how many episodes are selected."""
        return plural(self._count(), "{n:,} selected", "{n:,} selected") if self.rows else ""

    def _count(self) -> int:
        """A heading is none; one that stands in the list twice is one."""
        rows, listing = self.rows, self._episodes.listing
        if not isinstance(listing, OwnRows):
            return len(rows)
        if self._counted[:2] != (listing, rows):
            ids = (EpisodeId(one) for one in listing.page(rows.start, len(rows)))
            self._counted = listing, rows, len(set(_episodes(ids)))
        return self._counted[2]

    def begin(self) -> None:
        """A selection that moving the cursor extends; ends the one that there is."""
        if self._episodes.selection_began_on is not None:
            self.end()
        elif self._episodes.episode_id is None:
            self._ui.say(self.no_episode())
        else:
            self._go_to_list()
            self._episodes.begin_selection()

    def select_all(self) -> None:
        """All of the list, whether its rows have been read or not."""
        if not self._episodes.row_count():
            self._ui.say(self.no_episode())
        else:
            self._go_to_list()
            self._episodes.select_all()

    def end(self) -> bool:
        """False when nothing was selected."""
        was_any = bool(self.rows)
        self._episodes.end_selection()
        return was_any

    def _go_to_list(self) -> None:
        if self._panes.focus is not Focus.EPISODES:
            self._panes.go_to(Focus.EPISODES)

    # -- podcasts ---------------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        """What the list shows."""
        return self._lists.view

    @property
    def podcast(self) -> Podcast | None:
        """The one whose episodes are listed, if they are of one podcast."""
        return self._lists.podcast

    @property
    def podcast_in_sidebar(self) -> Podcast | None:
        """The one under the sidebar's cursor, if there is one."""
        return self._sidebar.podcast

    @property
    def podcast_id(self) -> PodcastId | None:
        """That of the list, else that of the episode."""
        episode = self.episode
        return self._lists.view.podcast_id or (episode.podcast_id if episode else None)

    @property
    def podcasts_here(self) -> list[PodcastId] | None:
        """Those that a key is about: in the sidebar those with the tag under its cursor, else that of `podcast_id`;
        None where it is about none."""
        tag = self._lists.view.tag if self.in_sidebar else None
        if tag is not None:
            return [podcast.id for podcast in self._sidebar.podcasts if tag in podcast.tags]
        return None if self.podcast_id is None else [self.podcast_id]

    def no_episode(self) -> str:
        """Why there is none."""
        return _("This row is still being read") if self._episodes.is_awaited else _("No episode selected")


def _episodes(ids: Iterable[EpisodeId]) -> list[EpisodeId]:
    """Without those that stand for a heading, or for an episode that is gone."""
    return [one for one in ids if one != NO_EPISODE]
