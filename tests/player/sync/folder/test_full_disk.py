"""The disk of the folder is full: a sentence, nothing counts as sent, and the journal is as it was."""

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from player.sync.target import SyncError, SyncFailure
from tests.player.sync.folder.helpers import Device, action, journals, outgoing, records_in


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "earmark-test", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def no_file_above(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def failure_of(device: Device, begin: int) -> SyncError | None:
    try:
        device.push(*(action(one) for one in range(begin, begin + 100)))
    except SyncError as error:
        return error
    return None


def push_until_full(device: Device) -> int:
    """How many records were acknowledged."""
    for n in range(0, 20_000, 100):
        before = {file: file.read_bytes() for file in journals(device.folder)}
        error = failure_of(device, n)
        if error is not None:
            assert error.failure is SyncFailure.FAULT
            assert str(error).startswith("No space left in the sync folder")
            assert {file: text for file in journals(device.folder) if (text := file.read_bytes())} == before
            return n
    pytest.fail("the disk never filled up")


def assert_goes_on(device: Device, acknowledged: int) -> None:
    device.push(*(action(one) for one in range(acknowledged, acknowledged + 100)))
    assert records_in(*journals(device.folder)) == [action(n) for n in range(acknowledged + 100)]
    pulled = device.pull(whole=True)
    assert pulled.unread == ()
    assert not pulled.forgotten


def test_on_a_full_disk_nothing_counts_as_sent(small_disk: Path, tmp_path: Path) -> None:
    device = Device(tmp_path, small_disk)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 600_000)
    acknowledged = push_until_full(device)
    assert acknowledged > 300
    with pytest.raises(SyncError, match="No space left"):
        device.push(*(action(one) for one in range(acknowledged, acknowledged + 100)))
    ballast.unlink()
    assert_goes_on(device, acknowledged)


@pytest.mark.parametrize("restarts", [False, True])
def test_beyond_a_limit_on_the_size_of_files_neither(tmp_path: Path, restarts: bool) -> None:
    (tmp_path / "Sync").mkdir()
    device = Device(tmp_path, tmp_path / "Sync")
    with no_file_above(100_000):
        acknowledged = push_until_full(device)
    if restarts:
        device.restart()
    assert_goes_on(device, acknowledged)


def test_a_disk_that_is_full_from_the_start_holds_no_half_file(small_disk: Path, tmp_path: Path) -> None:
    device = Device(tmp_path, small_disk)
    ballast = small_disk / "ballast"
    with pytest.raises(OSError, match="No space"):
        ballast.write_bytes(b"x" * 2_000_000)
    with pytest.raises(SyncError, match="No space left"):
        device.push(action(0))
    assert b"".join(file.read_bytes() for file in journals(small_disk)) == b""
    ballast.unlink()
    device.push(action(0))
    assert records_in(*journals(small_disk)) == [action(0)]
    assert len(journals(small_disk)) == 1


@pytest.mark.parametrize("ends", ["full", "shorter"])
def test_the_state_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str) -> None:
    """The journal is on another disk than the library: the same is sent again, and isn't doubled."""
    (tmp_path / "Sync").mkdir()
    device = Device(tmp_path, tmp_path / "Sync")
    device.push(action(0))
    write = os.pwrite

    def full(handle: int, data: bytes, at: int) -> int:
        if ends == "shorter":
            return write(handle, data[:20], at)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", full)
        with pytest.raises(SyncError, match=r"Can't write .*laptop\.json"):
            device.target.push(outgoing([action(1)]))
    device.push(action(1), action(2))
    assert set(records_in(*journals(device.folder))) == {action(n) for n in range(3)}
    if ends == "full":
        assert records_in(*journals(device.folder)) == [action(n) for n in range(3)]
