"""Decides which items of a feed are new, which are known episodes, and which of those have changed. Pure.

The same episode: the same guid, else the same enclosure, else the same title on the same day. All guids are matched
before any enclosure, so that no item takes an episode that another one names.
"""

from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from datetime import date, datetime
from itertools import islice

from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedEpisode, KnownEpisode, Merge
from player.text.cleaning import fold

_SAME_LENGTH_MS = 10 * 60_000
_LOOKED_AT = 50
"""Most episodes of the same title and day that an item is compared with: a hostile feed has 30,000."""


def decide(known: Sequence[KnownEpisode], feed: Feed) -> Merge:
    """What to write so that the library matches the feed."""
    items = _without_repeats(feed.episodes)
    if not known:
        return Merge(tuple(items))
    same = _matches(known, items)
    new: list[FeedEpisode] = []
    changed: list[tuple[EpisodeId, FeedEpisode]] = []
    unchanged = 0
    for index, item in enumerate(items):
        episode = same.get(index)
        if episode is None:
            new.append(item)
            continue
        # A feed that has lost its guids doesn't make us lose them.
        item = item if item.guid or not episode.guid else item._replace(guid=episode.guid).signed()
        if item.fingerprint == episode.fingerprint:
            unchanged += 1
        else:
            changed.append((episode.id, item))
    found = {episode.id for episode in same.values()}
    gone = tuple(one.id for one in known if one.id not in found) if feed.is_whole else ()
    return Merge(tuple(new), tuple(changed), unchanged, gone)


def _without_repeats(items: Iterable[FeedEpisode]) -> list[FeedEpisode]:
    """The first of each guid; of items without one, the first of each enclosure.

    Items with different guids stay apart even if they share an enclosure: some feeds have one for all.
    """
    items = list(items)
    if "" not in (guids := {item.guid for item in items}) and len(guids) == len(items):
        return items  # what most feeds are
    guids = set()
    urls: set[str] = set()
    unique = []
    for item in items:
        repeated = item.guid in guids if item.guid else _url_key(item.url) in urls
        if not repeated:
            unique.append(item)
            guids.add(item.guid)
            urls.add(_url_key(item.url))
    return unique


def _matches(known: Sequence[KnownEpisode], items: Sequence[FeedEpisode]) -> dict[int, KnownEpisode]:
    """Maps an item's index to its episode. No episode belongs to two items."""
    same: dict[int, KnownEpisode] = {}
    taken: set[EpisodeId] = set()

    def claim(keys_known: Iterable[Hashable], keys_items: Iterable[Hashable], *, by_length: bool = False) -> None:
        waiting: dict[Hashable, deque[KnownEpisode]] = {}
        for episode, key in zip(known, keys_known, strict=True):
            if key and episode.id not in taken:
                waiting.setdefault(key, deque()).append(episode)
        for index, (item, key) in enumerate(zip(items, keys_items, strict=True)):
            if index in same or not key:
                continue
            candidates = waiting.get(key, deque())
            for number, candidate in enumerate(islice(candidates, _LOOKED_AT)):
                if not by_length or _as_long(candidate, item):
                    same[index] = candidate
                    taken.add(candidate.id)
                    del candidates[number]
                    break

    claim((one.guid for one in known), (one.guid for one in items))
    if len(same) < len(items):
        claim((_url_key(one.url) for one in known), (_url_key(one.url) for one in items))
    if len(same) < len(items):
        claim((_day_key(one) for one in known), (_day_key(one) for one in items), by_length=True)
    return same


def _url_key(url: str) -> str:
    return url.partition("://")[2] or url


def _day_key(episode: KnownEpisode | FeedEpisode) -> tuple[str, date] | None:
    published: datetime | None = episode.published
    return (fold(episode.title), published.date()) if published and episode.title else None


def _as_long(known: KnownEpisode, item: FeedEpisode) -> bool:
    """Within ten minutes, as inserted advertising varies; unknown lengths match."""
    if known.duration_ms is None or item.duration_ms is None:
        return True
    return abs(known.duration_ms - item.duration_ms) <= _SAME_LENGTH_MS
