"""The results of several directories as one list: each podcast once, best first, none inside the listener's own
network."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import count
from typing import Any

from msgspec.structs import replace

from player.directory.directory import FoundPodcast
from player.links.addresses import url_key
from player.links.urls import host
from player.net.surroundings import is_inside_ip
from player.text.cleaning import fold

Found = Mapping[str, Sequence[FoundPodcast]]
"""The podcasts that each directory found, by its name; the directory whose fields count most comes first."""

_ARTICLES = ("a", "an", "the")
_FLAT = 20
"""The larger it is, the less a podcast's place in the answer of a directory matters."""


class _Group:
    """One podcast, as each directory has it. Its entries are numbered in the order of everything that was found."""

    def __init__(self, number: int, podcast: FoundPodcast, directory: str, place: int) -> None:
        self.entries = {number: podcast}
        self.places = {directory: place}

    def absorb(self, other: "_Group") -> None:
        self.entries |= other.entries
        for directory, place in other.places.items():
            self.places[directory] = min(place, self.places.get(directory, place))

    @property
    def first(self) -> int:
        return min(self.entries)

    @property
    def score(self) -> float:
        """The score by the best places in each directory."""
        return round(sum(1 / (_FLAT + place) for place in self.places.values()), 9)

    @property
    def whole(self) -> FoundPodcast:
        return reduce(_fuller, (self.entries[number] for number in sorted(self.entries)))


def search_results(found: Found, words: str) -> tuple[FoundPodcast, ...]:
    """The podcasts, in the order for a search for these words."""
    typed = _bare(words)

    def rank(group: tuple[FoundPodcast, float]) -> tuple[Any, ...]:
        podcast, score = group
        return not podcast.feed_url, _closeness(podcast, typed), -score, _bare(podcast.title), podcast.feed_url

    return tuple(podcast for podcast, _score in sorted(_merged(found), key=rank))


def chart(found: Found) -> tuple[FoundPodcast, ...]:
    """The podcasts, in the order of the first directory; then the podcasts that only other directories have."""
    return tuple(podcast for podcast, _score in _merged(found))


def _closeness(podcast: FoundPodcast, typed: str) -> int:
    if _bare(podcast.title) == typed:
        return 0
    text = fold(f"{podcast.title} {podcast.author}")
    return 1 if all(word in text for word in typed.split()) else 2


def _bare(title: str) -> str:
    """A title for comparison: without case, accents and article."""
    first, *rest = fold(title).split() or [""]
    return " ".join(rest if rest and first in _ARTICLES else (first, *rest))


def _merged(found: Found) -> list[tuple[FoundPodcast, float]]:
    """Each podcast with its score, in the order of their first entries."""
    numbers = count()
    groups: dict[Hashable, _Group] = {}
    for directory, podcasts in found.items():
        for place, podcast in enumerate(podcasts):
            group = _Group(next(numbers), podcast, directory, place)
            _join(groups, group, list(_keys(podcast)) or [object()])
    in_order = sorted(set(groups.values()), key=lambda group: group.first)
    return [(group.whole, group.score) for group in in_order]


def _join(groups: dict[Hashable, _Group], group: _Group, keys: list[Hashable]) -> None:
    """Adds the group to the group that shares a key with it. Several such groups are the same podcast, and become one
    group."""
    same = list(dict.fromkeys(groups[key] for key in keys if key in groups))
    whole = same[0] if same else group
    for other in same[1:]:
        whole.absorb(other)
        groups.update((key, whole) for key, one in list(groups.items()) if one is other)
    if whole is not group:
        whole.absorb(group)
    groups.update((key, whole) for key in keys)


def _keys(podcast: FoundPodcast) -> Iterator[Hashable]:
    if podcast.guid:
        yield "guid", podcast.guid
    if podcast.apple_id is not None:
        yield "apple", podcast.apple_id
    if podcast.feed_url:
        yield "feed", url_key(podcast.feed_url)


def _fuller(one: FoundPodcast, other: FoundPodcast) -> FoundPodcast:
    """The data of both. If they differ, the first is right, except for the longest description, the newest episode and
    the larger number of episodes."""
    counts = [number for number in (one.episode_count, other.episode_count) if number is not None]
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


_SUFFIXES = (".localhost", ".local", ".lan", ".internal", ".home.arpa")


def outside(podcasts: Sequence[FoundPodcast], directory_url: str) -> Sequence[FoundPodcast]:
    """The podcasts without feed addresses inside the listener's network, unless the directory is inside as well. Looks
    up no name."""
    if is_inside_address(directory_url):
        return podcasts
    return tuple(replace(one, feed_url="") if is_inside_address(one.feed_url) else one for one in podcasts)


def is_inside_address(address: str) -> bool:
    """Whether the address itself tells that it is inside: by its IP, or by a name that no public server has."""
    name = host(address).rstrip(".").lower()
    return bool(name) and (is_inside_ip(name) or name.endswith(_SUFFIXES) or not ("." in name or ":" in name))
