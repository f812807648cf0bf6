"""Files of downloads: where they go, their names, putting them under a free name, deleting and finding them, and
forgetting downloads whose files are gone or damaged, so that their episodes are streamed again.
"""

import errno
import logging
import os
import re
import shutil
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path, PurePosixPath

from player import regular_file
from player.events import Bus, Cause, EpisodesChanged, Notice
from player.library import Library
from player.links.addresses import below_home
from player.model.downloads import Download, DownloadDeleted
from player.model.episode import Episode, EpisodeId
from player.model.playback import Severity
from player.text.cleaning import clean_line
from player.text.sentences import _, plural

_LONGEST = 230
"""Bytes in UTF-8, and UTF-16 units decomposed as HFS+ does. 255 are allowed: a number and a suffix are added."""
_MOST_FOLDERS = 8
_UNFIT = re.compile(r'[/\\:*?"<>|\x00-\x1f\x7f-\x9f]+')
_FIELD = re.compile(r"\{(\w*)\}")
_DEVICES = re.compile(r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|CLOCK\$|(?:COM|LPT)[0-9¹²³])[ ]*(?:\..*)?", re.IGNORECASE)
"""Names that Windows reserves for devices, with any suffix."""


def name_of(template: str, episode: Episode, season: int | None = None, number: str = "") -> PurePosixPath:
    """The file's path below the downloads folder, without its suffix.

    `season` and `number` are the episode's. Only a slash of the template itself begins another folder.
    """
    day = episode.published.astimezone() if episode.published else None
    values = {
        "podcast": episode.podcast,
        "title": episode.title,
        "date": f"{day:%Y-%m-%d}" if day else "",
        "year": f"{day:%Y}" if day else "",
        "season": "" if season is None else str(season),
        "episode": number,
        "guid": episode.guid,
    }
    *folders, name = [_filled(part, values) for part in template.split("/")]
    otherwise = fit(episode.title) or fit(episode.guid) or "episode"
    return PurePosixPath(*[folder for folder in folders if folder][:_MOST_FOLDERS], name or otherwise)


def fit(text: str) -> str:
    """`text` as the name of a file or folder on any system; "" if no part of it can be used."""
    there = text.encode("utf-8", "replace").decode()
    name = unicodedata.normalize("NFC", clean_line(there, 1000))
    name = re.sub(r"\s+", " ", _UNFIT.sub(" ", name))
    # Windows drops dots and spaces at the end; a dot at the beginning hides a file.
    name = _shortened(name.strip(" .")).strip(" .")
    return f"_{name}" if _DEVICES.fullmatch(name) else name


def same_name(name: str) -> str:
    """Names with equal results are the same name on some systems."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _filled(part: str, values: Mapping[str, str]) -> str:
    return fit(_FIELD.sub(lambda field: values.get(field[1], field[0]), part))


def _shortened(name: str) -> str:
    while _length(name) > _LONGEST:
        name = name[: -max(1, (_length(name) - _LONGEST) // 6)]
        # The rest must not end between a letter and its accents.
        while name and (unicodedata.combining(name[-1]) or name[-1] == "\u200d"):
            name = name[:-1]
    return name


def _length(name: str) -> int:
    decomposed = unicodedata.normalize("NFD", name)
    return max(len(name.encode()), len(decomposed.encode("utf-16-le")) // 2)


log = logging.getLogger(__name__)

_SUFFIXES = {
    "mp3": ".mp3", "mp4": ".m4a", "aac": ".aac", "ogg": ".ogg", "flac": ".flac", "wav": ".wav", "matroska": ".mka",
    "aiff": ".aiff",
}  # fmt: skip
_NO_LINKS = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EACCES, errno.ENOSYS)
_CHUNK = 1 << 20
_HEAD = 4096


def folder_of(setting: str, data: Path) -> Path:
    """The downloads folder: the folder in the settings (a relative path is below the home folder), or `episodes` in the
    data folder."""
    return below_home(setting) if setting else data / "episodes"


def suffix_of(source: Path, form: str) -> str:
    """The file name suffix for that format, one of formats.FORMATS. Raises OSError."""
    if form == "ogg":
        with source.open("rb") as file:
            return ".opus" if b"OpusHead" in file.read(64) else ".ogg"
    return _SUFFIXES.get(form, ".audio")


def free_path(folder: Path, name: PurePosixPath, suffix: str) -> Path:
    """A path below `folder` that no file has, on any system: with that name, or with a number added.

    Its folder is created: the first one for this user only, folders inside it as `make_folder` does. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for part in name.parts[:-1]:
        folder = _subfolder(folder, part)
    taken = _names_in(folder)
    for number in count(1):
        wanted = f"{name.name}{suffix}" if number == 1 else f"{name.name} ({number}){suffix}"
        if same_name(wanted) not in taken:
            return folder / wanted
    raise AssertionError


def make_folder(folder: Path) -> None:
    """Creates the missing part of a folder among the downloads: each folder is open to those who may see the folder
    that contains it.

    Raises OSError.
    """
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        _open_like(folder, folder.parent, 0o2777)


def part_of(path: Path, episode_id: EpisodeId) -> Path:
    """Where the file for `path` is written until it is complete. After a crash it is found there again."""
    return path.with_name(f".earmark-{episode_id}.part")


def put(source: Path, path: Path, part: Path) -> None:
    """Makes `path` a hard link to `source`, or a copy if links aren't possible.

    Raises FileExistsError if that name is taken, and OSError; then nothing is left behind.
    """
    try:
        try:
            os.link(source, path)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if source != part:
                _copy(source, part)
            _move(part, path)
        _open_like(path, path.parent, 0o666)
    finally:
        part.unlink(missing_ok=True)
    _flush_folder(path.parent)


TRANSCRIPT = ".vtt"
"""What the name of a transcript beside a download ends in, instead of the suffix of the audio."""
NOTE = "Earmark has written this file and deletes it with its audio; without this note it is yours."


def transcript_beside(path: Path) -> Path | None:
    """The transcript that Earmark has written beside a download; None if there is none, or it is the listener's."""
    file = path.with_suffix(TRANSCRIPT)
    try:
        with regular_file.opened(file, through_link=False) as opened:
            return file if NOTE.encode() in opened.read(_HEAD) else None
    except OSError:
        return None


def delete(path: Path, root: Path | None = None) -> None:
    """Deletes the file, with its transcript, and each folder below `root` that is empty then. Raises OSError.

    Without a `root` only the file's own folder is checked.
    """
    path.unlink(missing_ok=True)
    if (transcript := transcript_beside(path)) is not None:
        with suppress(OSError):
            transcript.unlink()
    below = [one for one in path.parents if root in one.parents] if root else []
    folders = below or [path.parent]
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def delete_files(paths: Iterable[Path], root: Path | None = None) -> None:
    """Deletes the files, except those that can't be deleted."""
    for path in paths:
        with suppress(OSError):
            delete(path, root)


def is_away(path: Path, root: Path) -> bool:
    """Whether the disk of a missing file seems to be absent: its folder is gone, or is completely empty."""
    folder = root if path.is_relative_to(root) else path.parent.parent
    try:
        return not any(folder.iterdir())
    except OSError:
        return True


def _subfolder(folder: Path, name: str) -> Path:
    """The folder with that name, regardless of case; or another one, if a file has the name."""
    for number in count(1):
        wanted = name if number == 1 else f"{name} ({number})"
        there = [one for one in folder.iterdir() if same_name(one.name) == same_name(wanted)]
        found = sorted(there, key=lambda one: one.name != wanted)[0] if there else folder / wanted
        if not there:
            make_folder(found)
        if found.is_dir():
            return found
    raise AssertionError


def _names_in(folder: Path) -> set[str]:
    return {same_name(one.name) for one in folder.iterdir()}


def _copy(source: Path, part: Path) -> None:
    part.touch(0o600)
    with source.open("rb") as there, part.open("wb") as here:
        shutil.copyfileobj(there, here, _CHUNK)
        here.flush()
        os.fsync(here.fileno())


def _move(part: Path, path: Path) -> None:
    try:
        os.link(part, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        part.rename(path)


def _open_like(path: Path, folder: Path, most: int) -> None:
    """What is cached is for nobody else's eyes; a download is for those who may see its folder."""
    with suppress(OSError):
        path.chmod(folder.stat().st_mode & most)


def _flush_folder(folder: Path) -> None:
    with suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


_BEGUN_LATELY = timedelta(days=7)


def kept_episodes(library: Library) -> list[Episode]:
    """The episodes that were begun lately, and those in the queue of downloads."""
    queued = [one.episode_id for one in library.downloads.queue.all()]
    return library.episodes.in_progress_since(datetime.now(UTC) - _BEGUN_LATELY) + library.episodes.rows(queued)


_NAMED = 3


def look_for_files(library: Library, bus: Bus, folder: Path) -> None:
    """Forgets the downloads whose files are missing. Raises LibraryError."""
    forget(library, bus, [one for one in library.downloads.all() if not one.path.exists()], folder)


def forget_missing(library: Library, ids: Sequence[EpisodeId]) -> None:
    """Those of `ids` whose files are missing may be downloaded again. Raises LibraryError."""
    for one in ids:
        path = library.downloads.path(one)
        if path is not None and not path.exists():
            library.downloads.remove(one)


def forget(library: Library, bus: Bus, lost: list[Download], folder: Path) -> None:
    """These files are missing or damaged: their episodes are no longer marked as downloaded, except for files on an
    absent disk. Raises LibraryError."""
    gone = [one for one in lost if one.path.exists() or not is_away(one.path, folder)]
    away = len(lost) - len(gone)
    if away:
        bus.publish(Notice(_away(away, folder), Severity.WARNING))
    for one in gone:
        library.downloads.remove(one.episode_id)
        if not one.path.exists() and (transcript := transcript_beside(one.path)) is not None:
            with suppress(OSError):
                transcript.unlink()
    if gone:
        bus.publish(Notice(_missing(gone), Severity.WARNING))
        bus.publish(EpisodesChanged(tuple(one.episode_id for one in gone)))
        for one in gone:
            bus.publish(DownloadDeleted(one.episode_id, Cause.RULE))


def _missing(lost: list[Download]) -> str:
    names = ", ".join(str(one.path) for one in lost[:_NAMED])
    more = _(" and more") if len(lost) > _NAMED else ""
    if any(one.path.exists() for one in lost):
        return _(
            "A downloaded file is damaged: {files}{more}. Its episode is streamed again. Download it again, or put a"
            " sound copy there.",
            files=names,
            more=more,
        )
    return plural(
        len(lost),
        "The file of a download is gone: {files}. Its episode is streamed again.",
        "The files of {n} downloads are gone: {files}{more}. Their episodes are streamed again.",
        files=names,
        more=more,
    )


def _away(count: int, folder: Path) -> str:
    return plural(
        count,
        "The folder {folder} is empty or isn't there, so a download can't be used. Its episode is streamed.",
        "The folder {folder} is empty or isn't there, so {n} downloads can't be used. Their episodes are streamed.",
        folder=folder,
    )
