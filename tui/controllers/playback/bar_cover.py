"""The cover of what is playing, in the bar."""

import asyncio
from collections.abc import Callable
from functools import partial

from player.artwork.cover_art import CoverArt
from player.model.episode import Episode, EpisodeId
from player.player import Player
from tui.controllers.ui import Ui


class BarCoverController:
    """Call `show` whenever the episode in the bar may have changed. `show_cover` shows what is known of its cover."""

    def __init__(self, player: Player, ui: Ui, show_cover: Callable[[CoverArt | None], None]) -> None:
        self._player = player
        self._ui = ui
        self._show_cover = show_cover
        self._shown: EpisodeId | None = None

    def show(self, episode: Episode | None) -> None:
        if episode is None:
            self._shown = None
            self._show_cover(None)
        elif (art := self._player.artwork.arts.known(episode.id)) is not None:
            self._shown = episode.id
            self._show_cover(art)
        elif episode.id != self._shown:
            self._shown = episode.id
            self._ui.in_background(partial(self._read, episode), "cover in bar")

    async def complete(self, episode: Episode | None) -> None:
        """For the first frame: what is known of the cover is shown when this returns."""
        if episode is not None:
            self._shown = episode.id
            await self._read(episode)

    async def _read(self, episode: Episode) -> None:
        """Until then the bar keeps the cover it has."""
        art = await asyncio.to_thread(self._player.artwork.arts.read, episode)
        if episode.id == self._shown:
            self._show_cover(art)
