"""When rows leave the list that no longer belong there, such as a played one while played episodes are hidden."""

from collections.abc import Callable, Sequence

from player.events import Mark
from player.model.episode import EpisodeId
from player.model.filters import State, View
from tui.widgets.episode_list import EpisodeList

_STATES = {
    Mark.PLAYED: frozenset({State.PLAYED, State.UNPLAYED, State.IN_PROGRESS}),
    Mark.STARRED: frozenset({State.STARRED}),
}


class LeavingRows:
    """The row under the cursor stays until the cursor moves, so that the same key can take a mark back; all others
    leave at once.

    `shown` is the view as it is shown, None before there is one; `is_searched` says whether a view is a smart list,
    which may depend on any mark. `reload` reads the list again; so does `reload_around`, but it keeps the row under the
    cursor.
    """

    def __init__(
        self,
        rows: EpisodeList,
        shown: Callable[[], View | None],
        is_searched: Callable[[View], bool],
        reload: Callable[[], None],
        reload_around: Callable[[], None],
    ) -> None:
        self._rows = rows
        self._shown = shown
        self._is_searched = is_searched
        self._reload = reload
        self._reload_around = reload_around
        self._staying: EpisodeId | None = None

    def marked(self, ids: Sequence[EpisodeId], mark: Mark) -> None:
        """The marks of these episodes have changed."""
        view = self._shown()
        if view is None or not (view.filter.states & _STATES[mark] or self._is_searched(view)):
            return
        if len(ids) == 1 and ids[0] == self._rows.episode_id:
            self._staying = ids[0]
            self._reload_around()  # rows that are yet to be read would be others than those that were counted
        else:
            self._reload()

    def cursor_moved(self) -> None:
        if self._staying is not None and self._rows.episode_id != self._staying:
            self._staying = None
            self._reload()

    def list_shown(self) -> None:
        """The list was read again, or is another one. The cursor may have moved without a message yet."""
        self.cursor_moved()
