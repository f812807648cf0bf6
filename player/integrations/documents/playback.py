"""The documents of playback, and the answers of the control socket (docs/control-protocol.md)."""

from typing import Annotated, Literal, NotRequired, TypedDict

from msgspec import Meta

from player.integrations.documents.library import Effect, Episode, Moment, Sentence
from player.integrations.documents.syncing import SyncState

State = Literal["stopped", "opening", "playing", "paused", "buffering", "ended", "error"]


RunsIn = Annotated[
    Literal["app", "foreground", "background"],
    Meta(description="foreground: earmark play; background: without a screen"),
]


class Sleep(TypedDict):
    """The sleep timer that runs."""

    until: Literal["minutes", "chapter", "episode"]
    minutes: Annotated[int | None, Meta(description="what it was set to")]
    episodes: Annotated[int | None, Meta(description="how many are left with the current one")]
    left_ms: Annotated[int | None, Meta(description="listening until then; null where it isn't known")]
    fading: bool


class Chapter(TypedDict):
    """The chapter at the position."""

    title: str
    number: Annotated[int | None, Meta(description="from 1; null for one that is in no list of chapters")]
    count: int
    start_ms: int
    end_ms: int | None


class Status(TypedDict):
    """What is playing."""

    state: State
    episode: Episode | None
    position_ms: int
    duration_ms: int | None
    speed: float
    volume: Annotated[int, Meta(description="in percent")]
    buffered_ms: Annotated[int, Meta(description="available without waiting")]
    error: Annotated[str | None, Meta(description="a sentence in the state error; else null")]
    waiting: Annotated[str | None, Meta(description="a sentence in the state buffering; else null")]
    live: bool
    sleep: Sleep | None
    stops_after_episode: bool
    offline: bool
    chapter: Chapter | None
    queue_count: int
    runs_in: RunsIn | None
    pid: Annotated[int | None, Meta(description="the process that plays")]
    since: Annotated[Moment | None, Meta(description="when it started")]
    gain_db: Annotated[float | None, Meta(description="by which the episode is levelled; null if it isn't")]
    boost: Effect
    trim: Effect
    plays_on: Annotated[str | None, Meta(description="the device on the network that plays; null on this computer")]
    served_at: Annotated[str | None, Meta(description="where that device fetches the audio: this computer's open port")]


class Ended(TypedDict):
    """The Earmark that was told to quit, and what it played."""

    runs_in: RunsIn
    pid: int
    since: Moment
    episode: Episode | None
    position_ms: int


class Quit(TypedDict):
    """The Earmark that has ended; null if none was running."""

    ended: Ended | None


_SameState = State | Literal[""]
StatusBar = TypedDict(
    "StatusBar",
    {"text": str, "alt": _SameState, "class": _SameState, "tooltip": str, "percentage": int},
)
"""A line for a status bar, as waybar reads it. `alt` and `class` are the state."""


# -- the queue of downloads -----------------------------------------------------------------------------------


class Progress(TypedDict):
    """In bytes, bytes per second and seconds; null if unknown."""

    done: int
    total: int | None
    per_second: int
    seconds_left: int | None


class QueuedDownload(Progress):
    """An episode that is to be downloaded or transcribed. How far a transcript is, is in ms of the episode."""

    id: int
    title: str
    podcast: str
    state: Literal["running", "waiting", "paused", "failed", "done"]
    why: Annotated[str, Meta(description="by hand, or the rule that wants it")]
    asked_at: Moment
    attempts: int
    retry_at: Moment | None
    problem: Annotated[str | None, Meta(description="a sentence about the last attempt; else null")]
    work: Annotated[Literal["download", "transcript"], Meta(description="what is done next")]


class DownloadQueue(Progress):
    """The queue of downloads and transcripts, and how far the downloads are."""

    count: int
    paused: bool
    held: bool
    transcripts_wait: Annotated[str | None, Meta(description="why waiting transcripts aren't made; else null")]
    entries: list[QueuedDownload]


# -- answers --------------------------------------------------------------------------------------------------


class Refusal(TypedDict):
    """The answer to a request that isn't understood or can't be carried out."""

    ok: Literal[False]
    error: Sentence
    reason: NotRequired[Annotated[str, Meta(description="a word for why, for programs")]]
    protocol: int
    id: NotRequired[int | str]


class Answer(TypedDict):
    """The answer to a command."""

    ok: Literal[True]
    status: Status
    protocol: int
    id: NotRequired[int | str]


class Act(TypedDict):
    """The change that was undone or redone."""

    kind: str
    title: str
    count: int


class RevertedAnswer(Answer):
    act: Act | None


class RemovedAnswer(Answer):
    removed: Annotated[str | None, Meta(description="the podcast's title; null if it was gone already")]


class ChangedAnswer(Answer):
    changed: Annotated[list[int], Meta(description="the ids for which something has changed")]


class AddedAnswer(Answer):
    added: Annotated[list[int], Meta(description="the ids that weren't to be downloaded, or transcribed, before")]


class DownloadsAnswer(Answer):
    downloads: DownloadQueue


class OfflineState(TypedDict):
    on: bool
    by_hand: Annotated[bool, Meta(description="the listener wants it so")]
    only_here: Annotated[bool, Meta(description="only what can be played then is listed")]


class OfflineAnswer(Answer):
    offline: OfflineState


class SyncAnswer(Answer):
    sync: SyncState


class SoundOutput(TypedDict):
    """Where the sound comes out, by libvlc's names, "" for the default; or a kind of device on the network and its ID.
    The title is from when it was chosen, or ""."""

    output: str
    device: str
    title: str


class RanAnswer(Answer):
    ran: Annotated[str, Meta(description="the action, as in [keys] of config.toml")]


class OpenedAnswer(Answer):
    opened: Literal["playing", "shown", "offered"]


class Recent(TypedDict):
    file: Annotated[str, Meta(description="for whoever asked to delete")]
    format: str


class RecentAnswer(Answer):
    recent: Recent


class OutputAnswer(Answer):
    output: SoundOutput


ANSWERS: dict[str, type] = {
    "undo": RevertedAnswer,
    "redo": RevertedAnswer,
    "remove": RemovedAnswer,
    "queue": ChangedAnswer,
    "mark": ChangedAnswer,
    "segment": ChangedAnswer,
    "download": AddedAnswer,
    "transcribe": AddedAnswer,
    "downloads": DownloadsAnswer,
    "offline": OfflineAnswer,
    "output": OutputAnswer,
    "sync": SyncAnswer,
    "run": RanAnswer,
    "open": OpenedAnswer,
    "recent": RecentAnswer,
}
"""The documents of the answers that have more than the status, by command."""
