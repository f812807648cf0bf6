"""The covers of a player: the images that each is made from, according to the library, and the finished pictures."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

from player.artwork.cover_art import CoverArt, art_of
from player.artwork.pictures import Pictures
from player.errors import EarmarkError
from player.library import Library
from player.links.addresses import belongs_to, file_address
from player.model.episode import Episode, EpisodeId

if TYPE_CHECKING:
    from player.artwork.maker import CoverMaker

_MOST = 200


class Arts:
    """Any thread. Remembers the last results of `read` for the screen's thread, which doesn't read the library."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known: OrderedDict[EpisodeId, CoverArt] = OrderedDict()
        self._lock = Lock()

    def known(self, episode_id: EpisodeId) -> CoverArt | None:
        """The result of `read` for that episode; None if it wasn't read recently. Never waits for the library."""
        with self._lock:
            return self._known.get(episode_id)

    def read(self, episode: Episode) -> CoverArt | None:
        """The images for the episode's cover: first its own, then its podcast's, then the one in its audio file, if
        that is on this computer. None if the library can't be read."""
        try:
            image = self._library.episodes.details(episode.id).image_url
            podcast = self._library.podcasts.get(episode.podcast_id)
            downloaded = self._library.downloads.path(episode.id)
        except EarmarkError:
            return None
        if downloaded is not None:
            audio = file_address(downloaded)
        else:
            audio = episode.url if belongs_to(episode.url, podcast.url) else ""
        art = art_of(podcast.title, podcast.url, image, podcast.image_url, audio=audio)
        with self._lock:
            self._known[episode.id] = art
            self._known.move_to_end(episode.id)
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return art


class Artwork:
    """`arts` knows the images that a cover is made from, `pictures` makes it."""

    def __init__(self, library: Library, maker: Callable[[], CoverMaker]) -> None:
        self.arts = Arts(library)
        self.pictures = Pictures(maker)
