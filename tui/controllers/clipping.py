"""Opens the dialog of a clip at what the listener points at, and keeps what it answers in Bookmarks."""

import asyncio
from functools import partial

from player.bookmarks import Here, heard_now
from player.errors import EarmarkError
from player.library.listening.bookmarks import Put
from player.model.episode import Episode, EpisodeId
from player.model.listening import Bookmark
from player.player import Player
from player.text.durations import clock
from player.text.sentences import _
from tui.controllers.ui import Ui, say_after
from tui.widgets.episode_page import EpisodePage

AROUND_MS = 15_000


class ClippingController:
    def __init__(self, player: Player, ui: Ui) -> None:
        self._player = player
        self._ui = ui

    def open(self, page: EpisodePage | None = None, bookmark: Bookmark | None = None) -> None:
        """Of the selected words or the bookmark on the `page`, of the `bookmark` under the cursor of a list, or around
        the moment that is heard."""
        if page is not None and page.shown is not None and (said := page.selected_time()) is not None:
            self.open_at(page.shown[0], *said)
        elif (bookmark := bookmark or (page.bookmark if page is not None and self._ui.on_page else None)) is not None:
            self._open_bookmark(bookmark)
        elif (here := heard_now(self._player.status)) is not None:
            self.open_at(here.episode, here.position_ms - AROUND_MS, here.position_ms + AROUND_MS)
        elif self._player.status.live:
            self._ui.say(_("You can't make a clip of a live stream"))
        else:
            self._ui.say(_("Nothing is playing yet. Press {key} on an episode.", key=self._ui.key_of("play")))

    def open_at(self, episode: Episode, start_ms: int, end_ms: int, note: str = "") -> None:
        from tui.dialogs.clip import ClipScreen

        def closed(clip: Here | None) -> None:
            if clip is not None:
                say_after(self._ui, self._player.bookmarks.add(clip, note), self._kept)

        start_ms = max(0, start_ms)
        self._ui.push(ClipScreen(self._player, Here(episode, start_ms, end_ms - start_ms)), closed)

    def _open_bookmark(self, bookmark: Bookmark) -> None:
        if bookmark.episode_id is None:
            self._ui.say(_("“{title}” is no longer in your library", title=bookmark.episode))
            return
        self._ui.in_background(partial(self._read_and_open, bookmark, bookmark.episode_id), "clip")

    async def _read_and_open(self, bookmark: Bookmark, episode_id: EpisodeId) -> None:
        try:
            episode = await asyncio.to_thread(self._player.library.episodes.get, episode_id)
        except EarmarkError as error:
            self._ui.say(str(error))
            return
        around_ms = 0 if bookmark.length_ms else AROUND_MS
        self.open_at(episode, bookmark.position_ms - around_ms, bookmark.end_ms + around_ms, bookmark.note)

    def _kept(self, put: Put) -> str:
        kept = put.bookmark
        words = _("Clip from {start} to {end} kept", start=clock(kept.position_ms), end=clock(kept.end_ms))
        return f"{words} {self._ui.glyphs.dot} {_('{key} undoes', key=self._ui.key_of('undo'))}"
