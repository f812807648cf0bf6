"""Everything that is the listener's, as one JSON file (docs/export.md): written whole or not at all, and put back."""

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from player import __version__, regular_file
from player.errors import EarmarkError
from player.exports.entries import Entries
from player.feeds.merge import decide
from player.library import Library
from player.library.personal.personal import Restored, Restorer
from player.library.personal.reading import PersonalReader
from player.model.podcast import WELCOME_URL, Podcast
from player.text.sentences import _, plural
from player.text.untrusted_json import BrokenJson, members, moment_of_text

_START = 4096


class ExportError(EarmarkError):
    """A file that can't be written, or is no export that may be replaced."""


def write_whole(path: Path, pieces: Iterable[bytes], *, replaces: Callable[[bytes], bool]) -> None:
    """Writes the file, readable for nobody else (0600), and only then puts it in the place of an older one.

    `replaces` gets the first bytes of a file that is there and says whether it may be replaced; an empty one may. A
    link stays a link. Raises ExportError, and what `pieces` raises; what was there stays then.
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
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


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
VERSION = 1
_MARK = re.compile(rb'"format"\s*:\s*"earmark-export"')
_NOTE = (
    "Everything that is the listener's. Names and passwords of private feeds, config.toml and downloaded files are not"
    " in this file. docs/export.md describes it."
)


class Exported(Struct):
    """How many podcasts and episodes were written."""

    podcasts: int = 0
    episodes: int = 0


def is_archive(start: bytes) -> bool:
    """Whether a file that begins so is an export of everything."""
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and _MARK.search(start) is not None


def save_archive(path: Path, library: Library, now: datetime) -> Exported:
    """Writes it, whole or not at all. 50,000 episodes with something of the listener's take 4 s and 20 MB.

    Raises ExportError or LibraryError.
    """
    counts = Exported()
    with library.personal.reading() as reader:
        write_whole(path, archive(reader, now, counts), replaces=is_archive)
    return counts


def archive(reader: PersonalReader, now: datetime, counts: Exported) -> Iterator[bytes]:
    """The file in pieces: an entry on each line. `counts` says in the end what was written."""
    yield b"{"
    yield from _header(now)
    yield b'"podcasts": ['
    comma = b"\n"
    here: list[Podcast] = []
    for podcast in reader.podcasts():
        if not _is_anywhere(podcast):
            here.append(podcast)
            continue
        counts.podcasts += 1
        yield comma
        yield from _podcast(reader, podcast, counts)
        comma = b",\n"
    yield b"]"
    for name, entries in (
        ("lists", reader.lists()),
        ("views", reader.views()),
        ("bookmarks", chain(reader.lost_bookmarks(), *(reader.bookmarks_of(one) for one in here))),
        ("removed", chain(reader.removed(), *(reader.heard_of(one) for one in here))),
    ):
        yield f',\n"{name}": ['.encode()
        yield from _entries(entries)
        yield b"]"
    yield b',\n"choices": ' + msgspec.json.encode(reader.choices()) + b"\n}\n"


def _is_anywhere(podcast: Podcast) -> bool:
    """Whether another machine has it too: on the web, or in every Earmark."""
    return podcast.url.lower().startswith(("http://", "https://")) or podcast.url == WELCOME_URL


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


def _podcast(reader: PersonalReader, podcast: Podcast, counts: Exported) -> Iterator[bytes]:
    yield msgspec.json.encode(reader.podcast(podcast))[:-1] + b',"episodes":['
    comma = b"\n"
    for episode in reader.episodes(podcast):
        counts.episodes += 1
        yield comma + msgspec.json.encode(episode)
        comma = b",\n"
    yield b"]}"


def _entries(entries: Iterable[Struct]) -> Iterator[bytes]:
    comma = b"\n"
    for entry in entries:
        yield comma + msgspec.json.encode(entry)
        comma = b",\n"


_LOOKED_AT = 64 * 1024
_LARGEST = 2_000_000_000
"""Bytes: what is larger was written by nobody's Earmark."""


class Report(Struct, frozen=True):
    """What came of it. `odd` entries couldn't be understood; `later`: a later Earmark wrote the file; `ends_early`: it
    isn't whole."""

    restored: Restored
    odd: int = 0
    later: bool = False
    ends_early: bool = False


def recognises(path: Path) -> bool:
    """Whether the file is an export of everything, from what is in it; False if it can't be read or isn't a file."""
    with suppress(OSError):
        if path.is_file():  # a pipe or a device might never end
            with regular_file.opened(path) as file:
                return is_archive(file.read(_LOOKED_AT))
    return False


def restore(path: Path, library: Library, *, dry_run: bool = False) -> Report:
    """Puts back all that can be read, in one transaction; with `dry_run` it only tells what would change. Feeds are
    not read here. Raises ExportError or LibraryError."""
    try:
        with regular_file.opened(path) as file:
            if path.stat().st_size > _LARGEST:
                raise ExportError(_("{file} is larger than 2 GB", file=path))
            made_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            return _restore(_Source(file.read), made_at, library, dry_run=dry_run)
    except OSError as error:
        raise _cannot_read(path, error) from error


class _Source:
    """The members of a file, and what its first ones say of it."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self.ends_early = False
        self.later = False
        self.exported_at: datetime | None = None
        self._members = members(read)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Those after the header. When they end `ends_early` is known."""
        try:
            for name, value in self._members:
                match name:
                    case "version":
                        self.later = isinstance(value, int) and value > VERSION
                    case "exported_at":
                        self.exported_at = moment_of_text(value)
                    case _:
                        yield name, value
        except BrokenJson:
            self.ends_early = True


def _restore(source: _Source, made_at: datetime, library: Library, *, dry_run: bool) -> Report:
    found = iter(source)
    first = next(((name, value) for name, value in found if name not in ("format", "earmark", "note")), None)
    entries = Entries()
    with library.personal.restoring(source.exported_at or made_at, decide, dry_run=dry_run) as restorer:
        if first is not None:
            _put(restorer, entries, *first)
        for name, value in found:
            _put(restorer, entries, name, value)
        restored = restorer.finish()
    return Report(restored, entries.odd, source.later, source.ends_early)


def _put(restorer: Restorer, entries: Entries, name: str, value: Any) -> None:
    """What a later version may have besides is passed over."""
    match name:
        case "podcasts":
            if (podcast := entries.podcast(value)) is not None:
                restorer.podcast(podcast)
        case "lists":
            if (own := entries.saved_list(value)) is not None:
                restorer.saved_list(own)
        case "views":
            if (view := entries.view(value)) is not None:
                restorer.view(view)
        case "bookmarks":
            if (kept := entries.bookmark(value)) is not None:
                restorer.bookmark(kept)
        case "removed":
            if (gone := entries.removed(value)) is not None:
                restorer.removed(gone)
        case "choices":
            restorer.choices(entries.choices(value))


def _cannot_read(path: Path, error: OSError) -> ExportError:
    return ExportError(
        _("Can't read {file} ({reason})", file=path, reason=error.strerror or _("disk error")),
        _("Enter the path of a file that `earmark export --all` has written."),
    )


def sentences(report: Report) -> list[str]:
    """What has changed, or would change, and what couldn't be read."""
    restored, counts = report.restored, report.restored.counts
    found = [plural(len(restored.added), "{n:,} podcast added.", "{n:,} podcasts added.")]
    if restored.known:
        found.append(plural(restored.known, "{n:,} was already there.", "{n:,} were already there."))
    for number, sentence in (
        (counts.episodes, plural(counts.episodes, "{n:,} episode added.", "{n:,} episodes added.")),
        (counts.played, plural(counts.played, "{n:,} marked as played.", "{n:,} marked as played.")),
        (counts.starred, plural(counts.starred, "{n:,} starred.", "{n:,} starred.")),
        (counts.positions, plural(counts.positions, "{n:,} position restored.", "{n:,} positions restored.")),
        (counts.queued, plural(counts.queued, "{n:,} added to the queue.", "{n:,} added to the queue.")),
        (restored.lists, plural(restored.lists, "{n:,} list added.", "{n:,} lists added.")),
        (counts.bookmarks, plural(counts.bookmarks, "{n:,} bookmark added.", "{n:,} bookmarks added.")),
        (
            counts.spans,
            plural(counts.spans, "{n:,} entry of your history added.", "{n:,} entries of your history added."),
        ),
    ):
        if number:
            found.append(sentence)
    return [*found, *_shortcomings(report)]


def _shortcomings(report: Report) -> Iterator[str]:
    forgotten, odd = report.restored.counts.forgotten, report.odd + report.restored.odd_settings
    if forgotten:
        yield plural(
            forgotten,
            "{n:,} entry of your history is from before you deleted it here, and was left out.",
            "{n:,} entries of your history are from before you deleted it here, and were left out.",
        )
    if odd:
        yield plural(odd, "{n:,} entry couldn't be understood.", "{n:,} entries couldn't be understood.")
    if report.later:
        yield _("A later version of Earmark wrote this file: what this version knows was read.")
    if report.ends_early:
        yield _("The file isn't whole: it ends early, or is damaged. What comes before that was read.")
