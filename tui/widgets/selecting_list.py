"""A list in which several rows can be selected."""

from textual import events
from textual.message import Message

from player.model.episode import EpisodeId
from tui.framework.messages import FieldMessage
from tui.widgets.virtual_list import VirtualList


class SelectingList(VirtualList):
    """A list in which several rows can be selected: those from where the selection began to the cursor, or all."""

    class Selected(FieldMessage):
        """The selected rows have changed."""

        rows: VirtualList

        @property
        def control(self) -> VirtualList:
            return self.rows

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, SelectingList.Selected) and message.rows is self.rows

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.selectable = True
        self._began_at: int | None = None
        self._began_on: EpisodeId | None = None
        self._all_selected = False

    @property
    def episode_id(self) -> EpisodeId | None:
        """The id of the episode under the cursor."""
        raise NotImplementedError

    @property
    def selected(self) -> range:
        """The rows that are selected."""
        if self._all_selected:
            return range(self.row_count())
        if self._began_at is None:
            return range(0)
        return range(min(self._began_at, self.cursor), min(max(self._began_at, self.cursor) + 1, self.row_count()))

    def is_selected(self, index: int) -> bool:
        return index in self.selected and self.may_rest(index)

    def begin_selection(self) -> None:
        """Starts with the row under the cursor; moving the cursor extends the selection."""
        self._began_on = self.episode_id
        self._select(self.cursor, everything=False)

    @property
    def selection_began_on(self) -> EpisodeId | None:
        """The episode at the other end of the selection from the cursor."""
        return self._began_on if self._began_at is not None else None

    def keep_selection(self, began_on: EpisodeId | None, began_at: int | None) -> None:
        """New rows are about to be shown: the episode on which the selection began is at `began_at` in them. A
        selection that began on another episode ends."""
        if self._began_at is not None:
            self._began_at = began_at if began_on == self._began_on else None
        self.post_message(self.Selected(self))

    def to_top(self) -> None:
        """Call before another view is shown: the cursor moves to the top and the selection ends."""
        self.cursor = 0
        self.end_selection()

    def select_all(self) -> None:
        self._select(None, everything=True)

    def end_selection(self) -> None:
        if self.selected:
            self._select(None, everything=False)

    def _select(self, began_at: int | None, *, everything: bool) -> None:
        self._began_at, self._all_selected = began_at, everything
        self.refresh_changed()
        self.post_message(self.Selected(self))

    def move_to(self, index: int) -> bool:
        moved = super().move_to(index)
        if moved and self._began_at is not None:
            self.refresh_changed()
            self.post_message(self.Selected(self))
        return moved

    def on_click(self, event: events.Click) -> None:
        """A click with shift extends the selection; the cursor's own handler, which moves it, is called after this."""
        if event.shift and self.selectable:
            if not self.selected:
                self.begin_selection()
        else:
            self.end_selection()
