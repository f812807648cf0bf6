"""The keys that bookmark what is heard."""

from concurrent.futures import Future

from player.bookmarks.bookmarks import Here, heard_now
from player.library.listening.bookmarks import Put
from player.player import Player
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _
from tui.controllers.ui import Ui


class BookmarkingController:
    """Bookmarks the position of the moment when the key is pressed; playback continues."""

    def __init__(self, player: Player, ui: Ui) -> None:
        self._player = player
        self._ui = ui

    def add(self) -> None:
        if (here := self._here()) is not None:
            self._keep(here, "")

    def add_with_note(self) -> None:
        """`esc` in the dialog discards the bookmark."""
        if (here := self._here()) is None:
            return
        from tui.dialogs.note import NoteScreen

        def typed(note: str | None) -> None:
            if note is not None:
                self._keep(here, note)

        title = _("Bookmark at {time}", time=clock(here.position_ms))
        self._ui.push(NoteScreen(title, here.episode.title), typed)

    def _here(self) -> Here | None:
        status = self._player.status
        if status.episode is None:
            self._ui.say(_("Nothing is playing yet. Press {key} on an episode.", key=self._ui.key_of("play")))
        elif status.live:
            self._ui.say(_("You can't bookmark a live stream"))
        return heard_now(status)

    def _keep(self, here: Here, note: str) -> None:
        def kept(future: "Future[Put]") -> None:
            # A failure is a Notice.
            if not future.cancelled() and future.exception() is None:
                self._ui.call_later(self._say, future.result())

        self._player.bookmarks.add(here, note).add_done_callback(kept)

    def _say(self, put: Put) -> None:
        time = clock(put.bookmark.position_ms)
        words = _("Bookmark moved to {time}", time=time) if put.before else _("Bookmarked {time}", time=time)
        if put.before and put.before.note != put.bookmark.note:
            words = _("Note added to the bookmark at {time}", time=time)
        chapter = clean_line(put.bookmark.chapter, 60)
        self._ui.say(f"{words} {self._ui.glyphs.dot} {chapter}" if chapter else words)
