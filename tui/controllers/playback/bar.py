"""What the bar shows of the episode that is playing: its chapters and bookmarks, and its podcast's hue."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Protocol

from player.errors import EarmarkError
from player.model.chapters import Chapters
from player.model.episode import Episode, EpisodeId
from player.player import Player
from tui.controllers.ui import Ui
from tui.look.hues import hue_of

if TYPE_CHECKING:
    from player.measuring.kinds.waveform import Waveform

_CHART, _BOOKMARKS = "chart", "bookmarks in bar"
"""The groups of what is read in the background."""


class Bar(Protocol):
    """The player bar, as its controller uses it."""

    def show_chapters(self, chapters: Chapters) -> None: ...

    def show_bookmarks(self, positions: tuple[int, ...]) -> None: ...

    def show_podcast(self, hue: int | None) -> None: ...

    def show_wave(self, wave: Waveform | None) -> None: ...


class BarController:
    """Call `chart` whenever the episode in the bar may have changed."""

    def __init__(self, player: Player, ui: Ui, bar: Bar) -> None:
        self._player = player
        self._ui = ui
        self._bar = bar
        self._charted: EpisodeId | None = None

    def chart(self, episode: Episode | None) -> None:
        """Shows the episode's chapters and bookmarks once they have been read."""
        if episode is not None and episode.id == self._charted:
            return
        if self._charted is not None or episode is None:
            self._bar.show_chapters(Chapters())
            self._bar.show_bookmarks(())
            self._bar.show_podcast(None)
            self._bar.show_wave(None)
        self._charted = episode.id if episode else None
        if episode is not None:
            self._ui.in_background(partial(self._chart, episode), _CHART)
            self.bookmarks_changed()
            self.waveform_arrived()

    async def _chart(self, episode: Episode) -> None:
        chapters, hue = await asyncio.to_thread(lambda: (self._read_chapters(episode), self._read_hue(episode)))
        if episode.id == self._charted:
            self._bar.show_podcast(hue)
            self._bar.show_chapters(chapters)

    def _read_hue(self, episode: Episode) -> int | None:
        try:
            return hue_of(self._player.library.podcasts.get(episode.podcast_id).url)
        except EarmarkError:
            return None

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

    def waveform_arrived(self) -> None:
        """How loud what is playing is may be known."""
        if self._charted is not None and (wave := self._player.waveform(self._charted)) is not None:
            self._bar.show_wave(wave)

    async def complete(self, episode: Episode | None) -> None:
        """For the first frame: all of it is shown when this returns, the waveform too if it was known before."""
        self.chart(episode)
        if episode is not None:
            for group in (_CHART, _BOOKMARKS):  # which nobody would wait for
                self._ui.cancel(group)
            await asyncio.gather(self._chart(episode), self._mark(episode.id), self._show_stored_wave(episode))

    async def _show_stored_wave(self, episode: Episode) -> None:
        if self._player.settings.appearance.waveform:
            wave = await asyncio.to_thread(self._read_wave, episode)
            if wave is not None and episode.id == self._charted:
                self._bar.show_wave(wave)

    def _read_wave(self, episode: Episode) -> Waveform | None:
        from player.measuring.kinds.waveform import MEASUREMENT as WAVEFORM

        try:
            return self._player.services.measuring.stored(episode, WAVEFORM)
        except EarmarkError:
            return None

    def bookmarks_changed(self) -> None:
        """The bookmarks of what is playing may have changed."""
        if self._charted is not None:
            self._ui.in_background(partial(self._mark, self._charted), _BOOKMARKS)

    async def _mark(self, episode_id: EpisodeId) -> None:
        positions = await asyncio.to_thread(self._read_bookmarks, episode_id)
        if episode_id == self._charted:
            self._bar.show_bookmarks(positions)

    def _read_bookmarks(self, episode_id: EpisodeId) -> tuple[int, ...]:
        try:
            return tuple(one.position_ms for one in self._player.library.bookmarks.of_episode(episode_id))
        except EarmarkError:
            return ()
