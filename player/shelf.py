"""How a listener arranges podcasts: tags, the listener's titles, pins, which can be undone; and a podcast's
settings."""

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from player.acts import Writes
from player.events import Bus, Cause, InboxChanged, ListsChanged, PodcastsArranged
from player.library import Library
from player.model.listening import ActKind, Part
from player.model.podcast import Podcast, PodcastId
from player.model.podcast_settings import PodcastSettings

if TYPE_CHECKING:
    from player.services import Services

T = TypeVar("T")


def set_tags(library: Library, podcast_id: PodcastId, tags: Iterable[str]) -> tuple[str, ...]:
    """Sets exactly these tags, in this spelling from now on. Raises NotFound."""
    with library.acts.recorded_podcasts(ActKind.TAGGED, [podcast_id], Part.TAGS):
        library.shelf.set_tags(podcast_id, tags)
    return library.podcasts.get(podcast_id).tags


def rename(library: Library, podcast_id: PodcastId, title: str) -> Podcast:
    """Sets the listener's own title or, with "", the feed's title. Raises NotFound."""
    with library.acts.recorded_podcasts(ActKind.RENAMED, [podcast_id], Part.TITLE):
        library.shelf.rename(podcast_id, title)
    return library.podcasts.get(podcast_id)


def set_pinned(library: Library, podcast_id: PodcastId, pinned: bool) -> None:
    """A pinned podcast comes before the others. Raises NotFound."""
    with library.acts.recorded_podcasts(ActKind.PINNED if pinned else ActKind.UNPINNED, [podcast_id], Part.PIN):
        library.shelf.set_pinned(podcast_id, pinned)


class Shelf:
    """Every command returns at once; the change is on the disk, and published, when its future is done. The future
    raises NotFound when the podcast is gone."""

    def __init__(self, library: Library, bus: Bus, write: Writes) -> None:
        self._library = library
        self._bus = bus
        self._write = write

    def set_tags(self, podcast_id: PodcastId, tags: Iterable[str]) -> Future[tuple[str, ...]]:
        return self._arranging(podcast_id, lambda: set_tags(self._library, podcast_id, tags))

    def rename(self, podcast_id: PodcastId, title: str) -> Future[Podcast]:
        return self._arranging(podcast_id, lambda: rename(self._library, podcast_id, title))

    def toggle_pin(self, podcast_id: PodcastId) -> Future[bool]:
        """The future says whether it is pinned now."""

        def work() -> bool:
            pinned = not self._library.podcasts.get(podcast_id).pinned
            set_pinned(self._library, podcast_id, pinned)
            return pinned

        return self._arranging(podcast_id, work)

    def _arranging(self, podcast_id: PodcastId, change: Callable[[], T]) -> Future[T]:
        def work() -> T:
            changed = change()
            self._bus.publish(PodcastsArranged((podcast_id,)))
            return changed

        return self._write(work)


def apply_podcast_settings(
    library: Library,
    bus: Bus,
    services: "Services",
    podcast_id: PodcastId,
    change: Callable[[PodcastSettings], PodcastSettings],
) -> PodcastSettings:
    """Applies the settings at once to everything that they concern. Waits for the disk. Raises LibraryError; NotFound
    when the podcast is gone."""
    with library.transaction():
        before = library.podcast_settings.get(podcast_id)
        library.podcast_settings.set(podcast_id, change(before))
        after = library.podcast_settings.get(podcast_id)
        expired = library.inbox.expire()
    services.session.settings_changed(podcast_id)
    if after.downloads != before.downloads:
        services.rules.runner.apply_soon()
    if after.transcribe != before.transcribe:
        services.transcripts.look()
    if after.view != before.view:
        bus.publish(ListsChanged())
    if expired:
        bus.publish(InboxChanged(Cause.RULE))
    return after
