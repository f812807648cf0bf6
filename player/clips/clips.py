"""Saves clips as files: the audio and, beside it, the words that are said in it."""

import os
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, suppress
from pathlib import Path, PurePosixPath

from msgspec import Struct

from player.bookmarks import Here
from player.clips.cutting import ENCODED, ENDINGS, SHORTEST_MS, Cut, Problem, Wanted, cut, prepare, tagged_copy
from player.clips.words import quotation, words_of
from player.downloads.files import fit, free_path, put
from player.downloads.tags import Tags
from player.errors import EarmarkError
from player.exports.archive import umask, write_whole
from player.measuring.measurement import Audio
from player.media.available import AvailableBytes
from player.model.episode import Episode, EpisodeId, Transcript
from player.processes.sandbox import Sandbox, SandboxError, Trouble
from player.processes.threads import CancelToken
from player.text.cleaning import clean_line
from player.text.durations import clock
from player.text.sentences import _
from player.transcripts.write import as_vtt

_MEMORY = 1 << 30
_SECONDS = 300.0
"""The most that a clip takes, and as long again as it plays: an hour is encoded in a minute."""
_SHORT_MS = 1_000
"""A clip that ends so much earlier than wanted is said to."""
_LONGEST_NAME = 80

Available = Callable[[Episode], AbstractContextManager[AvailableBytes | None]]


class ClipError(EarmarkError):
    """The clip can't be saved."""


class ClipFile(Struct, frozen=True):
    """Where to save a clip: a file with one of ENDINGS, or a folder. `exact` and `ending` are as for Wanted.

    `words`: beside it, what is said. `name`: what it is called in a folder; "": after its episode and its times.
    `replaces`: existing files.
    """

    path: Path
    exact: bool = False
    ending: str = ""
    words: bool = True
    name: str = ""
    replaces: bool = False


class SavedClip(Struct, frozen=True):
    """The files, and from where to where they are in the episode, in ms; `encoded`: the sound was encoded anew.

    `ended`: it is shorter than wanted, since the episode ends there.
    """

    audio: Path
    texts: tuple[Path, ...]
    start_ms: int
    end_ms: int
    encoded: bool
    ended: bool


class Clips:
    """Any thread; `save` returns when the files are on the disk."""

    def __init__(self, available: Available, transcript: Callable[[EpisodeId], Transcript | None]) -> None:
        """`available` opens the bytes of an episode that are on this disk."""
        self._available = available
        self._transcript = transcript

    def save(self, clip: Here, file: ClipFile, cancel: CancelToken | None = None) -> SavedClip:
        """Raises ClipError, and ExportError for the words."""
        if clip.length_ms < SHORTEST_MS:
            raise ClipError(_("A clip is at least a tenth of a second long"), _("Choose a later end."))
        is_folder = file.path.is_dir()
        ending = file.ending or ("" if is_folder else file.path.suffix.lower())
        if not is_folder and not file.path.suffix:
            raise ClipError(
                _("{file} needs an ending that says what kind of file it is", file=file.path),
                _("Use {endings}, or name a folder.", endings=", ".join(ENDINGS)),
            )
        if ending and ending not in ENDINGS:
            raise ClipError(
                _("A clip can't be a file that ends in {ending}", ending=ending),
                _("Use {endings}.", endings=", ".join(ENDINGS)),
            )
        folder = file.path if is_folder else file.path.parent
        if not is_folder and not file.replaces and os.path.lexists(file.path):
            raise ClipError(_("{file} already exists", file=file.path), _("Choose another name."))
        try:
            handle, part_name = tempfile.mkstemp(prefix=".earmark-", suffix=".part", dir=folder)
            os.close(handle)
        except OSError as error:
            raise _cannot_write(file.path, error) from error
        part = Path(part_name)
        try:
            made = self._cut(clip, Wanted(
                clip.position_ms, clip.position_ms + clip.length_ms, ending, file.exact, _tags(clip.episode)
            ), part, cancel)  # fmt: skip
            try:
                name = PurePosixPath(fit(file.name) or _name(clip))
                path = free_path(folder, name, made.ending) if is_folder else file.path
                _put(part, path, replaces=file.replaces)
            except OSError as error:
                raise _cannot_write(file.path, error) from error
        finally:
            for left in (part, tagged_copy(part)):
                with suppress(OSError):
                    left.unlink(missing_ok=True)
        start_ms, end_ms = round(made.start_ms), round(made.end_ms)
        texts = self._write_words(clip.episode, path, start_ms, end_ms, file) if file.words else ()
        ended = clip.position_ms + clip.length_ms - end_ms >= _SHORT_MS
        return SavedClip(path, texts, start_ms, end_ms, made.encoded, ended)

    def _cut(self, clip: Here, wanted: Wanted, part: Path, cancel: CancelToken | None) -> Cut:
        title = clean_line(clip.episode.title, 60)
        try:
            with self._available(clip.episode) as found:
                if found is None:
                    raise _missing(clip.episode)
                audio = Audio.of(found)
                seconds = _SECONDS + clip.length_ms / 1000
                sandbox = Sandbox(cut, memory=_MEMORY, seconds=seconds, writes=True, prepare=prepare)
                with closing(sandbox):
                    made = sandbox.call(audio, wanted, os.fsencode(part), cancel=cancel)
        except SandboxError as error:
            if error.trouble is Trouble.STOPPED:
                raise ClipError(_("The clip wasn't saved")) from error
            raise ClipError(
                _("The audio of “{title}” can't be cut", title=title),
                _("Its file may be broken: delete it and download it again."),
            ) from error
        except OSError as error:
            raise ClipError(
                _("Can't read “{title}” ({reason})", title=title, reason=error.strerror or _("disk error"))
            ) from error
        whole, short = audio.is_whole, wanted.end_ms - made.end_ms >= _SHORT_MS
        match made.problem:
            case Problem.NONE if whole or not short:
                return made
            case Problem.NONE | Problem.BEYOND | Problem.UNREADABLE if not whole:
                raise _missing(clip.episode)
            case Problem.BEYOND:
                raise ClipError(
                    _("“{title}” ends before {time}", title=title, time=clock(wanted.start_ms)),
                    _("Choose an earlier time."),
                )
            case Problem.OTHER_CODEC:
                raise _other_codec(wanted, made)
            case Problem.NO_ENCODER:
                raise ClipError(
                    _("This computer's PyAV can't write {ending} files", ending=made.ending),
                    _("Choose another ending, or install a PyAV that has the encoder."),
                )
            case Problem.DISK:
                raise _cannot_write(part.parent, OSError(made.code, os.strerror(made.code)))
        raise ClipError(
            _("The audio of “{title}” can't be read", title=title),
            _("Its file may be broken: delete it and download it again."),
        )

    def _write_words(
        self, episode: Episode, audio: Path, start_ms: int, end_ms: int, file: ClipFile
    ) -> tuple[Path, ...]:
        transcript = self._transcript(episode.id)
        words = words_of(transcript, start_ms, end_ms) if transcript is not None else Transcript()
        if not words.lines:
            return ()
        texts = {".vtt": as_vtt(words), ".md": "\n".join(quotation(episode, words, start_ms)) + "\n"}
        paths = []
        for ending, text in texts.items():
            path = audio.with_suffix(ending)
            if not file.replaces and os.path.lexists(path):
                path = free_path(path.parent, PurePosixPath(path.stem), ending)
            write_whole(path, [text.encode()], replaces=lambda _start: True, private=False)
            paths.append(path)
        return tuple(paths)


def _tags(episode: Episode) -> Tags:
    day = f"{episode.published.astimezone():%Y-%m-%d}" if episode.published else ""
    podcast = clean_line(episode.podcast)
    return Tags(clean_line(episode.title), podcast, podcast, day)


def _name(clip: Here) -> str:
    times = (clock(ms).replace(":", ".") for ms in (clip.position_ms, clip.position_ms + clip.length_ms))
    title = fit(clean_line(clip.episode.title, _LONGEST_NAME)) or "episode"
    return f"{title} {'-'.join(times)}"


def _put(part: Path, path: Path, *, replaces: bool) -> None:
    """Raises OSError."""
    handle = os.open(part, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    if replaces and os.path.lexists(path):
        path = Path(os.path.realpath(path))
        part.replace(path)
    else:
        put(part, path, part)
    path.chmod(0o666 & ~umask())


def _missing(episode: Episode) -> ClipError:
    return ClipError(
        _("The audio of this part of “{title}” isn't on this computer", title=clean_line(episode.title, 60)),
        _("Download the episode first: earmark download {id}", id=episode.id),
    )


def _other_codec(wanted: Wanted, made: Cut) -> ClipError:
    encoded = _(" or ").join(ENCODED)
    if wanted.exact or not made.ending:
        return ClipError(
            _("This clip has to be encoded anew"), _("Choose a name that ends in {endings}.", endings=encoded)
        )
    return ClipError(
        _("The audio of this episode can't be a {ending} file as it is", ending=wanted.ending),
        _("Choose {kept} to keep it, or {encoded} to have it encoded anew.", kept=made.ending, encoded=encoded),
    )


def _cannot_write(path: Path, error: OSError) -> ClipError:
    return ClipError(
        _("Can't write {file} ({reason})", file=path, reason=error.strerror or _("disk error")),
        _("Choose a file in a folder that you can write to."),
    )
