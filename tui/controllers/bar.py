"""Reads what the player bar and Now playing show about the playing episode: chapters, bookmarks, cover and
transcript."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from player.artwork.picture import CoverArt
from player.errors import EarmarkError
from player.library import AttachmentKind
from player.model.episode import Chapters, Episode, EpisodeId
from player.model.playback import PlaybackStatus
from player.player import Player
from player.text.durations import brief
from player.text.sentences import _
from tui.controllers.ui import Ui
from tui.drawing.cells import steady
from tui.drawing.labels import day_words
from tui.drawing.now_playing import Playing, voices_of

if TYPE_CHECKING:
    from player.measuring.kinds.waveform import Waveform


_CHART, _BOOKMARKS, _SEGMENTS = "chart", "bookmarks in bar", "segments in bar"
"""The groups of the reads in the background."""


class Bar(Protocol):
    """The methods of the player bar that its controller uses."""

    def show_chapters(self, chapters: Chapters) -> None: ...

    def show_bookmarks(self, positions: tuple[int, ...]) -> None: ...

    def show_segments(self, spans: tuple[tuple[int, int], ...], begun_ms: int | None) -> None: ...

    def show_wave(self, wave: Waveform | None) -> None: ...


class BarController:
    """Shows chapters, bookmarks and waveform in the bar. Call `chart` whenever the episode in the bar may have
    changed."""

    def __init__(self, player: Player, ui: Ui, bar: Bar) -> None:
        self._player = player
        self._ui = ui
        self._bar = bar
        self._charted: EpisodeId | None = None

    def chart(self, episode: Episode | None) -> None:
        """Reads the episode's chapters, bookmarks and waveform, and shows them once they have been read."""
        if episode is not None and episode.id == self._charted:
            return
        if self._charted is not None or episode is None:
            self._bar.show_chapters(Chapters())
            self._bar.show_bookmarks(())
            self._bar.show_segments((), None)
            self._bar.show_wave(None)
        self._charted = episode.id if episode else None
        if episode is not None:
            self._ui.in_background(partial(self._chart, episode), _CHART)
            self.bookmarks_changed()
            self.segments_changed()
            self.waveform_arrived()

    async def _chart(self, episode: Episode) -> None:
        chapters = await asyncio.to_thread(self._read_chapters, episode)
        if episode.id == self._charted:
            self._bar.show_chapters(chapters)

    def _read_chapters(self, episode: Episode) -> Chapters:
        try:
            return self._player.attachments.chapters(episode)
        except EarmarkError:
            return Chapters()

    def chapters_arrived(self, episode_id: EpisodeId) -> None:
        """The chapters of this episode may have changed."""
        if episode_id == self._charted:
            self._charted = None
            self.chart(self._player.status.episode)

    def waveform_arrived(self) -> None:
        """The loudness of the playing episode may have been measured."""
        if self._charted is not None and (wave := self._player.waveform(self._charted)) is not None:
            self._bar.show_wave(wave)

    async def complete(self, episode: Episode | None) -> None:
        """As `chart`, for the first frame: everything is shown when this returns, including the waveform if it is
        stored."""
        self.chart(episode)
        if episode is not None:
            for group in (_CHART, _BOOKMARKS, _SEGMENTS):  # the same reads are awaited below
                self._ui.cancel(group)
            await asyncio.gather(
                self._chart(episode), self._mark(episode.id), self._show_segments(episode.id),
                self._show_stored_wave(episode),
            )  # fmt: skip

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

    def segments_arrived(self, episode_ids: tuple[EpisodeId, ...]) -> None:
        """The segments of these episodes have changed."""
        if self._charted in episode_ids:
            self.segments_changed()

    def segments_changed(self) -> None:
        """The segments of the playing episode may have changed, or the start of one was marked."""
        if self._charted is not None:
            self._ui.in_background(partial(self._show_segments, self._charted), _SEGMENTS)

    async def _show_segments(self, episode_id: EpisodeId) -> None:
        spans = await asyncio.to_thread(self._read_segments, episode_id)
        if episode_id == self._charted:
            begun = self._player.segment_begun
            self._bar.show_segments(
                spans, begun.position_ms if begun is not None and begun.episode.id == episode_id else None
            )

    def _read_segments(self, episode_id: EpisodeId) -> tuple[tuple[int, int], ...]:
        try:
            return tuple((one.start_ms, one.end_ms) for one in self._player.library.segments.of_episode(episode_id))
        except EarmarkError:
            return ()

    def bookmarks_changed(self) -> None:
        """The bookmarks of the playing episode may have changed."""
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


class BarCoverController:
    """Shows the cover in the bar. Call `show` whenever the episode in the bar may have changed. `show_cover` is given
    where its cover comes from, as far as that is known."""

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
        """As `show`, for the first frame: the cover is known to the bar when this returns."""
        if episode is not None:
            self._shown = episode.id
            await self._read(episode)

    async def _read(self, episode: Episode) -> None:
        """Reads where the cover comes from; until then the bar keeps the previous cover."""
        art = await asyncio.to_thread(self._player.artwork.arts.read, episode)
        if episode.id == self._shown:
            self._show_cover(art)


class Page(Protocol):
    """The page of Now playing."""

    @property
    def playing(self) -> Playing: ...

    def show(self, playing: Playing) -> None: ...

    def show_status(self, status: PlaybackStatus) -> None: ...


class NowPlayingController:
    """Fills Now playing. Call `follow` with every status, and `attachments_arrived` when chapters or a transcript have
    arrived."""

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
        """Reads everything that the page shows about an episode. If the library can't be read, only what was read
        before that."""
        player = self._player
        found = Playing(episode, art=player.artwork.arts.read(episode))
        try:
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
        """`12 Apr 2026 · 24m`; a live stream has `live` in place of its length."""
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
