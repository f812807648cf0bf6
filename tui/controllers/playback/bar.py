"""The chapters and bookmarks of what is playing, in the bar."""

import asyncio
from collections.abc import Callable
from functools import partial

from player.errors import EarmarkError
from player.model.chapters import Chapters
from player.model.episode import Episode, EpisodeId
from player.player import Player
from tui.controllers.ui import Ui


class BarController:
    """Call `chart` whenever the episode in the bar may have changed."""

    def __init__(
        self,
        player: Player,
        ui: Ui,
        show_chapters: Callable[[Chapters], None],
        show_bookmarks: Callable[[tuple[int, ...]], None],
    ) -> None:
        self._player = player
        self._ui = ui
        self._show_chapters = show_chapters
        self._show_bookmarks = show_bookmarks
        self._charted: EpisodeId | None = None

    def chart(self, episode: Episode | None) -> None:
        """Shows the episode's chapters and bookmarks once they have been read."""
        if episode is not None and episode.id == self._charted:
            return
        if self._charted is not None or episode is None:
            self._show_chapters(Chapters())
            self._show_bookmarks(())
        self._charted = episode.id if episode else None
        if episode is not None:
            self._ui.in_background(partial(self._chart, episode), "chart")
            self.bookmarks_changed()

    async def _chart(self, episode: Episode) -> None:
        chapters = await asyncio.to_thread(self._read_chapters, episode)
        if episode.id == self._charted:
            self._show_chapters(chapters)

    def _read_chapters(self, episode: Episode) -> Chapters:
        try:
            return self._player.attachments.chapters(episode)
        except EarmarkError:
            return Chapters()

    def chapters_arrived(self, episode_id: EpisodeId) -> None:
        """That episode may have other chapters now."""
        if episode_id == self._charted:
            self._charted = None
            self.chart(self._player.status.episode)

    def bookmarks_changed(self) -> None:
        """The bookmarks of what is playing may have changed."""
        if self._charted is not None:
            self._ui.in_background(partial(self._mark, self._charted), "bookmarks in bar")

    async def _mark(self, episode_id: EpisodeId) -> None:
        positions = await asyncio.to_thread(self._read_bookmarks, episode_id)
        if episode_id == self._charted:
            self._show_bookmarks(positions)

    def _read_bookmarks(self, episode_id: EpisodeId) -> tuple[int, ...]:
        try:
            return tuple(one.position_ms for one in self._player.library.bookmarks.of_episode(episode_id))
        except EarmarkError:
            return ()
