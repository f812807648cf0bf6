"""The list of episodes, which also shows sessions of the history under their days."""

from collections.abc import Hashable, Sequence

from rich.segment import Segment

from player.library import Listing, RowsRead
from player.library.history.listing import DayHeading, SessionList
from player.library.history.sessions import Session
from player.model.episode import EpisodeId
from tui.drawing.episode_rows import playing_sign, state_sign
from tui.widgets.episode_list import EpisodeList
from tui.widgets.history.session_rows import heading_row, session_row


class ListenedEpisodes(EpisodeList):
    """Of a `SessionList` it draws the sessions, and the cursor stays on its session; of any other list the episodes."""

    @property
    def session(self) -> Session | None:
        """The session under the cursor."""
        row = self._listened(self.cursor)
        return row if isinstance(row, Session) else None

    def show(
        self,
        listing: Listing,
        place: int | None,
        empty: str = "",
        *,
        mixed: bool = False,
        read: RowsRead | None = None,
        began: tuple[EpisodeId | None, int | None] = (None, None),
    ) -> None:
        if isinstance(listing, SessionList) and isinstance(self.listing, SessionList):
            place = listing.same_row(self.listing, self.cursor)
        super().show(listing, place, empty, mixed=mixed, read=read, began=began)

    def may_rest(self, index: int) -> bool:
        return super().may_rest(index) and not isinstance(self._listened(index), DayHeading)

    def row_key(self, index: int) -> Hashable:
        if (row := self._listened(index)) is None:
            return super().row_key(index)
        episode = row.episode if isinstance(row, Session) else None
        return row, self._today(), playing_sign(episode, self._status) if episode else None

    def draw_row(self, index: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        row = self._listened(index)
        if row is None:
            return super().draw_row(index, width, at_cursor=at_cursor)
        if isinstance(row, DayHeading):
            return heading_row(row, self._today(), width, self.glyphs, self.ink)
        sign = Segment(" ")
        if row.episode:
            text, role = state_sign(row.episode, self._status, self.glyphs)
            sign = Segment(text, self.ink(role))
        return session_row(row, sign, width, self.glyphs, self.ink, at_cursor=at_cursor)

    def _listened(self, index: int) -> Session | DayHeading | None:
        """A row of the history; None in other lists."""
        return self.listing.row_at(index) if isinstance(self.listing, SessionList) else None
