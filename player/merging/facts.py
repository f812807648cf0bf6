"""Stars, the queue, bookmarks, settings: the latest value of each wins. Also the order of the queue."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from player.merging.clock import usable
from player.model.syncing import Fact, FactKind

STEP = 1 << 20
"""The gap between the ranks of neighbours in a queue, so that others fit in between."""
_MOST_RANK = 1 << 52


def wins(one: Fact, other: Fact) -> bool:
    """Whether `one` replaces `other`, which is of the same kind and key: if it is later; at the same time the device
    decides, then the value, and finally a time that is nonsense."""
    return (usable(one.at), one.device, one.value, one.at) > (usable(other.at), other.device, other.value, other.at)


def latest(facts: Iterable[Fact]) -> dict[tuple[FactKind, str], Fact]:
    """The fact that counts for each kind and key, in whatever order they come. Facts without a value are included: they
    say that the value was removed, until a later fact comes."""
    counts: dict[tuple[FactKind, str], Fact] = {}
    for one in facts:
        name = (one.kind, one.key)
        if name not in counts or wins(one, counts[name]):
            counts[name] = one
    return counts


def queue_order(facts: Iterable[Fact]) -> tuple[str, ...]:
    """The keys of the queue, in order. A fact of the queue has an episode as its key and a rank, a whole number, as its
    value; episodes without such a value are last."""
    ranked = [(_rank(one.value), one.key) for one in latest(facts).values() if one.kind is FactKind.QUEUE and one.value]
    return tuple(key for _rank, key in sorted(ranked))


def queue_ranks(order: Sequence[str], known: Mapping[str, int]) -> dict[str, int]:
    """The ranks that have to be reported for the queue to be in this order; `known` has the ranks reported before. As
    few as possible, so that episodes moved on another device meanwhile keep their ranks."""
    stays = _longest_rise([(number, known[key]) for number, key in enumerate(order) if key in known])
    ranks: dict[str, int] = {}
    edges = [-1, *stays, len(order)]
    for before, after in pairwise(edges):
        count = after - before - 1
        if not count:
            continue
        low = known[order[before]] if before >= 0 else None
        high = known[order[after]] if after < len(order) else None
        between = _between(low, high, count)
        if between is None:
            return {key: number * STEP for number, key in enumerate(order, 1)}
        ranks.update(zip(order[before + 1 : after], between, strict=True))
    return ranks


def _between(low: int | None, high: int | None, count: int) -> list[int] | None:
    """`count` ranks in order; None if there is no room for them."""
    if low is None or high is None:
        start = low if low is not None else (high - STEP * (count + 1) if high is not None else 0)
        between = [start + STEP * number for number in range(1, count + 1)]
        return between if all(abs(rank) < _MOST_RANK for rank in between) else None
    step = (high - low) // (count + 1)
    return [low + step * number for number in range(1, count + 1)] if step else None


def _longest_rise(ranks: Sequence[tuple[int, int]]) -> list[int]:
    """The indices of the longest subsequence whose ranks already rise (patience sorting)."""
    tails: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_number, rank) in enumerate(ranks):
        pile = bisect_left(tails, rank)
        before.append(last[pile - 1] if pile else -1)
        if pile == len(tails):
            tails.append(rank)
            last.append(index)
        else:
            tails[pile], last[pile] = rank, index
    rise: list[int] = []
    index = last[-1] if last else -1
    while index >= 0:
        rise.append(ranks[index][0])
        index = before[index]
    return rise[::-1]


def rank_of(value: str) -> int | None:
    """The rank in the value of a fact of the queue; None if it has none."""
    try:
        rank = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return rank if isinstance(rank, int) and not isinstance(rank, bool) and abs(rank) < _MOST_RANK else None


def forgotten_until(fact: Fact | None) -> int:
    """Up to when the history was deleted, according to a fact of kind FORGOTTEN, in ms since 1970; 0 if it doesn't
    say."""
    if fact is None or fact.kind is not FactKind.FORGOTTEN or not re.fullmatch(r"[1-9][0-9]{0,15}", fact.value):
        return 0
    return usable(int(fact.value))


def _rank(value: str) -> int:
    rank = rank_of(value)
    return _MOST_RANK if rank is None else rank
