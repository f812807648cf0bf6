"""The documents that single commands of `earmark` print with --json. Fields may be added, but are never renamed."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from player.integrations.documents.library import Effect, Moment, Sentence

YesOrNo = Literal["yes", "no"]


class Deleted(TypedDict):
    """The ids of what was deleted."""

    deleted: list[int]


class Transcribed(TypedDict):
    """The ids of the episodes that are transcribed."""

    transcribed: list[int]


class TranscribeSetup(TypedDict):
    """The way that was chosen, what it heard in the built-in show, and how long it took: so many seconds for so many ms
    of audio."""

    chosen: str
    words: str
    seconds: float
    audio_ms: int


class DeletedList(TypedDict):
    """The id of the list that was deleted."""

    deleted: int


class Changed(TypedDict):
    """The ids of the episodes that were changed."""

    changed: list[int]


class Service(TypedDict):
    """The service of systemd."""

    installed: bool
    file: str
    enabled: Annotated[str | None, Meta(description="what systemd says; null where there is none, or no service")]
    active: Annotated[str | None, Meta(description="likewise")]


# -- podcasts and lists ---------------------------------------------------------------------------------------


class Failure(TypedDict):
    podcast_id: int
    error: Sentence


class Refreshed(TypedDict):
    """The result of a refresh."""

    refreshed: Annotated[int, Meta(description="how many podcasts were checked")]
    new: Annotated[int, Meta(description="how many episodes are new")]
    failed: list[Failure]


class TaggedPodcast(TypedDict):
    podcast_id: int
    podcast: str
    tags: list[str]


class Tag(TypedDict):
    tag: str
    podcast_count: int


class PodcastSettings(TypedDict):
    """A podcast's own settings. null: the setting of all podcasts applies; in `title`, the feed's title."""

    podcast_id: int
    podcast: str
    speed: float | None
    volume_db: float | None
    boost: Effect | None
    trim: Effect | None
    skip_start_ms: int | None
    skip_end_ms: int | None
    new: str
    only_newest: bool | None
    age_limit_days: int | None
    include: str | None
    exclude: str | None
    order: Literal["newest", "oldest", "longest", "shortest"]
    hide_played: bool
    download_newest: Annotated[int | None, Meta(description="0: nothing is downloaded by rules")]
    download_include: str | None
    download_exclude: str | None
    download_at_least_ms: int | None
    download_under_ms: int | None
    transcribe: Literal["nothing", "downloaded", "queued"]
    segments: Annotated[
        dict[Literal["intro", "outro", "sponsor", "recap", "other"], Literal["ask", "skip", "leave"]],
        Meta(description="what happens where one that was marked is heard again"),
    ]
    title: str | None
    pinned: bool


PodcastSettingsShown = TypedDict(
    "PodcastSettingsShown",
    {**PodcastSettings.__annotations__, "continue": Literal["oldest", "newest"] | None},  # type: ignore[misc]
)


class EpisodeList(TypedDict):
    """A list: one that comes with Earmark, a smart list or a playlist."""

    id: Annotated[int | None, Meta(description="null for one that comes with Earmark")]
    name: Annotated[str, Meta(description="what `earmark episodes --list` takes")]
    title: str
    kind: Literal["built-in", "smart", "playlist"]
    query: Annotated[str | None, Meta(description="the search of a smart list; else null")]
    episode_count: int
    unplayed_count: Annotated[int, Meta(description="of the queue: what is to come")]
    more: Annotated[bool, Meta(description="there are more episodes than were counted")]
    unplayed_more: Annotated[bool, Meta(description="there are more unplayed ones than were counted")]
    order: str
    hide_played: bool
    problem: Annotated[str | None, Meta(description="what of the search isn't understood; else null")]
    download: Annotated[int | None, Meta(description="how many of its episodes rules download")]
    continues: Annotated[Literal["yes", "oldest", "newest"] | None, Meta(description="how it plays on after the queue")]


# -- listening ------------------------------------------------------------------------------------------------


class Bookmark(TypedDict):
    id: int
    episode_id: Annotated[int | None, Meta(description="null once the episode is no longer in the library")]
    episode: Annotated[str, Meta(description="its title")]
    podcast: str
    position_ms: int
    length_ms: Annotated[int, Meta(description="of a clip; 0 for a moment")]
    chapter: str
    line: Annotated[str, Meta(description="what the transcript says there")]
    note: str
    created: Moment
    link: str


class Segment(TypedDict):
    """A part of an episode that was marked, or where the same sound was found."""

    id: Annotated[int, Meta(description="of the segment that was marked, also for one that was found")]
    episode_id: Annotated[int | None, Meta(description="null once the episode is no longer in the library")]
    episode: Annotated[str, Meta(description="its title")]
    podcast: str
    start_ms: int
    end_ms: int
    length_ms: int
    kind: Literal["intro", "outro", "sponsor", "recap", "other"]
    found: Annotated[bool, Meta(description="false for the one that was marked")]
    created_at: Moment


class Repeat(TypedDict):
    """A sound that several episodes of a podcast have, and that isn't marked."""

    episode_id: Annotated[int, Meta(description="of the newest episode that has it")]
    episode: Annotated[str, Meta(description="its title")]
    start_ms: Annotated[int, Meta(description="where it begins in that one")]
    end_ms: int
    length_ms: int
    episodes: Annotated[int, Meta(description="how many have it")]
    words: Annotated[str, Meta(description="the first words that the transcript has there")]


class ClipFiles(TypedDict):
    audio: str
    texts: Annotated[list[str], Meta(description="its words: WebVTT, and a quotation in Markdown")]
    start_ms: Annotated[int, Meta(description="where the file begins in the episode")]
    end_ms: int
    encoded: Annotated[bool, Meta(description="the sound was encoded anew")]


class Clip(Bookmark):
    """A clip that is in Bookmarks, and the files that were made of it."""

    files: Annotated[ClipFiles | None, Meta(description="null without --output")]


class Session(TypedDict):
    """An episode that was heard, within a day and without a longer break."""

    episode_id: Annotated[int | None, Meta(description="null once the episode is no longer in the library")]
    title: str
    podcast: str
    began: Moment
    ended: Moment
    from_ms: Annotated[int, Meta(description="where it began in the episode")]
    to_ms: Annotated[int, Meta(description="where it ended in the episode")]
    listened_ms: Annotated[int, Meta(description="how long it took")]
    content_ms: Annotated[int, Meta(description="how much of the episode that was")]


class Day(TypedDict):
    day: Annotated[str, Meta(extra_json_schema={"format": "date"})]
    listened_ms: int
    content_ms: int


class Heard(TypedDict):
    title: str
    listened_ms: int


class HeardInYear(TypedDict):
    year: int
    listened_ms: int


class Year(TypedDict):
    """The listening of a year."""

    year: int
    listened_ms: int
    content_ms: int
    skipped_ms: int
    trimmed_ms: Annotated[int, Meta(description="saved by trimmed pauses")]
    segments_ms: Annotated[int, Meta(description="saved by skipped segments")]
    episodes: int
    finished: int
    abandoned: int
    longest_streak_days: int
    days: list[Day]
    hours_ms: Annotated[list[int], Meta(description="of each hour of the day, from midnight on")]
    podcasts: list[Heard]
    top_episodes: list[Heard]
    years: list[HeardInYear]


# -- episodes -------------------------------------------------------------------------------------------------


class EpisodeChapter(TypedDict):
    title: str
    start_ms: int
    end_ms: int | None
    url: str
    image_url: str
    hidden: Annotated[bool, Meta(description="it is in no list of chapters")]
    current: Annotated[bool, Meta(description="where you stopped")]
    source: Annotated[str | None, Meta(description="where the chapters come from")]


class TranscriptLine(TypedDict):
    start_ms: int | None
    end_ms: int | None
    speaker: str
    text: str


class Transcript(TypedDict):
    id: Annotated[int, Meta(description="the episode's")]
    title: str
    language: str
    languages: Annotated[list[str], Meta(description="those in which there is one")]
    source: Annotated[
        Literal["own", "podcast", "file", "here"], Meta(description="file: beside the audio; here: made by Earmark")
    ]
    sources: Annotated[list[str], Meta(description="those from which there is one")]
    made_by: Annotated[str, Meta(description="the program and its model, if known")]
    lines: list[TranscriptLine]


class OwnChapter(TypedDict):
    start_ms: int
    title: str


class Summary(TypedDict):
    """What a program has made of an episode's transcript."""

    id: Annotated[int, Meta(description="the episode's")]
    title: str
    summary: Annotated[str | None, Meta(description="Markdown")]
    made_by: str | None
    chapters: list[OwnChapter]


class AttachedFile(TypedDict):
    """A file of a comment, which isn't fetched."""

    kind: Annotated[str, Meta(description="image, video, gifv, audio, or what the server calls it")]
    description: Annotated[str, Meta(description="its author's; empty if there is none")]


class Comment(TypedDict):
    """A post in the fediverse. Texts are plain; unknown fields are empty."""

    author: str
    handle: Annotated[str, Meta(description="such as @name@example.org")]
    url: str
    published: Moment | None
    depth: Annotated[int, Meta(description="0 for the post that the feed names, 1 for replies to it")]
    text: str
    warning: Annotated[str, Meta(description="what is to be read before the text")]
    sensitive: Annotated[bool, Meta(description="whether the attached files aren't for everybody")]
    attached: list[AttachedFile]


class Comments(TypedDict):
    """The replies to the post that the feed names for an episode, each below what it replies to."""

    id: Annotated[int, Meta(description="the episode's")]
    title: str
    url: Annotated[str, Meta(description="the post's address, as the feed has it")]
    post: Comment
    comments: list[Comment]
    more: Annotated[bool, Meta(description="whether there may be more than the server shows")]


class WatchedVideo(TypedDict):
    """A video of an episode that was watched."""

    id: Annotated[int, Meta(description="the episode's")]
    title: str
    player: Annotated[str, Meta(description="the program that showed it")]
    position_ms: Annotated[int | None, Meta(description="null if the position stays as it was")]
    to_the_end: bool


class RemovedSummary(TypedDict):
    removed: Annotated[bool, Meta(description="whether there was anything")]


class RemovedTranscripts(TypedDict):
    removed: Annotated[int, Meta(description="how many")]


class Download(TypedDict):
    """A downloaded episode."""

    episode_id: int
    title: str
    podcast: str
    file: str
    size: Annotated[int | None, Meta(description="in bytes")]
    downloaded_at: Moment | None
    rule: Annotated[str | None, Meta(description="null for what was downloaded by hand")]
    why: Annotated[str | None, Meta(description="why it is here, in words")]
    kept: Annotated[str | None, Meta(description="what keeps it; null if nothing does")]
    goes: Annotated[str | None, Meta(description="when it goes; null if it stays")]


class PlannedDownload(TypedDict):
    """What the rules would do now."""

    do: Literal["delete", "restore", "download", "wait"]
    episode_id: int
    title: str
    size: Annotated[int, Meta(description="in bytes")]
    why: str


# -- the rest -------------------------------------------------------------------------------------------------


class Output(TypedDict):
    """A sound output, by libvlc's names, both empty for the default; or a kind of device on the network and its ID."""

    output: str
    device: str
    title: str
    now: Annotated[bool, Meta(description="the sound comes out there")]


class Theme(TypedDict):
    name: str
    title: str
    dark: bool
    file: Annotated[str | None, Meta(description="null for one that comes with Earmark")]


class Key(TypedDict):
    id: Annotated[str, Meta(description="the action, as in [keys] of config.toml")]
    group: str
    keys: list[str]
    title: str


class RunnableAction(TypedDict):
    id: Annotated[str, Meta(description="as in [keys] of config.toml")]
    group: str
    title: str
    without_screen: Annotated[bool, Meta(description="a player without a screen does it, too")]


class Check(TypedDict):
    name: str
    ok: bool
    text: str
    advice: Annotated[str, Meta(description="what to do; empty for nothing")]


class Checkup(TypedDict):
    ok: Annotated[bool, Meta(description="nothing is wrong")]
    checks: list[Check]


class BackupFound(TypedDict):
    """A backup of the library that is intact, and how much it has."""

    file: str
    made: Moment
    podcasts: int
    episodes: int
    starred: int
    bookmarks: int
    positions: int


class Repaired(TypedDict):
    set_aside: Annotated[str | None, Meta(description="where the damaged library is; null if nothing was repaired")]
    damaged: Annotated[bool, Meta(description="whether it was; --backup replaces one that isn't too")]
    backup: str | None
    backup_made: str | None
    backups: Annotated[
        list[BackupFound],
        Meta(description="those to choose from: the first is restored without --backup, one dated after now is last"),
    ]


class Unread(TypedDict):
    title: str
    error: Sentence


class Imported(TypedDict):
    """What was imported from another app."""

    added: int
    known: int
    new: int
    tags: list[str]
    failed: list[Unread]
    app: Annotated[str, Meta(description="empty for a list of addresses")]
    version: str
    episodes: Annotated[int, Meta(description="for how many something came")]
    imported_before: Annotated[int, Meta(description="episodes of which this file has brought something before")]
    waiting: Annotated[int, Meta(description="episodes that no feed has brought yet")]
    bookmarks: int
    lists: Annotated[int, Meta(description="smart lists and playlists that are new")]
    not_listed: Annotated[int, Meta(description="episodes of playlists that no feed has brought")]
    left_out: list[Sentence]


class Preview(TypedDict):
    """What would be imported from another app."""

    app: str
    version: str
    podcasts: int
    known: int
    played: int
    positions: int
    starred: int
    queued: int
    heard: int
    bookmarks: int
    lists: int
    left_out: list[Sentence]


class Restored(TypedDict):
    """What was, or would be, restored from an export of everything."""

    app: Literal["Earmark"]
    added: int
    known: int
    new: int
    lists: int
    episodes: int
    played: int
    starred: int
    positions: int
    queued: int
    bookmarks: int
    segments: int
    spans: int
    forgotten: int
    not_understood: int
    later_version: bool
    ends_early: bool
    failed: list[Unread]


class Problem(TypedDict):
    """A mistake in config.toml."""

    name: Annotated[str | None, Meta(description="the setting; null if it is no setting's")]
    line: int | None
    problem: Sentence


class Setting(TypedDict):
    """A setting, and where its value comes from."""

    name: str
    value: Annotated[Any, Meta(description="null for a secret, unless it is asked for")]
    default: Any
    source: Literal["default", "file", "app", "environment"]
    line: Annotated[int | None, Meta(description="in config.toml")]
    variable: NotRequired[Annotated[str, Meta(description="of the environment")]]


class Configuration(TypedDict):
    file: str
    exists: bool
    settings: list[Setting]
    podcasts: Annotated[int, Meta(description="how many have settings of their own")]
    problems: list[Problem]


class ConfigurationCheck(TypedDict):
    file: str
    exists: bool
    ok: bool
    problems: list[Problem]


class ChangedSetting(TypedDict):
    name: str
    value: Any


# -- help -----------------------------------------------------------------------------------------------------


class HelpPage(TypedDict):
    """A page of the documentation."""

    page: str
    title: str
    text: Annotated[str, Meta(description="Markdown; plain text for a page that is made from the code")]


class PageName(TypedDict):
    page: str
    title: str


class CommandName(TypedDict):
    name: str
    summary: str


class HelpMap(TypedDict):
    """All commands and pages, in the order of the help."""

    commands: list[CommandName]
    pages: list[PageName]


class FoundKey(TypedDict):
    """An action of the app. `command` does the same; null if there is none."""

    id: str
    keys: list[str]
    title: str
    command: str | None


class FoundSetting(TypedDict):
    """Settings with one description."""

    names: list[str]
    words: str


class FoundPassage(TypedDict):
    """The line of a section that fits best."""

    page: str
    heading: str
    text: str


class HelpFound(TypedDict):
    """What is said about the words, in each list the best first."""

    words: str
    keys: list[FoundKey]
    commands: list[CommandName]
    settings: list[FoundSetting]
    passages: list[FoundPassage]
    near: Annotated[list[str], Meta(description="similar words, if nothing is found")]
