"""Makes a cover from its address: from the cache or the network, and scaled in a process of its own, so that an image
that crashes or exploits a decoder affects no other process.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from player.artwork.cache import CachedCover, CoverCache
from player.artwork.image_fetcher import LATER, Fetched, ImageFetcher, NoImage
from player.artwork.picture import Order, Picture, Scaled, Shape
from player.processes.sandbox import Sandbox, SandboxError

SECONDS = 8.0
"""Time limit for one image: the largest images allowed take 1.5 s."""
MEMORY = 512 * 1024 * 1024
"""Memory limit of the process, in bytes: an image with the most pixels allowed takes 160 MB, and as much again while it
is converted."""
_IDLE_S = 20.0


class Scaler:
    """Any thread; one image at a time."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._sandbox = Sandbox(_scaled, memory=MEMORY, seconds=seconds, nice=5, idle_s=_IDLE_S, prepare=_prepare)
        self.close = self._sandbox.close

    def scale(self, order: Order) -> Scaled:
        """Never raises: a failure is returned as the `problem`."""
        try:
            return self._sandbox.call(order)
        except SandboxError as error:
            return Scaled(problem=str(error))


# -- in the process -------------------------------------------------------------------------------------------


def _prepare() -> None:
    import player.artwork.scaling  # noqa: F401


def _scaled(order: Order) -> Scaled:
    from player.artwork.scaling import scaled

    return scaled(order.image, order.shape, order.keep, order.audio)


_FRESH_S = 7 * 24 * 3600.0
"""How long a cached cover is shown without a check for changes."""


class CoverMaker:
    """Any thread. `fetcher` makes an ImageFetcher for one image."""

    def __init__(
        self,
        folder: Path,
        fetcher: Callable[[], ImageFetcher],
        *,
        now: Callable[[], float] = time.time,
        scaler: Scaler | None = None,
        cache: CoverCache | None = None,
    ) -> None:
        self._fetcher = fetcher
        self._now = now
        self._scaler = scaler or Scaler()
        self._cache = cache or CoverCache(folder)
        self._news = threading.Condition()
        self._at_work: set[str] = set()
        self._fetching: set[ImageFetcher] = set()
        self._closed = False

    def picture(self, url: str, podcast: str, shape: Shape) -> Picture:
        """The picture at `url`, from the cache if possible, however old; `outdated` says whether to `renew` it. Raises
        NoImage."""
        with self._claimed(url):
            cached = self._cache.get(url)
            if cached is not None:
                if (made := self._scaler.scale(Order(cached.image, shape)).picture) is not None:
                    return made
                self._cache.drop(url)
            return self._made(url, self._fetch(url, podcast), shape)

    def outdated(self, url: str) -> bool:
        """Whether an image is cached, and may have changed since."""
        cached = self._cache.get(url)
        return cached is not None and not 0 <= self._now() - cached.checked < _FRESH_S

    def renew(self, url: str, podcast: str, shape: Shape) -> Picture | None:
        """Checks whether the cached image has changed; returns the new picture, or None if it hasn't. Raises
        NoImage."""
        with self._claimed(url):
            cached = self._cache.get(url)
            if cached is None:
                return None
            fetched = self._fetch(url, podcast, cached)
            if fetched.image is None:
                self._cache.put(replace(cached, checked=self._now()))
                return None
            return self._made(url, fetched, shape)

    def close(self) -> None:
        """Ends fetching and scaling at once."""
        with self._news:
            self._closed = True
            fetching = tuple(self._fetching)
        for one in fetching:
            one.abort()
        self._scaler.close()

    def _made(self, url: str, fetched: Fetched, shape: Shape) -> Picture:
        answer = self._scaler.scale(Order(fetched.image or b"", shape, keep=True, audio=fetched.audio))
        if answer.picture is None:
            raise NoImage(answer.problem, 0.0 if self._closed else LATER)
        self._cache.put(CachedCover(url, answer.kept, fetched.tag, fetched.modified, self._now()))
        return answer.picture

    def _fetch(self, url: str, podcast: str, cached: CachedCover | None = None) -> Fetched:
        fetcher = self._fetcher()
        with self._news:
            if self._closed:
                raise NoImage("Earmark is ending", 0.0)
            self._fetching.add(fetcher)
        try:
            tag, modified = (cached.tag, cached.modified) if cached else ("", "")
            return fetcher.fetch(url, podcast, tag, modified)
        finally:
            with self._news:
                self._fetching.discard(fetcher)

    @contextmanager
    def _claimed(self, url: str) -> Iterator[None]:
        """Admits one thread at a time for an address: the next thread finds the image in the cache."""
        with self._news:
            self._news.wait_for(lambda: url not in self._at_work)
            self._at_work.add(url)
        try:
            yield
        finally:
            with self._news:
                self._at_work.discard(url)
                self._news.notify_all()
