"""Kept bytes survive a crash: the record knows of too few bytes at worst, never of wrong ones."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from player.media.cache import CacheFile, Differs, Ranges, RemoteVersion
from tests.player.media.sounds import noise

ORIGIN = RemoteVersion(etag='"1"', length=1000, ranged=True, resolved="http://cdn/a.mp3")


def reopened(file: CacheFile, folder: Path) -> CacheFile:
    file.release()
    return CacheFile(folder, "key")


def test_what_was_saved_is_there_the_next_time(tmp_path: Path) -> None:
    body = noise(1000)
    file = CacheFile(tmp_path, "key")
    file.origin = ORIGIN
    assert file.write(0, body[:300]) == 300
    assert file.write(900, body[900:]) == 100
    file.save()
    again = reopened(file, tmp_path)
    assert (again.origin, again.ranges) == (ORIGIN, Ranges(((0, 300), (900, 1000))))
    assert again.read(250, 100) == body[250:300]
    assert again.read(300, 100) == b""
    complete = [again.complete]
    assert again.write(200, body[200:950]) == 600
    complete.append(again.complete)
    assert complete == [False, True]
    again.release()


def test_bytes_that_were_not_recorded_are_not_believed(tmp_path: Path) -> None:
    file = CacheFile(tmp_path, "key")
    file.origin = ORIGIN
    file.write(0, noise(100))
    file.save()
    file.write(100, noise(100))
    again = reopened(file, tmp_path)
    assert again.ranges == Ranges(((0, 100),))
    again.release()


def test_other_bytes_in_the_place_of_kept_ones_are_refused(tmp_path: Path) -> None:
    file = CacheFile(tmp_path, "key")
    file.write(0, b"abcdef")
    assert file.write(3, b"defghi") == 3
    with pytest.raises(Differs):
        file.write(5, b"xyz")
    assert file.read(0, 100) == b"abcdefghi"
    file.release()


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda _: b"not json",
        lambda _: b"[]",
        lambda record: json.dumps({**record, "ranges": [[0, 5000]]}).encode(),
        lambda record: json.dumps({**record, "ranges": "x"}).encode(),
        lambda record: json.dumps({**record, "data": "../../etc/passwd"}).encode(),
        lambda record: json.dumps({**record, "data": "key.gone.bytes"}).encode(),
        lambda record: json.dumps({**record, "origin": {"odd": 1}}).encode(),
        lambda record: json.dumps({**record, "format": 99}).encode(),
    ],
)
def test_a_damaged_record_means_fetching_anew(tmp_path: Path, damage: object) -> None:
    file = CacheFile(tmp_path, "key")
    file.origin = ORIGIN
    file.write(0, noise(100))
    file.save()
    record = tmp_path / "key.json"
    assert callable(damage)
    record.write_bytes(damage(json.loads(record.read_bytes())))
    again = reopened(file, tmp_path)
    assert (again.origin, again.ranges.spans) == (None, ())
    again.release()


def test_discarded_bytes_can_be_read_by_who_has_them_but_are_not_found_again(tmp_path: Path) -> None:
    folder = tmp_path / "media"
    file = CacheFile(folder, "key")
    file.origin = ORIGIN
    file.write(0, b"old")
    file.save()
    file.discard()
    assert file.read(0, 3) == b"old"
    file.save()
    assert list(folder.iterdir()) == []
    again = reopened(file, folder)
    assert again.ranges.spans == ()
    again.release()


WRITER = """
import sys
from pathlib import Path
from player.media.cache import CacheFile
from player.media.cache import RemoteVersion
file = CacheFile(Path(sys.argv[1]), "key")
file.origin = RemoteVersion(length=1 << 30, ranged=True)
at = file.ranges.reach(0)
print("ready", flush=True)
while True:
    file.write(at, bytes([at // 4096 % 251]) * 4096)
    at += 4096
    if at % 40960 == 0:
        file.save()
        print(at, flush=True)
"""


def test_killed_while_writing_it_holds_what_it_says(tmp_path: Path) -> None:
    before = 0
    for saves in (1, 3, 7):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        printed = [writer.stdout.readline() for _ in range(1 + saves)]
        os.kill(writer.pid, signal.SIGKILL)
        writer.communicate()
        file = CacheFile(tmp_path, "key")
        end = file.ranges.reach(0)
        assert end >= int(printed[-1]) > before
        for at in range(0, end, 4096):
            assert file.read(at, 4096) == bytes([at // 4096 % 251]) * 4096
        file.release()
        before = end
