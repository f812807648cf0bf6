"""What several directories found, as one list: each podcast once, the best first. Pure functions.

Podcasts are the same if their guids are, or their Apple ids, or their feed addresses (`url_key`); never because of
their titles, which many share.

The order of a search: podcasts whose title is what was typed; then those whose title begins with it; then those with
all of its words in the title; then the others. Among equals those come first that stand high in several directories
(the sum of 1/(20 + place)), then by title. Without a feed address a podcast comes last. A chart keeps the order of the
first directory, and what only others name follows.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from msgspec.structs import replace

from player.directory.found_podcast import FoundPodcast
from player.links.same_feed import url_key
from player.text.cleaning import fold

Found = Mapping[str, Sequence[FoundPodcast]]
"""What each directory found, by its name; the one whose fields count most comes first."""

_FLAT = 20
"""The larger, the less it matters where in a directory's answer a podcast stands."""


class _Group:
    """One podcast, as each directory has it, and the sum of its places."""

    def __init__(self) -> None:
        self.entries: list[FoundPodcast] = []
        self.score = 0.0

    def absorb(self, other: "_Group") -> None:
        self.entries += other.entries
        self.score += other.score


def search_results(found: Found, words: str) -> tuple[FoundPodcast, ...]:
    """In the order of a search for these words."""
    typed = " ".join(fold(words).split())

    def rank(group: tuple[FoundPodcast, float]) -> tuple[Any, ...]:
        podcast, score = group
        title = " ".join(fold(podcast.title).split())
        return not podcast.feed_url, _closeness(title, typed), -round(score, 9), title, podcast.feed_url

    return tuple(podcast for podcast, _score in sorted(_merged(found), key=rank))


def chart(found: Found) -> tuple[FoundPodcast, ...]:
    """In the order of the first directory; then what the others have besides."""
    return tuple(podcast for podcast, _score in _merged(found))


def _closeness(title: str, typed: str) -> int:
    if title == typed:
        return 0
    if title.startswith(typed):
        return 1
    return 2 if all(word in title for word in typed.split()) else 3


def _merged(found: Found) -> list[tuple[FoundPodcast, float]]:
    """Each podcast with its score, in the order in which they are first named."""
    groups: dict[Hashable, _Group] = {}
    for podcasts in found.values():
        for place, podcast in enumerate(podcasts):
            group = _Group()
            group.entries.append(podcast)
            group.score = 1 / (_FLAT + place)
            _join(groups, group, list(_keys(podcast)) or [object()])
    return [(reduce(_fuller, group.entries), group.score) for group in dict.fromkeys(groups.values())]


def _join(groups: dict[Hashable, _Group], group: _Group, keys: list[Hashable]) -> None:
    """Adds the group to the first that shares a key; those that turn out to be one are joined."""
    known = list(dict.fromkeys(groups[key] for key in keys if key in groups))
    for other in known[1:]:
        known[0].absorb(other)
        groups.update((key, known[0]) for key, one in list(groups.items()) if one is other)
    if known:
        known[0].absorb(group)
    groups.update((key, known[0] if known else group) for key in keys)


def _keys(podcast: FoundPodcast) -> Iterator[Hashable]:
    if podcast.guid:
        yield "guid", podcast.guid
    if podcast.apple_id is not None:
        yield "apple", podcast.apple_id
    if podcast.feed_url:
        yield "feed", url_key(podcast.feed_url)


def _fuller(one: FoundPodcast, other: FoundPodcast) -> FoundPodcast:
    """What both know. Where they differ the first is right, but for the longest description, the newest episode and the
    larger number of episodes."""
    counts = [count for count in (one.episode_count, other.episode_count) if count is not None]
    newest = [moment for moment in (one.newest, other.newest) if moment is not None]
    secure = one.feed_url.replace("http://", "https://", 1) == other.feed_url
    return replace(
        one,
        author=one.author or other.author,
        feed_url=other.feed_url if secure else one.feed_url or other.feed_url,
        apple_id=one.apple_id if one.apple_id is not None else other.apple_id,
        guid=one.guid or other.guid,
        website=one.website or other.website,
        description=max(one.description, other.description, key=len),
        artwork_url=one.artwork_url or other.artwork_url,
        episode_count=max(counts, default=None),
        newest=max(newest, default=None),
        language=one.language or other.language,
        topics=one.topics or other.topics,
        explicit=one.explicit if one.explicit is not None else other.explicit,
        directories=tuple(dict.fromkeys((*one.directories, *other.directories))),
    )
