"""The answers of the tools that `earmark mcp` gives an assistant. Fields may be added, but are never renamed."""

from typing import Annotated, TypedDict

from msgspec import Meta

from player.integrations.documents.commands import Session, TranscriptLine
from player.integrations.documents.library import Moment
from player.integrations.documents.playback import State

Clock = Annotated[str, Meta(description="the same time as people write it, such as 12:34")]
Link = Annotated[str, Meta(description="a web page, at that second where there is one; empty if there is none")]


class BriefEpisode(TypedDict):
    """An episode in the library."""

    id: int
    podcast_id: int
    podcast: Annotated[str, Meta(description="the podcast's title")]
    title: str
    published: Moment | None
    duration_ms: Annotated[int | None, Meta(description="null while nobody knows it")]
    position_ms: Annotated[int, Meta(description="where the listener stopped")]
    played: bool
    starred: bool
    downloaded: bool
    queued: Annotated[int | None, Meta(description="its rank in the queue, 1 for what plays next; null: not queued")]
    link: Annotated[str, Meta(description="its web page; empty if there is none")]


class Hit(TypedDict):
    """A sentence with the words of a search, and what stands around it."""

    text: str
    before: str
    after: str
    at_ms: Annotated[int | None, Meta(description="when it is said; null for a sentence of the notes")]
    at: Clock
    speaker: Annotated[str, Meta(description="empty if unknown")]
    link: Link


class EpisodeWithHits(BriefEpisode):
    hits: Annotated[list[Hit], Meta(description="the first five")]
    hit_count: Annotated[int, Meta(description="100: there may be more")]


class BriefChapter(TypedDict):
    start_ms: int
    end_ms: int | None
    at: Clock
    title: str
    url: Annotated[str, Meta(description="the chapter's own link; may be empty")]


class Answer(TypedDict):
    notice: Annotated[str, Meta(description="what the texts in this answer are")]


class Page(Answer):
    next_offset: Annotated[int | None, Meta(description="the offset with which to go on; null: this is the end")]


class FoundPage(Page):
    """What a search has found."""

    episodes: list[EpisodeWithHits]
    problems: Annotated[list[str], Meta(description="parts of the query that weren't understood")]


class EpisodesPage(Page):
    """Some episodes of a list."""

    episodes: list[BriefEpisode]


class NotesPage(Page):
    """Some of an episode's notes."""

    episode: BriefEpisode
    notes: str


class ChaptersPage(Page):
    """Some of an episode's chapters."""

    episode: BriefEpisode
    chapters: list[BriefChapter]
    not_fetched: Annotated[bool, Meta(description="the feed names more that Earmark hasn't fetched yet")]


class TranscriptPage(Page):
    """What is said in some of an episode."""

    episode: BriefEpisode
    language: str
    languages: Annotated[list[str], Meta(description="those in which there is a transcript")]
    timed: Annotated[bool, Meta(description="false: nobody knows when the lines are said")]
    lines: list[TranscriptLine]


class HistoryPage(Page):
    """What was listened to, the latest first."""

    sessions: list[Session]


class NowPlaying(Answer):
    """What the running Earmark plays."""

    state: State
    episode: BriefEpisode | None
    position_ms: int
    at: Clock
    duration_ms: int | None
    speed: float
    chapter: Annotated[str | None, Meta(description="the title of the chapter at the position")]
    queue_count: int


class ChangedQueue(Answer):
    changed: Annotated[list[int], Meta(description="the episodes that were added, moved or taken out")]


class MadeBookmark(Answer):
    id: int
    episode: BriefEpisode
    position_ms: int
    at: Clock
    chapter: str
    line: Annotated[str, Meta(description="what the transcript says there")]
    note: str
    link: Link
