"""An episode's transcripts: which ones exist, where they are from, which is preferred, and the ones on this disk."""

import logging
import os
import re
from array import array
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from player import regular_file
from player.errors import AttachmentError, NotFound
from player.library import Attachment, AttachmentKind, EpisodeDetails, Library
from player.library.attachments import GIVEN, MADE
from player.links.addresses import is_file_address, path_of
from player.model.episode import EpisodeId, Transcript, TranscriptRef, TranscriptSource
from player.model.podcast import WELCOME_URL
from player.text.cleaning import clean_line
from player.text.sentences import _
from player.welcome import resource

if TYPE_CHECKING:
    from player.transcripts.shift import Shift

_BUILT_IN = f"{WELCOME_URL}/"


def built_in(url: str) -> bytes | None:
    """The bytes of a file of the built-in podcast; None for other addresses."""
    if not url.startswith(_BUILT_IN):
        return None
    try:
        return resource(url.removeprefix(_BUILT_IN))
    except FileNotFoundError:
        return b""


def stored_attachment(library: Library, episode_id: EpisodeId, kind: AttachmentKind, url: str) -> Attachment | None:
    if (body := built_in(url)) is not None:
        return Attachment(kind, url, body)
    return library.attachments.get(episode_id, kind, url)


def details_of(library: Library, episode_id: EpisodeId) -> EpisodeDetails:
    """An episode's details from the feed; empty if it is gone."""
    try:
        return library.episodes.details(episode_id)
    except NotFound:
        return EpisodeDetails()


def missing_chapters(library: Library, episode_id: EpisodeId) -> str:
    """The address of a chapters file that isn't stored yet; "" for none."""
    url = details_of(library, episode_id).chapters_url
    return url if url and stored_attachment(library, episode_id, AttachmentKind.CHAPTERS, url) is None else ""


log = logging.getLogger(__name__)


def source_of(url: str) -> TranscriptSource:
    """Where the transcript at this address comes from."""
    if url.startswith(GIVEN):
        return TranscriptSource.OWN
    if url == MADE:
        return TranscriptSource.HERE
    return TranscriptSource.FILE if is_file_address(url) else TranscriptSource.PODCAST


def source_words(url: str, made_by: str = "") -> str:
    """The source of the transcript at this address, for people."""
    match source_of(url):
        case TranscriptSource.OWN:
            return _("yours")
        case TranscriptSource.FILE:
            return _("{file} beside the audio", file=file_name(url))
        case TranscriptSource.HERE:
            return _("made here by {program}", program=made_by) if made_by else _("made here")
        case TranscriptSource.PODCAST:
            return _("from the podcast")


def file_name(url: str) -> str:
    """The name of the file at a `file:` address."""
    return clean_line(os.fsencode(path_of(url).name).decode("utf-8", "replace"), 200)


def read_file(url: str, most: int) -> bytes:
    """The bytes of a transcript beside an audio file, at most `most`. Raises AttachmentError."""
    try:
        return regular_file.read(path_of(url), most, through_link=False)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AttachmentError(
            _("{file} can't be read: {reason}", file=file_name(url), reason=reason),
            _("Check the file, then refresh the podcast."),
        ) from error


_RANKS = {
    "text/vtt": 0,
    "application/json": 1,
    "application/x-subrip": 2,
    "application/srt": 2,
    "text/srt": 2,
    "text/html": 3,
    "text/plain": 4,
}
"""Formats by the precision of their times: parts of a second, a line, a paragraph, none."""
_ENDINGS = {".vtt": 0, ".json": 1, ".srt": 2, ".html": 3, ".htm": 3, ".txt": 4}
_UNKNOWN = 5
_UNREADABLE = re.compile(r"application/(?:pdf|msword|rtf|zip|vnd\.)|image/|audio/|video/")


class Transcripts:
    """`language` is the tag of the listener's language; "" for this computer's language."""

    def __init__(self, library: Library, language: str) -> None:
        self._library = library
        self.prefer(language)

    def prefer(self, language: str) -> None:
        self._language = language or language_here()

    def refs(self, episode_id: EpisodeId, language: str = "", url: str = "") -> list[TranscriptRef]:
        """The transcripts that the podcast names, that the listener added or that were made here, best first: starting
        with the one at `url` and those in `language`, if given."""
        named = details_of(self._library, episode_id).transcripts
        known = {ref.url for ref in named}
        kept = self._library.attachments.listed(episode_id, AttachmentKind.TRANSCRIPT)
        others = (TranscriptRef(one.url, one.media_type, one.language) for one in kept if one.url not in known)
        return in_order((*named, *others), self._language, language, url)

    def stored(self, episode_id: EpisodeId, language: str = "") -> list[TranscriptRef]:
        """The transcripts on this disk, as `refs` orders them."""
        kept = {one.url for one in self._library.attachments.listed(episode_id, AttachmentKind.TRANSCRIPT)}
        return [ref for ref in self.refs(episode_id, language) if ref.url in kept or ref.url.startswith(_BUILT_IN)]

    def languages(self, episode_id: EpisodeId) -> list[str]:
        """The available languages, the listener's first; "" for a transcript that names none."""
        return list(dict.fromkeys(ref.language for ref in self.refs(episode_id)))

    def get(self, episode_id: EpisodeId, language: str = "", url: str = "") -> Transcript | None:
        """The first stored transcript that can be read, in the order of `refs`, or None."""
        for ref in self.refs(episode_id, language, url):
            if kept := stored_attachment(self._library, episode_id, AttachmentKind.TRANSCRIPT, ref.url):
                try:
                    found = replace(read(kept.body, ref.media_type or kept.media_type, ref.language), url=ref.url)
                    return self._moved(episode_id, found)
                except ValueError as error:
                    log.info("a stored transcript of %s can't be read: %s", episode_id, error)
        return None

    def shifts(self, episode_id: EpisodeId) -> "tuple[Shift, ...]":
        """By how much the times that the podcast gives are off in this audio: its own transcript and the words of one
        that was made of this audio tell that."""
        made = self._library.attachments.get(episode_id, AttachmentKind.TRANSCRIPT, MADE)
        named = next((ref for ref in self.stored(episode_id) if source_of(ref.url) is TranscriptSource.PODCAST), None)
        if made is None or named is None:
            return ()
        kept = stored_attachment(self._library, episode_id, AttachmentKind.TRANSCRIPT, named.url)
        try:
            return _shifts(kept.body, named.media_type or kept.media_type, made.body) if kept else ()
        except ValueError:
            return ()

    def _moved(self, episode_id: EpisodeId, transcript: Transcript) -> Transcript:
        """The podcast's transcript with its lines where they are said in this audio."""
        if source_of(transcript.url) is not TranscriptSource.PODCAST or not (by := self.shifts(episode_id)):
            return transcript
        from player.transcripts.shift import moved_transcript

        return moved_transcript(transcript, by)

    def missing(self, episode_id: EpisodeId) -> list[TranscriptRef]:
        """The transcripts to fetch: in languages without a stored transcript, best first."""
        refs = self.refs(episode_id)
        kept = {one.url for one in self._library.attachments.listed(episode_id, AttachmentKind.TRANSCRIPT)}
        named = {ref.url for ref in details_of(self._library, episode_id).transcripts}
        languages = {ref.language for ref in refs if ref.url in kept & named}
        missing = [ref for ref in refs if ref.url in named and ref.language not in languages]
        if any(is_file_address(ref.url) for ref in missing) and not self._is_local(episode_id):
            return [ref for ref in missing if not is_file_address(ref.url)]
        return missing

    def _is_local(self, episode_id: EpisodeId) -> bool:
        """Whether the podcast is on this computer: only then may it name files."""
        try:
            podcast_id = self._library.episodes.get(episode_id).podcast_id
            return is_file_address(self._library.podcasts.get(podcast_id).url)
        except NotFound:
            return False

    def lacking(
        self, among: "Sequence[int] | array[int] | None", failed_since: datetime, *, files: bool = False
    ) -> list[tuple[EpisodeId, TranscriptRef]]:
        """As `lacking_transcripts` of the library, without the built-in podcast: the episodes, and the first transcript
        of each that can be read. Only those on a server, or only `files` beside the audio."""
        found = self._library.attachments.lacking_transcripts(among, failed_since)
        readable = ((one, [ref for ref in refs if not _UNREADABLE.match(ref.media_type)]) for one, refs in found)
        return [
            (one, refs[0])
            for one, refs in readable
            if refs and is_file_address(refs[0].url) is files and not refs[0].url.startswith(_BUILT_IN)
        ]

    def keep(self, episode_id: EpisodeId, companion: Attachment, at: datetime) -> None:
        """Stores a transcript of the podcast, replacing another in that language. Raises ValueError if it has no
        words."""
        read(companion.body, companion.media_type, companion.language)
        self._library.attachments.put(episode_id, companion, at)
        for other in self._library.attachments.listed(episode_id, AttachmentKind.TRANSCRIPT):
            same = other.language == companion.language and source_of(other.url) is source_of(companion.url)
            if same and other.url != companion.url:
                self._library.attachments.remove(episode_id, other.kind, other.url)

    def give(self, episode_id: EpisodeId, body: bytes, language: str, at: datetime) -> Transcript:
        """Stores the listener's own transcript, replacing an earlier one in that language. It is preferred to the
        feed's.

        Raises AttachmentError if it can't be read.
        """
        try:
            transcript = read(body, "", language)
        except ValueError as error:
            raise AttachmentError(
                _("No text found in this transcript"), _("Use WebVTT, SubRip, JSON, HTML or plain text.")
            ) from error
        given = Attachment(AttachmentKind.TRANSCRIPT, GIVEN + language, body, "", language)
        self._library.attachments.put(episode_id, given, at)
        return replace(transcript, url=given.url)

    def take_back(self, episode_id: EpisodeId, language: str | None = None) -> int:
        """Removes the listener's own transcripts, in that language or (None) in any; returns how many."""
        listed = self._library.attachments.listed(episode_id, AttachmentKind.TRANSCRIPT)
        given = [one for one in listed if one.url.startswith(GIVEN) and language in (None, one.language)]
        for one in given:
            self._library.attachments.remove(episode_id, one.kind, one.url)
        return len(given)


def in_order(refs: Sequence[TranscriptRef], preferred: str, wanted: str = "", url: str = "") -> list[TranscriptRef]:
    """The readable transcripts, best first: the one at `url`; in the `wanted` language; by source; in the `preferred`
    language; then in the feed's order. Within a language the format with the most precise times comes first."""
    languages = list(dict.fromkeys(ref.language for ref in refs))
    sources = list(TranscriptSource)

    def rank(ref: TranscriptRef) -> tuple[int, ...]:
        return (
            ref.url != url,
            _distance(ref.language, wanted) if wanted else 0,
            sources.index(source_of(ref.url)),
            _distance(ref.language, preferred),
            languages.index(ref.language),
            _rank(ref),
        )

    return sorted((ref for ref in refs if not _UNREADABLE.match(ref.media_type)), key=rank)


_SMALL = 1024**2


def read(body: bytes, media_type: str, language: str) -> Transcript:
    """The parsed transcript. Raises ValueError if it has no words."""
    transcript = (_remembered if len(body) <= _SMALL else _read)(body, media_type, language)
    if not transcript.lines:
        raise ValueError("it isn't a transcript, or has no words")
    return transcript


def _read(body: bytes, media_type: str, language: str) -> Transcript:
    from player.transcripts import read_transcript  # only reading needs the formats; listing doesn't

    return read_transcript(body, media_type, language)


_remembered = lru_cache(maxsize=4)(_read)
"""Parsing the transcript of an hour takes 20 ms, and the same transcript is requested repeatedly."""


class _Done(msgspec.Struct, frozen=True):
    """How much of the audio a transcript that was made here has: spans in ms, and whether the last is the end."""

    pieces: tuple[tuple[int, int], ...] = ()
    ended: bool = False


@lru_cache(maxsize=4)
def _shifts(body: bytes, media_type: str, made: bytes) -> "tuple[Shift, ...]":
    """Nothing until all of the audio has been transcribed: where it is missing other things may be inserted. Raises
    ValueError if one of them has no words."""
    from player.transcripts.shift import shifts

    done = msgspec.json.decode(made, type=_Done)
    if not done.ended or len(done.pieces) != 1 or done.pieces[0][0]:
        return ()
    return shifts(read(body, media_type, ""), read(made, "application/json", ""))


def is_same(language: str, other: str) -> bool:
    """Whether a person who reads one language reads the other: `en` and `en-GB`."""
    return _distance(language, other) <= 1


def language_here() -> str:
    """The language of this computer, as a tag: `en`, `pt-BR`; "" if it has none."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if locale := os.environ.get(name, ""):
            found = re.match(r"([a-z]{2,3})(?:_([A-Z]{2}))?(?:[.@]|$)", locale)
            return "-".join(filter(None, found.groups())) if found else ""
    return ""


def _distance(language: str, wanted: str) -> int:
    """0 for the same tag, 1 for the same language in another region, 2 for an unknown language, 3 for a different
    one."""
    one, other = language.lower().replace("_", "-"), wanted.lower().replace("_", "-")
    if one == other:
        return 0
    if not one or not other:
        return 2
    return 1 if one.partition("-")[0] == other.partition("-")[0] else 3


def _rank(ref: TranscriptRef) -> int:
    if ref.media_type == "application/json" and is_file_address(ref.url):
        return -1  # programs that write several formats tell the times of words only there
    ending = re.search(r"\.\w{3,4}$", ref.url.partition("?")[0].lower())
    return _RANKS.get(ref.media_type, _ENDINGS.get(ending[0] if ending else "", _UNKNOWN))
