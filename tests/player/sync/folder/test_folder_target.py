"""A folder as a target: what is pushed is pulled by others, and the folder may be away, another one, or read-only."""

import gc
import os
import shutil
import stat
import subprocess
import tracemalloc
from pathlib import Path

import pytest

from player.model.syncing import Carried, Outgoing, Pulled
from player.sync.folder.folder_target import FolderTarget, join_folder
from player.sync.folder.records import Record
from player.sync.target import SyncError, SyncFailure, SyncTarget
from tests.player.sync.folder.helpers import (
    Device,
    action,
    all_of,
    change,
    fact,
    forgotten,
    heard,
    journal_of,
    journals,
    outgoing,
    records_in,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "Sync"
    made.mkdir()
    return made


@pytest.fixture
def laptop(tmp_path: Path, folder: Path) -> Device:
    return Device(tmp_path, folder, "laptop")


@pytest.fixture
def phone(tmp_path: Path, folder: Path) -> Device:
    return Device(tmp_path, folder, "phone")


def test_what_one_device_pushes_another_pulls_once(laptop: Device, phone: Device) -> None:
    target: SyncTarget = laptop.target
    assert target.carries == frozenset(Carried)
    laptop.push(action(1, seen_ms=5), change(1), fact(1))
    pulled = phone.pull()
    assert (pulled.actions, pulled.subscriptions, pulled.facts) == ((action(1, seen_ms=5),), (change(1),), (fact(1),))
    assert pulled.is_whole
    assert pulled.devices == (("laptop", "Laptop"),)
    later = phone.pull()
    assert all_of(later) == []
    assert not later.is_whole
    laptop.push(action(2))
    assert all_of(phone.pull()) == [action(2)]
    assert sorted(map(repr, all_of(phone.pull(whole=True)))) == sorted(map(repr, laptop.known))


def test_what_was_pushed_comes_back_only_to_whoever_asks_for_all_or_has_forgotten(laptop: Device) -> None:
    laptop.push(action(1))
    assert all_of(laptop.pull()) == []
    assert all_of(laptop.pull(whole=True)) == [action(1)]
    laptop.restart()
    laptop.cursor = ""
    assert all_of(laptop.pull()) == [action(1)]


def test_the_same_again_changes_nothing(laptop: Device) -> None:
    records: list[Record] = [*(action(n) for n in range(40)), change(1), fact(1)]
    laptop.push(*records)
    before = {file: file.read_bytes() for file in journals(laptop.folder)}
    laptop.push(*records)
    laptop.restart()
    laptop.push(*records[5:])
    assert {file: file.read_bytes() for file in journals(laptop.folder)} == before
    assert laptop.target.push(Outgoing()).sent == ()


def test_what_no_journal_can_hold_is_refused_and_the_rest_is_written(laptop: Device) -> None:
    pushed = laptop.target.push(outgoing([action(1), action(2, device="no device"), fact(1, "{")]))
    assert pushed.sent == (0,)
    assert [number for number, _ in pushed.refused] == [1, 2]
    assert records_in(*journals(laptop.folder)) == [action(1)]


def test_what_is_forgotten_is_deleted_from_the_files(laptop: Device, phone: Device, folder: Path) -> None:
    """From those of each device, by itself."""
    laptop.push(fact(1), *(heard(number, number) for number in range(1, 9)))
    phone.push(heard(1, 2, "phone"), heard(1, 50, "phone"))
    said = forgotten(5)
    laptop.push(said)
    left = [fact(1), *(heard(number, number) for number in range(5, 9)), said]
    files = journals(folder)
    assert sorted(map(repr, records_in(*(one for one in files if one.name.startswith("laptop"))))) == sorted(
        map(repr, left)
    )
    phone.push(said)
    assert {*records_in(*journals(folder))} == {*left, heard(1, 50, "phone")}
    assert {*all_of(Device(folder.parent, folder, "tablet").pull())} == {*left, heard(1, 50, "phone")}


def test_only_its_own_files_are_written(laptop: Device, phone: Device) -> None:
    laptop.push(action(1))
    (mine,) = journals(laptop.folder)
    text = mine.read_bytes()
    for n in range(2, 6):
        phone.push(action(n, "phone"))
        phone.pull(whole=True)
    assert mine.read_bytes() == text
    assert [file.name.split(".")[0] for file in journals(laptop.folder)] == ["laptop", "phone"]


def test_files_are_for_those_who_may_see_the_folder(laptop: Device, phone: Device) -> None:
    inside = laptop.folder / "earmark-sync"
    assert stat.S_IMODE(inside.stat().st_mode) == 0o700
    laptop.push(action(1))
    assert {stat.S_IMODE(file.stat().st_mode) for file in inside.iterdir()} == {0o600}
    assert stat.S_IMODE(laptop.state.stat().st_mode) == 0o600
    inside.chmod(0o2770)
    phone.push(action(2, "phone"))
    assert [stat.S_IMODE(file.stat().st_mode) for file in journals(laptop.folder)] == [0o600, 0o660]


# -- the folder itself ----------------------------------------------------------------------------------------


def assert_fails(device: Device, failure: SyncFailure, match: str, *, pulls: bool = True) -> None:
    before = (device.state.read_bytes(), device.cursor)
    with pytest.raises(SyncError, match=match) as raised:
        device.push(action(77))
    assert raised.value.failure is failure
    assert raised.value.advice
    if pulls:
        with pytest.raises(SyncError, match=match) as raised:
            device.pull()
        assert raised.value.failure is failure
    assert (device.state.read_bytes(), device.cursor) == before


def test_a_stick_that_is_not_plugged_in_is_said_and_nothing_is_made_where_it_was(laptop: Device) -> None:
    laptop.push(action(1))
    away = laptop.folder.with_name("away")
    laptop.folder.rename(away)
    assert_fails(laptop, SyncFailure.UNREACHABLE, r"The sync folder .*/Sync isn't there\. Plug in")
    assert not laptop.folder.exists()
    laptop.folder.mkdir()  # where a stick is mounted
    assert_fails(laptop, SyncFailure.UNREACHABLE, r"The sync folder .*/Sync isn't there\. Plug in")
    assert list(laptop.folder.iterdir()) == []
    (laptop.folder / "earmark-sync").mkdir()
    assert_fails(laptop, SyncFailure.UNREACHABLE, r"The sync folder .*/Sync isn't there\. Plug in")
    shutil.rmtree(laptop.folder)
    laptop.folder.write_text("a file")
    assert_fails(laptop, SyncFailure.UNREACHABLE, r"The sync folder .*/Sync isn't there\. Plug in")
    laptop.folder.unlink()
    away.rename(laptop.folder)
    laptop.push(action(2))
    assert records_in(*journals(laptop.folder)) == [action(1), action(2)]


def test_another_stick_is_not_taken_for_this_one(laptop: Device, tmp_path: Path) -> None:
    laptop.push(action(1))
    laptop.folder.rename(tmp_path / "away")
    laptop.folder.mkdir()
    join_folder(laptop.folder, tmp_path / "other.json")
    assert_fails(laptop, SyncFailure.UNREACHABLE, r"isn't the folder that this Earmark syncs through\. Plug in")
    assert journals(laptop.folder) == []
    join_folder(laptop.folder, laptop.state)
    laptop.push(action(1))
    assert records_in(*journals(laptop.folder)) == [action(1)]


def test_the_same_folder_elsewhere_is_known(laptop: Device, tmp_path: Path) -> None:
    laptop.push(action(1))
    laptop.folder = laptop.folder.rename(tmp_path / "Dropbox")
    join_folder(laptop.folder, laptop.state)
    laptop.restart()
    laptop.push(action(2))
    assert len(journals(laptop.folder)) == 1


def test_whoever_chooses_the_inner_folder_means_the_outer_one(laptop: Device, tmp_path: Path) -> None:
    laptop.push(action(1))
    inner = Device(tmp_path, laptop.folder / "earmark-sync", "phone")
    assert all_of(inner.pull()) == [action(1)]
    assert not (laptop.folder / "earmark-sync" / "earmark-sync").exists()


def test_two_that_were_set_up_before_their_copies_met_get_along(tmp_path: Path) -> None:
    folders = [tmp_path / "a" / "Sync", tmp_path / "b" / "Sync"]
    for one in folders:
        one.mkdir(parents=True)
    laptop, phone = Device(tmp_path, folders[0], "laptop"), Device(tmp_path, folders[1], "phone")
    laptop.push(action(1))
    phone.push(action(2, "phone"))
    for here, there in (folders, folders[::-1]):
        shutil.copytree(here, there, dirs_exist_ok=True)
    assert all_of(laptop.pull()) == [action(2, "phone")]
    assert all_of(phone.pull()) == [action(1)]
    for marker in sorted((folders[0] / "earmark-sync").glob("folder-*.json")):
        laptop.push(action(3))
        kept = marker.read_bytes()
        marker.unlink()
        laptop.push(action(4))
        marker.write_bytes(kept)


def test_a_folder_that_is_not_there_cannot_be_joined(tmp_path: Path) -> None:
    with pytest.raises(SyncError, match="isn't there") as raised:
        join_folder(tmp_path / "media" / "STICK", tmp_path / "state.json")
    assert raised.value.failure is SyncFailure.UNREACHABLE
    assert not (tmp_path / "media").exists()


def test_a_link_in_place_of_the_inner_folder_is_not_followed(laptop: Device, tmp_path: Path) -> None:
    (laptop.folder / "earmark-sync").rename(tmp_path / "elsewhere")
    (laptop.folder / "earmark-sync").symlink_to(tmp_path / "elsewhere")
    assert_fails(laptop, SyncFailure.UNREACHABLE, "isn't there")
    assert list((tmp_path / "elsewhere").glob("*.jsonl")) == []


def test_a_read_only_disk_is_said_and_can_be_read(laptop: Device, phone: Device) -> None:
    laptop.push(action(1))
    mount = ["mount", "--bind", "-o", "ro", str(laptop.folder), str(laptop.folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    try:
        assert_fails(laptop, SyncFailure.FAULT, r"can't be read and written \(Read-only", pulls=False)
        with pytest.raises(SyncError, match="Read-only"):
            phone.push(action(5, "phone"))
        assert all_of(phone.pull()) == [action(1)]
    finally:
        subprocess.run(["umount", "--lazy", str(laptop.folder)], check=True)
    laptop.push(action(2))
    assert records_in(*journals(laptop.folder)) == [action(1), action(2)]


@pytest.mark.skipif(os.getuid() == 0, reason="root may do all")
def test_a_folder_without_permissions_is_said(laptop: Device) -> None:
    laptop.push(action(1))
    inside = laptop.folder / "earmark-sync"
    inside.chmod(0o500)
    (laptop.folder / "earmark-sync" / journals(laptop.folder)[0].name).chmod(0o400)
    try:
        assert_fails(laptop, SyncFailure.FAULT, r"can't be read and written \(Permission", pulls=False)
    finally:
        inside.chmod(0o700)


def test_a_state_that_cannot_be_written_is_said(laptop: Device) -> None:
    laptop.state.unlink()
    laptop.state.mkdir()
    with pytest.raises(SyncError, match=r"Can't write .*laptop\.json \(Is a directory\)") as raised:
        laptop.push(action(1))
    assert raised.value.failure is SyncFailure.FAULT
    assert journals(laptop.folder) == []


@pytest.mark.parametrize("text", [b"", b"\0" * 4096, b"[]", b'{"writer":"../../x"}', b"\xff"])
def test_without_its_state_it_begins_another_journal_and_loses_nothing(laptop: Device, text: bytes) -> None:
    laptop.push(action(1))
    laptop.state.write_bytes(text)
    laptop.restart()
    laptop.push(action(2))
    assert sorted(map(repr, all_of(laptop.pull(whole=True)))) == sorted(map(repr, [action(1), action(2)]))
    assert len(journals(laptop.folder)) == 2


# -- how much --------------------------------------------------------------------------------------------------


def test_a_folder_with_more_than_is_read_at_once_is_read_in_turns(
    laptop: Device, phone: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.sync.folder.folder_target.MOST_BYTES", 1000)
    for n in range(5):
        file = laptop.folder / "earmark-sync" / f"d{n}.jsonl"
        file.write_bytes(journal_of([action(10 * n + i, f"d{n}") for i in range(3)], f"d{n}"))
    pulled = [phone.pull() for _ in range(5)]
    assert [len(all_of(one)) for one in pulled] == [6, 6, 3, 0, 0]
    assert [len(one.unread) for one in pulled] == [1, 1, 0, 0, 0]
    assert not any(one.is_whole for one in pulled)


def test_aborting_ends_a_pull_and_the_next_one_works(laptop: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    laptop.push(action(1))
    read = FolderTarget.pull

    def aborted(target: FolderTarget, cursor: str, *, whole: bool) -> Pulled:
        monkeypatch.setattr(target._stopped, "clear", target.abort)
        return read(target, cursor, whole=whole)

    with monkeypatch.context() as patched:
        patched.setattr(FolderTarget, "pull", aborted)
        with pytest.raises(SyncError, match="stopped"):
            laptop.pull()
    laptop.restart()
    assert laptop.pull(whole=True).actions == (action(1),)


def test_what_a_device_has_said_takes_no_memory_once_it_has_read_past_it(laptop: Device) -> None:
    laptop.pull()
    laptop.push(*map(fact, range(20)))
    assert all_of(laptop.pull()) == []
    tracemalloc.start()
    try:
        laptop.push(*map(fact, range(20, 520)))
        assert all_of(laptop.pull()) == []
        gc.collect()
        kept = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "*/folder_target.py")])
    finally:
        tracemalloc.stop()
    assert sum(one.size for one in kept.statistics("filename")) < 15_000
