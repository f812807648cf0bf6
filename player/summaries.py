"""Summaries and chapters of the listener's own: a program is given an episode's transcript, and answers with Markdown
or with chapters in JSON. They are attachments of their own, and never stand in the place of the podcast's.
"""

import json
import re
import tempfile
from concurrent.futures import Future
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct

from player import programs
from player.attachments.attachments import Attachments
from player.chapters.texts import read_json_chapters
from player.errors import EarmarkError, SummaryError
from player.events import AttachmentsChanged, Bus, Notice
from player.library import Attachment, AttachmentKind, Library
from player.library.attachments import OWN_CHAPTERS, SUMMARY
from player.model.episode import Chapter, Episode, EpisodeId, Summary, Transcript
from player.model.playback import Severity
from player.processes import program_guard
from player.processes.bounded_program import run
from player.processes.scheduler import SharedThreads
from player.processes.threads import CancelToken
from player.programs import expanded, last_words, name_of, problem
from player.settings import Summarise
from player.text.cleaning import clean_block
from player.text.durations import clock
from player.text.sentences import _
from player.transcripts.write import as_text

_LIMIT_S = 3600.0
"""A model that runs on the processor reads a transcript of an hour for minutes."""
_PRINTED = 1024**2
_WRITTEN = 256 * 1024**2
_LONGEST = 50_000
"""Most characters of a summary."""
_CODE = re.compile(r"\s*```\w*\n(.*)\n```\s*", re.DOTALL)
_THOUGHTS = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PAGE = re.compile(r"\s*<(?:!doctype|html|head|body|\?xml)\b", re.IGNORECASE)
_JSON = re.compile(r"\s*[\[{]\s*[\"{\[\]}]")


class Answer(Struct, frozen=True):
    """A summary in Markdown, chapters, or both."""

    text: str = ""
    chapters: tuple[Chapter, ...] = ()


def read_answer(printed: bytes, end_ms: int | None) -> Answer:
    """What a program has printed about an episode that ends there. Raises ValueError, with what is wrong with it, to
    follow the program's name in a sentence."""
    text = _COLOUR.sub("", printed.decode("utf-8", "replace"))
    text = _THOUGHTS.sub("", clean_block(text, len(text)), count=1).strip()
    if code := _CODE.fullmatch(text):
        text = code[1].strip()
    if text.count("\ufffd") * 20 > len(text):
        raise ValueError(_("printed something that isn't text"))
    if not any(letter.isalnum() for letter in text):
        raise ValueError(_("printed nothing"))
    if _PAGE.match(text):
        raise ValueError(_("printed a web page instead of Markdown"))
    answer = _read_json(text) if _JSON.match(text) else Answer(text)
    if len(answer.text) > _LONGEST:
        raise ValueError(_("printed a summary of {n:,} characters, which is too long", n=len(answer.text)))
    for chapter in answer.chapters:
        if end_ms is not None and chapter.start_ms >= end_ms:
            at, end = clock(chapter.start_ms), clock(end_ms)
            raise ValueError(_("printed a chapter at {at}, after the end at {end}", at=at, end=end))
    for one, other in pairwise(answer.chapters):
        if other.start_ms <= one.start_ms:
            times = {"one": clock(one.start_ms), "other": clock(other.start_ms)}
            raise ValueError(_("printed chapters that are out of order: {other} after {one}", **times))
    return answer


def _read_json(text: str) -> Answer:
    """Raises ValueError."""
    try:
        document = json.loads(text)
        chapters = read_json_chapters(text.encode()) if isinstance(document, list) or "chapters" in document else ()
    except (ValueError, RecursionError) as error:
        raise ValueError(_("printed JSON that can't be read")) from error
    summary = document.get("summary") if isinstance(document, dict) else ""
    answer = Answer(summary.strip() if isinstance(summary, str) else "", chapters)
    if not answer.text and not chapters:
        raise ValueError(_("printed JSON without chapters and without a summary"))
    return answer


class Summaries:
    """For any thread. `make` waits for the program, `ask` doesn't."""

    def __init__(self, library: Library, attachments: Attachments, bus: Bus, settings: Summarise) -> None:
        self._library = library
        self._attachments = attachments
        self._bus = bus
        self._settings = settings
        self._thread = SharedThreads(1, "earmark-summaries")
        self._cancel = CancelToken()

    def configure(self, settings: Summarise) -> None:
        self._settings = settings

    def close(self) -> None:
        """Ends the program."""
        self._cancel.set()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def stored(self, episode_id: EpisodeId) -> Summary | None:
        """The summary that was made; None if there is none. Raises LibraryError."""
        kept = self._library.attachments.get(episode_id, AttachmentKind.SUMMARY, SUMMARY)
        return Summary(**json.loads(kept.body)) if kept else None

    def own_chapters(self, episode_id: EpisodeId) -> tuple[Chapter, ...]:
        """The chapters that were made, whether or not the podcast has better ones. Raises LibraryError."""
        kept = self._library.attachments.get(episode_id, AttachmentKind.CHAPTERS, OWN_CHAPTERS)
        return read_json_chapters(kept.body) if kept else ()

    def remove(self, episode_id: EpisodeId) -> None:
        """Forgets what was made. Raises LibraryError."""
        for kind, url in ((AttachmentKind.SUMMARY, SUMMARY), (AttachmentKind.CHAPTERS, OWN_CHAPTERS)):
            self._library.attachments.remove(episode_id, kind, url)
        self._bus.publish(AttachmentsChanged(episode_id))

    def ask(self, episode: Episode) -> "Future[Answer]":
        """Returns at once. A failure is published as a Notice, too."""

        def work() -> Answer:
            try:
                return self.make(episode, self._cancel)
            except EarmarkError as error:
                self._bus.publish(Notice(str(error), Severity.ERROR))
                raise

        return self._thread.submit(work)

    def make(self, episode: Episode, cancel: CancelToken) -> Answer:
        """Has the program summarise the episode, and stores its answer. Raises SummaryError and LibraryError."""
        transcript = self._check(episode)
        ends = (line.end_ms or line.start_ms or 0 for line in transcript.lines)
        words = expanded(self._settings.command)
        try:
            with tempfile.TemporaryDirectory(prefix="earmark-", ignore_cleanup_errors=True) as named:
                given = Path(named) / "transcript.txt"
                given.write_text(f"{episode.title}\n{episode.podcast}\n\n{as_text(transcript)}", "utf-8")
                bounds = {"printed": _PRINTED, "written": _WRITTEN}
                outcome = run(words, Path(named), cancel, seconds=_LIMIT_S, given=given, **bounds)
        except OSError as error:
            raise self._failed(_("couldn't be started ({reason})", reason=error.strerror)) from error
        if outcome.outcome == program_guard.STOPPED:
            raise SummaryError(_("Making the summary was stopped"))
        if what := programs.trouble(outcome, _LIMIT_S):
            raise self._failed(what, last_words(outcome.errors))
        try:
            answer = read_answer(outcome.printed, max(episode.duration_ms or 0, *ends, 0) or None)
        except ValueError as error:
            raise self._failed(str(error)) from error
        self._store(episode.id, answer, name_of(words))
        return answer

    def _check(self, episode: Episode) -> Transcript:
        """The transcript to summarise, once everything is there. Raises SummaryError."""
        if not self._settings.command:
            raise SummaryError(
                _("No program that summarises is set up"),
                _("Name one in config.toml, as “summarise.command”: docs/transcribing.md has examples."),
            )
        if why := problem(self._settings.command[0]):
            raise SummaryError(_("The program that summarises can't be run: {problem}", problem=why), _advice())
        trouble = self._attachments.fetch(episode.id, AttachmentKind.TRANSCRIPT)
        if (transcript := self._attachments.transcript(episode.id)) is None:
            none = _("“{title}” has no transcript to summarise", title=episode.title)
            raise SummaryError(trouble or none, "" if trouble else _("`earmark transcribe` makes one."))
        return transcript

    def _store(self, episode_id: EpisodeId, answer: Answer, made_by: str) -> None:
        if answer.text:
            self._put(episode_id, AttachmentKind.SUMMARY, SUMMARY, {"text": answer.text, "made_by": made_by})
        if answer.chapters:
            listed = [{"startTime": one.start_ms / 1000, "title": one.title} for one in answer.chapters]
            document = {"version": "1.2.0", "made_by": made_by, "chapters": listed}
            self._put(episode_id, AttachmentKind.CHAPTERS, OWN_CHAPTERS, document)
        self._bus.publish(AttachmentsChanged(episode_id))

    def _put(self, episode_id: EpisodeId, kind: AttachmentKind, url: str, document: dict[str, Any]) -> None:
        body = json.dumps(document, ensure_ascii=False).encode()
        self._library.attachments.put(episode_id, Attachment(kind, url, body, "application/json"), datetime.now(UTC))

    def _failed(self, what: str, advice: str = "") -> SummaryError:
        return SummaryError(f"{name_of(self._settings.command)} {what}", advice or _advice())


def _advice() -> str:
    return _("Check “summarise.command” in config.toml.")
