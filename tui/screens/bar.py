"""What every screen with the player bar does: chapters in it, the mouse on it."""

import asyncio
from functools import partial

from textual import on

from player.errors import EarmarkError
from player.model.chapters import Chapters
from player.model.episode import Episode, EpisodeId
from tui.actions.playback_actions import ListenScreen
from tui.bridge import AttachmentsArrived, StatusMoved
from tui.framework.workers import start_worker
from tui.widgets.player_bar import PlayerBar


class BarScreen(ListenScreen):
    """`chart` the episode in the bar when the screen opens; later ones follow by themselves."""

    _charted: EpisodeId | None = None

    @property
    def bar(self) -> PlayerBar:
        raise NotImplementedError

    # -- chapters ---------------------------------------------------------------------------------------------

    def chart(self, episode: Episode | None) -> None:
        """Ticks in the bar for the chapters of what plays, once they are read."""
        if episode is not None and episode.id == self._charted:
            return
        if self._charted is not None or episode is None:
            self.bar.show_chapters(Chapters())
        self._charted = episode.id if episode else None
        if episode is not None:
            start_worker(self, partial(self._chart, episode), group="chart", exclusive=True)

    async def _chart(self, episode: Episode) -> None:
        chapters = await asyncio.to_thread(self._read_chapters, episode)
        if episode.id == self._charted:
            self.bar.show_chapters(chapters)

    def _read_chapters(self, episode: Episode) -> Chapters:
        try:
            return self.player.attachments.chapters(episode)
        except EarmarkError:
            return Chapters()

    @on(StatusMoved)
    def _chart_what_plays(self, event: StatusMoved) -> None:
        self.chart(event.status.episode)

    @on(AttachmentsArrived)
    def _chart_anew(self, event: AttachmentsArrived) -> None:
        if event.episode_id == self._charted:
            self._charted = None
            self.chart(self.status.episode)

    # -- to what plays ----------------------------------------------------------------------------------------

    def go_to_episode(self, episode_id: EpisodeId) -> None:
        """Shows it in its list."""
        raise NotImplementedError

    def action_go_to_playing(self) -> None:
        if self._loaded() and self.status.episode is not None:
            self.go_to_episode(self.status.episode.id)

    @on(PlayerBar.GoToPlaying)
    def _title_clicked(self) -> None:
        self.action_go_to_playing()

    # -- the mouse --------------------------------------------------------------------------------------------

    @on(PlayerBar.Seek)
    def _bar_sought(self, event: PlayerBar.Seek) -> None:
        self.seek_to(event.position_ms)

    @on(PlayerBar.Toggle)
    def _bar_toggled(self) -> None:
        self.action_pause()

    @on(PlayerBar.ChangeVolume)
    def _bar_turned(self, event: PlayerBar.ChangeVolume) -> None:
        self.change_volume(event.by)
