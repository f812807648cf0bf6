"""The Bookmarks view: all bookmarks, with keys to play from a bookmark and to delete it."""

from collections.abc import Callable

from player.library import Listing
from player.model.filters import View, ViewName
from player.model.listening import Bookmark
from player.text.sentences import _
from tui.controllers.lists.list import ListController, ListKind
from tui.controllers.lists.selection import Selection
from tui.controllers.page import delete
from tui.widgets.own_rows import BookmarkRows


class BookmarkList(ListKind):
    view_name = ViewName.BOOKMARKS
    plays_on, stays_whole = False, True

    def __init__(self, lists: ListController, selection: Selection) -> None:
        super().__init__(lists)
        self._selection = selection

    @property
    def enter_word(self) -> str:
        return _("play from here")

    def listing(self, view: View, _cancelled: Callable[[], bool]) -> Listing:
        return BookmarkRows(self.player.library.bookmarks.all(), view.title)

    @property
    def selected(self) -> Bookmark | None:
        """The bookmark under the cursor."""
        listing = self.rows.listing
        return listing.bookmark_at(self.rows.cursor) if isinstance(listing, BookmarkRows) else None

    @property
    def instead(self) -> tuple[str, ...]:
        """The facts about a bookmark whose episode is no longer in the library."""
        bookmark = self.selected
        if bookmark is None or bookmark.episode_id is not None:
            return ()
        quote = _("“{line}”", line=bookmark.line) if bookmark.line else ""
        more = (line for line in (bookmark.chapter, bookmark.note, quote, bookmark.link) if line)
        return bookmark.episode, bookmark.podcast, "", *more, "", _("This episode is no longer in your library.")

    def changed(self) -> None:
        if self.is_shown:
            self.lists.load()

    # -- keys -------------------------------------------------------------------------------------------------

    def enter(self) -> bool:
        """Plays from the bookmark under the cursor."""
        bookmark = self.selected
        if bookmark is None:
            return False
        if bookmark.episode_id is None:
            self.ui.say(_("“{title}” is no longer in your library", title=bookmark.episode))
        else:
            self.ui.playback.play_from(bookmark.episode_id, bookmark.position_ms)
        return True

    def delete(self) -> bool:
        """Deletes the bookmark under the list's cursor."""
        aside = self._selection.in_sidebar or self._selection.on_page
        bookmark = None if aside else self.selected
        if bookmark is not None:
            delete(self.player, self.ui, bookmark)
        return bookmark is not None

    def order(self) -> bool:
        self.ui.say(_("Episodes are in the order of their latest bookmark"))
        return True

    def hide_played(self) -> bool:
        self.ui.say(_("Bookmarks are always shown"))
        return True
