"""The documents of podcasts and episodes, made by `player/integrations/json_api.py`. Fields may be added, but are never
renamed."""

from typing import Annotated, Literal, TypedDict

from msgspec import Meta

Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
"""ISO 8601."""
Sentence = Annotated[str, Meta(description="a sentence for people")]


Effect = Literal["off", "gentle", "strong"]


class Person(TypedDict):
    """A person in a podcast or an episode. Unknown fields are empty."""

    name: str
    role: str
    group: str
    url: str


class Funding(TypedDict):
    """Where listeners can support a show."""

    url: str
    label: str


class Podcast(TypedDict):
    """A podcast in the library."""

    id: int
    url: Annotated[str, Meta(description="its feed")]
    title: str
    author: str
    description: str
    episode_count: int
    unplayed_count: int
    last_refreshed: Annotated[Moment | None, Meta(description="null: never yet")]
    error: Annotated[str | None, Meta(description="the sentence of the last failed refresh; else null")]
    note: Annotated[str | None, Meta(description="what is worth knowing and is no failure; else null")]
    feed_title: Annotated[str, Meta(description="`title` may be the listener's own")]
    pinned: bool
    tags: list[str]


class Season(TypedDict):
    number: int
    name: str
    episode_count: int


class Episode(TypedDict):
    """An episode in the library."""

    id: int
    podcast_id: int
    podcast: Annotated[str, Meta(description="the podcast's title")]
    title: str
    guid: Annotated[str, Meta(description="its name in the feed")]
    published: Moment | None
    duration_ms: Annotated[int | None, Meta(description="null while nobody knows it")]
    position_ms: int
    played: bool
    starred: bool
    downloaded: bool
    url: Annotated[str, Meta(description="the audio")]
    link: Annotated[str, Meta(description="the web page; empty if there is none")]
    queued: Annotated[int | None, Meta(description="its rank in the queue, 1 for what plays next; null: not queued")]
    live: Annotated[
        str | None,
        Meta(description="pending, live or ended: a live show, published when it begins; null: an ordinary episode"),
    ]


class EpisodeExtras(TypedDict):
    """Details of an episode that a plain list doesn't have."""

    season: int | None
    episode_number: str
    kind: Annotated[str, Meta(description="trailer, bonus or empty")]
    people: list[Person]
    funding: list[Funding]
    transcript_languages: list[str]
    download_path: str | None
    comments: Annotated[str, Meta(description="the post whose replies are its comments; empty if there is none")]
    chat: Annotated[str, Meta(description="its chat room, or the podcast's; empty if there is none")]


class ListedEpisode(Episode, EpisodeExtras):
    """An episode with its details."""


class ShownEpisode(ListedEpisode):
    """An episode with its notes."""

    notes: Annotated[str, Meta(description="as the feed has them: HTML or plain text")]
    chapter_count: int


class SpokenHit(TypedDict):
    """A sentence of a transcript with the words of a search, and the sentences around it."""

    text: str
    before: str
    after: str
    at_ms: Annotated[int | None, Meta(description="when it begins; null in a transcript without times")]
    speaker: Annotated[str, Meta(description="empty if unknown")]
    link: Annotated[str, Meta(description="to that moment; empty if the episode isn't on the web")]


class FoundEpisode(Episode):
    """An episode that a search has found."""

    excerpt: Annotated[str, Meta(description="text around the first match, from the notes or the transcript")]
    at_ms: Annotated[int | None, Meta(description="when it is said; null for an excerpt of the notes")]
    hits: Annotated[list[SpokenHit], Meta(description="the first ten, if the excerpt is from the transcript")]
    hit_count: Annotated[int, Meta(description="100: there may be more")]


class PodcastPage(Podcast):
    """A podcast with everything on its page."""

    link: str
    language: str
    topics: list[str]
    people: list[Person]
    funding: list[Funding]
    chat: Annotated[str, Meta(description="its chat room; empty if there is none")]
    total_ms: int
    average_ms: int | None
    first: Moment | None
    latest: Moment | None
    every_days: float | None
    months: Annotated[dict[str, int], Meta(description="episodes of each month, such as 2026-03")]
    heard_ms: int
    played_count: int
    started_count: int
    starred_count: int
    seasons: list[Season]
    best: list[Episode]


class FoundPodcast(TypedDict):
    """A podcast of a public directory."""

    podcast_id: Annotated[int | None, Meta(description="null: not in the library")]
    url: Annotated[str | None, Meta(description="its feed")]
    title: str
    author: str
    description: str
    link: str | None
    image_url: str | None
    episode_count: int | None
    newest: Moment | None
    language: str | None
    topics: list[str]
    explicit: bool | None
    guid: str | None
    apple_id: int | None
    directories: Annotated[list[str], Meta(description="the directories that list it")]


class DirectoryEpisode(TypedDict):
    """An episode of a public directory."""

    podcast_id: Annotated[int | None, Meta(description="null: its podcast isn't in the library")]
    podcast: str
    feed_url: Annotated[str | None, Meta(description="the feed of its podcast")]
    title: str
    url: Annotated[str | None, Meta(description="its audio")]
    guid: str | None
    published: Moment | None
    duration_ms: int | None
    link: Annotated[str | None, Meta(description="its page")]
    description: str
    image_url: str | None
    directories: Annotated[list[str], Meta(description="the directories that list it")]
