"""One Earmark at a time plays from a library."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from player.errors import AlreadyRunning, LibraryError, ReadOnlyLibrary
from player.integrations.single_instance import InstanceLock

_HOLD = """
import sys, time
from pathlib import Path
from player.integrations.single_instance import InstanceLock
InstanceLock(Path(sys.argv[1])).take()
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "earmark.lock"


def holder(path: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen([sys.executable, "-c", _HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_the_second_to_come_is_told_who_was_first(path: Path) -> None:
    first = InstanceLock(path)
    first.take()
    with pytest.raises(AlreadyRunning) as refused:
        InstanceLock(path).take()
    assert f"PID {os.getpid()}" in str(refused.value)
    assert "earmark toggle" in str(refused.value)
    first.release()


def test_a_lock_let_go_can_be_taken_by_another_and_again_by_the_first(path: Path) -> None:
    first, second = InstanceLock(path), InstanceLock(path)
    first.take()
    first.take()
    first.release()
    first.release()
    second.take()
    second.release()
    first.take()
    first.release()


def test_a_lock_that_two_threads_let_go_at_once_is_let_go_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock, truncate = InstanceLock(path), os.ftruncate
    closed: list[int] = []
    lock.take()

    def meanwhile(_handle: int, _length: int) -> None:
        monkeypatch.setattr(os, "ftruncate", truncate)
        lock.release()  # as another thread would in the middle of it

    monkeypatch.setattr(os, "ftruncate", meanwhile)
    monkeypatch.setattr(os, "close", closed.append)
    lock.release()
    monkeypatch.undo()
    (handle,) = closed
    os.close(handle)


def test_another_process_is_named(path: Path) -> None:
    process = holder(path)
    try:
        with pytest.raises(AlreadyRunning, match=f"PID {process.pid}"):
            InstanceLock(path).take()
    finally:
        process.kill()
        process.wait()


def test_a_process_that_was_killed_holds_nothing(path: Path) -> None:
    process = holder(path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    lock = InstanceLock(path)
    lock.take()
    assert path.read_text() == f"{os.getpid()}\n"
    lock.release()


def test_what_is_no_process_id_is_not_repeated(path: Path) -> None:
    first = InstanceLock(path)
    first.take()
    path.write_bytes(b"\x1b[31mnonsense")
    with pytest.raises(AlreadyRunning) as refused:
        InstanceLock(path).take()
    assert "process" not in str(refused.value)
    first.release()


def test_a_folder_that_may_not_be_written_to_is_named(path: Path) -> None:
    path.parent.mkdir(mode=0o500)
    if os.access(path.parent, os.W_OK):
        pytest.skip("this user may write anywhere")
    with pytest.raises(ReadOnlyLibrary, match="can't be written to"):
        InstanceLock(path).take()


def test_a_path_where_no_file_can_be_is_a_sentence(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(LibraryError, match=r"Can't open .*earmark\.lock"):
        InstanceLock(path).take()


def test_the_lock_is_for_its_owner_alone_and_no_child_inherits_it(path: Path) -> None:
    lock = InstanceLock(path)
    lock.take()
    assert path.stat().st_mode & 0o777 == 0o600
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    lock.release()
    other = InstanceLock(path)
    other.take()
    other.release()
    child.communicate(b"\n")
