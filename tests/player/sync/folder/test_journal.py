"""Writing: torn lines, full parts, two writers, a journal that is lost, one that is rewritten."""

import multiprocessing
import os
import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from player.merging.fold import fold
from player.model.syncing import Action
from player.sync.folder.journal import PART_SIZE, Journal
from player.sync.folder.records import Record, content, numbered, parse
from player.sync.folder.shared_folder import SharedFolder
from player.sync.folder.writer_state import HeldState, WriterState, held, read_state
from player.sync.target import SyncError, SyncFailure
from tests.player.sync.folder.helpers import Device, action, all_of, change, fact, journals, records_in
from tests.quick import mostly_long


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "Sync"
    made.mkdir()
    return made


@pytest.fixture
def laptop(tmp_path: Path, folder: Path) -> Device:
    return Device(tmp_path, folder, "laptop")


class Killed(BaseException):
    pass


def interrupted(device: Device, *records: Record, keeps: int | None = None) -> None:
    """As after a kill in the middle of a push: all it wrote is there, or the first bytes, and it remembers nothing."""
    before = {file: file.stat().st_size for file in journals(device.folder)}
    save = HeldState.save

    def killed(held: HeldState, state: WriterState) -> None:
        if state.size:
            raise Killed
        save(held, state)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(HeldState, "save", killed)
        with pytest.raises(Killed):
            device.push(*records)
    if keeps is not None:
        for file in journals(device.folder):
            os.truncate(file, before.get(file, 0) + keeps)
    device.restart()


@pytest.mark.parametrize("keeps", [None, 0, 1, 100, 260, 300, 600])
@pytest.mark.parametrize("before", [(), tuple(action(n) for n in range(5))])
def test_a_push_that_was_interrupted_is_completed_by_the_same_again(
    laptop: Device, keeps: int | None, before: tuple[Record, ...]
) -> None:
    laptop.push(*before)
    more = [action(n) for n in range(10, 14)]
    interrupted(laptop, *more, keeps=keeps)
    laptop.push(*more, action(20))
    (file,) = journals(laptop.folder)
    assert records_in(file) == [*before, *more, action(20)]
    lines = file.read_bytes().split(b"\n")
    assert [read and read.n for read in map(parse, lines)] == [*range(len(lines) - 1), None]
    assert laptop.pull(whole=True).unread == ()


@pytest.mark.parametrize("keeps", [None, 100, 300, 600, 900])
@pytest.mark.parametrize("before", [(), (action(1),)])
def test_what_was_interrupted_and_is_not_wanted_any_more_is_no_other_earmark(
    laptop: Device, keeps: int | None, before: tuple[Record, ...]
) -> None:
    laptop.push(*before)
    interrupted(laptop, action(10), fact(1, f'"{"x" * 500}"'), fact(2), keeps=keeps)
    laptop.push(action(10), fact(1, '"later"', at=8))
    (file,) = journals(laptop.folder)
    records = records_in(file)
    assert records[-1] == fact(1, '"later"', at=8)
    assert records.count(action(10)) == 1
    assert laptop.pull(whole=True).unread == ()


def test_zeros_that_a_power_cut_left_are_removed(laptop: Device) -> None:
    laptop.push(action(1))
    (file,) = journals(laptop.folder)
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"sum' + b"\0" * 500)
    laptop.restart()
    laptop.push(action(2))
    assert file.read_bytes() == whole + numbered(content(action(2)), 2) + b"\n"


def test_parts_are_small_and_their_lines_are_counted(laptop: Device) -> None:
    for begin in range(0, 3000, 500):
        laptop.push(*(action(n) for n in range(begin, begin + 500)))
    files = journals(laptop.folder)
    assert len(files) == 3
    assert all(file.stat().st_size <= PART_SIZE * 1.1 for file in files)
    assert records_in(*files) == [action(n) for n in range(3000)]
    for part, file in enumerate(files, 1):
        reads = [parse(line) for line in file.read_bytes().split(b"\n")[:-1]]
        assert [read and read.n for read in reads] == list(range(len(reads)))
        header = reads[0] and reads[0].header
        assert header
        assert (header.device, header.name, header.part) == ("laptop", "Laptop", part)
    assert laptop.pull(whole=True).unread == ()


def test_a_large_value_has_a_part_of_its_own(laptop: Device) -> None:
    large = [fact(n, f'"{"x" * PART_SIZE * n}"') for n in (1, 2, 3)]
    laptop.push(*large)
    assert records_in(*journals(laptop.folder)) == large
    assert len(journals(laptop.folder)) == 3


# -- two writers ----------------------------------------------------------------------------------------------


def copied(device: Device, home: Path) -> Device:
    """The library on another computer, and all that belongs to it."""
    home.mkdir()
    (home / "Sync").mkdir()
    shutil.copytree(device.folder, home / "Sync", dirs_exist_ok=True)
    other = Device(home, home / "Sync", device.name)
    other.state.write_bytes(device.state.read_bytes())
    other.cursor = device.cursor
    return other


def test_a_copied_library_begins_another_journal_and_says_so(laptop: Device, tmp_path: Path) -> None:
    laptop.push(action(1))
    laptop.pull()
    other = copied(laptop, tmp_path / "other")
    laptop.push(action(2))
    (file,) = journals(laptop.folder)
    shutil.copy(file, journals(other.folder)[0])
    other.push(action(3))
    assert records_in(file) == [action(1), action(2)]
    assert len(journals(other.folder)) == 2
    assert records_in(*journals(other.folder)).count(action(2)) == 1
    said = other.pull().unread
    assert len(said) == 1
    assert said[0].startswith("Another Earmark writes as laptop, too, perhaps from a copy of this library. Nothing is")
    assert other.pull().unread == ()
    for new in journals(other.folder):
        shutil.copy(new, laptop.folder / "earmark-sync" / new.name)
    assert action(3) in laptop.pull().actions
    other.push(action(4))
    for new in journals(other.folder):
        shutil.copy(new, laptop.folder / "earmark-sync" / new.name)
    pulled = laptop.pull()
    assert action(4) in pulled.actions
    assert pulled.unread == said


def test_two_that_write_the_same_journal_in_two_copies_of_the_folder_lose_nothing(
    laptop: Device, tmp_path: Path
) -> None:
    """As Syncthing has it: one of the two wins, and the other's file gets another name."""
    laptop.push(action(1))
    other = copied(laptop, tmp_path / "other")
    laptop.push(action(2))
    other.push(action(4))
    (mine,), (theirs,) = journals(laptop.folder), journals(other.folder)
    shutil.copy(theirs, theirs.with_name(theirs.stem + ".sync-conflict-20260401-120000-ABCDEFG.jsonl"))
    shutil.copy(mine, theirs)
    shutil.copy(theirs.parent / journals(other.folder)[1].name, mine.parent / "laptop.conflict.jsonl")
    won = mine.read_bytes()
    other.push(action(5))
    assert theirs.read_bytes() == won, "this is no longer what it wrote"
    laptop.push(action(6))
    assert set(all_of(other.pull(whole=True))) == {action(n) for n in (1, 2, 4, 5)}
    assert {action(n) for n in (1, 2, 6)} <= set(all_of(laptop.pull(whole=True)))
    assert records_in(mine) == [action(1), action(2), action(6)]


def test_a_file_that_somebody_else_has_made_is_not_written_to(laptop: Device) -> None:
    laptop.push(*(action(n) for n in range(500)))
    (file,) = journals(laptop.folder)
    taken = file.with_name(file.name.replace("0001", "0002"))
    taken.write_bytes(b"theirs")
    laptop.push(*(action(n) for n in range(500, 2000)))
    assert taken.read_bytes() == b"theirs"
    taken.unlink()
    records = records_in(*journals(laptop.folder))
    assert len(records) == len(set(records)) == 2000


def test_what_is_acknowledged_was_flushed_to_the_disk(laptop: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed = []
    flush = os.fsync

    def watched(handle: int) -> None:
        flushed.append((os.fstat(handle).st_ino, os.fstat(handle).st_size))
        flush(handle)

    monkeypatch.setattr(os, "fsync", watched)
    for n in range(2):
        flushed.clear()
        laptop.push(action(n))
        files = [*journals(laptop.folder), laptop.state]
        assert {(file.stat().st_ino, file.stat().st_size) for file in files} <= set(flushed)
    assert (laptop.folder / "earmark-sync").stat().st_ino not in dict(flushed), "only for a new name"


def push_many(home: Path, folder: Path, begin: int) -> None:
    device = Device(home, folder, "laptop")
    for n in range(begin, begin + 20):
        device.push(action(n))


def test_two_processes_of_one_device_write_one_journal(laptop: Device, tmp_path: Path) -> None:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.player.sync.folder.helpers"])
    both = [processes.Process(target=push_many, args=(tmp_path, laptop.folder, begin)) for begin in (0, 100)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    (file,) = journals(laptop.folder)
    expected = {action(n) for n in (*range(20), *range(100, 120))}
    assert set(records_in(file)) == expected
    assert len(records_in(file)) == len(expected)
    assert laptop.pull().unread == ()


def test_waiting_for_another_process_ends_in_words(laptop: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.sync.folder.writer_state._PATIENCE_S", 0.0)
    with held(laptop.state, threading.Event()), pytest.raises(SyncError, match="Another Earmark is writing") as raised:
        laptop.push(action(1))
    assert raised.value.failure is SyncFailure.BUSY
    assert raised.value.retry_s > 0
    laptop.push(action(1))


# -- lost and rewritten ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", mostly_long([1, 0, 2]))
def test_a_journal_whose_files_were_deleted_is_said_to_be_forgotten(laptop: Device, which: int) -> None:
    everything = [action(n) for n in range(3000)]
    laptop.push(*everything)
    files = journals(laptop.folder)
    assert len(files) == 3
    files[which].unlink()
    laptop.restart()
    assert laptop.pull().forgotten
    laptop.push(*everything)
    pulled = laptop.pull()
    assert not pulled.forgotten
    assert len(pulled.unread) == 1
    assert "was missing, so it began another journal." in pulled.unread[0]
    assert set(all_of(laptop.pull(whole=True))) == set(everything)


def test_a_journal_that_is_shorter_than_it_was_is_left_as_it_is(laptop: Device) -> None:
    laptop.push(action(1), action(2))
    (file,) = journals(laptop.folder)
    older = file.read_bytes()[:-10]
    file.write_bytes(older)
    laptop.restart()
    assert laptop.pull().forgotten
    laptop.push(action(1), action(2), action(3))
    assert file.read_bytes() == older
    assert set(all_of(laptop.pull(whole=True))) == {action(n) for n in (1, 2, 3)}


def test_a_journal_with_damaged_lines_is_written_again_in_another(laptop: Device) -> None:
    everything = [action(n) for n in range(30)]
    laptop.push(*everything)
    (file,) = journals(laptop.folder)
    text = file.read_bytes()
    file.write_bytes(text[:3000] + b"\0" * 500 + text[3500:])
    laptop.restart()
    assert laptop.pull().forgotten
    laptop.push(*everything)
    pulled = laptop.pull()
    assert not pulled.forgotten
    assert any("began another journal" in one for one in pulled.unread)
    assert records_in(journals(laptop.folder)[0]) == everything or records_in(journals(laptop.folder)[1]) == everything
    assert not laptop.pull(whole=True).forgotten


def test_what_is_damaged_at_the_end_does_not_count_as_written(laptop: Device) -> None:
    laptop.push(*(action(n) for n in range(100)))
    (file,) = journals(laptop.folder)
    file.write_bytes(file.read_bytes().replace(b'"n":3,', b'"n":4,'))
    laptop.push(action(2))
    assert action(2) in records_in(file)


def fill(device: Device, rounds: int) -> None:
    """Mostly what the next round supersedes."""
    for at in range(rounds):
        device.push(*(fact(n, f'"{"x" * 1000}{at}"', at=at) for n in range(200)), change(1, at=at), action(at))


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.sync.folder.journal.PART_SIZE", 60_000)
    monkeypatch.setattr("player.sync.folder.folder_target._PARTS_BEFORE_REWRITE", [8, 16, 32, 64, 128])


@pytest.mark.usefixtures("small_parts")
def test_a_journal_of_which_little_is_needed_is_rewritten(laptop: Device, tmp_path: Path) -> None:
    phone = Device(tmp_path, laptop.folder, "phone")
    sizes = []
    for begin in range(5):
        fill(laptop, 3)
        laptop.push(*(action(1000 + 10 * begin + n) for n in range(10)))
        phone.pull()
        sizes.append(sum(file.stat().st_size for file in journals(laptop.folder)))
    assert max(sizes) < 2_000_000
    assert laptop.state.read_bytes().count(b"obsolete") == 0
    assert len({file.name.split(".")[1] for file in journals(laptop.folder)}) == 1
    expected: set[Record] = {one for one in laptop.known if isinstance(one, Action)}
    expected |= {change(1, at=2), *(fact(n, f'"{"x" * 1000}2"', at=2) for n in range(200))}
    fresh = Device(tmp_path, laptop.folder, "tablet")
    pulled = fresh.pull()
    assert expected <= set(all_of(pulled)) <= laptop.known
    assert laptop.known <= phone.known
    assert pulled.unread == ()
    assert not laptop.pull().forgotten


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("is_alone", [True, False])
def test_positions_on_the_way_are_left_out_unless_the_device_has_said_more_elsewhere(
    laptop: Device, is_alone: bool
) -> None:
    if not is_alone:
        (laptop.folder / "earmark-sync" / "laptop.0123abcd.0001.jsonl").write_bytes(b"")
    way = [replace(action(0), at=1_700_000_000_000 + n, started_ms=1000, position_ms=1000 + n) for n in range(3000)]
    for begin in range(0, 3000, 500):
        laptop.push(*way[begin : begin + 500])
    left = records_in(*journals(laptop.folder))
    assert left[-1] == way[-1]
    assert (len(left) < 2000) == is_alone
    assert fold(one for one in left if isinstance(one, Action)) == fold(way)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("fails_at", range(8))
def test_a_rewrite_that_is_interrupted_loses_nothing_and_leaves_nothing(
    laptop: Device, monkeypatch: pytest.MonkeyPatch, fails_at: int
) -> None:
    countdown = [fails_at]

    def failing(method: Callable[..., object]) -> Callable[..., object]:
        def run(*args: object) -> object:
            if rewriting:
                countdown[0] -= 1
                if countdown[0] < 0:
                    raise OSError(5, "Input/output error")
            return method(*args)

        return run

    rewriting: list[bool] = []
    rewrite = Journal.rewrite

    def watched(journal: Journal, contents: Sequence[bytes]) -> None:
        rewriting.append(True)
        try:
            rewrite(journal, contents)
        finally:
            rewriting.clear()

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "rewrite", watched)
        for owner, name in ((SharedFolder, "create"), (SharedFolder, "delete"), (HeldState, "save")):
            patched.setattr(owner, name, failing(getattr(owner, name)))
        fill(laptop, 5)
    assert countdown[0] < fails_at, "there was a rewrite"
    laptop.restart()
    laptop.push(action(5000))
    assert len({file.name.split(".")[1] for file in journals(laptop.folder)}) == 1
    read = set(records_in(*journals(laptop.folder)))
    assert {action(5000), *(action(n) for n in range(5)), change(1, at=4)} <= read
    assert {fact(n, f'"{"x" * 1000}4"', at=4) for n in range(200)} <= read
    assert not laptop.pull().forgotten


@pytest.mark.usefixtures("small_parts")
def test_a_journal_that_another_process_rewrites_meanwhile_is_not_forgotten(
    laptop: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(laptop, 1)
    before = read_state(laptop.state)
    fill(laptop, 5)
    assert read_state(laptop.state).writer != before.writer
    states = [before, read_state(laptop.state)]
    monkeypatch.setattr("player.sync.folder.folder_target.read_state", lambda path: states.pop(0))
    assert not laptop.pull().forgotten
    assert states == []


@pytest.mark.usefixtures("small_parts")
def test_a_journal_with_what_this_version_does_not_know_is_not_rewritten(laptop: Device) -> None:
    laptop.push(action(1))
    (file,) = journals(laptop.folder)
    with file.open("ab") as grown:
        grown.write(numbered(b'"dream":{}', 2) + b"\n")
    laptop.restart()
    fill(laptop, 5)
    assert b"dream" in file.read_bytes()
