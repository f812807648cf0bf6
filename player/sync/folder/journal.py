"""This device's journal: appended to, without duplicates and without records that are no longer needed, and replaced
by another one if another Earmark wrote to it.
"""

import json
import os
import re
import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress

from msgspec.structs import replace

from player.merging.clock import usable
from player.merging.compaction import compacted
from player.merging.facts import forgotten_until, latest
from player.model.syncing import Action, EpisodeName, Fact, FactKind, SubscriptionChange
from player.sync.folder.records import Read, Record, content_of, header_line, numbered, parse
from player.sync.folder.shared_folder import NotAFile, SharedFolder
from player.sync.folder.writer_state import HeldState, WriterState

PART_SIZE = 1 << 18
"""Bytes after which another file is begun: a tool that copies whole files copies that much for each new line."""

_LATELY = 1000
"""Records at the end of the journal that are checked so that they aren't written twice; or as many as are to be
written."""
_TAIL = 4096
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


class _Taken(Exception):
    """Another Earmark has already created the next file."""


class _File:
    """An open file of the journal."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.size = os.fstat(handle).st_size

    def close(self) -> None:
        os.close(self._handle)

    def read(self, begin: int, end: int) -> bytes:
        pieces = []
        while begin < end and (piece := os.pread(self._handle, end - begin, begin)):
            pieces.append(piece)
            begin += len(piece)
        return b"".join(pieces)

    def tail(self, end: int) -> str:
        """The hash of the last bytes before `end`."""
        from hashlib import sha256  # loads OpenSSL, which a start of the app doesn't need

        return sha256(self.read(max(0, end - _TAIL), end)).hexdigest()[:16]

    def append(self, data: bytes) -> None:
        """Everything is on the disk when it returns. Raises OSError; then the file is as it was before, if the disk
        allows it."""
        at = 0
        try:
            while at < len(data):
                at += os.write(self._handle, data[at:])
            os.fsync(self._handle)
        except OSError:
            with suppress(OSError):
                self.cut(self.size)
            raise
        self.size += len(data)

    def cut(self, size: int) -> None:
        os.ftruncate(self._handle, size)
        self.size = size


class Journal:
    """The device's journal in an open folder, while its state is held. Methods raise OSError and SyncError."""

    def __init__(self, folder: SharedFolder, held: HeldState, device: str, name: str) -> None:
        self._folder = folder
        self._held = held
        self._device = device
        self._name = name
        self.is_shared = False
        """Whether it has turned out that another Earmark writes as this device."""
        self.is_gone = False
        """Whether it has turned out that part of the journal is missing."""

    def append(self, contents: Sequence[bytes], *, anew: bool = False) -> None:
        """Everything is on the disk when it returns; `anew`: in a new journal. Records already at the end of the
        journal aren't written again, because an interrupted Earmark sends the same records once more."""
        self.remove_obsolete()
        wanted = dict.fromkeys(contents)
        if anew:
            self.is_gone = True
            self._begin()
        else:
            self._find_end(wanted)
        self._leave_out_written(wanted)
        while wanted:
            try:
                self._write(list(wanted))
                return
            except _Taken:
                self._leave_out_written(wanted)
                self.is_shared = True
                self._begin()

    @property
    def parts(self) -> int:
        return self._held.state.part

    def is_alone(self) -> bool:
        """Whether the folder has no other journal of the device, and no copy of this one."""
        state = self._held.state
        stem = _file_name(state).partition(".")[0] + "."
        own = {_file_name(replace(state, part=part)) for part in range(1, state.part + 1)}
        return {name for name in self._folder.names() if name.startswith(stem)} <= own

    def lines(self) -> Iterator[tuple[Read | None, bytes]]:
        """The lines of all parts, in order: the record of each, None if it is damaged, and its content."""
        state = self._held.state
        for part in range(1, state.part + 1):
            for line in self._lines(replace(state, part=part)):
                read = parse(line)
                if read is None or read.header is None:
                    yield read, content_of(line)

    def rewrite(self, contents: Sequence[bytes]) -> None:
        """A new journal with `contents` replaces this one, whose files are then deleted.

        Readers may see both meanwhile, or a part of each; no record is missing from both.
        """
        former = self._held.state
        begun = self._begun(former)
        self._held.save(replace(former, obsolete=(*former.obsolete, begun.writer)))
        for filled, data in self._pieces(begun, contents):
            begun = self._put(filled, data)
        self._folder.flush()
        self._held.save(replace(begun, obsolete=(*former.obsolete, former.writer)))
        self.remove_obsolete()

    def remove_obsolete(self) -> None:
        state = self._held.state
        obsolete = set(state.obsolete) - {state.writer}
        if not state.obsolete:
            return
        for name in self._folder.names():
            stem, _, part = name.removesuffix(".jsonl").rpartition(".")
            if part.isdecimal() and name.endswith(".jsonl") and stem.rpartition(".")[2] in obsolete:
                self._folder.delete(name)
        self._folder.flush()
        self._held.save(replace(state, obsolete=()))

    # -- where it ends ----------------------------------------------------------------------------------------

    def _find_end(self, wanted: dict[bytes, None]) -> None:
        """Finds the end. After a crash the journal may be longer than the stored state says: by a write in progress, or
        by the records that were to be written then and are `wanted` again now."""
        state = self._held.state
        if not state.writer or state.device != self._device:
            self._begin()
            return
        if is_incomplete(self._folder, state):
            self.is_gone = True
            self._begin()
            return
        try:
            file = _File(self._folder.open_to_append(_file_name(state)))
        except FileNotFoundError:
            return  # stored in the state, but never created
        except NotAFile:
            self._begin()
            return
        with closing(file):
            if state.size and file.tail(state.size) != state.tail:
                self.is_shared = True
                self._begin()
            elif file.size > state.size:
                self._take_in(file, wanted)

    def _take_in(self, file: _File, wanted: dict[bytes, None]) -> None:
        """Records that were written but aren't in the stored state: ours, or another Earmark's."""
        state = self._held.state
        is_ours = file.size - state.size <= state.writing
        *lines, torn = file.read(state.size, file.size).split(b"\n")
        header = self._header(state)
        number = state.next
        for line in lines:
            read = parse(line)
            is_known = is_ours or content_of(line) in wanted or (not state.size and line == header)
            if read is None or not is_known:
                self.is_shared = True
                self._begin()
                return
            number = read.n + 1
        rest = torn.rstrip(b"\0")  # a power cut may leave a file longer than what was written
        expected = (header, *(numbered(one, number) for one in wanted))
        if rest and not is_ours and not any(one.startswith(rest) for one in expected):
            self._begin()
            return
        if torn:
            file.cut(file.size - len(torn))
        tail = file.tail(file.size) if file.size else ""
        self._held.save(replace(state, size=file.size, tail=tail, next=number, writing=0))

    def _leave_out_written(self, wanted: dict[bytes, None]) -> None:
        for line in self._lately(max(_LATELY, len(wanted))):
            if (written := content_of(line)) in wanted and parse(line):
                del wanted[written]

    def _lately(self, count: int) -> Iterator[bytes]:
        """The last lines, at least `count` of them if there are that many."""
        state = self._held.state
        part = state.part
        while part > 0 and count > 0:
            lines = self._lines(replace(state, part=part))
            yield from lines
            count -= len(lines)
            part -= 1

    def _lines(self, state: WriterState) -> list[bytes]:
        try:
            file = _File(self._folder.open(_file_name(state)))
        except (FileNotFoundError, NotAFile):
            return []
        with closing(file):
            return file.read(0, file.size).split(b"\n")[:-1]

    # -- writing ----------------------------------------------------------------------------------------------

    def _write(self, contents: Sequence[bytes]) -> None:
        state = self._held.state
        for filled, data in self._pieces(state, contents):
            # Stored in the state before it is created, so that after a crash it is known to be ours.
            if filled.part != state.part:
                self._held.save(replace(filled, size=0, tail="", next=0, writing=len(data)))
            else:
                self._held.note(replace(state, writing=len(data)))
            state = self._put(filled, data)
            self._held.save(state)

    def _pieces(self, state: WriterState, contents: Sequence[bytes]) -> Iterator[tuple[WriterState, bytes]]:
        """The bytes for each file, and the state before they are written, except for `next`."""
        data: list[bytes] = []
        size = state.size
        for one in contents:
            if not state.part or (size and size + len(one) > PART_SIZE):
                if data:
                    yield state, b"".join(data)
                state, size, data = replace(state, part=state.part + 1, size=0, tail="", next=0), 0, []
            if not size:
                data.append(self._header(state) + b"\n")
                size += len(data[0])
                state = replace(state, next=1)
            data.append(numbered(one, state.next) + b"\n")
            size += len(data[-1])
            state = replace(state, next=state.next + 1)
        if data:
            yield state, b"".join(data)

    def _put(self, state: WriterState, data: bytes) -> WriterState:
        """Writes a piece; returns the state once it is on the disk."""
        name = _file_name(state)
        try:
            file = _File(self._folder.open_to_append(name) if state.size else self._folder.create(name))
        except FileExistsError:  # made before a crash, and empty
            file = _File(self._folder.open_to_append(name))
        with closing(file):
            if file.size != state.size:
                raise _Taken
            file.append(data)
            if not state.size:
                self._folder.flush()
            return replace(state, size=file.size, tail=file.tail(file.size), writing=0)

    def _begin(self) -> None:
        self._held.save(self._begun(self._held.state))

    def _begun(self, state: WriterState) -> WriterState:
        return WriterState(state.markers, self._device, secrets.token_hex(4), obsolete=state.obsolete)

    def _header(self, state: WriterState) -> bytes:
        return header_line(self._device, self._name, state.writer, state.part)


def is_part_of(name: str, state: WriterState) -> bool:
    """Whether the file of that name is part of the journal, and not a copy."""
    return any(name == _file_name(replace(state, part=part)) for part in range(1, state.part + 1))


def is_incomplete(folder: SharedFolder, state: WriterState) -> bool:
    """Whether any part that the state refers to is no longer in the folder."""
    last = state.part if state.size else state.part - 1
    if not state.writer or last < 1:
        return False
    sizes = [folder.size(_file_name(replace(state, part=part))) for part in range(1, last + 1)]
    return None in sizes or (last == state.part and (sizes[-1] or 0) < state.size)


def _file_name(state: WriterState) -> str:
    shown = _NOT_IN_NAMES.sub("_", state.device)[:40] or "_"
    return f"{shown}.{state.writer}.{state.part:04}.jsonl"


def needed(records: Sequence[Record], *, are_all: bool) -> list[Record]:
    """The subset of one device's `records` that leads to the same result as all of them, each once and in the same
    order.

    Of a fact and a subscription the latest; spans of deleted history aren't needed. Some of an episode's actions can be
    left out, but only if `are_all`: the device has made no others. The actions of an episode that has several names are
    all kept.
    """
    facts = latest(one for one in records if isinstance(one, Fact)).values()
    until = max((forgotten_until(one) for one in facts), default=0)
    kept: set[Record] = {one for one in facts if one.kind is not FactKind.SPAN or _began_at(one) >= until}
    kept.update(_latest_changes(one for one in records if isinstance(one, SubscriptionChange)))
    actions = [one for one in records if isinstance(one, Action)]
    kept.update(_needed_actions(actions) if are_all else actions)
    return [one for one in dict.fromkeys(records) if one in kept]


def _began_at(span: Fact) -> int:
    """0 if the key isn't that of a span."""
    try:
        *_episode, began_at = json.loads(span.key)
    except (ValueError, TypeError, RecursionError):
        return 0
    return began_at if isinstance(began_at, int) else 0


def _latest_changes(changes: Iterable[SubscriptionChange]) -> Iterable[SubscriptionChange]:
    counts: dict[str, SubscriptionChange] = {}
    for one in changes:
        other = counts.get(one.podcast)
        if other is None or (usable(one.at), one.subscribed) > (usable(other.at), other.subscribed):
            counts[one.podcast] = one
    return counts.values()


def _needed_actions(actions: Iterable[Action]) -> Iterable[Action]:
    by_name: defaultdict[EpisodeName, list[Action]] = defaultdict(list)
    for one in actions:
        by_name[one.episode].append(one)
    names: defaultdict[str, set[EpisodeName]] = defaultdict(set)
    for name in by_name:
        names[name.guid].add(name)
        names[name.url].add(name)
    for name, own in by_name.items():
        others = names[name.url] | (names[name.guid] if name.guid else set())
        yield from compacted(own) if others == {name} else own
