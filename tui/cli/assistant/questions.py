"""The arguments of the tools: what an assistant may ask. Their schemas are made from these classes."""

from typing import Annotated, Literal

from msgspec import Meta

from player.integrations.requests import Request
from player.library.search.query import LONGEST
from player.model.episode import EpisodeId
from player.text.sentences import _

MOST_ROWS = 50
_MOST = 2**53 - 1
"""Every program that reads JSON can tell such a number from the next."""

Episode = Annotated[EpisodeId, Meta(ge=1, le=_MOST, description=_("the id of an episode, as other tools give it"))]
EpisodeIds = Annotated[list[Episode], Meta(min_length=1, max_length=100, description=_("the ids of the episodes"))]
Limit = Annotated[int, Meta(ge=1, le=MOST_ROWS, description=_("how many at most"))]
Offset = Annotated[int, Meta(ge=0, le=_MOST, description=_("next_offset of the answer before, to go on from there"))]
Position = Annotated[int, Meta(ge=0, le=10**12, description=_("a position in the episode, in milliseconds"))]
Filter = Annotated[
    str,
    Meta(
        min_length=0,
        max_length=LONGEST,
        description=_(
            'Words that must all occur in title, notes or transcript; case and accents don\'t matter. "Exact phrase",'
            ' word* (words that begin so), -word (without it), said:"words" (in a transcript), speaker:NAME (said by'
            " that person), in:transcript (all the words are said), title:TEXT, podcast:NAME, tag:TAG, after:2026-03"
            " and before:2026-03-14 (when it was published), age:<7d, duration:<20m, is:unplayed (or played, starred,"
            " in-progress, downloaded, queued, new)."
        ),
    ),
]


class Asked(Request, forbid_unknown_fields=True):
    """The arguments of a tool."""


class Search(Asked):
    query: Filter
    order: Annotated[Literal["newest", "best"], Meta(description=_("the newest episodes first, or the best"))] = (
        "newest"
    )
    limit: Limit = 10
    offset: Offset = 0


class Episodes(Asked):
    filter: Filter = ""
    podcast: Annotated[
        str, Meta(min_length=0, max_length=500, description=_("only those of this podcast: its podcast_id or title"))
    ] = ""
    list: Annotated[
        str,
        Meta(
            min_length=0,
            max_length=500,
            description=_(
                "only those of this list: new, queue, in_progress, starred, downloads, bookmarks, history, or the title"
                " of one of the listener's own"
            ),
        ),
    ] = ""
    limit: Limit = 20
    offset: Offset = 0


class Notes(Asked):
    episode: Episode
    offset: Offset = 0


class Chapters(Asked):
    episode: Episode
    offset: Offset = 0


class Transcript(Asked):
    episode: Episode
    from_ms: Position = 0
    to_ms: Annotated[Position | None, Meta(description=_("where to stop; null: at the end"))] = None
    language: Annotated[
        str,
        Meta(min_length=0, max_length=35, description=_("which transcript, such as en or pt-BR, if there are more")),
    ] = ""
    offset: Offset = 0


class History(Asked):
    filter: Filter = ""
    limit: Limit = 20
    offset: Offset = 0


class NowPlaying(Asked):
    pass


class Play(Asked):
    episode: Episode
    at_ms: Annotated[Position | None, Meta(description=_("where to begin; null: where the listener stopped"))] = None


class Queue(Asked):
    change: Annotated[
        Literal["add", "next", "remove"],
        Meta(description=_("add at the end, put first, so that they play next, or take out")),
    ]
    episodes: EpisodeIds


class Bookmark(Asked):
    episode: Episode
    at_ms: Position
    note: Annotated[str, Meta(min_length=0, max_length=2000, description=_("a note to keep with it"))] = ""
