"""Which episodes' bytes stay cached, whatever the cache's limit."""

from datetime import UTC, datetime, timedelta

from player.library import Library
from player.model.episode import Episode

_BEGUN_LATELY = timedelta(days=7)


def kept_episodes(library: Library) -> list[Episode]:
    """Those begun lately, and those in the queue of downloads."""
    queued = [one.episode_id for one in library.downloads.queue.all()]
    return library.episodes.in_progress_since(datetime.now(UTC) - _BEGUN_LATELY) + library.episodes.rows(queued)
