"""`transcript`."""

import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import UTC, datetime
from textwrap import wrap
from typing import TYPE_CHECKING

from player import regular_file
from player.attachments.episode_transcripts import Transcripts, is_same, source_of, source_words
from player.errors import EarmarkError
from player.library import Library
from player.links.addresses import with_home
from player.model.episode import Episode, Transcript, TranscriptRef, TranscriptSource
from player.text.durations import clock
from player.text.sentences import _, plural
from tui.cli.command import Command, Context, Rows, print_json, report, tell
from tui.cli.printout import Printout

if TYPE_CHECKING:
    from player.integrations.documents import commands

_LARGEST = 16 * 1024**2
_LINES = Rows("list[TranscriptLine]", limited=False)
_FORMATS = ("vtt", "srt", "md", "json")
"""The words of --format that mean a whole file, and the endings of such files."""


def _language(text: str) -> str:
    if not re.fullmatch("[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*", text):
        raise ArgumentTypeError(_("“{text}” isn't a language. Use a tag like en or pt-BR", text=text[:40]))
    return text


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("episode", metavar="EPISODE", help=_("its ID, or its title or part of it"))
    parser.add_argument("file", metavar="FILE", nargs="?", help=_("your own transcript to attach (-: stdin)"))
    parser.add_argument(
        "--language", metavar="TAG", type=_language, help=_("language of FILE, or which one to print: en, pt-BR")
    )
    parser.add_argument(
        "--from",
        dest="source",
        choices=tuple(TranscriptSource),
        help=_(
            "your own, the podcast's, the file beside the audio, or the one made here (default: the first of these)"
        ),
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="NAME",
        help=_("write it to this file, in the format of its ending: .vtt, .srt, .md, .json"),
    )
    parser.add_argument("--force", action="store_true", help=_("replace an existing file"))
    parser.add_argument("--remove", action="store_true", help=_("remove your own transcript; the feed's is used again"))


def _misuse(options: Namespace) -> str:
    if (options.file or options.remove) and (options.output or options.source or options.format):
        return _("FILE and --remove can't be combined with --from, --format or --output")
    if options.json and options.output:
        return _("--json and --output can't be combined; use --format json")
    if options.json and options.format:
        return _("--format and --json can't be combined")
    if options.output and not _form(options):
        return _("--output needs a name that ends in .vtt, .srt, .md or .json, or one of these as --format")
    if options.format and "{" not in options.format and not _form(options):
        return _("--format is vtt, srt, md, json, or a line with fields like {field}", field="{text}")
    return ""


def _form(options: Namespace) -> str:
    """The format of the whole file that is wanted; "" if lines are to be printed."""
    named = options.format or (options.output or "").rpartition(".")[2].lower()
    return named if named in _FORMATS else ""


def _transcript(context: Context, options: Namespace) -> int:
    form = _form(options)
    printout = None if form else Printout(context, options, _LINES)
    with context.library() as library:
        episode = library.episodes.find(options.episode)
        transcripts = Transcripts(library, context.settings.transcripts.language)
        if options.remove:
            return _remove(transcripts, episode, options)
        if options.file:
            return _give(transcripts, episode, options)
        transcript = _found(context, library, transcripts, episode, options)
        refs, stored = transcripts.refs(episode.id), transcripts.stored(episode.id)
    if printout is None:
        return _write(episode, transcript, form, options)
    document = _json(episode, transcript, refs)
    if options.json:
        print_json(document)
    elif not printout.is_table:
        printout.print(document["lines"])
    else:
        if len(stored) > 1 or source_of(transcript.url) is not TranscriptSource.PODCAST:
            _tell_source(transcript, stored)
        _print(transcript)
    return 0


def _tell_source(transcript: Transcript, stored: list[TranscriptRef]) -> None:
    """Says on standard error, which keeps the output clean, which transcript this is and which others there are."""
    sources = dict.fromkeys(source_of(ref.url) for ref in stored if ref.url != transcript.url)
    others = ", ".join(one for one in sources if one is not source_of(transcript.url))
    words = source_words(transcript.url, transcript.made_by)
    print(_("{source} (others: --from {others})", source=words, others=others) if others else words, file=sys.stderr)


def _write(episode: Episode, transcript: Transcript, form: str, options: Namespace) -> int:
    """Raises EarmarkError."""
    from player.exports.archive import write_whole
    from player.exports.markdown import transcript_document
    from player.transcripts.write import WRITERS

    if form in WRITERS and not transcript.timed:
        raise EarmarkError(
            _(
                "The transcript of “{title}” has no timestamps, and a {format} file needs them",
                title=episode.title,
                format=form,
            ),
            _("Use --format md."),
        )
    text = WRITERS[form](transcript) if form in WRITERS else "\n".join(transcript_document(episode, transcript))
    if options.output in (None, "-"):
        print(text.rstrip())
        return 0
    path = with_home(options.output)
    if path.exists() and not options.force:
        raise EarmarkError(_("{file} already exists", file=path), _("--force replaces it."))
    write_whole(path, [f"{text.rstrip()}\n".encode()], replaces=lambda _start: True, private=False)
    tell(options, _("Transcript written to {file}.", file=path))
    return 0


def _remove(transcripts: Transcripts, episode: Episode, options: Namespace) -> int:
    removed = transcripts.take_back(episode.id, options.language)
    if removed:
        sentence = plural(
            removed,
            "Removed {n:,} transcript of yours from “{title}”.",
            "Removed {n:,} transcripts of yours from “{title}”.",
            title=episode.title,
        )
    else:
        sentence = _("“{title}” has no transcript of yours.", title=episode.title)
    return report(options, {"removed": removed}, sentence)


def _give(transcripts: Transcripts, episode: Episode, options: Namespace) -> int:
    given = transcripts.give(episode.id, _read(options.file), options.language or "", datetime.now(UTC))
    words = {"title": episode.title, "lines": plural(len(given.lines), "{n:,} line", "{n:,} lines")}
    if given.timed:
        sentence = _("“{title}” now has a transcript of {lines}.", **words)
    else:
        sentence = _("“{title}” now has a transcript of {lines}, without timestamps.", **words)
    return report(options, _json(episode, given, transcripts.refs(episode.id)), sentence)


def _read(name: str) -> bytes:
    """Raises EarmarkError."""
    try:
        if name == "-":
            body = sys.stdin.buffer.read(_LARGEST + 1)
        else:
            with regular_file.opened(with_home(name)) as file:
                body = file.read(_LARGEST + 1)
    except OSError as error:
        raise EarmarkError(_("Can't read {file}: {problem}", file=name, problem=error.strerror)) from error
    if len(body) > _LARGEST:
        raise EarmarkError(
            _("{file} has more than {size} MB", file=name, size=_LARGEST // 1024**2),
            _("No transcript is as long as that."),
        )
    return body


def _found(
    context: Context, library: Library, transcripts: Transcripts, episode: Episode, options: Namespace
) -> Transcript:
    """Fetched if necessary. Raises EarmarkError if there is none."""
    from player.library import AttachmentKind

    language, source = options.language or "", options.source
    languages = transcripts.languages(episode.id)
    if language and not any(is_same(language, one) for one in languages):
        known = ", ".join(one or _("unknown") for one in languages)
        raise EarmarkError(
            _("“{title}” has no transcript in {language}", title=episode.title, language=language),
            _("Available: {languages}.", languages=known) if known else "",
        )
    trouble = ""
    if transcripts.missing(episode.id):
        with context.attachments(library) as attachments:
            trouble = attachments.fetch(episode.id, AttachmentKind.TRANSCRIPT)
    stored = transcripts.stored(episode.id, language)
    url = next((ref.url for ref in stored if source_of(ref.url) == source), "")
    if (url or not source) and (transcript := transcripts.get(episode.id, language, url)) is not None:
        return transcript
    if trouble:
        raise EarmarkError(trouble)
    if source and stored:
        sources = ", ".join(dict.fromkeys(source_of(ref.url) for ref in stored))
        raise EarmarkError(
            _("“{title}” has no such transcript: {source}", title=episode.title, source=source),
            _("Available: {sources}.", sources=sources),
        )
    raise EarmarkError(
        _("“{title}” has no transcript", title=episode.title),
        _("Attach your own: earmark transcript {id} FILE", id=episode.id),
    )


def _json(episode: Episode, transcript: Transcript, refs: list[TranscriptRef]) -> "commands.Transcript":
    return {
        "id": episode.id,
        "title": episode.title,
        "language": transcript.language,
        "languages": list(dict.fromkeys(ref.language for ref in refs)),
        "source": source_of(transcript.url).value,
        "sources": list(dict.fromkeys(source_of(ref.url).value for ref in refs)),
        "made_by": transcript.made_by,
        "lines": [
            {"start_ms": line.start_ms, "end_ms": line.end_ms, "speaker": line.speaker, "text": line.text}
            for line in transcript.lines
        ],
    }


def _print(transcript: Transcript) -> None:
    """One line each, with its time, and the speaker whenever it changes."""
    from tui.cli.text_table import terminal_width

    width = terminal_width()
    column = max((len(clock(line.start_ms or 0)) for line in transcript.lines), default=0) if transcript.timed else 0
    speaker = ""
    for line in transcript.lines:
        text = f"{line.speaker}: {line.text}" if line.speaker != speaker and line.speaker else line.text
        speaker = line.speaker
        rows = wrap(text, max(20, width - column - 2)) if width else [text]
        for number, row in enumerate(rows or [""]):
            time = clock(line.start_ms or 0) if column and not number else ""
            print(f"{time:>{column}}  {row}" if column else row)


COMMANDS = {
    "transcript": Command(
        summary=_("print a transcript, or attach your own"),
        after="chapters",
        about=_(
            "Print the transcript of an episode, with timestamps and speakers, in the language of the settings or\n"
            "another. It is fetched if necessary. If there are several, standard error says which one it is.\n\n"
            "--format vtt, srt, md or json prints a whole file for other programs, and --output writes one: WebVTT,\n"
            "SubRip, Markdown, or the JSON of the podcast namespace, with the times of words where they are known.\n\n"
            "With FILE, attach your own transcript, which takes precedence over the feed's: WebVTT, SubRip, JSON (of\n"
            "the podcast namespace, Whisper and others), HTML or plain text. `earmark search` finds it."
        ),
        examples=(
            "earmark transcript 12\nearmark transcript 12 whisper.json --language de\n"
            "earmark transcript 12 --format '{start:>8} {speaker}: {text}'\n"
            "earmark transcript 12 --json | jq -r '.lines[].text'\n"
            "earmark transcript 12 --from podcast --output talk.srt"
        ),
        run=_transcript,
        arguments=_arguments,
        misuse=_misuse,
        lists=(_LINES,),
        prints={"": "Transcript", "with --remove": "RemovedTranscripts"},
    ),
}
