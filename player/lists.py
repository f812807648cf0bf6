"""The listener's changes to lists: smart lists and playlists, and how each view is shown."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

from player.acts import Writes
from player.events import Bus, ListsChanged
from player.library import Library
from player.model.episode import EpisodeId
from player.model.filters import ListId, SavedList, View, ViewSettings

T = TypeVar("T")


class Lists:
    """Every command returns at once; the change is on the disk, and published, when its future is done."""

    def __init__(self, library: Library, bus: Bus, write: Writes) -> None:
        self._library = library
        self._bus = bus
        self._write = write

    def continue_in_turn(self, view: View) -> Future[bool | None]:
        """Whether the list plays on by itself once the queue is empty: not at all (None), its oldest first (False), or
        its newest (True); each time the next of these. A smart list or playlist does in its order (False), or not."""

        def work() -> bool | None:
            now = self._library.continued.newest_first(view)
            newest_first = {None: False, False: True if view.list_id is None else None, True: None}[now]
            self._library.continued.set(view, newest_first)
            return newest_first

        return self._write(work)

    def set_view_settings(self, view: str, settings: ViewSettings) -> Future[None]:
        """`view` is a view's key."""
        return self._write(lambda: self._library.view_settings.set(view, settings))

    def save_search(self, title: str, query: str) -> Future[SavedList]:
        """Makes a smart list."""
        return self._changing(lambda: self._library.lists.add(title, query))

    def change(self, list_id: ListId, title: str, query: str | None = None) -> Future[None]:
        """Sets another name and, for a smart list, another search."""
        return self._changing(lambda: self._library.lists.change(list_id, title, query))

    def move(self, list_id: ListId, by: int) -> Future[None]:
        """`by` rows up (less than 0) or down in the sidebar."""
        return self._changing(lambda: self._library.lists.move(list_id, by))

    def remove(self, list_id: ListId) -> Future[None]:
        return self._changing(lambda: self._library.lists.remove(list_id))

    def download(self, list_id: ListId, most: int) -> Future[None]:
        """Rules download the first `most` unplayed episodes of the list; 0: no longer any."""
        return self._changing(lambda: self._library.downloads.facts.set_list(list_id, most))

    def new_playlist(self, title: str, ids: Sequence[EpisodeId] = ()) -> Future[SavedList]:
        def work() -> SavedList:
            with self._library.transaction():
                made = self._library.lists.add(title)
                self._library.lists.add_episodes(made.id, ids)
            return made

        return self._changing(work)

    def add_to_playlist(self, list_id: ListId, ids: Sequence[EpisodeId]) -> Future[list[EpisodeId]]:
        """The future has the episodes that weren't in it before."""
        return self._changing(lambda: self._library.lists.add_episodes(list_id, ids))

    def take_out(self, list_id: ListId, ids: Sequence[EpisodeId]) -> Future[None]:
        return self._changing(lambda: self._library.lists.take_out(list_id, ids))

    def move_in_playlist(self, list_id: ListId, ids: Sequence[EpisodeId], by: int) -> Future[None]:
        """`by` rows up (less than 0) or down."""
        return self._changing(lambda: self._library.lists.move_episodes(list_id, ids, by))

    def _changing(self, change: Callable[[], T]) -> Future[T]:
        def work() -> T:
            changed = change()
            self._bus.publish(ListsChanged())
            return changed

        return self._write(work)
