"""Lists of another app, as smart lists and playlists."""

from collections.abc import Container, Iterable, Mapping, Sequence

from msgspec import Struct

from player.library import Library
from player.library.personal.records import ExportedList
from player.library.search.query import to_text
from player.links.addresses import url_key
from player.model.episode import EpisodeId
from player.model.filters import EpisodeFilter, ListId, Order, State
from player.model.foreign import ForeignEpisode, ForeignList
from player.model.podcast import PodcastId
from player.text.sentences import plural

MOST_PODCASTS = 80
"""Of a smart list: a search can't name more."""


class ToFill(Struct, frozen=True):
    """A playlist and the episodes that belong in it, of which feeds may bring some."""

    list_id: ListId
    episodes: tuple[tuple[PodcastId, ForeignEpisode], ...]


def coming(lists: Iterable[ForeignList], there: Container[str]) -> tuple[list[ForeignList], list[str]]:
    """Those that can come if the feeds with these keys (`url_key`) do, and sentences about the others."""
    found: list[ForeignList] = []
    without = large = 0
    for one in lists:
        if one.is_smart and len(one.feeds) > MOST_PODCASTS:
            large += 1
        elif (one.is_smart and not one.feeds) or any(
            url_key(feed) in there for feed in one.feeds or (feed for feed, _episode in one.episodes)
        ):
            found.append(one)
        else:
            without += 1
    sentences = []
    if large:
        sentences.append(
            plural(
                large,
                "{n:,} smart list of more than {most} podcasts isn't imported.",
                "{n:,} smart lists of more than {most} podcasts aren't imported.",
                most=MOST_PODCASTS,
            )
        )
    if without:
        sentences.append(
            plural(
                without,
                "{n:,} list isn't imported: none of its podcasts is.",
                "{n:,} lists aren't imported: none of their podcasts are.",
            )
        )
    return found, sentences


def make(library: Library, lists: Sequence[ForeignList], podcasts: Mapping[str, PodcastId]) -> tuple[int, list[ToFill]]:
    """Makes the lists, as far as they aren't here. `podcasts` has those that are here, by the keys of the
    addresses that the other app has. Returns how many are new, and the playlists, which `fill` fills. Raises
    LibraryError."""
    new = 0
    playlists = []
    for one in coming(lists, podcasts)[0]:
        sort = "" if one.order is Order.OWN else one.order
        if one.is_smart:
            ids = frozenset(podcasts[key] for key in map(url_key, one.feeds) if key in podcasts)
            query = to_text(EpisodeFilter(podcasts=ids, states=frozenset({State.UNPLAYED})))
            wanted = ExportedList(one.title, f"{query} sort:{sort}" if sort else query)
        else:
            wanted = ExportedList(one.title, order=sort)
        title, is_new = library.personal.keep_list(wanted)
        new += is_new
        if title and not one.is_smart:
            keyed = ((url_key(feed), episode) for feed, episode in one.episodes)
            episodes = tuple((podcasts[key], episode) for key, episode in keyed if key in podcasts)
            playlists.append(ToFill(library.lists.find(title).id, episodes))
    return new, playlists


def fill(library: Library, playlists: Sequence[ToFill]) -> int:
    """Adds to the playlists what the feeds have brought, and returns how many episodes are missing."""
    missing = 0
    for one in playlists:
        if library.lists.get(one.list_id) is None:
            continue
        of_podcasts: dict[PodcastId, list[ForeignEpisode]] = {}
        for podcast_id, episode in one.episodes:
            of_podcasts.setdefault(podcast_id, []).append(episode)
        here: dict[tuple[PodcastId, ForeignEpisode], EpisodeId] = {}
        for podcast_id, episodes in of_podcasts.items():
            found = library.incoming.found(podcast_id, episodes)
            here.update(((podcast_id, episode), number) for episode, number in found.items())
        library.lists.add_episodes(one.list_id, [here[each] for each in one.episodes if each in here])
        missing += sum(each not in here for each in one.episodes)
    return missing
