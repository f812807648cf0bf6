"""The words of stored transcripts, in an index separate from the index of titles and notes.

So it costs nothing if there are no transcripts. A row is an episode with a transcript, with its title and notes as
well, so that a search may match words in any of them. The index doesn't store texts and can only remove a text that it
is given again: what was indexed is stored beside it, compressed.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from player.library.attachments import GIVEN
from player.library.search.words import spaced

SCHEMA = (
    """
    CREATE VIRTUAL TABLE spoken USING fts5 (
        title, notes, podcast, transcript, content='', tokenize='unicode61 remove_diacritics 2'
    )
    """,
    "CREATE TABLE heard (episode_id INTEGER PRIMARY KEY, number INTEGER NOT NULL, texts BLOB NOT NULL)",
)
TABLES = ("spoken", "heard")

_ROW = "INSERT INTO spoken (rowid, title, notes, podcast, transcript) VALUES (?, ?, ?, ?, ?)"
_WITHOUT_ROW = "INSERT INTO spoken (spoken, rowid, title, notes, podcast, transcript) VALUES ('delete', ?, ?, ?, ?, ?)"


class Texts(NamedTuple):
    """The texts that the index has of an episode. `starts_ms` belong to the transcript's `lines`; None for a line
    without a time."""

    title: str
    notes: str
    podcast: str
    starts_ms: list[int | None]
    lines: list[str]


def remove(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    rows = connection.execute(
        "SELECT episode_id, number, texts FROM heard WHERE episode_id IN (SELECT value FROM json_each(?))",
        (json.dumps(ids),),
    )
    for episode_id, number, packed in rows.fetchall():
        connection.execute(_WITHOUT_ROW, _columns(number, _unpacked(packed)))
        connection.execute("DELETE FROM heard WHERE episode_id = ?", (episode_id,))


def add(connection: sqlite3.Connection, rows: Iterable[tuple[int, int, str, str, str]]) -> None:
    """`rows` are episodes: id, number in the index, title, notes, the word for the podcast."""
    for episode_id, number, title, notes, podcast in rows:
        starts_ms, lines = _lines(connection, episode_id)
        texts = Texts(title, notes, podcast, starts_ms, lines)
        connection.execute(_ROW, _columns(number, texts))
        packed = zlib.compress(json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode())
        connection.execute("INSERT INTO heard VALUES (?, ?, ?)", (episode_id, number, packed))


def texts_of(connection: sqlite3.Connection, episode_id: int) -> Texts | None:
    """None for an episode without a transcript."""
    row = connection.execute("SELECT texts FROM heard WHERE episode_id = ?", (episode_id,)).fetchone()
    return _unpacked(row[0]) if row else None


def _lines(connection: sqlite3.Connection, episode_id: int) -> tuple[list[int | None], list[str]]:
    """Lines in all languages; if the listener has attached a transcript in a language, only that transcript's lines in
    it."""
    from player.transcripts import read_transcript  # only needed if there are transcripts

    stored = connection.execute(
        "SELECT url, language, media_type, body FROM lib.companions WHERE episode_id = ? AND kind = 'transcript'"
        " ORDER BY fetched_at, url",
        (episode_id,),
    ).fetchall()
    given = {language for url, language, *_ in stored if url.startswith(GIVEN)}
    lines = [
        line
        for url, language, media_type, body in stored
        if url.startswith(GIVEN) or language not in given
        for line in read_transcript(zlib.decompress(body), media_type, language).lines
    ]
    return [line.start_ms for line in lines], [line.text for line in lines]


def _columns(number: int, texts: Texts) -> tuple[int, str, str, str, str]:
    transcript = spaced("\n".join(texts.lines))
    return number, spaced(texts.title), spaced(texts.notes), texts.podcast, transcript


def _unpacked(packed: bytes) -> Texts:
    return Texts(*json.loads(zlib.decompress(packed)))
