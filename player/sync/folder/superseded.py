"""Which records of a journal are still needed."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence

from player.merging.clock import usable
from player.merging.compaction import compacted
from player.merging.facts import forgotten_until, latest
from player.model.syncing import Action, EpisodeName, Fact, FactKind, SubscriptionChange
from player.sync.folder.records import Record


def needed(records: Sequence[Record], *, are_all: bool) -> list[Record]:
    """The subset of one device's `records` that leads to the same result as all of them, each once and in the same
    order.

    Of a fact and a subscription the latest; spans of deleted history aren't needed. Some of an episode's actions can be
    left out, but only if `are_all`: the device has made no others. The actions of an episode that has several names are
    all kept.
    """
    facts = latest(one for one in records if isinstance(one, Fact)).values()
    until = max((forgotten_until(one) for one in facts), default=0)
    kept: set[Record] = {one for one in facts if one.kind is not FactKind.SPAN or _began_at(one) >= until}
    kept.update(_latest_changes(one for one in records if isinstance(one, SubscriptionChange)))
    actions = [one for one in records if isinstance(one, Action)]
    kept.update(_needed_actions(actions) if are_all else actions)
    return [one for one in dict.fromkeys(records) if one in kept]


def _began_at(span: Fact) -> int:
    """0 if the key isn't that of a span."""
    try:
        *_episode, began_at = json.loads(span.key)
    except (ValueError, TypeError, RecursionError):
        return 0
    return began_at if isinstance(began_at, int) else 0


def _latest_changes(changes: Iterable[SubscriptionChange]) -> Iterable[SubscriptionChange]:
    counts: dict[str, SubscriptionChange] = {}
    for one in changes:
        other = counts.get(one.podcast)
        if other is None or (usable(one.at), one.subscribed) > (usable(other.at), other.subscribed):
            counts[one.podcast] = one
    return counts.values()


def _needed_actions(actions: Iterable[Action]) -> Iterable[Action]:
    by_name: defaultdict[EpisodeName, list[Action]] = defaultdict(list)
    for one in actions:
        by_name[one.episode].append(one)
    names: defaultdict[str, set[EpisodeName]] = defaultdict(set)
    for name in by_name:
        names[name.guid].add(name)
        names[name.url].add(name)
    for name, own in by_name.items():
        others = names[name.url] | (names[name.guid] if name.guid else set())
        yield from compacted(own) if others == {name} else own
