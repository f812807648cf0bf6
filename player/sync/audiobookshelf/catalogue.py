"""Finds episodes on a server by the names that devices use: the address of the feed, then the guid or the enclosure.

File sizes are no help: the server rewrites the tags of its files.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from player.audiobookshelf.answers import ItemEpisode
from player.audiobookshelf.client import Audiobookshelf, AudiobookshelfError
from player.links.addresses import (
    audiobookshelf_address,
    audiobookshelf_episode,
    audiobookshelf_podcast,
    spelling_key,
    spellings,
)
from player.links.urls import web_address
from player.model.feed import FeedState
from player.model.matching import Identity, matches
from player.model.syncing import EpisodeName
from player.sync.audiobookshelf.rows import Place

GOOD_FOR_MS = 300_000
"""After this time, or as soon as one of them is heard, the server is asked again for episodes that it didn't have."""
_GONE = (403, 404)
_LIST = ""


class _Known(NamedTuple):
    place: Place
    guid: str
    enclosure: str


class _Podcast(NamedTuple):
    """`feed` is "" for a podcast that has no feed. `episodes` are the server's, by their ids."""

    feed: str
    episodes: Mapping[str, _Known]
    asked_at: int
    state: FeedState


class Catalogue:
    """Asks for the list of podcasts, and for the episodes of podcasts that are needed. Raises AudiobookshelfError."""

    def __init__(self, server: Audiobookshelf, now: Callable[[], int]) -> None:
        """`now` is in ms since 1970."""
        self._server = server
        self._now = now
        self._items: dict[str, list[str]] = {}
        self._listed_at = 0
        self._podcasts: dict[str, _Podcast] = {}
        self._asked: set[str] = set()
        """The items that the current call has asked for, and _LIST, so that none is asked for twice."""

    def places(self, heard: Mapping[EpisodeName, int]) -> dict[EpisodeName, Place]:
        """Where the server has these episodes, given with the time at which each was heard. Episodes that it doesn't
        have are left out."""
        by_podcast: dict[str, dict[EpisodeName, int]] = {}
        for name, at in heard.items():
            by_podcast.setdefault(name.podcast, {})[name] = at
        found: dict[EpisodeName, Place] = {}
        self._asked.clear()
        for podcast, names in by_podcast.items():
            for item in self._items_of(podcast, max(names.values())):
                found |= self._places(item, {name: at for name, at in names.items() if name not in found})
        return found

    def names(self, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], tuple[EpisodeName, ...]]:
        """The names by which devices may know the episodes with these ids (of the item, of the episode): those in the
        feed, and those of the server's own podcast. Episodes that the server no longer has are left out."""
        found: dict[tuple[str, str], tuple[EpisodeName, ...]] = {}
        self._asked.clear()
        for item, episode in places:
            if item not in self._asked and self._known(item, episode) is None:
                self._ask(item)
            if (known := self._known(item, episode)) is None:
                continue
            podcast = self._podcasts[item]
            server = self._server.address
            own = EpisodeName(audiobookshelf_podcast(server, item), audiobookshelf_episode(server, item, episode))
            feeds = spellings(podcast.feed) if known.enclosure or known.guid else ()
            of_feeds = (EpisodeName(feed, known.enclosure, known.guid) for feed in sorted(feeds))
            found[item, episode] = (*of_feeds, own)
        return found

    def forget(self, item: str) -> None:
        """Forgets the item's episodes, which have changed."""
        self._podcasts.pop(item, None)

    # -- inside -----------------------------------------------------------------------------------------------

    def _places(self, item: str, heard: Mapping[EpisodeName, int]) -> dict[EpisodeName, Place]:
        podcast = self._podcasts.get(item) or self._ask(item)
        found = _same(podcast.episodes, heard)
        missing = [at for name, at in heard.items() if name not in found]
        if missing and item not in self._asked and self._is_old(podcast.asked_at, max(missing)):
            found = _same(self._ask(item).episodes, heard)
        return found

    def _items_of(self, podcast: str, heard_at: int) -> Sequence[str]:
        if (own := audiobookshelf_address(podcast)) is not None:
            return [own.item] if own.server == self._server.address else []
        key = spelling_key(podcast)
        if key not in self._items and _LIST not in self._asked and self._is_old(self._listed_at, heard_at):
            self._list()
        return self._items.get(key, ())

    def _list(self) -> None:
        self._asked.add(_LIST)
        found: dict[str, list[str]] = {}
        for library in self._server.libraries():
            for podcast in self._server.podcasts(library.id):
                if feed := web_address(podcast.feed.strip()):
                    found.setdefault(spelling_key(feed), []).append(podcast.id)
        self._items, self._listed_at = found, self._now()

    def _ask(self, item: str) -> _Podcast:
        self._asked.add(item)
        known = self._podcasts.get(item)
        try:
            answered = self._server.item(item, known.state if known is not None else FeedState())
        except AudiobookshelfError as error:
            if error.status not in _GONE:
                raise
            made = _Podcast("", {}, self._now(), FeedState())
        else:
            if answered.item is not None:
                episodes = {one.id: _known(item, one) for one in answered.item.episodes}
                feed = web_address(answered.item.feed.strip())
                made = _Podcast(feed, episodes, self._now(), answered.state)
            else:
                assert known is not None, "only what is known can be unchanged"
                made = known._replace(asked_at=self._now())
        self._podcasts[item] = made
        return made

    def _known(self, item: str, episode: str) -> _Known | None:
        podcast = self._podcasts.get(item)
        return podcast.episodes.get(episode) if podcast else None

    def _is_old(self, asked_at: int, heard_at: int) -> bool:
        return asked_at <= heard_at or abs(self._now() - asked_at) >= GOOD_FOR_MS


def _known(item: str, one: ItemEpisode) -> _Known:
    return _Known(Place(item, one.id, one.duration_ms or 0, one.title), one.guid, web_address(one.enclosure.strip()))


def _same(known: Mapping[str, _Known], names: Iterable[EpisodeName]) -> dict[EpisodeName, Place]:
    """The places of these names; several names may be the same episode's."""
    found: dict[EpisodeName, Place] = {}
    left: list[EpisodeName] = []
    for name in names:
        if (address := audiobookshelf_address(name.url)) is None:
            left.append(name)
        elif address.episode in known:
            found[name] = known[address.episode].place
    places = [one.place for one in known.values()]
    identities = [Identity(one.guid, one.enclosure) for one in known.values()]
    while left and (same := matches(identities, [Identity(one.guid, one.url) for one in left], loosely=True)):
        found |= {left[number]: places[at] for number, at in same.items()}
        left = [one for number, one in enumerate(left) if number not in same]
    return found
