"""All the listener's data as one JSON file (docs/export.md), written whole or not at all."""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from player import __version__, regular_file
from player.errors import EarmarkError
from player.library import Library
from player.library.personal import PersonalReader
from player.links.addresses import is_audiobookshelf
from player.model.foreign import ForeignEpisode
from player.model.podcast import WELCOME_URL, Podcast
from player.model.podcast_settings import AS_ALL
from player.text.sentences import _
from player.transfer.earmark import VERSION, is_archive

_START = 4096


class ExportError(EarmarkError):
    """A file can't be written, or exists already and isn't an export that may be replaced."""


def write_whole(
    path: Path, pieces: Iterable[bytes], *, replaces: Callable[[bytes], bool], private: bool = True
) -> None:
    """Writes the file, `private` (0600) or readable as any new file, and only then replaces an existing file with it.

    `replaces` gets the first bytes of an existing file and says whether it may be replaced; an empty file may. A link
    stays a link. Raises ExportError, and the exceptions of `pieces`; then an existing file stays.
    """
    target = Path(os.path.realpath(path))
    try:
        _check(target, path, replaces)
        handle, name = tempfile.mkstemp(prefix=".earmark-", suffix=".part", dir=target.parent)
    except OSError as error:
        raise _cannot_write(path, error) from error
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                file.write(piece)
            if not private:
                os.fchmod(handle, 0o666 & ~umask())
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def umask() -> int:
    """The permissions that new files of this process don't get."""
    os.umask(mask := os.umask(0o077))
    return mask


def _check(target: Path, path: Path, replaces: Callable[[bytes], bool]) -> None:
    if not target.exists():
        return
    if not target.is_file():
        raise ExportError(_("{file} isn't a file", file=path), _("Choose another name."))
    with regular_file.opened(target) as file:
        start = file.read(_START)
    if start and not replaces(start):
        raise ExportError(_("{file} already exists and isn't such an export", file=path), _("Choose another name."))


def _cannot_write(path: Path, error: OSError) -> ExportError:
    return ExportError(
        _("Can't write {file} ({reason})", file=path, reason=error.strerror or _("disk error")),
        _("Choose a file in a folder that you can write to."),
    )


FORMAT = "earmark-export"
_NOTE = (
    "Everything that is the listener's. Names and passwords of private feeds, config.toml and downloaded files are not"
    " in this file. docs/export.md describes it."
)


class Exported(Struct):
    """How many podcasts and episodes were written."""

    podcasts: int = 0
    episodes: int = 0


def save_archive(path: Path, library: Library, now: datetime) -> Exported:
    """Writes the file, whole or not at all. 50,000 episodes with data of the listener take 4 s and 20 MB.

    Raises ExportError or LibraryError.
    """
    counts = Exported()
    with library.personal.reading() as reader:
        write_whole(path, archive(reader, now, counts), replaces=is_archive)
    return counts


def archive(reader: PersonalReader, now: datetime, counts: Exported) -> Iterator[bytes]:
    """The file in pieces: an entry on each line. At the end `counts` has the numbers of what was written."""
    found = reader.podcasts()
    here = [one for one in found if not _is_anywhere(one)]
    yield b"{"
    yield from _header(now)
    yield b'"podcasts": ['
    yield from _lines(_podcast(reader, one, counts) for one in found if _is_anywhere(one))
    yield b"]"
    for name, entries in (
        ("lists", reader.lists()),
        ("views", reader.views()),
        ("bookmarks", chain(reader.lost_bookmarks(), *(reader.bookmarks_of(one) for one in here))),
        ("removed", chain(reader.removed(), *(reader.heard_of(one) for one in here))),
    ):
        yield f',\n"{name}": ['.encode()
        yield from _lines((msgspec.json.encode(one),) for one in entries)
        yield b"]"
    yield b',\n"choices": ' + msgspec.json.encode(reader.choices()) + b"\n}\n"


def _is_anywhere(podcast: Podcast) -> bool:
    """Whether the podcast is available to the listener on other machines too: on the web, or in every Earmark."""
    return (
        podcast.url.lower().startswith(("http://", "https://"))
        or is_audiobookshelf(podcast.url)
        or podcast.url == WELCOME_URL
    )


def _header(now: datetime) -> Iterator[bytes]:
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "earmark": __version__,
        "exported_at": now,
        "note": _NOTE,
    }
    for name, value in header.items():
        yield f'"{name}": '.encode() + msgspec.json.encode(value) + b",\n"


_OF_PODCAST = ("url", "subscribed", "title", "own_title", "link", "tags", "pinned", "settings", "continues")


def _podcast(reader: PersonalReader, podcast: Podcast, counts: Exported) -> Iterator[bytes]:
    found, plain = msgspec.to_builtins(reader.podcast(podcast)), msgspec.to_builtins(AS_ALL)
    entry = {name: found[name] for name in _OF_PODCAST if name in found}
    if "settings" in entry:
        entry["settings"] = {name: one for name, one in entry["settings"].items() if one != plain[name]}
    counts.podcasts += 1
    yield msgspec.json.encode(entry)[:-1] + b',"episodes":['
    yield from _lines(_episode(one, counts) for one in reader.episodes(podcast))
    yield b"]}"


def _episode(episode: ForeignEpisode, counts: Exported) -> tuple[bytes]:
    counts.episodes += 1
    return (msgspec.json.encode(episode),)


def _lines(entries: Iterable[Iterable[bytes]]) -> Iterator[bytes]:
    """The pieces of each entry, on a line of its own."""
    before = b"\n"
    for entry in entries:
        yield before
        yield from entry
        before = b",\n"
