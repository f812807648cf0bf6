"""Events as the lines of JSON that a follower gets.

Each kind has a name and fields of its own, which other programs rely on: a kind or a field may be added, none is ever
renamed.
"""

from collections.abc import Callable, Mapping
from typing import Any

from player import events
from player.integrations.json_api import chapter_json, sleep_json
from player.model.chapters import Chapters
from player.model.downloads import events as downloads
from player.model.playback import PlaybackStatus

MOST_IDS = 100
"""Of an event that is about more episodes, the first; `count` says how many there are."""

Fields = dict[str, Any]
Happening = tuple[str, Fields]
"""Its kind and its fields."""

_JUMP_MS = 1_000
"""A position that is farther than this from where a client's own clock has it is worth a status."""


def happening(event: object) -> Happening | None:
    """None for what is no discrete event, or tells a follower nothing."""
    made = _MADE.get(type(event))
    return made(event) if made else None


def _fields(kind: str, *names: str) -> Callable[[Any], Happening]:
    def made(event: Any) -> Happening:
        found = {name: getattr(event, name) for name in names}
        return kind, {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}

    return made


def _marked(event: events.EpisodesMarked) -> Happening:
    return "marked", {
        "mark": event.mark.value,
        "on": event.on,
        "episode_ids": list(event.episode_ids[:MOST_IDS]),
        "count": len(event.episode_ids),
        "cause": event.cause.value,
    }


def _imported(event: events.PodcastsImported) -> Happening:
    ids = event.podcast_ids
    return "podcasts_imported", {
        "podcast_ids": list(ids[:MOST_IDS]), "count": len(ids), "cause": event.cause.value,
    }  # fmt: skip


def _refreshed(event: events.PodcastRefreshed) -> Happening | None:
    if event.error is not None:
        return "refresh_failed", {
            "podcast_id": event.podcast_id, "error": event.error, "cause": event.cause.value,
        }  # fmt: skip
    if not event.new:
        return None
    return "new_episodes", {
        "podcast_id": event.podcast_id,
        "episode_ids": list(event.new[:MOST_IDS]),
        "count": len(event.new),
        "cause": event.cause.value,
    }


def _notice(event: events.Notice) -> Happening:
    return "notice", {"text": event.text, "severity": event.severity.name.lower()}


_MADE: Mapping[type[object], Callable[[Any], Happening | None]] = {
    events.EpisodeStarted: _fields("started", "episode_id", "position_ms", "cause"),
    events.EpisodeFinished: _fields("finished", "episode_id", "cause"),
    events.EpisodeLeft: _fields("left", "episode_id", "position_ms", "cause"),
    events.Paused: _fields("paused", "episode_id", "position_ms", "cause"),
    events.Resumed: _fields("resumed", "episode_id", "position_ms", "cause"),
    events.PlaybackFailed: _fields("failed", "episode_id", "position_ms", "error", "cause"),
    events.Seeked: _fields("seeked", "episode_id", "from_ms", "to_ms", "cause"),
    events.SpeedChanged: _fields("speed", "speed", "cause"),
    events.PodcastAdded: _fields("podcast_added", "podcast_id", "cause"),
    events.PodcastsImported: _imported,
    events.PodcastRemoved: _fields("podcast_removed", "podcast_id", "cause"),
    events.PodcastRefreshed: _refreshed,
    events.EpisodesMarked: _marked,
    events.QueueChanged: _fields("queue", "cause"),
    events.InboxChanged: _fields("inbox", "cause"),
    events.BookmarksChanged: _fields("bookmarks", "cause"),
    downloads.DownloadFinished: _fields("downloaded", "episode_id", "cause"),
    downloads.DownloadFailed: _fields("download_failed", "episode_id", "error", "cause"),
    downloads.DownloadCancelled: _fields("download_cancelled", "episode_id", "cause"),
    downloads.DownloadDeleted: _fields("download_deleted", "episode_id", "cause"),
    events.NetworkChanged: _fields("network", "offline", "by_hand"),
    events.Notice: _notice,
}

KINDS = (
    "status", "started", "finished", "left", "paused", "resumed", "failed", "seeked", "speed", "volume", "sleep",
    "chapter", "queue", "inbox", "marked", "bookmarks", "podcast_added", "podcasts_imported", "podcast_removed",
    "new_episodes", "refresh_failed", "downloaded", "download_failed", "download_cancelled", "download_deleted",
    "network", "notice",
)  # fmt: skip
"""What can be followed. A follower also gets `alive`, `too_slow` and `quit`, whatever it asked for."""


def changes(before: PlaybackStatus, now: PlaybackStatus, chapters: tuple[Chapters, Chapters]) -> list[Happening]:
    """What has happened between two statuses that is no event of its own, and `status` if a line drawn by the first,
    and counted on, would be wrong by now. `chapters`: those of both."""
    found: list[Happening] = []
    if before.volume != now.volume:
        found.append(("volume", {"volume": now.volume}))
    if _timer(before) != _timer(now):
        found.append(("sleep", {"sleep": sleep_json(now.sleep), "slept": now.sleep.slept}))
    was, chapter = chapter_json(before, chapters[0]), chapter_json(now, chapters[1])
    if chapter is not None and chapter != was and now.heard is not None:
        found.append(("chapter", {"episode_id": now.heard, **chapter}))
    expected_ms = before.at(now.measured_at).position_ms
    if _lasting(before) != _lasting(now) or chapter != was or abs(expected_ms - now.position_ms) > _JUMP_MS:
        found.append(("status", {}))
    return found


def _timer(status: PlaybackStatus) -> object:
    sleep = status.sleep
    return sleep.choice, sleep.episodes_left, sleep.stops_after, sleep.slept


def _lasting(status: PlaybackStatus) -> object:
    """All of it that doesn't change with time alone."""
    episode = status.episode
    heard = episode and (episode.id, episode.title, episode.podcast, episode.starred, episode.played)
    return (
        heard, status.state, status.duration_ms, status.speed, status.volume, status.error, status.waiting, status.live,
        status.clip, status.sleep.fading, _timer(status),
    )  # fmt: skip
