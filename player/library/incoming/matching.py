"""Which episode here is which episode of another app. Pure.

By the same guid, else the same enclosure, else the same title within a day: apps store dates in other time zones. All
guids are matched before any enclosure, so that nothing takes an episode that another one names.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

from player.text.cleaning import fold

_DAY_MS = 86_400_000


class Identity(NamedTuple):
    """What names an episode within its podcast; `published` in ms since 1970."""

    guid: str
    url: str
    title: str
    published: int | None


Keys = Callable[[Identity], Iterable[Hashable]]


def matches(known: Sequence[Identity], foreign: Sequence[Identity]) -> dict[int, int]:
    """The index in `known` for each index in `foreign` that has one. None belongs to two."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    _claim(known, foreign, _guid, _guid, found, taken)
    _claim(known, foreign, _url, _url, found, taken)
    _claim(known, foreign, _day, _days, found, taken)
    return found


def _claim(
    known: Sequence[Identity],
    foreign: Sequence[Identity],
    key: Keys,
    wanted: Keys,
    found: dict[int, int],
    taken: set[int],
) -> None:
    if len(found) == len(foreign):
        return
    free: dict[Hashable, int] = {}
    for number, one in enumerate(known):
        if number not in taken:
            for name in key(one):
                free.setdefault(name, number)
    for number, one in enumerate(foreign):
        if number in found:
            continue
        at = next((free[name] for name in wanted(one) if name in free and free[name] not in taken), None)
        if at is not None:
            found[number] = at
            taken.add(at)


def _guid(one: Identity) -> Iterable[Hashable]:
    return (one.guid,) if one.guid else ()


def _url(one: Identity) -> Iterable[Hashable]:
    """Without the scheme, which many servers have changed."""
    return (one.url.partition("://")[2] or one.url,) if one.url else ()


def _day(one: Identity) -> Iterable[Hashable]:
    return tuple(_days(one))[:1]


def _days(one: Identity) -> Iterable[Hashable]:
    """The same day first, then the one before and the one after."""
    if one.title and one.published is not None:
        title, day = fold(one.title), one.published // _DAY_MS
        yield from ((title, day), (title, day - 1), (title, day + 1))
