"""What was skipped in a pull, in whole sentences."""

from collections.abc import Iterator, Mapping, Sequence

from player.sync.folder.cursor import FileMark
from player.sync.folder.disk_failures import shown
from player.text.sentences import _, plural

MOST = 50


def few(sentences: Sequence[str]) -> tuple[str, ...]:
    """As many as a person reads."""
    if len(sentences) <= MOST:
        return tuple(sentences)
    more = len(sentences) - MOST
    return *sentences[:MOST], plural(more, "{n} more file can't be read whole.", "{n} more files can't be read whole.")


def unread_of(marks: Mapping[str, FileMark], earlier: Mapping[str, FileMark]) -> list[str]:
    """About all files, whether they were read just now or before."""
    return [one for name, mark in marks.items() for one in _sentences(shown(name), mark, earlier.get(name))]


def _sentences(file: str, mark: FileMark, before: FileMark | None) -> Iterator[str]:
    if mark.newer:
        yield _("{file} was written by a newer version of Earmark, and wasn't read.", file=file)
        return
    if mark.strange:
        yield _("{file} isn't a journal of Earmark's, and wasn't read.", file=file)
        return
    if mark.damaged:
        yield plural(
            mark.damaged,
            "{n} line of {file} is damaged, and was skipped.",
            "{n} lines of {file} are damaged, and were skipped.",
            file=file,
        )
    if mark.unknown:
        yield plural(
            mark.unknown,
            "{n} line of {file} says something that this version doesn't know, and was skipped.",
            "{n} lines of {file} say something that this version doesn't know, and were skipped.",
            file=file,
        )
    if mark.missing:
        yield plural(mark.missing, "{n} line of {file} is missing.", "{n} lines of {file} are missing.", file=file)
    if mark.large:
        yield _("{file} is longer than a journal may be, and was read only in part.", file=file)
    elif mark.end < mark.size and before is not None and before.end == mark.end and before.size == mark.size:
        yield _("{file} ends in the middle of a line. It is read on when the rest has come.", file=file)
