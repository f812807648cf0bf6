"""What the feeds need of the library: `player.library.Library` fits, and so does a smaller one."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedSchedule, FeedState, KnownEpisode, Merge
from player.model.podcast import Podcast, PodcastId
from player.model.podcast_settings import PodcastSettings


class Applied(Protocol):
    @property
    def new(self) -> tuple[EpisodeId, ...]: ...

    @property
    def changed(self) -> bool: ...

    @property
    def inbox(self) -> bool: ...

    @property
    def queue(self) -> bool: ...


class Podcasts(Protocol):
    def all(self) -> Sequence[Podcast]: ...

    def get(self, podcast_id: PodcastId, /) -> Podcast: ...

    def by_url(self, url: str, /) -> Podcast | None: ...

    def add(self, url: str, title: str = "", /) -> Podcast: ...

    def remove(self, podcast_id: PodcastId, /) -> None: ...

    def extra(self, podcast_id: PodcastId, /) -> str: ...

    def move(self, podcast_id: PodcastId, url: str, /) -> bool: ...

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


class Previews(Protocol):
    def add(self, url: str, title: str, /) -> Podcast: ...

    def by_url(self, url: str, /) -> Podcast | None: ...


class FeedSchedules(Protocol):
    def get(self, podcast_id: PodcastId, /) -> FeedSchedule: ...

    def all(self) -> Mapping[PodcastId, FeedSchedule]: ...

    def note(self, podcast_id: PodcastId, schedule: FeedSchedule, /) -> None: ...


class Settings(Protocol):
    def set(self, podcast_id: PodcastId, settings: PodcastSettings, /) -> None: ...


class Inbox(Protocol):
    def expire(self) -> bool: ...


class AppState(Protocol):
    def get(self, key: str, /) -> str | None: ...

    def set(self, key: str, value: str, /) -> None: ...


class Shelf(Protocol):
    def rename(self, podcast_id: PodcastId, title: str, /) -> None: ...

    def add_tags(self, tags: Mapping[PodcastId, Sequence[str]], /) -> Mapping[PodcastId, Sequence[str]]: ...


class FeedLibrary(Protocol):
    @property
    def podcasts(self) -> Podcasts: ...

    @property
    def previews(self) -> Previews: ...

    @property
    def feed_schedules(self) -> FeedSchedules: ...

    @property
    def podcast_settings(self) -> Settings: ...

    @property
    def inbox(self) -> Inbox: ...

    @property
    def shelf(self) -> Shelf: ...

    @property
    def state(self) -> AppState: ...

    def transaction(self, *, durable: bool = True) -> AbstractContextManager[None]: ...
