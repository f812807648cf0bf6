"""The lines that a follower of the control socket gets, by their kind."""

from typing import Annotated, Literal, NotRequired, TypedDict

from msgspec import Meta

from player.integrations.documents.library import Moment, Sentence
from player.integrations.documents.playback import Sleep, Status

Cause = Literal["person", "rule", "feed", "sync", "engine"]
Ids = Annotated[list[int], Meta(description="the first 100; `count` says how many there are")]


class Line(TypedDict):
    """`at` is when it happened."""

    kind: str
    at: Moment


class Happened(Line):
    """`status` is as it was then."""

    status: Status


class First(Happened):
    """The answer to `follow`."""

    ok: Literal[True]
    protocol: int
    id: NotRequired[int | str]


class Caused(Happened):
    cause: Cause


class OfEpisode(Caused):
    episode_id: int


class AtPosition(OfEpisode):
    position_ms: int


class Failed(AtPosition):
    error: Sentence


class Seeked(OfEpisode):
    from_ms: int
    to_ms: int


class Speed(Caused):
    speed: float


class Volume(Happened):
    volume: int


class SleepChanged(Happened):
    sleep: Sleep | None
    slept: Annotated[bool, Meta(description="the timer has ended the sound")]


class ChapterReached(Happened):
    episode_id: int
    title: str
    number: int | None
    count: int
    start_ms: int
    end_ms: int | None


class Marked(Caused):
    mark: Literal["played", "starred"]
    on: bool
    episode_ids: Ids
    count: int


class OfPodcast(Caused):
    podcast_id: int


class PodcastsImported(Caused):
    podcast_ids: Ids
    count: int


class NewEpisodes(OfPodcast):
    episode_ids: Ids
    count: int


class RefreshFailed(OfPodcast):
    error: Sentence


class DownloadFailed(OfEpisode):
    error: Sentence


class Network(Happened):
    offline: bool
    by_hand: bool


class Notice(Happened):
    text: Sentence
    severity: Literal["information", "warning", "error"]


class TooSlow(Line):
    error: Sentence


EVENTS: dict[str, type] = {
    "status": Happened,
    "started": AtPosition,
    "finished": OfEpisode,
    "left": AtPosition,
    "paused": AtPosition,
    "resumed": AtPosition,
    "failed": Failed,
    "seeked": Seeked,
    "speed": Speed,
    "volume": Volume,
    "sleep": SleepChanged,
    "chapter": ChapterReached,
    "queue": Caused,
    "inbox": Caused,
    "marked": Marked,
    "bookmarks": Caused,
    "segments": Caused,
    "podcast_added": OfPodcast,
    "podcasts_imported": PodcastsImported,
    "podcast_removed": OfPodcast,
    "new_episodes": NewEpisodes,
    "refresh_failed": RefreshFailed,
    "downloaded": OfEpisode,
    "download_failed": DownloadFailed,
    "download_cancelled": OfEpisode,
    "download_deleted": OfEpisode,
    "network": Network,
    "notice": Notice,
    "alive": Line,
    "too_slow": TooSlow,
    "quit": Line,
}
