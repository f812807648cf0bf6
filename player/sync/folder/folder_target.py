"""A folder as a target: all journals in it are read, and only this device's own journal is written. Says what a pull
has skipped, in whole sentences.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from player.merging.clock import furthest
from player.merging.facts import forgotten_until
from player.model.syncing import Action, Carried, Fact, Outgoing, Pulled, Pushed, SubscriptionChange
from player.sync.folder.disk_failures import is_disk_away, is_stopped, shown
from player.sync.folder.file_reader import Cursor, FileMark, FileRead, key_of, parse_cursor, read_file, written
from player.sync.folder.journal import Journal, is_incomplete, is_part_of, needed
from player.sync.folder.records import Record, Refused, content
from player.sync.folder.shared_folder import SharedFolder, is_joined, join, opened
from player.sync.folder.writer_state import WriterState, held, read_state
from player.sync.target import SyncError
from player.text.sentences import _, plural

MOST = 50


def few(sentences: Sequence[str]) -> tuple[str, ...]:
    """As many as a person reads."""
    if len(sentences) <= MOST:
        return tuple(sentences)
    more = len(sentences) - MOST
    return *sentences[:MOST], plural(more, "{n} more file can't be read.", "{n} more files can't be read.")


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
        yield _("{file} ends in the middle of a line. The rest is read once it is there.", file=file)


log = logging.getLogger(__name__)

MOST_AT_ONCE = 500
MOST_BYTES = 64 << 20
"""Bytes of all files in one pull. The rest comes with the next pull."""

_PARTS_BEFORE_REWRITE = [8 << doubling for doubling in range(16)]
"""After this many records of a journal all are read, to find out whether it can be made shorter."""
_MOST_MARKERS = 8


def join_folder(path: Path, state: Path) -> None:
    """Makes `earmark-sync` in the folder at `path`, which has to exist, unless another device has made it, and
    remembers in the file `state` which folder it is. Raises SyncError."""
    markers = _some(join(path))
    with held(state, threading.Event()) as mine:
        known = mine.state
        mine.save(replace(known if known.markers & markers else WriterState(), markers=markers))


def look_into(path: Path) -> Pulled:
    """Everything in a folder that this device hasn't joined yet; nothing if no device has joined it. Writes nothing.
    Raises SyncError."""
    if not is_joined(path):
        return Pulled(is_whole=True)
    return FolderTarget(path, "", "", path / "no-state").pull("", whole=True)


class FolderTarget:
    """`state` is a file beside the library, for this target alone. `device` is this device's id, `name` what people
    call it."""

    carries = frozenset(Carried)
    most_at_once = MOST_AT_ONCE

    def __init__(self, path: Path, device: str, name: str, state: Path) -> None:
        self._path = path
        self._device = device
        self._name = name
        self._state = state
        self._stopped = threading.Event()
        self._pushed: set[int] = set()
        """The hashes of records that needn't be pulled again, because this device pushed them. A pull that reads them
        removes them."""
        self._is_damaged = False
        """Whether lines of this device's journal can't be read any more, according to the last pull."""
        self._noticed: dict[str, None] = {}

    def abort(self) -> None:
        self._stopped.set()

    def pull(self, cursor: str, *, whole: bool) -> Pulled:
        self._stopped.clear()
        earlier = parse_cursor(cursor)
        state = read_state(self._state)
        with opened(self._path, state.markers) as folder:
            pull = _Pull(folder, Cursor() if whole else earlier, self._check)
            # Another process may have begun another journal since the state was read.
            is_gone = is_incomplete(folder, state) and is_incomplete(folder, read_state(self._state))
            pull.read()
        self._is_damaged = pull.has_damaged(state)
        if not whole and state.writer and pull.has_grown(self._device, state.writer):
            self._notice_other()
        fresh = [one for one in pull.records if whole or hash(one) not in self._pushed]
        if pull.is_complete:
            self._pushed.clear()
        sentences, self._noticed = [*self._noticed, *unread_of(pull.marks, earlier.files), *pull.unread], {}
        return Pulled(
            tuple(one for one in fresh if isinstance(one, Action)),
            tuple(one for one in fresh if isinstance(one, SubscriptionChange)),
            tuple(one for one in fresh if isinstance(one, Fact)),
            devices=tuple({mark.device: mark.name for mark in pull.marks.values() if mark.device}.items()),
            cursor=written(pull.marks),
            is_whole=(whole or not earlier.files) and pull.is_complete,
            forgotten=is_gone or self._is_damaged,
            unread=few(sentences),
        )

    def push(self, outgoing: Outgoing) -> Pushed:
        self._stopped.clear()
        numbered: list[tuple[int, Record]] = [*outgoing.actions, *outgoing.subscriptions, *outgoing.facts]
        contents: dict[int, bytes] = {}
        refused = []
        for number, record in numbered:
            try:
                contents[number] = content(record)
            except Refused as error:
                refused.append((number, str(error)))
        if contents:
            forgets = any(forgotten_until(fact) and number in contents for number, fact in outgoing.facts)
            self._write(list(contents.values()), forgets=forgets)
        self._pushed.update(hash(record) for number, record in numbered if number in contents)
        return Pushed(tuple(contents), tuple(refused))

    def _write(self, contents: list[bytes], *, forgets: bool) -> None:
        """`forgets`: the deleted history doesn't stay in the journal."""
        with (
            held(self._state, self._stopped) as mine,
            opened(self._path, mine.state.markers) as folder,
        ):
            if mine.state.markers != (markers := _some(folder.markers)):
                mine.save(replace(mine.state, markers=markers))
            journal = Journal(folder, mine, self._device, self._name)
            parts = journal.parts
            journal.append(contents, anew=self._is_damaged)
            self._is_damaged = False
            if journal.is_shared:
                self._notice_other()
            if journal.is_gone:
                self._notice(
                    _(
                        "Part of what this device had written to {folder} was missing, so it began another journal.",
                        folder=shown(self._path),
                    )
                )
            if forgets or any(parts < limit <= journal.parts for limit in _PARTS_BEFORE_REWRITE):
                _rewrite(journal, always=forgets)

    def _notice_other(self) -> None:
        self._notice(
            _(
                "Another Earmark writes as {device}, too, perhaps from a copy of this library. Nothing is lost; give "
                "one of them another name with: earmark sync setup",
                device=shown(self._device),
            )
        )

    def _notice(self, sentence: str) -> None:
        self._noticed[sentence] = None

    def _check(self) -> None:
        if self._stopped.is_set():
            raise is_stopped()


def _some(markers: frozenset[str]) -> frozenset[str]:
    return frozenset(sorted(markers)[:_MOST_MARKERS])


class _Pull:
    """One pass over the files of the folder."""

    def __init__(self, folder: SharedFolder, cursor: Cursor, check: Callable[[], None]) -> None:
        self._folder = folder
        self._before = cursor.files
        self._check = check
        self._found: dict[Record, None] = {}
        self.marks: dict[str, FileMark] = {}
        self.unread: list[str] = []
        self.is_complete = True

    @property
    def records(self) -> list[Record]:
        return list(self._found)

    def read(self) -> None:
        """Raises SyncError, OSError."""
        left, goes_on = MOST_BYTES, False
        for name in self._folder.names():
            if name.startswith(".") or not name.endswith(".jsonl"):
                continue
            self._check()
            key = key_of(name)
            before = self._before.get(key)
            if left <= 0:
                goes_on = True
                if before:
                    self.marks[key] = before
                continue
            if read := self._read(name, before):
                self.marks[key] = read.mark
                self._found.update(dict.fromkeys(read.records))
                left -= read.mark.end - (before.end if before else 0)
        if goes_on:
            self.is_complete = False
            self.unread.append(_("The sync folder holds more than is read at once. The rest is read the next time."))

    def has_damaged(self, state: WriterState) -> bool:
        """Whether lines of that journal are lost."""
        return any(
            (mark.damaged or mark.missing) and mark.writer == state.writer and is_part_of(name, state)
            for name, mark in self.marks.items()
        )

    def has_grown(self, device: str, writer: str) -> bool:
        """Whether a journal of that device by another writer has become longer than before."""
        return any(
            mark.device == device and mark.writer != writer and (before := self._before.get(key)) is not None
            and 0 < before.end < mark.end
            for key, mark in self.marks.items()
        )  # fmt: skip

    def _read(self, name: str, before: FileMark | None) -> FileRead | None:
        try:
            handle = self._folder.open(name)
            try:
                return read_file(handle, before)
            finally:
                os.close(handle)
        except FileNotFoundError:
            return None  # it has just been deleted
        except OSError as error:
            if is_disk_away(error):
                raise
            self.is_complete = False
            self.unread.append(
                _("{file} can't be read ({reason}).", file=shown(name), reason=error.strerror or _("not a file"))
            )
            return None


def _rewrite(journal: Journal, *, always: bool) -> None:
    """Rewrites the journal if less than half of it is still needed, or `always`. Records that this version doesn't
    understand are kept."""
    records: dict[Record, bytes] = {}
    size = 0
    for read, line in journal.lines():
        if read is None or read.record is None:
            return
        records[read.record] = line
        size += len(line)
    until = furthest(time.time_ns() // 1_000_000)  # anything dated further ahead has been reported again
    taken = [one for one in records if one.at <= until]
    kept = [records[one] for one in needed(taken, are_all=journal.is_alone())]
    if not always and sum(map(len, kept)) * 2 > size:
        return
    try:
        journal.rewrite(kept)
    except (OSError, SyncError) as error:
        if always:  # if the history was deleted, that is sent again, and the rewriting tried again
            raise
        log.warning("the journal stays as long as it is: %s", error)
