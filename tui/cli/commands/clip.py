"""`clip`: keeps a part of an episode in Bookmarks, and saves it as a file."""

from argparse import ArgumentParser, Namespace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from player.errors import EarmarkError, NotFound
from player.library import Library
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _
from tui.cli.command import Command, Context, report
from tui.cli.commands.bookmarks import bookmark_json
from tui.cli.commands.steer import a_position

if TYPE_CHECKING:
    from player.bookmarks import Here
    from player.clips.clips import SavedClip
    from player.integrations.documents import commands
    from player.model.episode import Episode

_AROUND_MS = 15_000


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "episode",
        metavar="EPISODE",
        nargs="?",
        help=_("its ID, or its title or part of it; without START and END, the ID of a bookmark"),
    )
    parser.add_argument("start", metavar="START", nargs="?", type=a_position, help=_("90, 12:34.5, 1:02:03 or 1h2m3s"))
    parser.add_argument("end", metavar="END", nargs="?", type=a_position, help=_("the same"))
    parser.add_argument(
        "--around",
        metavar="TIME",
        type=a_position,
        help=_("of a bookmark: from that long before it to that long after it (default: 15 s)"),
    )
    parser.add_argument(
        "--last", metavar="TIME", type=a_position, help=_("what the running Earmark has played last, that long")
    )
    parser.add_argument("-o", "--output", metavar="FILE", help=_("save it as this file, or in this folder"))
    parser.add_argument(
        "--exact",
        action="store_true",
        help=_("exact to the sample: encoded anew, as .opus or .mp3 (lossless: as it is)"),
    )
    parser.add_argument("--no-words", action="store_true", help=_("without the words beside the file"))
    parser.add_argument("--note", metavar="TEXT", default="", help=_("a note to keep with it"))
    parser.add_argument("--force", action="store_true", help=_("replace existing files"))


def _misuse(options: Namespace) -> str:
    if options.last is not None and options.episode is not None:
        return _("--last is for what is playing: it can't be combined with EPISODE")
    if options.last is None and options.episode is None:
        return _("Name an episode with START and END, or a bookmark")
    if options.start is not None and options.end is None:
        return _("A clip needs START and END")
    if options.around is not None and (options.start is not None or options.last is not None):
        return _("--around is for a bookmark")
    if options.start is not None and options.end <= options.start:
        return _("END has to be later than START")
    if not options.output and (options.exact or options.no_words or options.force):
        return _("--exact, --no-words and --force are for --output")
    return ""


def _clip(context: Context, options: Namespace) -> int:
    from player.clips.clips import ClipFile, Clips
    from player.links.addresses import with_home

    with context.library() as library:
        if options.last is not None and (live := _on_air(context, library)) is not None:
            return _clip_live(context, options, live)
        here, note = _part(context, library, options)
        saved = None
        if options.output:
            file = ClipFile(
                with_home(options.output), options.exact, words=not options.no_words, replaces=options.force
            )
            store = context.store(library, downloaded=lambda episode: library.downloads.get(episode.id))
            with context.attachments(library) as attachments:
                saved = Clips(store.available, attachments.transcript).save(here, file)
        with context.bookmarks(library) as bookmarks:
            made = bookmarks.add(here, note).result().bookmark
    words = {"start": clock(made.position_ms), "end": clock(made.end_ms), "title": clean_line(made.episode)}
    lines = [_("Kept the clip from {start} to {end} of “{title}” in Bookmarks.", **words)]
    document: commands.Clip = {**bookmark_json(made), "files": _files(saved) if saved else None}
    return report(options, document, *(_saved_lines(saved) if saved else ()), *lines)


def _part(context: Context, library: Library, options: Namespace) -> tuple["Here", str]:
    """The part of an episode, and the note to keep with it. Raises EarmarkError."""
    from player.bookmarks import Here

    if options.last is not None:
        return _played_last(context, library, options.last), options.note
    if options.start is not None:
        episode = library.episodes.find(options.episode)
        _check(episode.duration_ms, options.start)
        return Here(episode, options.start, options.end - options.start), options.note
    from player.model.listening import BookmarkId

    number = options.episode.strip()
    if not (number.isascii() and number.isdigit()):
        raise EarmarkError(_("A clip needs START and END"), _("Without them, name a bookmark by its ID."))
    found = next((one for one in library.bookmarks.all() if one.id == BookmarkId(int(number))), None)
    if found is None:
        raise NotFound(_("No bookmark has the ID {id}", id=number), _("See `earmark bookmark list`."))
    if found.episode_id is None:
        raise NotFound(_("“{title}” is no longer in your library", title=clean_line(found.episode)))
    episode = library.episodes.get(found.episode_id)
    start_ms, end_ms = found.position_ms, found.end_ms
    if options.around is not None or not found.length_ms:
        around_ms = _AROUND_MS if options.around is None else options.around
        start_ms, end_ms = max(0, start_ms - around_ms), end_ms + around_ms
    end_ms = min(end_ms, episode.duration_ms or end_ms)
    return Here(episode, start_ms, max(0, end_ms - start_ms)), options.note or found.note


def _check(length_ms: int | None, start_ms: int) -> None:
    """Raises EarmarkError where the episode ends before that."""
    if length_ms and start_ms >= length_ms:
        raise EarmarkError(
            _("This episode is only {length} long", length=clock(length_ms)), _("Choose an earlier time.")
        )


def _played_last(context: Context, library: Library, length_ms: int) -> "Here":
    """Raises EarmarkError."""
    from player.bookmarks import Here

    status = context.status()
    if status is None or status["episode"] is None:
        raise EarmarkError(_("Nothing is playing"), _("Name an episode: earmark clip EPISODE START END"))
    episode = library.episodes.get(status["episode"]["id"])
    start_ms = max(0, status["position_ms"] - length_ms)
    return Here(episode, start_ms, status["position_ms"] - start_ms)


def _on_air(context: Context, library: Library) -> "Episode | None":
    """The live stream that the running Earmark plays, if it plays one."""
    status = context.status()
    if status is None or status["episode"] is None or not status["live"]:
        return None
    return library.episodes.get(status["episode"]["id"])


def _clip_live(context: Context, options: Namespace, stream: "Episode") -> int:
    """Saves the last of what was heard, which the running Earmark has kept. A live stream has no positions, so that
    Bookmarks don't get it. Raises EarmarkError."""
    from player.bookmarks import Here
    from player.clips.clips import ClipFile, Clips
    from player.links.addresses import with_home
    from player.media.available import in_file
    from player.media.formats.audio_length import duration_ms

    if not options.output:
        raise EarmarkError(_("A clip of a live stream can only be saved"), _("Add --output FILE."))
    kept = Path(context.ask("recent")["recent"]["file"])
    try:
        with in_file(kept) as found:
            length_ms = duration_ms(found.read, found.size or 0, complete=True) or 0
        start_ms = max(0, length_ms - options.last)
        name = f"{clean_line(stream.title, 80)} {datetime.now().astimezone():%Y-%m-%d %H.%M}"
        file = ClipFile(with_home(options.output), options.exact, words=False, name=name, replaces=options.force)
        here = Here(stream, start_ms, length_ms - start_ms)
        saved = Clips(lambda _episode: in_file(kept), lambda _id: None).save(here, file)
    except OSError as error:
        raise EarmarkError(_("The kept stream can't be read ({reason})", reason=error.strerror)) from error
    finally:
        kept.unlink(missing_ok=True)
    length = clock(round((saved.end_ms - saved.start_ms) / 1000) * 1000)
    words = _("Saved the last {length} of “{title}” as {file}.", length=length, title=stream.title, file=saved.audio)
    return report(options, _files(saved), words)


def _saved_lines(saved: "SavedClip") -> list[str]:
    words = {"file": saved.audio, "start": clock(saved.start_ms), "end": clock(saved.end_ms)}
    if saved.encoded:
        lines = [_("Saved {start} to {end} as {file}, encoded anew.", **words)]
    else:
        lines = [_("Saved {start} to {end} as {file}.", **words)]
    if saved.ended:
        lines.append(_("It ends at {end}, where the episode does.", **words))
    return [*lines, *(_("Its words: {file}", file=path) for path in saved.texts)]


def _files(saved: "SavedClip") -> "commands.ClipFiles":
    return {
        "audio": str(saved.audio),
        "texts": [str(path) for path in saved.texts],
        "start_ms": saved.start_ms,
        "end_ms": saved.end_ms,
        "encoded": saved.encoded,
    }


COMMANDS = {
    "clip": Command(
        summary=_("keep a part of an episode, and save it as a file"),
        after="bookmark",
        about=_(
            "Keep a part of an episode in Bookmarks, and with --output save it as a file. FILE ends in .mp3, .m4a,\n"
            ".aac, .opus, .ogg, .flac or .wav; in a folder it gets the name of the episode.\n\n"
            "The audio stays as it is where the ending permits, with its tags and cover: it is copied frame by frame,\n"
            "and is exact to 30 ms. With --exact, or another ending, it is encoded anew as Opus (.opus) or MP3 (.mp3)\n"
            "and is exact to the sample. Beside it are the words that are said there, if there is a transcript: as\n"
            ".vtt, and as a quotation in Markdown. Only audio that is on this computer can be saved: download the\n"
            "episode first. Of a live stream that the running Earmark plays, --last saves what was heard last: up to\n"
            "eight minutes of MP3 or AAC, at 128 kbit/s. Existing files are never replaced without --force."
        ),
        examples=(
            'earmark clip "Compiler collectives" 12:30 13:05.5 -o collectives.mp3\n'
            'earmark clip 12 1:02:03 1:02:40 -o ~/clips --exact --note "the bit on caches"\n'
            "earmark clip 3 --around 30 -o bookmark-3.opus   # 3 is a bookmark\nearmark clip --last 60"
        ),
        run=_clip,
        misuse=_misuse,
        arguments=_arguments,
        prints={"": "Clip", "with --last of a live stream": "ClipFiles"},
    ),
}
