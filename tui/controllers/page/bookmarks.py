"""The bookmarks in an episode's page: kept up to date, and deleted by a key."""

import asyncio
from collections.abc import Callable
from functools import partial

from player.errors import EarmarkError
from player.model.bookmark import Bookmark
from player.model.episode import EpisodeId
from player.player import Player
from player.text.sentences import _
from tui.controllers.ui import Ui
from tui.widgets.episode_page import EpisodePage


class PageBookmarks:
    """`on_page`: whether the page has the focus. `show_hints` updates the footer."""

    def __init__(
        self, player: Player, ui: Ui, page: EpisodePage, *, on_page: Callable[[], bool], show_hints: Callable[[], None]
    ) -> None:
        self._player = player
        self._ui = ui
        self._page = page
        self._on_page = on_page
        self._show_hints = show_hints

    def changed(self) -> None:
        """The bookmarks of the episode on the page may have changed."""
        if self._page.shown is not None:
            self._ui.in_background(partial(self._show, self._page.shown[0].id), "bookmarks in page")

    async def _show(self, episode_id: EpisodeId) -> None:
        try:
            found = await asyncio.to_thread(self._player.library.bookmarks.of_episode, episode_id)
        except EarmarkError:
            return
        self._page.show_bookmarks(episode_id, tuple(found))
        self._show_hints()

    def delete(self) -> bool:
        """Deletes the one under the cursor; False where there is none."""
        bookmark = self._page.bookmark if self._on_page() else None
        if bookmark is not None:
            delete(self._player, self._ui, bookmark)
        return bookmark is not None


def delete(player: Player, ui: Ui, bookmark: Bookmark) -> None:
    """Reports the outcome when it is done. A failure is a Notice."""
    future = player.bookmarks.delete([bookmark.id])

    def words() -> str:
        undoes = _("{key} undoes", key=ui.key_of("undo"))
        return f"{_('Bookmark deleted')} {ui.glyphs.dot} {undoes}"

    def deleted(_done: object) -> None:
        if not future.cancelled() and future.exception() is None and future.result():
            ui.say_later(words)

    future.add_done_callback(deleted)
