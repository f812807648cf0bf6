"""The tools: what each does with the library or the running Earmark, and their answers. They know no protocol."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice, takewhile
from typing import Any, NamedTuple

import msgspec

from player.errors import DamagedLibrary, EarmarkError, LibraryError, NotFound
from player.integrations.documents import assistants as documents
from player.integrations.json_api import episode_json, session_json
from player.integrations.requests import typed
from player.library import Interrupted, Library, WholeList
from player.library.search.query import Query, parse
from player.model.episode import Episode
from player.model.filters import View, ViewName
from player.paths import Paths
from player.text.durations import clock
from player.text.sentences import _
from tui.cli import named_lists
from tui.cli.assistant import questions
from tui.cli.assistant.answers import (
    ROOM,
    TEXT,
    as_json,
    brief,
    clean,
    link_to,
    notice,
    page,
    part,
    spoken_hit,
    written_hit,
)
from tui.cli.command import Context

log = logging.getLogger(__name__)

Cancelled = Callable[[], bool]
_PATIENCE_S = 2.0
"""How long a question waits for a library that another process has locked."""
_PASSAGE = 600
"""Characters of a passage: a sentence and some around it."""
_MOST_HITS = 5
"""Of an episode."""
_MOST_PROBLEMS, _MOST_LANGUAGES, _TAG = 10, 20, 40
"""The most of them in an answer, and the most characters of a language's tag."""
_WIDE = 1_000
"""Cells of a line of notes: the lines are as their writer broke them."""


class Tool(NamedTuple):
    """`do` is given the context, what was asked, and whether the answer is still wanted; its document has the fields of
    `answers`, but for the notice. `controls`: it changes something, or makes a sound. `longest`: the characters of a
    text in the answer.

    `do` raises EarmarkError, and Interrupted when the answer isn't wanted any more.
    """

    title: str
    about: str
    asks: type[questions.Asked]
    answers: Any
    do: Callable[[Context, Any, Cancelled], Mapping[str, Any]]
    controls: bool = False
    longest: int = TEXT


class Answered(NamedTuple):
    """The same as a document and as text; no document for a sentence about what went wrong."""

    text: str
    document: dict[str, Any] | None = None


class Toolbox:
    """Any thread may ask. Each question opens the library and closes it: whoever wants to migrate or to repair it
    meanwhile can, and every answer is of that moment."""

    def __init__(self, paths: Paths, *, control: bool) -> None:
        self._paths = paths
        self.tools = {name: tool for name, tool in TOOLS.items() if control or not tool.controls}

    def answer(self, name: str, arguments: Mapping[str, Any], cancelled: Cancelled = lambda: False) -> Answered:
        """Raises nothing: what goes wrong is a sentence."""
        try:
            tool = self._tool(name)
            found = tool.do(Context(self._paths), typed((tool.asks,), arguments), cancelled)
            document = clean({"notice": notice(), **found}, tool.longest)
            return Answered(as_json(document), document)
        except Interrupted:
            sentence = _("The question was taken back.")
        except DamagedLibrary as error:
            sentence = _("{problem}. Repair it with: earmark doctor --repair", problem=error.what)
        except EarmarkError as error:
            sentence = str(error)
        except Exception as error:
            log.exception("the tool %s failed", clean(name, 40))
            sentence = _("Something went wrong inside Earmark ({error}).", error=type(error).__name__)
        return Answered(as_json(clean({"notice": notice(), "error": self._without_paths(sentence)})))

    def _tool(self, name: str) -> Tool:
        if name in self.tools:
            return self.tools[name]
        if name in TOOLS:
            raise EarmarkError(
                _("The listener hasn't allowed this"),
                _("To allow it, add --allow-control to the arguments of earmark mcp."),
            )
        raise NotFound(_("There is no tool “{name}”", name=clean(name, 40)))

    def _without_paths(self, sentence: str) -> str:
        """Files by their names: where they are is nobody's business."""
        paths = self._paths
        for folder in (paths.data, paths.config, paths.cache, paths.state, paths.runtime):
            sentence = sentence.replace(f"{folder}/", "").replace(str(folder), folder.name)
        return sentence


def schema(its: Any) -> dict[str, Any]:
    """The JSON Schema of a class, as an object that has what it refers to within it."""
    _refs, parts = msgspec.json.schema_components((its,), ref_template="#/$defs/{name}")
    top = parts.pop(its.__name__)
    return {**top, "$defs": parts} if parts else top


@contextmanager
def _library(context: Context) -> Iterator[Library]:
    """Raises LibraryError; a question makes neither a library nor a backup."""
    if not context.paths.library.exists():
        raise LibraryError(_("There is no library yet"), _("Open Earmark first: earmark"))
    library = Library(context.paths, patience_s=_PATIENCE_S, backs_up=False)
    library.open()
    try:
        yield library
    finally:
        library.close()


def _query(text: str) -> Query:
    """The space says that nobody is typing any more. Raises EarmarkError."""
    query = parse(f"{text} ")
    if query.problems:
        raise EarmarkError(" ".join(query.problems))
    return query


# -- what is in the library -----------------------------------------------------------------------------------


def _search(context: Context, asked: questions.Search, cancelled: Cancelled) -> Mapping[str, Any]:
    with _library(context) as library:
        named_lists.catch_up(library, cancelled)
        most = asked.offset + asked.limit + 1
        found = library.search.find(f"{asked.query} ", most, best=asked.order == "best", cancelled=cancelled)
        episodes = library.episodes.rows(found.ids[asked.offset :])
        passages = library.search.passages(episodes, found, _PASSAGE)
        said = [
            library.search.spoken_hits(one.id, found) if passage.hit else ()
            for one, passage in zip(episodes, passages, strict=True)
        ]
        ranks = library.queue.ranks()
    rows = (
        {
            **brief(episode_json(one, ranks)),
            "hits": [spoken_hit(each, one.link) for each in spoken[:_MOST_HITS]]
            or [written_hit(passage.text, one.link, found.terms)],
            "hit_count": max(1, len(spoken)),
        }
        for one, passage, spoken in zip(episodes, passages, said, strict=True)
    )
    shown, next_offset = page(rows, asked.offset, asked.limit)
    return {"episodes": shown, "problems": found.problems[:_MOST_PROBLEMS], "next_offset": next_offset}


def _episodes(context: Context, asked: questions.Episodes, cancelled: Cancelled) -> Mapping[str, Any]:
    query = _query(asked.filter)
    most = asked.offset + asked.limit + 1
    with _library(context) as library:
        if asked.list and asked.podcast:
            raise EarmarkError(_("podcast and list can't be combined"), _("Use podcast:NAME in the filter."))
        if asked.list:
            listed = named_lists.listing_of(library, named_lists.find_list(library, asked.list).shown)
            found = WholeList(named_lists.fitting(library, listed.page(0, len(listed)), query))
        else:
            podcast = library.podcasts.find(asked.podcast) if asked.podcast else None
            view = View.of(ViewName.PODCAST, podcast.id) if podcast else View.of(ViewName.ALL)
            found = WholeList(named_lists.found(library, view, query, most, cancelled))
        episodes = library.episodes.rows(found.page(asked.offset, asked.limit + 1))
        ranks = library.queue.ranks()
    shown, next_offset = page((brief(episode_json(one, ranks)) for one in episodes), asked.offset, asked.limit)
    return {"episodes": shown, "next_offset": next_offset}


def _notes(context: Context, asked: questions.Notes, _cancelled: Cancelled) -> Mapping[str, Any]:
    from player import notes as show_notes

    with _library(context) as library:
        episode = library.episodes.get(asked.episode)
        notes, ranks = library.episodes.notes(episode.id), library.queue.ranks()
    text = show_notes.plain(show_notes.read_notes(notes), _WIDE)
    piece, next_offset = part(text, asked.offset)
    return {"episode": brief(episode_json(episode, ranks)), "notes": piece, "next_offset": next_offset}


def _chapters(context: Context, asked: questions.Chapters, _cancelled: Cancelled) -> Mapping[str, Any]:
    from player.attachments.episode_transcripts import missing_chapters

    with _library(context) as library:
        episode, ranks = library.episodes.get(asked.episode), library.queue.ranks()
        chapters = context.chapters_on_disk(library, episode)
        not_fetched = bool(missing_chapters(library, episode.id))
    rows = (
        {
            "start_ms": one.start_ms,
            "end_ms": chapters.end_of(one, episode.duration_ms),
            "at": clock(one.start_ms),
            "title": one.title,
            "url": link_to(one.url),
        }
        for one in chapters.listed[asked.offset :]
    )
    shown, next_offset = page(rows, asked.offset)
    return {
        "episode": brief(episode_json(episode, ranks)),
        "chapters": shown,
        "not_fetched": not_fetched,
        "next_offset": next_offset,
    }


def _transcript(context: Context, asked: questions.Transcript, _cancelled: Cancelled) -> Mapping[str, Any]:
    from player.attachments.episode_transcripts import Transcripts

    with _library(context) as library:
        episode, ranks = library.episodes.get(asked.episode), library.queue.ranks()
        transcripts = Transcripts(library, context.settings.transcripts.language)
        transcript = transcripts.get(episode.id, asked.language)
        if transcript is None:
            raise _no_transcript(episode, fetched=not transcripts.missing(episode.id))
        languages = transcripts.languages(episode.id)
    to_ms = asked.to_ms if asked.to_ms is not None and transcript.timed else None
    lines = transcript.lines[transcript.at(asked.from_ms) or 0 :]
    rows = (
        {"start_ms": line.start_ms, "end_ms": line.end_ms, "speaker": line.speaker, "text": line.text[at : at + TEXT]}
        for line in takewhile(lambda line: to_ms is None or (line.start_ms or 0) < to_ms, lines)
        for at in range(0, len(line.text), TEXT)
    )
    shown, next_offset = page(islice(rows, asked.offset, None), asked.offset)
    return {
        "episode": brief(episode_json(episode, ranks)),
        "language": clean(transcript.language, _TAG),
        "languages": clean(languages[:_MOST_LANGUAGES], _TAG),
        "timed": transcript.timed,
        "lines": shown,
        "next_offset": next_offset,
    }


def _no_transcript(episode: Episode, *, fetched: bool) -> NotFound:
    advice = "" if fetched else _("Its feed names one. Fetch it with: earmark transcript {id}", id=episode.id)
    return NotFound(_("“{title}” has no transcript", title=episode.title), advice)


def _history(context: Context, asked: questions.History, _cancelled: Cancelled) -> Mapping[str, Any]:
    query = _query(asked.filter) if asked.filter else None
    with _library(context) as library:
        sessions = islice(named_lists.sessions_of(library, query), asked.offset, query.limit if query else None)
        shown, next_offset = page(map(session_json, sessions), asked.offset, asked.limit)
    return {"sessions": shown, "next_offset": next_offset}


# -- the running Earmark --------------------------------------------------------------------------------------


def _now_playing(context: Context, _asked: questions.NowPlaying, _cancelled: Cancelled) -> Mapping[str, Any]:
    return _playing(context.ask("status")["status"])


def _playing(status: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of a status of the control socket."""
    return {
        "state": status["state"],
        "episode": None if status["episode"] is None else brief(status["episode"]),
        "position_ms": status["position_ms"],
        "at": clock(status["position_ms"]),
        "duration_ms": status["duration_ms"],
        "speed": status["speed"],
        "chapter": status["chapter"]["title"] if status["chapter"] else None,
        "queue_count": status["queue_count"],
    }


def _play(context: Context, asked: questions.Play, _cancelled: Cancelled) -> Mapping[str, Any]:
    answer = context.ask("play", episode=asked.episode, at_ms=asked.at_ms)
    return _playing(answer["status"])


def _queue(context: Context, asked: questions.Queue, _cancelled: Cancelled) -> Mapping[str, Any]:
    with _library(context) as library:
        changed = context.acts(
            library,
            lambda acts: {"add": acts.queue_last, "next": acts.queue_next, "remove": acts.unqueue}[asked.change](
                asked.episodes
            ).result(),
        )
    return {"changed": changed}


def _bookmark(context: Context, asked: questions.Bookmark, _cancelled: Cancelled) -> Mapping[str, Any]:
    from player.bookmarks import Here

    with _library(context) as library:
        episode = library.episodes.get(asked.episode)
        if episode.duration_ms and asked.at_ms >= episode.duration_ms:
            length = clock(episode.duration_ms)
            raise EarmarkError(_("This episode is only {length} long", length=length), _("Choose an earlier time."))
        with context.bookmarks(library) as bookmarks:
            made = bookmarks.add(Here(episode, asked.at_ms), asked.note).result().bookmark
        ranks = library.queue.ranks()
    return {
        "id": made.id,
        "episode": brief(episode_json(episode, ranks)),
        "position_ms": made.position_ms,
        "at": clock(made.position_ms),
        "chapter": made.chapter,
        "line": made.line,
        "note": made.note,
        "link": link_to(episode.link, made.position_ms),
    }


TOOLS = {
    "search": Tool(
        _("Search what was said"),
        _(
            "Search the transcripts, notes and titles of all episodes in the listener's podcast library. Each"
            " episode comes with the first sentences that have the words, what stands around each of them, and when it"
            " is said."
        ),
        questions.Search,
        documents.FoundPage,
        _search,
    ),
    "episodes": Tool(
        _("List episodes"),
        _("List episodes, newest first: all of them, those of a podcast or of a list, or what a filter lets through."),
        questions.Episodes,
        documents.EpisodesPage,
        _episodes,
    ),
    "notes": Tool(
        _("Read notes"),
        _("Read the show notes of an episode as plain text."),
        questions.Notes,
        documents.NotesPage,
        _notes,
        longest=ROOM,
    ),
    "chapters": Tool(
        _("List chapters"),
        _("List the chapters of an episode."),
        questions.Chapters,
        documents.ChaptersPage,
        _chapters,
    ),
    "transcript": Tool(
        _("Read a transcript"),
        _("Read what is said in an episode, from one position to another."),
        questions.Transcript,
        documents.TranscriptPage,
        _transcript,
    ),
    "history": Tool(
        _("Listening history"),
        _("List what the listener has heard, the latest first: which episode, when, and which part of it."),
        questions.History,
        documents.HistoryPage,
        _history,
    ),
    "now_playing": Tool(
        _("What is playing"),
        _("Tell what the running Earmark plays, and where it is in the episode."),
        questions.NowPlaying,
        documents.NowPlaying,
        _now_playing,
    ),
    "play": Tool(
        _("Play"),
        _("Play an episode in the running Earmark, from a position that a search or a transcript gave."),
        questions.Play,
        documents.NowPlaying,
        _play,
        controls=True,
    ),
    "queue": Tool(
        _("Change the queue"),
        _("Add episodes to the queue or take some out; the tool “episodes” lists it. The listener can undo it."),
        questions.Queue,
        documents.ChangedQueue,
        _queue,
        controls=True,
    ),
    "bookmark": Tool(
        _("Make a bookmark"),
        _("Bookmark a moment of an episode, with a note. The listener can undo it."),
        questions.Bookmark,
        documents.MadeBookmark,
        _bookmark,
        controls=True,
    ),
}
"""By name, in the order in which an assistant is told of them."""
