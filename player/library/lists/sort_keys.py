"""How episodes are ordered in a list: by a time, newest first; those with the same time by id."""

from collections.abc import Sequence
from datetime import datetime

from player.library.database.values import stored

UNDATED = 0
"""Where a feed without any dates goes when it is first read: behind everything with a date, in the feed's order."""


def sort_keys(dates: Sequence[datetime | None], known: Sequence[int | None], now: int | None) -> list[int]:
    """The sort keys of a feed's items (ms since 1970), from the `dates` in the feed, in the feed's order.

    `known` has the keys of those that are in the library already. An item without a date is placed behind the one
    before it. On top of the feed it counts as found `now`; when the feed is first read (`now` is None) it is placed
    with the first dated item.
    """
    keys = [key if date is None else stored(date) for date, key in zip(dates, known, strict=True)]
    above = next((key for key in keys if key is not None), UNDATED) if now is None else now
    found: list[int] = []
    for key in keys:
        above = above if key is None else key
        found.append(above)
    return found
