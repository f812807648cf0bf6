"""What is said in stored transcripts, in an index separate from the index of titles and notes.

So it costs nothing if there are no transcripts. A row of `spoken` is an episode with a transcript, with its title and
notes as well, so that a search may match words in any of them; a row of `voices` is a speaker of an episode, with all
that this speaker says. The index doesn't store texts and can only remove a text that it is given again: what was
indexed is stored beside it, compressed.
"""

import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.json import Decoder, Encoder

from player.library.attachments import GIVEN, MADE
from player.library.search.words import spaced
from player.model.episode import TranscriptLine

SCHEMA = (
    """
    CREATE VIRTUAL TABLE spoken USING fts5 (
        title, notes, podcast, transcript, content='', tokenize='unicode61 remove_diacritics 2'
    )
    """,
    """
    CREATE VIRTUAL TABLE voices USING fts5 (
        name, lines, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2'
    )
    """,
    "CREATE TABLE heard (episode_id INTEGER PRIMARY KEY, number INTEGER NOT NULL, texts BLOB NOT NULL)",
    "CREATE TABLE speakers (id INTEGER PRIMARY KEY, episode_id INTEGER NOT NULL, name TEXT NOT NULL)",
    "CREATE INDEX speakers_episode ON speakers (episode_id)",
)
TABLES = ("spoken", "voices", "heard", "speakers")

_MOST_SPEAKERS = 50
"""The speakers of an episode that are indexed, those with the most lines."""
_PAUSE = " \ue000 "
"""A word that nobody types, between lines that don't follow each other: no phrase reaches from one to the other."""
_ROW = "INSERT INTO spoken (rowid, title, notes, podcast, transcript) VALUES (?, ?, ?, ?, ?)"
_WITHOUT_ROW = "INSERT INTO spoken (spoken, rowid, title, notes, podcast, transcript) VALUES ('delete', ?, ?, ?, ?, ?)"
_VOICE = "INSERT INTO voices (rowid, name, lines) VALUES (?, ?, ?)"
_WITHOUT_VOICE = "INSERT INTO voices (voices, rowid, name, lines) VALUES ('delete', ?, ?, ?)"


class Texts(Struct, frozen=True, array_like=True):
    """The texts that the index has of an episode. The lines of `transcript` are its sentences; `starts_ms` and
    `speakers` belong to them: None for a line without a time, "" for an unknown speaker."""

    title: str
    notes: str
    podcast: str
    starts_ms: list[int | None]
    speakers: list[str]
    transcript: str


_ENCODER, _DECODER = Encoder(), Decoder(Texts)


def remove(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    rows = connection.execute(
        "SELECT episode_id, number, texts FROM heard WHERE episode_id IN (SELECT value FROM json_each(?))",
        (json.dumps(ids),),
    )
    for episode_id, number, packed in rows.fetchall():
        texts = _unpacked(packed)
        connection.execute(_WITHOUT_ROW, _columns(number, texts))
        voices = connection.execute("SELECT id, name FROM speakers WHERE episode_id = ?", (episode_id,)).fetchall()
        for voice_id, name in voices:
            connection.execute(_WITHOUT_VOICE, _voice(voice_id, name, texts))
        connection.execute("DELETE FROM speakers WHERE episode_id = ?", (episode_id,))
        connection.execute("DELETE FROM heard WHERE episode_id = ?", (episode_id,))


def add(connection: sqlite3.Connection, rows: Iterable[tuple[int, int, str, str, str]]) -> None:
    """`rows` are episodes: id, number in the index, title, notes, the word for the podcast."""
    for episode_id, number, title, notes, podcast in rows:
        lines = lines_of(connection, episode_id)
        texts = Texts(
            title,
            notes,
            podcast,
            [line.start_ms for line in lines],
            [line.speaker for line in lines],
            "\n".join(line.text for line in lines),
        )
        connection.execute(_ROW, _columns(number, texts))
        named = Counter(filter(None, texts.speakers)).most_common(_MOST_SPEAKERS)
        for name, _count in named:
            row = connection.execute("INSERT INTO speakers (episode_id, name) VALUES (?, ?)", (episode_id, name))
            connection.execute(_VOICE, _voice(row.lastrowid or 0, name, texts))
        # More takes an eighth less room, but a fifth more time whenever it is read.
        packed = zlib.compress(_ENCODER.encode(texts), 1)
        connection.execute("INSERT INTO heard VALUES (?, ?, ?)", (episode_id, number, packed))


def texts_of(connection: sqlite3.Connection, episode_id: int) -> Texts | None:
    """None for an episode without a transcript."""
    row = connection.execute("SELECT texts FROM heard WHERE episode_id = ?", (episode_id,)).fetchone()
    return _unpacked(row[0]) if row else None


def lines_of(connection: sqlite3.Connection, episode_id: int) -> list[TranscriptLine]:
    """The sentences of the stored transcripts, in all languages; of a language in which the listener has attached a
    transcript, only that one. A transcript that was made here is left out if another is, or may be, in its language."""
    from player.transcripts import read_transcript, sentences  # only needed if there are transcripts

    stored = connection.execute(
        "SELECT url, language, media_type, body FROM lib.companions WHERE episode_id = ? AND kind = 'transcript'"
        " ORDER BY fetched_at, url",
        (episode_id,),
    ).fetchall()
    given = {language for url, language, *_ in stored if url.startswith(GIVEN)}
    others = {_without_region(language) for url, language, *_ in stored if url != MADE}

    def counts(url: str, language: str) -> bool:
        if url == MADE:
            return not others or (language != "" and not others & {"", _without_region(language)})
        return url.startswith(GIVEN) or language not in given

    return [
        line
        for url, language, media_type, body in stored
        if counts(url, language)
        for line in sentences(read_transcript(zlib.decompress(body), media_type, language).lines)
    ]


def _without_region(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].lower()


def _columns(number: int, texts: Texts) -> tuple[int, str, str, str, str]:
    return number, spaced(texts.title), spaced(texts.notes), texts.podcast, spaced(texts.transcript)


def _voice(number: int, name: str, texts: Texts) -> tuple[int, str, str]:
    lines = texts.transcript.split("\n")
    said = [at for at, speaker in enumerate(texts.speakers) if speaker == name]
    parts = (f"{'' if after == at + 1 else _PAUSE}\n{lines[after]}" for at, after in pairwise([-2, *said]))
    return number, spaced(name), spaced("".join(parts))


def _unpacked(packed: bytes) -> Texts:
    return _DECODER.decode(zlib.decompress(packed))
