"""What is read of a list before it is shown: the cursor's row, and the rows around it."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import NamedTuple

from player.library import Listing, RowsRead, WithRow, read_rows
from player.library.listening.queue import QueueLeft
from player.model.episode import EpisodeId
from player.model.filters import View
from player.player import Player
from tui.drawing.date_headings import Headings, date_groups, headings
from tui.widgets.episode_list import EpisodeList
from tui.widgets.rows.own_rows import OwnRows


class Stand(NamedTuple):
    """What the cursor is on: an episode, or a line if it isn't known yet what is there.

    A line in the lower half of a list is counted from the end, as -1, so that a list that grows above keeps its end.
    """

    episode_id: EpisodeId | None = None
    line: int | None = None

    @classmethod
    def of(cls, rows: EpisodeList) -> "Stand":
        count, cursor = rows.row_count(), rows.cursor
        if rows.episode_id is not None or cursor >= count:
            return cls(rows.episode_id)
        return cls(line=cursor if cursor < count // 2 else cursor - count)

    def row_in(self, listing: Listing) -> int | None:
        """None if it isn't in the list. Reads the library."""
        if self.line is None:
            return listing.rank(self.episode_id)
        return _row_of_line(self.line, len(listing))


class Read(NamedTuple):
    """A list for a cursor that is on `stand`, and whose `row` that is in the list: None when it has left it. `began`
    says on which episode the selection began, and its row. `left`: of the queue, how long it lasts."""

    shown_as: View
    listing: Listing
    stand: Stand
    row: int | None
    rows: RowsRead
    began: tuple[EpisodeId | None, int | None]
    left: QueueLeft | None = None
    headings: Headings = ()

    def moved(self, stand: Stand, began_on: EpisodeId | None) -> "Read | None":
        """The same for a cursor that has moved, or a selection that began elsewhere; None if what they are on now
        wasn't read."""
        read = self
        if stand != self.stand:
            if (row := self._row_read(stand)) is None:
                return None
            read = read._replace(stand=stand, row=row)
        if began_on != self.began[0]:
            if (began_at := self._row_read(Stand(began_on))) is None and began_on is not None:
                return None
            read = read._replace(began=(began_on, began_at))
        return read

    def _row_read(self, stand: Stand) -> int | None:
        if stand.line is not None:
            row = _row_of_line(stand.line, len(self.listing))
            return row if row in range(self.rows.start, self.rows.end) else None
        ids = list(self.rows.ids)
        return self.rows.start + ids.index(stand.episode_id) if stand.episode_id in ids else None


def read_list(
    player: Player,
    listing: Callable[[], Listing],
    shown_as: View,
    stand: Stand,
    sought: Sequence[EpisodeId],
    began_on: EpisodeId | None,
    height: int,
    staying: tuple[EpisodeId, int] | None = None,
    today: date | None = None,
) -> Read:
    """The rows come from `height` above the cursor to as many below. A cursor for which there are `sought` episodes
    goes to the first of them that the list has. An episode that is `staying` keeps its row if it has left.
    The dates in the headings are those of `today`. All is of one moment of the library.

    Raises LibraryError, and Interrupted where `listing` does.
    """
    with player.library.episodes.snapshot():
        made = listing()
        if staying is not None and made.rank(staying[0]) is None:
            made = WithRow(made, staying[1], staying[0])
        ranks = (made.rank(one) for one in sought)
        row = next((rank for rank in ranks if rank is not None), None)
        if row is None:
            row = stand.row_in(made)
        top = row or 0
        rows = read_rows(made, player.library.episodes.rows, top - height, top + height)
        above = _headings(player, made, shown_as, today or date.today())
        return Read(shown_as, made, stand, row, rows, (began_on, made.rank(began_on)), headings=above)


def _headings(player: Player, listing: Listing, shown_as: View, today: date) -> Headings:
    """The dates above the rows, in a list by date with several podcasts that isn't narrowed by words."""
    dated = listing.dated if isinstance(listing, OwnRows) else listing
    if shown_as.podcast_id is not None or shown_as.title or not dated:
        return ()
    groups = date_groups(today)
    found = player.library.episodes.counts_since(dated, [one.since for one in groups[:-1]])
    return () if found is None else headings(groups, found.counts, len(dated), oldest_first=found.oldest_first)


def _row_of_line(line: int, count: int) -> int | None:
    return max(0, min(line if line >= 0 else count + line, count - 1)) if count else None
