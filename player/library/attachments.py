"""What belongs to an episode and was fetched or given by the listener: chapters and transcripts, as they came."""

import zlib
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from player.library.database.connections import Connections
from player.library.database.values import stored
from player.model.episode import EpisodeId

GIVEN = "earmark:given/"
"""The start of the addresses of what the listener gave; the language follows."""


class AttachmentKind(StrEnum):
    CHAPTERS = "chapters"
    TRANSCRIPT = "transcript"


class Attachment(Struct, frozen=True):
    """`url` is its address in the feed, and identifies it among others of its kind; `body` is what was fetched."""

    kind: AttachmentKind
    url: str
    body: bytes = b""
    media_type: str = ""
    language: str = ""


class Attachments:
    """Attachments are removed with their episode, but not with its audio."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def get(self, episode_id: EpisodeId, kind: AttachmentKind, url: str) -> Attachment | None:
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT body, media_type, language FROM companions WHERE episode_id = ? AND kind = ? AND url = ?",
                (episode_id, kind, url),
            ).fetchone()
            return Attachment(kind, url, zlib.decompress(row[0]), row[1], row[2]) if row else None

    def listed(self, episode_id: EpisodeId, kind: AttachmentKind) -> tuple[Attachment, ...]:
        """All of that kind, the oldest first, without their bodies."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT url, media_type, language FROM companions WHERE episode_id = ? AND kind = ?"
                " ORDER BY fetched_at, url",
                (episode_id, kind),
            ).fetchall()
        return tuple(Attachment(kind, url, b"", media_type, language) for url, media_type, language in rows)

    def put(self, episode_id: EpisodeId, companion: Attachment, at: datetime) -> None:
        """Replaces the one from the same address. Does nothing if the episode is gone."""
        row = (companion.kind, companion.url, companion.language, companion.media_type, zlib.compress(companion.body))
        with self._connections.writing(durable=False) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO companions (episode_id, kind, url, language, media_type, body, fetched_at)"
                " SELECT id, ?, ?, ?, ?, ?, ? FROM episodes WHERE id = ?",
                (*row, stored(at), episode_id),
            )

    def remove(self, episode_id: EpisodeId, kind: AttachmentKind, url: str) -> None:
        with self._connections.writing() as connection:
            connection.execute(
                "DELETE FROM companions WHERE episode_id = ? AND kind = ? AND url = ?", (episode_id, kind, url)
            )
