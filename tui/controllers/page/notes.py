"""Decides when the page beside the list shows the episode under the cursor, and what it shows if there is none."""

import asyncio
from functools import partial

from player.model.episode import Episode, EpisodeId
from tui.controllers.main_ui import EpisodeUi
from tui.controllers.page.page_controller import PageController
from tui.widgets.episode_list import EpisodeList
from tui.widgets.episode_page import EpisodePage

_REST_S = 0.06
"""A cursor that rests this long isn't just passing by: a held key repeats 25 to 30 times a second."""


class NotesController:
    """Shows notes on the page beside the list. For the first frame, while the screen draws nothing yet, it uses the
    notes from `read_first`."""

    def __init__(self, ui: EpisodeUi, page: EpisodePage, pages: PageController, episodes: EpisodeList) -> None:
        self._ui = ui
        self._page = page
        self._pages = pages
        self._episodes = episodes
        self._noted: tuple[EpisodeId, str] | None = None
        """The episode that is shown and its podcast's title, which may change."""
        self._wait: asyncio.TimerHandle | None = None
        self._aside: tuple[EpisodeId | None, str] = None, ""

    def forget(self) -> None:
        """The notes that are shown may be outdated: they are read again the next time."""
        self._noted = None

    def show_soon(self) -> None:
        """Shows the notes once the cursor rests. Drawing a page of notes takes longer than a row, and a held key would
        wait for it."""
        if self._wait is not None:
            self._wait.cancel()
        self._wait = asyncio.get_running_loop().call_later(_REST_S, self._ui.call_later, self.show)

    def show(self) -> None:
        """Shows the notes of the episode under the cursor, if the page is visible."""
        if self._episodes.is_awaited:
            return
        episode = self._episodes.episode
        if not self._page.display:
            self._read_aside(episode)
            return
        if episode is not None and (episode.id, episode.podcast) == self._noted:
            return
        self._noted = (episode.id, episode.podcast) if episode else None
        if episode is None:
            self._ui.cancel("page")
            self._page.show_words(self._ui.instead())
        elif self._ui.held and (notes := self.known(episode)) is not None:
            self._page.show(episode, notes)
        else:
            self._pages.bring(episode)

    async def complete(self) -> None:
        """Shows the page of the episode under the cursor, if visible; it is complete when this returns."""
        episode = self._episodes.episode
        if episode is not None and self._page.display:
            self._noted = episode.id, episode.podcast
            await self._pages.complete(episode)

    def known(self, episode: Episode) -> str | None:
        """An episode's notes, if they have been read."""
        shown = self._page.shown
        if shown is not None and shown[0].id == episode.id:
            return shown[1]
        return self._aside[1] if self._aside[0] == episode.id else None

    def read_first(self, episode: Episode) -> None:
        """Reads the notes of the first frame together with its rows, on any thread except the screen's."""
        if self._ui.held:
            self._aside = episode.id, self._pages.read_notes(episode)
            self._pages.read_cover_of_bar()

    def _read_aside(self, episode: Episode | None) -> None:
        """While the pane of notes is hidden, reads the notes for the page over the whole screen, which `v` opens."""

        async def read(episode: Episode) -> None:
            self._aside = episode.id, await asyncio.to_thread(self._pages.begin_notes, episode)

        if episode is not None and not self._ui.held and self._aside[0] != episode.id:
            self._ui.in_background(partial(read, episode), "aside")
