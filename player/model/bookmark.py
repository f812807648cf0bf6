"""A bookmark: a moment of an episode that the listener has kept."""

from datetime import datetime
from typing import NewType

from msgspec import Struct

from player.model.episode import EpisodeId

BookmarkId = NewType("BookmarkId", int)


class Moment(Struct, frozen=True):
    """What is bookmarked. `line` is what the transcript says there; chapter, line and note may be ""."""

    position_ms: int
    chapter: str = ""
    line: str = ""
    note: str = ""


class Bookmark(Struct, frozen=True):
    """`episode` and `podcast` are titles. `link` is the episode's page, else its audio, else "".

    `episode_id` is None once the episode is no longer in the library; the rest stays as it was.
    """

    id: BookmarkId
    episode_id: EpisodeId | None
    position_ms: int
    created_at: datetime
    chapter: str
    line: str
    note: str
    episode: str
    podcast: str
    link: str

    @property
    def text(self) -> str:
        """What it says, in one line: the note, else the line, else the chapter."""
        return self.note or self.line or self.chapter


TEMPLATE_FIELDS = ("date", "time", "moment", "episode", "podcast", "chapter", "line", "note", "link")
"""What a template of Markdown can hold, in braces."""
TEMPLATE = "- {moment} {episode} ({podcast})\n  - {chapter}\n  - {note}\n  - “{line}”"
