"""Which episodes are the same: the same guid, else the same enclosure, else the same title on the same day. Pure.

All guids are matched before any enclosure, so that no enclosure takes an episode that another item names by its guid.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from player.model.feed import FeedEpisode, KnownEpisode
from player.model.foreign import ForeignEpisode
from player.text.cleaning import fold

_SAME_LENGTH_MS = 10 * 60_000
_LOOKED_AT = 50
"""With how many episodes of the same title and day another is compared at most: a hostile feed has 30,000."""


class Identity(NamedTuple):
    """What names an episode within its podcast."""

    guid: str
    url: str
    title: str = ""
    published: datetime | None = None
    duration_ms: int | None = None


Named = Identity | KnownEpisode | FeedEpisode | ForeignEpisode
Item = TypeVar("Item", FeedEpisode, ForeignEpisode)


def matches(known: Sequence[Named], others: Sequence[Named], *, loosely: bool = False) -> dict[int, int]:
    """The index in `known` for each index in `others` that has one. No episode is matched twice.

    `loosely` is for items that aren't from this feed: the day may be the one before or after, as in another time zone,
    lengths aren't compared, and of several episodes with the same name only the first is meant.
    """
    found: dict[int, int] = {}
    taken: set[int] = set()

    def claim(
        key: Callable[[Named], Any], near: Callable[[Any], Iterable[Hashable]] = _alone, *, by_length: bool = False
    ) -> None:
        if len(found) == len(others):
            return
        free: dict[Hashable, deque[int]] = {}
        for at, name in enumerate(map(key, known)):
            if name and at not in taken:
                free.setdefault(name, deque()).append(at)
        for number, name in enumerate(map(key, others)):
            if not name or number in found:
                continue
            for wanted in near(name):
                for place, at in enumerate(islice(free.get(wanted, ()), 1 if loosely else _LOOKED_AT)):
                    if at not in taken and not (by_length and _differ_in_length(known[at], others[number])):
                        found[number] = at
                        taken.add(at)
                        if not loosely:
                            del free[wanted][place]
                        break
                if number in found:
                    break

    claim(attrgetter("guid"))
    claim(_address)
    claim(_day, _days_around if loosely else _alone, by_length=not loosely)
    return found


def distinct(items: Iterable[Item]) -> list[Item]:
    """The first item with each guid; of items without a guid, the first with each enclosure.

    Items with different guids stay apart even if they share an enclosure: some feeds use one enclosure for all.
    """
    items = list(items)
    if "" not in (guids := {item.guid for item in items}) and len(guids) == len(items):
        return items  # true of most feeds
    guids = set()
    urls: set[str] = set()
    unique = []
    for item in items:
        repeated = item.guid in guids if item.guid else _address(item) in urls
        if not repeated:
            unique.append(item)
            guids.add(item.guid)
            urls.add(_address(item))
    return unique


def _address(one: Named) -> str:
    """The address without its scheme, which many servers have changed."""
    return one.url.partition("://")[2] or one.url


def _day(one: Named) -> tuple[str, int] | None:
    return (fold(one.title), one.published.toordinal()) if one.title and one.published else None


def _alone(key: Hashable) -> Iterable[Hashable]:
    return (key,)


def _days_around(key: tuple[str, int]) -> Iterable[Hashable]:
    """The same day first, then the day before and the day after."""
    title, day = key
    return key, (title, day - 1), (title, day + 1)


def _differ_in_length(one: Named, other: Named) -> bool:
    """Whether they differ by more than ten minutes, as inserted advertising varies; an unknown length equals any."""
    if one.duration_ms is None or other.duration_ms is None:
        return False
    return abs(one.duration_ms - other.duration_ms) > _SAME_LENGTH_MS
