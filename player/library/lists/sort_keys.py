"""Where an episode stands in a list: the moment it is sorted by, newest first; equal moments stand in order of id."""

from collections.abc import Sequence
from datetime import datetime

from player.library.database.timestamps import stored

UNDATED = 0
"""Where a first reading puts a feed that dates nothing: behind all that has a date, in the feed's order."""


def sort_keys(dates: Sequence[datetime | None], known: Sequence[int | None], now: int | None) -> list[int]:
    """The sort keys of a feed's items (ms since 1970), from the `dates` in the feed, in the feed's order.

    `known` has the keys of those that the library has already. An item without a date stands behind the one before it.
    On top of the feed it counts as found `now`; in a first reading (`now` is None) it stands with the first dated one.
    """
    keys = [key if date is None else stored(date) for date, key in zip(dates, known, strict=True)]
    above = next((key for key in keys if key is not None), UNDATED) if now is None else now
    found: list[int] = []
    for key in keys:
        above = above if key is None else key
        found.append(above)
    return found
