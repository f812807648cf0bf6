"""Podcasts, episodes and the status of playback as the JSON that other programs rely on.

Times are milliseconds, moments ISO 8601 in UTC. Fields may be added, but are never renamed.
"""

import time
from collections.abc import Container, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, overload

from msgspec.structs import replace

from player.model.episode import Chapters, Episode, EpisodeId, Funding, Person
from player.model.playback import PlaybackStatus, Running, SleepStatus, SleepUntil
from player.model.podcast import Podcast

if TYPE_CHECKING:
    from player.directory.directory import FoundEpisode, FoundPodcast
    from player.integrations.documents import commands, library, playback, syncing
    from player.library.attachments import EpisodeExtras
    from player.library.history.sessions import Session
    from player.library.statistics import PodcastStatistics
    from player.model.downloads import DownloadEntry, DownloadSnapshot, Progress
    from player.model.syncing import SyncStatus

_NO_CHAPTERS = Chapters()
_MOST_ENTRIES = 500

Ranks = Mapping[EpisodeId, int]
"""The position of each queued episode in the queue, from 1."""


@overload
def moment(value: datetime) -> str: ...
@overload
def moment(value: None) -> None: ...
@overload
def moment(value: datetime | None) -> str | None: ...
def moment(value: datetime | None) -> str | None:
    """`2026-11-20T09:30:00Z`."""
    if value is None:
        return None
    return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def podcast_json(podcast: Podcast) -> "library.Podcast":
    return {
        "id": podcast.id,
        "url": podcast.url,
        "title": podcast.title,
        "author": podcast.author,
        "description": podcast.description,
        "episode_count": podcast.episode_count,
        "unplayed_count": podcast.unplayed_count,
        "last_refreshed": moment(podcast.last_refreshed),
        "error": podcast.error,
        "note": podcast.note or None,
        "feed_title": podcast.feed_title or podcast.title,
        "pinned": podcast.pinned,
        "tags": list(podcast.tags),
    }


def found_json(podcast: "FoundPodcast") -> "library.FoundPodcast":
    """A podcast of a directory. `podcast_id` is null unless it is subscribed to."""
    return {
        "podcast_id": podcast.podcast_id,
        "url": podcast.feed_url or None,
        "title": podcast.title,
        "author": podcast.author,
        "description": podcast.description,
        "link": podcast.website or None,
        "image_url": podcast.artwork_url or None,
        "episode_count": podcast.episode_count,
        "newest": moment(podcast.newest),
        "language": podcast.language or None,
        "topics": list(podcast.topics),
        "explicit": podcast.explicit,
        "guid": podcast.guid or None,
        "apple_id": podcast.apple_id,
        "directories": list(podcast.directories),
    }


def found_episode_json(episode: "FoundEpisode") -> "library.DirectoryEpisode":
    """An episode of a directory. `podcast_id` is null unless its podcast is subscribed to."""
    return {
        "podcast_id": episode.podcast_id,
        "podcast": episode.podcast,
        "feed_url": episode.feed_url or None,
        "title": episode.title,
        "url": episode.url or None,
        "guid": episode.guid or None,
        "published": moment(episode.published),
        "duration_ms": episode.duration_ms,
        "link": episode.link or None,
        "description": episode.description,
        "image_url": episode.image_url or None,
        "directories": list(episode.directories),
    }


def show_json(facts: "PodcastStatistics", best: Sequence[Episode], ranks: Ranks) -> "library.PodcastPage":
    """A podcast with everything on its page."""
    return {
        **podcast_json(facts.podcast),
        "link": facts.podcast.link,
        "language": facts.language,
        "topics": list(facts.topics),
        "people": people_json(facts.people),
        "funding": funding_json(facts.fundings),
        "chat": facts.chat,
        "total_ms": facts.total_ms,
        "average_ms": facts.average_ms,
        "first": moment(facts.first),
        "latest": moment(facts.latest),
        "every_days": facts.every_days,
        "months": {f"{year}-{month:02}": episodes for (year, month), episodes in facts.months},
        "heard_ms": facts.heard_ms,
        "played_count": facts.played,
        "started_count": facts.started,
        "starred_count": facts.starred,
        "seasons": [{"number": one.number, "name": one.name, "episode_count": one.episodes} for one in facts.seasons],
        "best": [episode_json(episode, ranks) for episode in best],
    }


def episode_json(episode: Episode, ranks: Ranks) -> "library.Episode":
    """`queued` is its rank in the queue, 1 for the episode that plays next; null if it isn't queued."""
    return {
        "id": episode.id,
        "podcast_id": episode.podcast_id,
        "podcast": episode.podcast,
        "title": episode.title,
        "guid": episode.guid,
        "published": moment(episode.published),
        "duration_ms": episode.duration_ms,
        "position_ms": episode.position_ms,
        "played": episode.played,
        "starred": episode.starred,
        "downloaded": episode.downloaded,
        "url": episode.url,
        "link": episode.link,
        "queued": ranks.get(episode.id),
        "live": episode.live.value if episode.live else None,
    }


def extras_json(extras: "EpisodeExtras") -> "library.EpisodeExtras":
    """The data of an episode that isn't in its row."""
    return {
        "season": extras.season,
        "episode_number": extras.number,
        "kind": extras.kind,
        "people": people_json(extras.people),
        "funding": funding_json(extras.fundings),
        "transcript_languages": list(extras.languages),
        "download_path": str(extras.download) if extras.download else None,
        "comments": extras.comments,
        "chat": extras.chat,
    }


def session_json(session: "Session") -> "commands.Session":
    return {
        "episode_id": session.episode.id if session.episode else None,
        "title": session.title,
        "podcast": session.podcast,
        "began": session.began_at.isoformat(),
        "ended": session.ended_at.isoformat(),
        "from_ms": session.from_ms,
        "to_ms": session.to_ms,
        "listened_ms": session.real_ms,
        "content_ms": session.content_ms,
    }


def people_json(people: Sequence[Person]) -> "list[library.Person]":
    return [{"name": one.name, "role": one.role, "group": one.group, "url": one.url} for one in people]


def funding_json(fundings: Sequence[Funding]) -> "list[library.Funding]":
    return [{"url": one.url, "label": one.label} for one in fundings]


def sleep_json(sleep: SleepStatus) -> "playback.Sleep | None":
    """The running sleep timer; None if none is running. `minutes` is the time that it was set to, `episodes` the number
    of episodes left, counting the current one, and `left_ms` the listening time left; each is null if it doesn't apply
    or isn't known."""
    if sleep.choice is None:
        return None
    return {
        "until": sleep.choice.until.value,
        "minutes": sleep.choice.count if sleep.choice.until is SleepUntil.MINUTES else None,
        "episodes": sleep.episodes_left or None,
        "left_ms": sleep.left_ms,
        "fading": sleep.fading,
    }


def chapter_json(status: PlaybackStatus, chapters: Chapters) -> "playback.Chapter | None":
    """The chapter at the status's position. `number` counts from 1, and is null for a chapter that isn't listed;
    `end_ms` is null if it isn't known."""
    chapter = chapters.at(status.position_ms) if status.episode and not status.clip else None
    if chapter is None:
        return None
    listed = chapters.listed
    return {
        "title": chapter.title,
        "number": listed.index(chapter) + 1 if chapter in listed else None,
        "count": len(listed),
        "start_ms": chapter.start_ms,
        "end_ms": chapters.end_of(chapter, status.duration_ms),
    }


def status_json(
    status: PlaybackStatus,
    ranks: Ranks,
    *,
    offline: bool = False,
    chapters: Chapters = _NO_CHAPTERS,
    running: Running | None = None,
) -> "playback.Status":
    """The status, with its position updated to this moment. `chapters`: the chapters of its episode.

    `error` is a sentence in state `error`, `waiting` may be a sentence in state `buffering`; else they are null.
    `offline`: Earmark makes no requests, as there is no network or the listener wants none. `running`: the process that
    plays.
    """
    now = status.at(time.monotonic())
    episode = replace(now.episode, position_ms=now.position_ms) if now.episode else None
    return {
        "state": now.state.value,
        "episode": episode_json(episode, ranks) if episode else None,
        "position_ms": now.position_ms,
        "duration_ms": now.duration_ms,
        "speed": now.speed,
        "volume": now.volume,
        "buffered_ms": now.buffered_ms,
        "error": now.error,
        "waiting": now.waiting,
        "live": now.live,
        "sleep": sleep_json(now.sleep),
        "stops_after_episode": now.sleep.stops_after,
        "offline": offline,
        "chapter": chapter_json(now, chapters),
        "queue_count": len(ranks),
        "runs_in": running.role.value if running else None,
        "pid": running.pid if running else None,
        "since": moment(running.since) if running else None,
        "gain_db": now.gain_db,
        "boost": now.boost.value,
        "trim": now.trim.value,
        "plays_on": now.plays_on or None,
        "served_at": now.served_at or None,
    }


def snapshot_json(snapshot: "DownloadSnapshot", ids: Container[EpisodeId] | None = None) -> "playback.DownloadQueue":
    """`entries` has the entries for `ids`, or for all episodes, and of very many only the first 500. `count` is the
    number of all entries."""
    wanted = [entry for entry in snapshot.entries if ids is None or entry.episode_id in ids]
    return {
        "count": len(snapshot.entries),
        "paused": snapshot.paused,
        "held": snapshot.held,
        "transcripts_wait": snapshot.transcripts_wait or None,
        **progress_json(snapshot.progress),
        "entries": [entry_json(entry) for entry in wanted[:_MOST_ENTRIES]],
    }


def entry_json(entry: "DownloadEntry") -> "playback.QueuedDownload":
    """`retry_at` is the moment of the next attempt, `problem` a sentence about the last attempt; either is null if
    there is none."""
    return {
        "id": entry.episode_id,
        "title": entry.title,
        "podcast": entry.podcast,
        "state": entry.state.value,
        "why": entry.why,
        "asked_at": moment(entry.asked_at),
        "attempts": entry.attempts,
        "retry_at": moment(entry.retry_at),
        "problem": entry.problem or None,
        "work": entry.work.value,
        **progress_json(entry.progress),
    }


def progress_json(progress: "Progress") -> "playback.Progress":
    """In bytes, or for a transcript in ms, that many per second, and seconds; null for unknown values."""
    left = progress.seconds_left
    return {
        "done": progress.done,
        "total": progress.total,
        "per_second": round(progress.per_second),
        "seconds_left": None if left is None else round(left),
    }


def sync_json(status: "SyncStatus") -> "syncing.SyncState":
    from player.sync.sync_sentences import failure_words

    account, state, counts = status.account, status.state, status.counts
    return {
        "target": account.target if account else None,
        "address": account.address if account else None,
        "user": (account.user or None) if account else None,
        "device": account.device if account else None,
        "name": account.name if account else None,
        "busy": status.busy,
        "rounds": status.rounds,
        "succeeded": moment(state.succeeded_at),
        "failed": moment(state.failed_at) if state.what else None,
        "problem": failure_words(status) or None,
        "waiting": counts.outgoing,
        "unmatched": counts.unmatched,
        "refused": counts.refused,
    }
