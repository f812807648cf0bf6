"""The episodes and podcasts that the main screen's keys act on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

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
from tui.controllers.ui import no_episode
from tui.widgets.episode_row import NO_EPISODE, OwnRows


class Targets(Struct, frozen=True):
    """The episodes that a key acts on, in list order. `episode` is the one under the cursor if none are selected; None
    for selected episodes, whose rows need not have been read."""

    ids: tuple[EpisodeId, ...]
    episode: Episode | None = None


class EpisodeTargets(Protocol):
    """Determines the episodes that the keys of a screen act on, and shows changes to them at once. `NewList` implements
    it for the main screen, and a page for its one episode."""

    def episodes(self, act: Callable[[Targets], object], /) -> None:
        """Calls `act` with the episodes, or says why there are none. `act` runs on the screen's thread, possibly
        later."""

    def with_list(self, act: Callable[[EpisodeId, Sequence[EpisodeId]], object], /) -> None:
        """Calls `act` with the selected episode and all episodes of its list."""

    def put(self, episode: Episode, /) -> None:
        """Shows a changed episode before the library confirms it."""

    def decided(self, ids: Sequence[EpisodeId], writing: "Future[Any] | None" = None, /) -> object:
        """Call this after a key that is a verdict about these episodes, if they are new; `writing` it may still be
        under way."""

    def downloading(self, ids: Sequence[EpisodeId], /) -> None:
        """Call this after a key that downloads these episodes, which may be a verdict too."""

    def take_back(self, ids: Sequence[EpisodeId], /) -> None:
        """Call this after an action on these episodes was undone or redone."""


class PodcastTargets(Protocol):
    """The podcasts that the keys of a screen act on. `Selection` implements it, and so do pages about a podcast."""

    @property
    def podcast_id(self) -> PodcastId | None: ...

    @property
    def podcasts_here(self) -> list[PodcastId] | None:
        """The podcasts that a refresh of this screen's podcasts checks; None: all podcasts."""

    @property
    def titles(self) -> Mapping[PodcastId, str]:
        """The titles of all podcasts that can be refreshed from this screen."""

    def no_podcast(self) -> str:
        """A sentence that says why there is no podcast."""


class Selection:
    """The episodes and podcasts that keys act on, which depend on the pane with the focus and on the cursor of the
    list."""

    def __init__(self, panes: PanesController, lists: ListController) -> None:
        self._ui = lists.ui
        self._reads = 0
        self._counted: tuple[Listing | None, range, int] = (None, range(0), 0)
        """A listing, a range of its rows, and the number of episodes in them."""
        self._panes = panes
        self._lists = lists
        self._sidebar = lists.sidebar
        self._episodes = lists.rows

    @property
    def in_sidebar(self) -> bool:
        return self._panes.focus is Focus.SIDEBAR

    @property
    def on_page(self) -> bool:
        return self._panes.focus is Focus.NOTES

    @property
    def episode(self) -> Episode | None:
        """The episode that a key acts on; none in the sidebar."""
        return None if self.in_sidebar else self._episodes.episode

    def episodes(self, act: Callable[[Targets], object], *, goes_on: bool = True) -> None:
        """Calls `act` with the episodes that a key acts on: the selected ones, or else the one under the cursor.

        If there is none, says why and doesn't call `act`. `act` runs on the screen's thread, possibly later: the IDs of
        many selected rows have to be read first. After acting on selected rows, the cursor moves to the row after them
        if it `goes_on`.
        """
        if self.rows and not self.in_sidebar:
            self._act_on_selected(act, goes_on=goes_on)
        elif (episode := self.episode) is not None:
            act(Targets((episode.id,), episode))
        else:
            self._ui.say(self.no_episode())

    def with_list(self, act: Callable[[EpisodeId, Sequence[EpisodeId]], object]) -> None:
        """Calls `act` with the episode under the cursor and all episodes of the list, or says why there is no
        episode."""
        if (episode := self.episode) is None:
            self._ui.say(self.no_episode())
        else:
            rows = range(self._episodes.row_count())
            self._read_and_call(rows, lambda ids: act(episode.id, ids))

    def _act_on_selected(self, act: Callable[[Targets], object], *, goes_on: bool) -> None:
        rows = self.rows
        self.end()
        if goes_on and rows.stop < self._episodes.row_count():
            self._episodes.move_to(rows.stop)

        def read(ids: tuple[EpisodeId, ...]) -> None:
            if ids:
                act(Targets(ids))
            else:
                self._ui.say(self.no_episode())

        self._read_and_call(rows, read)

    def _read_and_call(self, rows: range, act: Callable[[tuple[EpisodeId, ...]], object]) -> None:
        """Reads the ids of these rows, then calls `act` with them."""

        async def read_and_act() -> None:
            try:
                ids = await self._episodes.ids_of(rows)
            except LibraryError as error:
                self._ui.notify(str(error), severity="error", markup=False)
            else:
                act(ids)

        self._reads += 1
        self._ui.in_background(read_and_act, f"selected {self._reads}")

    # -- selecting rows ---------------------------------------------------------------------------------------

    @property
    def rows(self) -> range:
        """The selected rows."""
        return self._episodes.selected

    @property
    def words(self) -> str:
        """For the footer: how many episodes are selected."""
        return plural(self._count(), "{n:,} selected", "{n:,} selected") if self.rows else ""

    def _count(self) -> int:
        """The number of selected episodes: headings don't count, and an episode that is in the list twice counts
        once."""
        rows, listing = self.rows, self._episodes.listing
        if not isinstance(listing, OwnRows):
            return len(rows)
        if self._counted[:2] != (listing, rows):
            ids = (EpisodeId(one) for one in listing.page(rows.start, len(rows)))
            self._counted = listing, rows, len(set(_episodes(ids)))
        return self._counted[2]

    def begin(self) -> None:
        """Begins a selection, which moving the cursor extends; ends an existing one."""
        if self._episodes.selection_began_on is not None:
            self.end()
        elif self._episodes.episode_id is None:
            self._ui.say(self.no_episode())
        else:
            self._go_to_list()
            self._episodes.begin_selection()

    def select_all(self) -> None:
        """Selects all of the list, whether its rows have been read or not."""
        if not self._episodes.row_count():
            self._ui.say(self.no_episode())
        else:
            self._go_to_list()
            self._episodes.select_all()

    def end(self) -> bool:
        """Ends the selection; False if nothing was selected."""
        was_any = bool(self.rows)
        self._episodes.end_selection()
        return was_any

    def _go_to_list(self) -> None:
        if self._panes.focus is not Focus.EPISODES:
            self._panes.go_to(Focus.EPISODES)

    # -- podcasts ---------------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        """The view that the list shows."""
        return self._lists.view

    @property
    def podcast(self) -> Podcast | None:
        """The podcast whose episodes are listed, if there is only one."""
        return self._lists.podcast

    @property
    def podcast_in_sidebar(self) -> Podcast | None:
        """The podcast under the sidebar's cursor, if there is one."""
        return self._sidebar.podcast

    @property
    def podcast_id(self) -> PodcastId | None:
        """The list's podcast, or else the episode's."""
        episode = self.episode
        return self._lists.view.podcast_id or (episode.podcast_id if episode else None)

    @property
    def podcasts_here(self) -> list[PodcastId] | None:
        """The podcasts that a key acts on: in the sidebar all podcasts with the tag under its cursor, otherwise the one
        of `podcast_id`; None if there is none."""
        tag = self._lists.view.tag if self.in_sidebar else None
        if tag is not None:
            return [podcast.id for podcast in self._sidebar.podcasts if tag in podcast.tags]
        return None if self.podcast_id is None else [self.podcast_id]

    @property
    def titles(self) -> dict[PodcastId, str]:
        """The titles of all podcasts."""
        return {podcast.id: podcast.title for podcast in self._sidebar.podcasts}

    def no_podcast(self) -> str:
        return _("Select a podcast or episode first")

    @property
    def is_of_no_podcast(self) -> bool:
        """Whether the list is empty because there are no podcasts at all."""
        return not (self._sidebar.podcasts or self._episodes.row_count())

    def no_episode(self) -> str:
        """A sentence that says why there is no episode."""
        if self.in_sidebar:
            return no_episode(self._ui.key_of("next_pane"))
        return _("This row is still being read") if self._episodes.is_awaited else no_episode()


def _episodes(ids: Iterable[EpisodeId]) -> list[EpisodeId]:
    """Leaves out headings and episodes that are gone."""
    return [one for one in ids if one != NO_EPISODE]
