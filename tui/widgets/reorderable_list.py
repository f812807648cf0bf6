"""A list of episodes whose rows can be moved, by keys or by dragging them."""

from array import array
from collections.abc import Sequence

from msgspec import Struct
from textual import events

from player.library.listening.queue import moved
from player.model.episode import EpisodeId
from tui.framework.messages import FieldMessage
from tui.widgets.episode_list import EpisodeList


class _Drag(Struct):
    """The episode that is being dragged, and the row `start` from which it was."""

    episode_id: EpisodeId
    start: int


class ReorderableList(EpisodeList):
    """While `draggable`, rows can be dragged with the mouse; `Dropped` is posted at the end.

    Rows move at once on the screen; the list's owner saves the new order.
    """

    class Dropped(FieldMessage):
        """A row was dragged `by` rows down (negative: up)."""

        rows: "ReorderableList"
        episode_id: EpisodeId
        by: int

        @property
        def control(self) -> "ReorderableList":
            return self.rows

    draggable = False
    _drag: _Drag | None = None

    @property
    def dragging(self) -> bool:
        return self._drag is not None

    def ids(self) -> list[EpisodeId]:
        """All ids of the list, which must be one that is read whole, such as the queue."""
        return [EpisodeId(one) for one in self._rows.all_ids()]

    def reorder(self, ids: Sequence[EpisodeId]) -> None:
        """Shows these episodes, all of the list's or fewer, in this order before the library confirms it.

        The cursor stays on its episode, or on its line if the episode is gone.
        """
        under = self.episode_id
        self._rows = self._rows.reordered(array("q", ids))
        if under in ids:
            self.cursor = ids.index(under)
        self.rows_changed()
        if self.episode_id != under:
            self.post_message(self.Moved(self))
        self._look_ahead()

    # -- dragging ---------------------------------------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        index = self.row_at(event.y)
        episode_id = None if index is None else self._rows.id_at(index)
        if self.draggable and event.button == 1 and index is not None and episode_id is not None:
            self._drag = _Drag(episode_id, index)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._drag is None:
            return
        if not event.button:  # released outside the terminal
            self._drop()
            return
        ids = self.ids()
        row = max(0, min(self._lines.at(max(0, event.y + self.scroll_offset.y)).row, len(ids) - 1))
        if self._drag.episode_id in ids and (at := ids.index(self._drag.episode_id)) != row:
            self.capture_mouse()
            self.move_to(at)
            self.reorder(moved(ids, [self._drag.episode_id], row - at))

    def on_mouse_up(self) -> None:
        if self._drag is not None:
            self._drop()

    def _drop(self) -> None:
        drag, self._drag = self._drag, None
        self.release_mouse()
        ids = self.ids()
        if drag is not None and drag.episode_id in ids and (by := ids.index(drag.episode_id) - drag.start):
            self.post_message(self.Dropped(self, drag.episode_id, by))
