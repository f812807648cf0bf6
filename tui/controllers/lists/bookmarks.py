"""The Bookmarks view: all bookmarks, played from and deleted by a key."""

from collections.abc import Callable

from player.library import Listing
from player.model.filters import View, ViewName
from player.model.listening import Bookmark
from player.player import Player
from player.text.sentences import _
from tui.controllers.page.page import PageBookmarks, delete
from tui.controllers.playback import PlaybackController
from tui.controllers.ui import Ui
from tui.widgets.episode_list import EpisodeList
from tui.widgets.own_rows import BookmarkRows

ReadListing = Callable[[View, Callable[[], bool]], Listing]
"""Reads the list of a view, unless it is cancelled."""


class BookmarksController:
    """`others` reads the lists of other views. `in_list`: whether the list has the focus; `here` is the current view,
    `reload` reads it again."""

    def __init__(
        self,
        player: Player,
        ui: Ui,
        playback: PlaybackController,
        rows: EpisodeList,
        page: PageBookmarks,
        *,
        others: ReadListing,
        in_list: Callable[[], bool],
        here: Callable[[], View],
        reload: Callable[[], None],
    ) -> None:
        self._player = player
        self._ui = ui
        self._playback = playback
        self._rows = rows
        self._page = page
        self._others = others
        self._in_list = in_list
        self._here = here
        self._reload = reload

    def listing(self, view: View, cancelled: Callable[[], bool]) -> Listing:
        """The listing of any view. Reads the library, on the thread that reads lists."""
        if view.name is ViewName.BOOKMARKS:
            return BookmarkRows(self._player.library.bookmarks.all(), view.title)
        return self._others(view, cancelled)

    @property
    def selected(self) -> Bookmark | None:
        """The bookmark under the cursor."""
        listing = self._rows.listing
        return listing.bookmark_at(self._rows.cursor) if isinstance(listing, BookmarkRows) else None

    @property
    def instead(self) -> tuple[str, ...]:
        """What is shown instead of notes if the selected bookmark's episode is gone; otherwise ()."""
        bookmark = self.selected
        if bookmark is None or bookmark.episode_id is not None:
            return ()
        quote = _("“{line}”", line=bookmark.line) if bookmark.line else ""
        more = (line for line in (bookmark.chapter, bookmark.note, quote, bookmark.link) if line)
        return bookmark.episode, bookmark.podcast, "", *more, "", _("This episode is no longer in your library.")

    def changed(self) -> None:
        """The bookmarks in the page and in the view may have changed."""
        self._page.changed()
        if self._here().name is ViewName.BOOKMARKS:
            self._reload()

    # -- keys -------------------------------------------------------------------------------------------------

    def play(self) -> bool:
        """Plays from the bookmark under the cursor; False in other lists."""
        bookmark = self.selected
        if bookmark is None:
            return False
        if bookmark.episode_id is None:
            self._ui.say(_("“{title}” is no longer in your library", title=bookmark.episode))
        else:
            self._playback.play_from(bookmark.episode_id, bookmark.position_ms)
        return True

    def delete(self) -> bool:
        """Deletes the bookmark under the cursor, of the page or of the list; False if there is none."""
        if self._page.delete():
            return True
        bookmark = self.selected if self._in_list() else None
        if bookmark is not None:
            delete(self._player, self._ui, bookmark)
        return bookmark is not None
