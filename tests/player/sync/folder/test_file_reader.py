"""Journals that are damaged, half there, doubled or strange: read as far as they go, and said."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.model.syncing import Pulled
from player.sync.folder.file_reader import LONGEST_FILE
from player.sync.folder.folder_target import FolderTarget
from player.sync.folder.records import LONGEST_LINE, Record, content, header_line, numbered
from tests.player.sync.folder.helpers import Device, action, all_of, change, fact, journal_of, records_in

RECORDS: list[Record] = [*(action(n) for n in range(6)), change(1), fact(1)]
JOURNAL = journal_of(RECORDS)
LINES = JOURNAL.split(b"\n")[:-1]


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Device:
    """One that reads what others left in its folder."""
    home = tmp_path_factory.mktemp("home")
    (home / "Sync").mkdir()
    return Device(home, home / "Sync", "phone")


def place(device: Device, *texts: bytes) -> list[Path]:
    for old in (device.folder / "earmark-sync").glob("*.jsonl"):
        old.unlink()
    files = [device.folder / "earmark-sync" / f"laptop.0123abcd.{n:04}.jsonl" for n in range(1, len(texts) + 1)]
    for file, text in zip(files, texts, strict=True):
        file.write_bytes(text)
    return files


def read(device: Device, *texts: bytes) -> Pulled:
    place(device, *texts)
    return device.target.pull("", whole=False)


@given(st.integers(0, len(JOURNAL)))
def test_the_beginning_of_a_journal_gives_the_beginning_of_its_records(device: Device, size: int) -> None:
    lines = JOURNAL[:size].count(b"\n")
    pulled = read(device, JOURNAL[:size])
    assert all_of(pulled) == RECORDS[: max(0, lines - 1)]
    assert pulled.unread == ()
    device.target.pull(pulled.cursor, whole=False)
    (device.folder / "earmark-sync" / "laptop.0123abcd.0001.jsonl").write_bytes(JOURNAL)
    rest = device.target.pull(pulled.cursor, whole=False)
    assert all_of(rest) == RECORDS[max(0, lines - 1) :]
    assert rest.unread == ()


@given(st.data())
def test_pieces_of_journals_in_any_order_give_their_whole_lines_once(device: Device, data: st.DataObject) -> None:
    cuts = st.tuples(st.integers(0, len(JOURNAL)), st.integers(0, len(JOURNAL)), st.binary(max_size=20))
    pieces = data.draw(st.lists(cuts, max_size=5))
    text = b"".join(JOURNAL[min(a, b) : max(a, b)] + junk for a, b, junk in pieces)
    whole = [n - 1 for line in text.split(b"\n")[:-1] for n in range(1, len(LINES)) if line == LINES[n]]
    assert set(all_of(read(device, text, text))) == {RECORDS[n] for n in whole}
    assert len(all_of(read(device, text, text))) == len(set(whole))


@given(st.binary(max_size=300), st.text(max_size=40))
def test_no_file_and_no_cursor_raise(device: Device, text: bytes, cursor: str) -> None:
    place(device, text, JOURNAL)
    assert all_of(device.target.pull(cursor, whole=False)) == RECORDS


@given(st.data())
def test_any_cursor_of_the_right_form_loses_nothing_that_comes_later(device: Device, data: st.DataObject) -> None:
    """Of a file that isn't what it was, all is read."""
    other = journal_of([action(n) for n in range(100, 106)])
    place(device, other[: data.draw(st.integers(0, len(other)))])
    cursor = device.target.pull("", whole=False).cursor
    place(device, JOURNAL)
    assert set(all_of(device.target.pull(cursor, whole=False))) == set(RECORDS)


@pytest.mark.parametrize(
    ("text", "records", "unread"),
    [
        (JOURNAL.replace(LINES[3], b"\0" * len(LINES[3])), 7, "1 line of {} is damaged, and was skipped."),
        (JOURNAL.replace(LINES[3], b"\xff\xfe"), 7, "1 line of {} is damaged, and was skipped."),
        (JOURNAL.replace(LINES[0], LINES[0][:30]), 8, "1 line of {} is damaged, and was skipped."),
        (JOURNAL.replace(LINES[3] + b"\n", b""), 7, "1 line of {} is missing."),
        (
            JOURNAL.replace(LINES[3] + b"\n" + LINES[4] + b"\n", b"x\n"),
            6,
            "1 line of {} is damaged, and was skipped.|1 line of {} is missing.",
        ),
        (JOURNAL.replace(b"\n", b"\r\n"), 8, None),
        (JOURNAL.replace(b"\n", b"\n\n"), 8, "9 lines of {} are damaged, and were skipped."),
        (JOURNAL.decode().encode("utf-16"), 0, "{} isn't a journal of Earmark's, and wasn't read."),
        (JOURNAL.replace(LINES[3], b"y" * LONGEST_LINE * 2), 7, "1 line of {} is damaged, and was skipped."),
        (JOURNAL + b'{"mine": 1}\n' * 2, 8, "2 lines of {} are damaged, and were skipped."),
        (b'{"mine": 1}\n' * 2, 0, "{} isn't a journal of Earmark's, and wasn't read."),
        (
            b"<<<<<<< HEAD\n" + JOURNAL + b"=======\n" + JOURNAL + b">>>>>>> laptop\n",
            8,
            "3 lines of {} are damaged, and were skipped.",
        ),
        (
            JOURNAL + numbered(b'"dream":{}', 9) + b"\n",
            8,
            "1 line of {} says something that this version doesn't know, and was skipped.",
        ),
        (
            numbered(b'"journal":{"format":"earmark-journal","version":2}', 0) + b"\n" + JOURNAL,
            0,
            "{} was written by a newer version of Earmark, and wasn't read.",
        ),
        (JOURNAL + JOURNAL, 8, None),
        (b"", 0, None),
    ],
)
def test_what_is_skipped_is_said_as_long_as_it_is_there(
    device: Device, text: bytes, records: int, unread: str | None
) -> None:
    pulled = read(device, text)
    assert len(all_of(pulled)) == records
    said = tuple(unread.replace("{}", "laptop.0123abcd.0001.jsonl").split("|")) if unread else ()
    assert pulled.unread == said
    again = device.target.pull(pulled.cursor, whole=False)
    assert (all_of(again), again.unread) == ([], said)
    place(device, JOURNAL)
    mended = device.target.pull(again.cursor, whole=False)
    assert mended.unread == ()
    assert set(all_of(pulled)) | set(all_of(mended)) == set(RECORDS)


def test_half_a_line_is_said_when_the_rest_does_not_come(device: Device) -> None:
    pulled = read(device, JOURNAL[:-5])
    assert pulled.unread == ()
    later = device.target.pull(pulled.cursor, whole=False)
    said = "laptop.0123abcd.0001.jsonl ends in the middle of a line. The rest is read once it is there."
    assert later.unread == (said,)
    assert device.target.pull(later.cursor, whole=True).unread == (said,)
    place(device, JOURNAL)
    assert device.target.pull(later.cursor, whole=False).unread == ()


def test_a_file_that_was_touched_long_ago_is_not_read_again(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    (file,) = place(device, JOURNAL)
    assert '"stat"' not in device.target.pull("", whole=False).cursor, "it may be touched again without a trace"
    os.utime(file, ns=(10**18, 10**18))
    pulled = device.target.pull("", whole=False)
    before = file.stat()
    with monkeypatch.context() as patched:
        patched.delattr(os, "pread")
        assert device.target.pull(pulled.cursor, whole=False).cursor == pulled.cursor
    file.write_bytes(JOURNAL.replace(LINES[3], b"z" * len(LINES[3])))
    os.utime(file, ns=(10**18, 10**18))
    assert file.stat().st_size == before.st_size
    assert device.target.pull(pulled.cursor, whole=False).unread, "its change time gives it away"


def test_more_than_a_journal_may_have_is_left(device: Device) -> None:
    (file,) = place(device, JOURNAL)
    with file.open("r+b") as grown:
        grown.truncate(LONGEST_FILE + 5)
    pulled = device.target.pull("", whole=False)
    assert all_of(pulled) == RECORDS
    assert pulled.unread == ("laptop.0123abcd.0001.jsonl is longer than a journal may be, and was read only in part.",)


def test_copies_that_tools_make_are_read_and_double_nothing(device: Device) -> None:
    (file,) = place(device, JOURNAL)
    names = [
        "laptop.0123abcd.0001.sync-conflict-20260401-120000-ABCDEFG.jsonl",
        "laptop.0123abcd.0001 (conflicted copy 2026-04-01).jsonl",
        "laptop.0123abcd.0001 (1).jsonl",
        "laptop.0123abcd.0001-DESKTOP.jsonl",
    ]
    for n, name in enumerate(names):
        file.with_name(name).write_bytes(JOURNAL + numbered(content(action(50 + n)), 9) + b"\n")
    for name in (".syncthing.laptop.0123abcd.0001.jsonl.tmp", ".laptop.0123abcd.0001.jsonl.Xy12Za", "notes.txt"):
        file.with_name(name).write_bytes(b"half")
    pulled = device.target.pull("", whole=False)
    assert sorted(map(repr, all_of(pulled))) == sorted(map(repr, [*RECORDS, *(action(50 + n) for n in range(4))]))
    assert pulled.unread == ()
    assert pulled.devices == (("laptop", "Laptop"),)


def test_no_more_is_said_than_a_person_reads(device: Device) -> None:
    place(device, *[b"x\n"] * 60)
    unread = device.target.pull("", whole=False).unread
    assert len(unread) == 51
    assert unread[-1] == "10 more files can't be read."


def test_links_pipes_and_folders_with_names_of_journals_are_harmless(device: Device, tmp_path: Path) -> None:
    (file,) = place(device, JOURNAL)
    secret = tmp_path / "secret"
    secret.write_bytes(journal_of([action(99)]))
    file.with_name("link.jsonl").symlink_to(secret)
    file.with_name("loop.jsonl").symlink_to("loop.jsonl")
    os.mkfifo(file.with_name("pipe.jsonl"))
    file.with_name("folder.jsonl").mkdir()
    file.rename(file.with_name(os.fsdecode(b"\xff\x1b[2J.jsonl")))
    try:
        pulled = device.target.pull("", whole=False)
        assert all_of(pulled) == RECORDS
        assert pulled.unread == tuple(
            f"{name}.jsonl can't be read (not a file)." for name in ("folder", "link", "loop", "pipe")
        )
        assert all_of(device.target.pull(pulled.cursor, whole=False)) == []
    finally:
        file.with_name("folder.jsonl").rmdir()


@pytest.mark.parametrize("name", ["../../elsewhere", "..", "/etc/passwd", "a/b", "", "ä" * 300, "\x1b[2J", "CON"])
def test_no_name_of_a_device_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    room = tmp_path / "room"
    (room / "Sync").mkdir(parents=True)
    device = Device(room, room / "Sync")
    device.target = FolderTarget(device.folder, name, name, device.state)
    device.push(action(1))
    before = {room / "laptop.json", room / "Sync", room / "Sync" / "earmark-sync"}
    made = set(room.rglob("*")) - before
    assert {one.parent for one in made} == {room / "Sync" / "earmark-sync"}
    assert records_in(*(one for one in made if one.suffix == ".jsonl")) == [action(1)]


def test_a_header_with_anything_in_it_is_only_shown_clean(device: Device) -> None:
    text = numbered(header_line("a/b", "x", "w", 1).partition(b"0,")[2][:-1].replace(b'"x"', b'"\\u001b[2J"'), 0)
    pulled = read(device, text + b"\n" + JOURNAL)
    assert all_of(pulled) == RECORDS
    assert pulled.devices == ()
