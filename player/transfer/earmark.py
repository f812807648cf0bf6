"""Earmark's own export, `earmark export --all` (docs/export.md), put back."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct

from player import regular_file
from player.errors import TransferError
from player.library import Library
from player.library.personal.personal import Restored, Restorer
from player.text.sentences import _, plural
from player.text.untrusted_json import BrokenJson, members, moment_of_text
from player.transfer.cleaning import Entries
from player.transfer.load import START_BYTES

VERSION = 1
_MARK = re.compile(rb'"format"\s*:\s*"earmark-export"')
_LARGEST = 2_000_000_000
"""Bytes: what is larger was written by nobody's Earmark."""


def is_archive(start: bytes) -> bool:
    """Whether a file that begins so is an export of everything."""
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and _MARK.search(start) is not None


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
                return is_archive(file.read(START_BYTES))
    return False


def restore(path: Path, library: Library, *, dry_run: bool = False) -> Report:
    """Puts back all that can be read, in one transaction; with `dry_run` it only tells what would change. Feeds are
    not read here. Raises TransferError or LibraryError."""
    try:
        with regular_file.opened(path) as file:
            if path.stat().st_size > _LARGEST:
                raise TransferError(_("{file} is larger than 2 GB", file=path))
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
    with library.personal.restoring(source.exported_at or made_at, dry_run=dry_run) as restorer:
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


def _cannot_read(path: Path, error: OSError) -> TransferError:
    return TransferError(
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
