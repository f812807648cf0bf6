"""What the feeds need of the library: `player.library.Library` fits, and so does a smaller one."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from player.model import EpisodeId, Feed, FeedState, KnownEpisode, Merge, Podcast, PodcastId


class Applied(Protocol):
    @property
    def new(self) -> tuple[EpisodeId, ...]: ...

    @property
    def changed(self) -> bool: ...


class Podcasts(Protocol):
    def all(self) -> Sequence[Podcast]: ...

    def get(self, podcast_id: PodcastId, /) -> Podcast: ...

    def by_url(self, url: str, /) -> Podcast | None: ...

    def add(self, url: str, title: str = "", /) -> Podcast: ...

    def remove(self, podcast_id: PodcastId, /) -> None: ...

    def feed_state(self, podcast_id: PodcastId, /) -> FeedState: ...

    def apply(
        self,
        podcast_id: PodcastId,
        feed: Feed,
        state: FeedState,
        decide: Callable[[Sequence[KnownEpisode], Feed], Merge],
        /,
    ) -> Applied: ...

    def unchanged(self, podcast_id: PodcastId, state: FeedState, /) -> None: ...

    def refresh_failed(self, podcast_id: PodcastId, sentence: str, /) -> None: ...


class FeedLibrary(Protocol):
    @property
    def podcasts(self) -> Podcasts: ...

    def transaction(self) -> AbstractContextManager[None]: ...
