"""Which records of a journal are still needed."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from player.merging.clock import usable
from player.merging.compaction import compacted
from player.merging.facts import latest
from player.model.syncing.actions import Action, EpisodeName, Fact, SubscriptionChange
from player.sync.folder.records import Record


def needed(records: Sequence[Record], *, are_all: bool) -> list[Record]:
    """Those of one device's `records` that lead to the same as all of them, once each and in the same order.

    Of a fact and a subscription it is the latest. Of an episode's actions some can be spared, but only if `are_all`:
    the device has made no others. Those of an episode that has several names all stay.
    """
    kept: set[Record] = set(latest(one for one in records if isinstance(one, Fact)).values())
    kept.update(_latest_changes(one for one in records if isinstance(one, SubscriptionChange)))
    actions = [one for one in records if isinstance(one, Action)]
    kept.update(_needed_actions(actions) if are_all else actions)
    return [one for one in dict.fromkeys(records) if one in kept]


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
