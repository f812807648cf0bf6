"""Decides which items of a feed are new, which are known episodes, and which known episodes have changed. Pure.

`player.model.matching` says which item is which episode.
"""

from collections.abc import Sequence

from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedEpisode, KnownEpisode, Merge
from player.model.matching import distinct, matches


def decide(known: Sequence[KnownEpisode], feed: Feed) -> Merge:
    """What to write so that the library matches the feed."""
    items = distinct(feed.episodes)
    if not known:
        return Merge(tuple(items))
    same = matches(known, items)
    new: list[FeedEpisode] = []
    changed: list[tuple[EpisodeId, FeedEpisode]] = []
    unchanged = 0
    for index, item in enumerate(items):
        if (at := same.get(index)) is None:
            new.append(item)
            continue
        episode = known[at]
        # A feed that has lost its guids doesn't make the library lose them.
        item = item if item.guid or not episode.guid else item._replace(guid=episode.guid).signed()
        if item.fingerprint == episode.fingerprint:
            unchanged += 1
        else:
            changed.append((episode.id, item))
    found = set(same.values())
    gone = tuple(one.id for at, one in enumerate(known) if at not in found) if feed.is_whole else ()
    return Merge(tuple(new), tuple(changed), unchanged, gone)
