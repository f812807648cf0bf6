"""What Now playing shows: read for each episode that plays, and again when more of it is known."""

import asyncio
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Protocol

from msgspec.structs import replace

from player.errors import EarmarkError
from player.library import AttachmentKind
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackStatus
from player.player import Player
from player.text.durations import brief
from player.text.sentences import _
from tui.controllers.ui import Ui
from tui.drawing.cells import steady
from tui.drawing.labels import day_words
from tui.drawing.now_playing.stage import Playing
from tui.drawing.now_playing.transcript import voices_of
from tui.look.hues import hue_of


class Page(Protocol):
    """What shows it."""

    @property
    def playing(self) -> Playing: ...

    def show(self, playing: Playing) -> None: ...

    def show_status(self, status: PlaybackStatus) -> None: ...


class NowPlayingController:
    """Call `follow` with every status, and `attachments_arrived` when chapters or a transcript came."""

    def __init__(self, player: Player, ui: Ui, page: Page, today: Callable[[], date]) -> None:
        self._player = player
        self._ui = ui
        self._page = page
        self._today = today
        self._shown: EpisodeId | None = None
        self._status = PlaybackStatus()

    def follow(self, status: PlaybackStatus) -> None:
        episode, self._status = status.episode, status
        following = self._next_words(status)
        if episode is None:
            self._shown = None
            self._page.show(Playing(hint=self._hint()))
        elif episode.id != self._shown:
            self._shown = episode.id
            self._page.show(Playing(episode, self._facts(episode, status), following=following))
            self._read_again(episode)
        else:
            known = self._page.playing
            told = replace(known, following=following, facts=self._facts(episode, status))
            if told != known:
                self._page.show(told)
        self._page.show_status(status)

    def attachments_arrived(self, episode_id: EpisodeId) -> None:
        episode = self._status.episode
        if episode is not None and episode_id == self._shown == episode.id:
            self._read_again(episode)

    # -- reading ----------------------------------------------------------------------------------------------

    def _read_again(self, episode: Episode) -> None:
        self._ui.in_background(partial(self._fill, episode), "now playing")

    async def _fill(self, episode: Episode) -> None:
        found = await asyncio.to_thread(self._read, episode)
        if episode.id == self._shown:
            status = self._status
            self._page.show(replace(found, following=self._next_words(status), facts=self._facts(episode, status)))

    def _read(self, episode: Episode) -> Playing:
        """The rest is shown without what can't be read."""
        player = self._player
        found = Playing(episode, art=player.artwork.arts.read(episode))
        try:
            found = replace(found, hue=hue_of(player.library.podcasts.get(episode.podcast_id).url))
            attachments = player.attachments
            transcript = attachments.transcript(episode.id)
            words = ""
            if transcript is None and AttachmentKind.TRANSCRIPT in attachments.missing(episode.id):
                attachments.want(episode.id)
                trouble = attachments.trouble(episode.id, AttachmentKind.TRANSCRIPT)
                words = trouble or _("Fetching the transcript") + self._ui.glyphs.ellipsis
            return replace(
                found,
                chapters=attachments.chapters(episode),
                transcript=transcript,
                voices=voices_of(transcript) if transcript is not None else {},
                words=words,
            )
        except EarmarkError:
            return found

    # -- words ------------------------------------------------------------------------------------------------

    def _facts(self, episode: Episode, status: PlaybackStatus) -> str:
        """`12 Apr 2026 · 24m`; a stream is live instead of long."""
        day = day_words(episode.published.astimezone().date(), self._today()) if episode.published else ""
        long = status.duration_ms or episode.duration_ms
        length = _("live") if status.live else brief(long) if long else ""
        return f" {self._ui.glyphs.dot} ".join(filter(None, (day, length)))

    def _next_words(self, status: PlaybackStatus) -> str:
        if status.next_up is None or status.sleep.nothing_follows:
            return ""
        title = steady(status.next_up.episode.title)
        return f"{self._ui.key_of('skip')}  {_('Next: {title}', title=title)}"

    def _hint(self) -> str:
        play, back = self._ui.key_of("play"), self._ui.key_of("back")
        return _("{back} goes back to your episodes, {play} plays the selected one", back=back, play=play)
