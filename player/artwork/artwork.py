"""The covers of a player: the images that each is made from, according to the library, and pictures of them, made in
the background: fetched once, cached, and scaled to the requested shape.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from player.artwork.picture import CoverArt, Picture, Shape, art_of
from player.errors import EarmarkError
from player.library import Library
from player.links.addresses import belongs_to, file_address
from player.model.episode import Episode, EpisodeId
from player.processes.threads import DaemonThreads

if TYPE_CHECKING:
    from player.artwork.maker import CoverMaker


log = logging.getLogger(__name__)

_THREADS = 2
_MOST_FAILURES = 500


class Pictures:
    """Any thread. `maker` is called for the first picture, on a background thread.

    Whatever goes wrong with a cover, the result is a missing picture. The reason is logged, and the image isn't tried
    again for some minutes, or hours.
    """

    def __init__(self, maker: Callable[[], CoverMaker], *, now: Callable[[], float] = time.monotonic) -> None:
        self._make = maker
        self._maker: CoverMaker | None = None
        self._now = now
        self._threads = DaemonThreads(_THREADS, "earmark-covers")
        self._lock = threading.Lock()
        self._failed: OrderedDict[str, float] = OrderedDict()
        """For each address that failed, the time until which it isn't tried again."""
        self._closed = False

    def ask(self, art: CoverArt, shape: Shape) -> Future[Picture | None]:
        """The picture; None if there is none, at least for now. Cancel the future if it is no longer needed."""
        if not self.hopeful(art):
            missing: Future[Picture | None] = Future()
            missing.set_result(None)
            return missing
        return self._threads.submit(self._first, art, shape)

    def hopeful(self, art: CoverArt) -> bool:
        """Whether any of the images may be available. Never waits."""
        with self._lock:
            return not self._closed and any(self._may_be_had(url) for url in art.images)

    def network_is_back(self) -> None:
        """Images that failed are worth another attempt."""
        with self._lock:
            self._failed.clear()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            maker = self._maker
        if maker is not None:
            maker.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    # -- on background threads --------------------------------------------------------------------------------

    def _first(self, art: CoverArt, shape: Shape) -> Picture | None:
        """The picture of the first image that is available."""
        for url in art.images:
            with self._lock:
                if self._closed or not self._may_be_had(url):
                    continue
            picture = self._picture(url, art.feed_url, shape)
            if picture is not None:
                return picture
        return None

    def _picture(self, url: str, podcast: str, shape: Shape) -> Picture | None:
        from player.artwork.image_fetcher import NoImage

        try:
            maker = self._made_maker()
            picture = maker.picture(url, podcast, shape)
            if maker.outdated(url):
                with suppress(RuntimeError):  # closed meanwhile
                    self._threads.submit(self._renew, url, podcast, shape)
        except NoImage as error:
            self._remember(url, error.again_s)
            log.info("no cover from %s: %s", url[:300], error)
            return None
        return picture

    def _renew(self, url: str, podcast: str, shape: Shape) -> None:
        """Checks a cached image for changes. A new picture is shown the next time."""
        from player.artwork.image_fetcher import NoImage

        try:
            self._made_maker().renew(url, podcast, shape)
        except NoImage as error:
            log.info("the cover from %s can't be renewed: %s", url[:300], error)

    def _made_maker(self) -> CoverMaker:
        with self._lock:
            if self._maker is None:
                self._maker = self._make()
                if self._closed:
                    self._maker.close()
            return self._maker

    def _may_be_had(self, url: str) -> bool:
        """The caller holds the lock."""
        return self._failed.get(url, 0.0) <= self._now()

    def _remember(self, url: str, seconds: float) -> None:
        if seconds <= 0:
            return
        with self._lock:
            self._failed[url] = self._now() + seconds
            self._failed.move_to_end(url)
            while len(self._failed) > _MOST_FAILURES:
                self._failed.popitem(last=False)


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
        art = art_of(podcast.id, podcast.title, podcast.url, image, podcast.image_url, audio=audio)
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
