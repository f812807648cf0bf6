"""What belongs to an episode besides its row: chapters, transcripts, people and the like."""

import json
import zlib
from array import array
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from msgspec import Struct

from player.library.database.connections import Connections
from player.library.database.values import check_kinds, stored
from player.library.lists.preview_keys import LISTED
from player.model.episode import (
    EpisodeId,
    Funding,
    Person,
    TranscriptRef,
    chat,
    discussions,
    fundings,
    kind,
    people,
)

GIVEN = "earmark:given/"
"""How the addresses of attachments that the listener gave begin; the language follows."""
MADE = "earmark:made/transcript"
"""The address of a transcript that was made here of the episode's audio."""
SUMMARY, OWN_CHAPTERS = "earmark:made/summary", "earmark:made/chapters"
"""The addresses of a summary and of chapters that were made here of the episode's transcript."""


_GIVEN = "(SELECT value FROM json_each(?))"
_FAILED = "failed"
"""The kind of rows about transcripts that couldn't be fetched; their body is empty."""
_LACKING = (
    "SELECT d.episode_id, d.transcripts, (SELECT max(url) FROM companions f WHERE f.episode_id = d.episode_id"
    f" AND f.kind = '{_FAILED}' AND f.fetched_at > ?)"
    " FROM details d INDEXED BY details_transcripts CROSS JOIN episodes e ON e.id = d.episode_id"
    f" WHERE d.transcripts <> '[]' AND {LISTED} AND NOT EXISTS"
    f" (SELECT 1 FROM companions c WHERE c.episode_id = d.episode_id AND c.kind = 'transcript' AND c.url <> '{MADE}')"
)


class AttachmentKind(StrEnum):
    CHAPTERS = "chapters"
    TRANSCRIPT = "transcript"
    SUMMARY = "summary"


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
        """All attachments of that kind, oldest first, without their bodies."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT url, media_type, language FROM companions WHERE episode_id = ? AND kind = ?"
                " ORDER BY fetched_at, url",
                (episode_id, kind),
            ).fetchall()
        return tuple(Attachment(kind, url, b"", media_type, language) for url, media_type, language in rows)

    def put(self, episode_id: EpisodeId, companion: Attachment, at: datetime) -> None:
        """Replaces the attachment from the same address. Does nothing if the episode is gone."""
        row = (companion.kind, companion.url, companion.language, companion.media_type, zlib.compress(companion.body))
        with self._connections.writing(durable=False) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO companions (episode_id, kind, url, language, media_type, body, fetched_at)"
                " SELECT id, ?, ?, ?, ?, ?, ? FROM episodes WHERE id = ?",
                (*row, stored(at), episode_id),
            )

    def put_failure(self, episode_id: EpisodeId, url: str, at: datetime) -> None:
        """Notes that the transcript at this address couldn't be fetched."""
        with self._connections.writing(durable=False) as connection:
            connection.execute("DELETE FROM companions WHERE episode_id = ? AND kind = ?", (episode_id, _FAILED))
            connection.execute(
                "INSERT INTO companions (episode_id, kind, url, language, media_type, body, fetched_at)"
                " SELECT id, ?, ?, '', '', x'', ? FROM episodes WHERE id = ?",
                (_FAILED, url, stored(at), episode_id),
            )

    def lacking_transcripts(
        self, among: "Sequence[int] | array[int] | None", failed_since: datetime
    ) -> list[tuple[EpisodeId, tuple[TranscriptRef, ...]]]:
        """The episodes, `among` these ids or (None) all, of which the feed names transcripts and none is stored (except
        one that was made here), with what the feed names; the newest first. Without those that have failed since."""
        given = "" if among is None else f" AND d.episode_id IN {_GIVEN}"
        values = [stored(failed_since), *([] if among is None else [json.dumps(list(among))])]
        with self._connections.reading() as connection:
            rows = connection.execute(f"{_LACKING}{given} ORDER BY e.sort DESC", values).fetchall()
        named = [(row[0], tuple(TranscriptRef(*ref) for ref in json.loads(row[1])), row[2]) for row in rows]
        return [(one, refs) for one, refs, failed in named if all(ref.url != failed for ref in refs)]

    def on_this_computer(self) -> "array[int]":
        """The episodes of podcasts that are folders or files."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT e.id FROM podcasts p JOIN episodes e ON e.podcast_id = p.id WHERE p.url LIKE 'file:%'"
            )
            return array("q", (episode_id for (episode_id,) in rows))

    def remove(self, episode_id: EpisodeId, kind: AttachmentKind, url: str) -> None:
        with self._connections.writing() as connection:
            connection.execute(
                "DELETE FROM companions WHERE episode_id = ? AND kind = ? AND url = ?", (episode_id, kind, url)
            )


_AT_ONCE = 1000
_ROWS = (
    "SELECT e.id, e.podcast_id, d.season, d.number, d.transcripts, d.extra,"
    " coalesce((SELECT path FROM downloads WHERE episode_id = e.id), '')"
    f" FROM episodes e LEFT JOIN details d ON d.episode_id = e.id WHERE e.id IN {_GIVEN}"
)
_KEPT = (
    f"SELECT episode_id, language FROM companions WHERE episode_id IN {_GIVEN} AND kind = 'transcript'"
    " ORDER BY fetched_at, url"
)


class EpisodeExtras(Struct, frozen=True):
    """`number` is as the feed writes it, `kind` is “trailer”, “bonus” or "".

    People, support and chat are the podcast's if the episode names none. `languages` are the languages of its
    transcripts, fetched or not; "" for an unknown language. `comments` is the address of the post whose replies are its
    comments.
    """

    season: int | None = None
    number: str = ""
    kind: str = ""
    people: tuple[Person, ...] = ()
    fundings: tuple[Funding, ...] = ()
    languages: tuple[str, ...] = ()
    download: Path | None = None
    comments: str = ""
    chat: str = ""


class Extras:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def of(self, ids: "Sequence[EpisodeId] | array[int]") -> dict[EpisodeId, EpisodeExtras]:
        """Leaves out episodes that are gone. 20 µs per episode."""
        found: dict[EpisodeId, EpisodeExtras] = {}
        for start in range(0, len(ids), _AT_ONCE):
            found.update(self._of(json.dumps(list(ids[start : start + _AT_ONCE]))))
        return found

    def _of(self, ids: str) -> dict[EpisodeId, EpisodeExtras]:
        with self._connections.reading() as connection:
            rows = connection.execute(_ROWS, (ids,)).fetchall()
            podcasts = json.dumps(list({row[1] for row in rows}))
            of_podcasts = connection.execute(f"SELECT id, extra FROM podcasts WHERE id IN {_GIVEN}", (podcasts,))
            of_podcast = {
                podcast_id: (people(extra), fundings(extra), chat(extra)) for podcast_id, extra in of_podcasts
            }
            stored: dict[EpisodeId, list[str]] = {}
            for episode_id, language in connection.execute(_KEPT, (ids,)):
                stored.setdefault(episode_id, []).append(language)
            return {row[0]: _extras(row, of_podcast.get(row[1], ((), (), "")), stored.get(row[0], [])) for row in rows}


def _extras(
    row: tuple[Any, ...], of_podcast: tuple[tuple[Person, ...], tuple[Funding, ...], str], stored: Sequence[str]
) -> EpisodeExtras:
    _id, _podcast_id, season, number, transcripts, extra, path = row
    check_kinds((number, extra, path, *stored), (season,))
    named = [TranscriptRef(*ref).language for ref in json.loads(transcripts)] if transcripts != "[]" else []
    check_kinds(named)
    return EpisodeExtras(
        season,
        number,
        kind(extra),
        people(extra) or of_podcast[0],
        fundings(extra) or of_podcast[1],
        tuple(dict.fromkeys((*named, *stored))),
        Path(path) if path else None,
        next((one.url for one in discussions(extra)), ""),
        chat(extra) or of_podcast[2],
    )
