"""A file is read once it was saved and stays the same for a look; one that is broken changes nothing."""

import os
from pathlib import Path

import pytest

from player.settings import Mouse, Playback, Settings
from player.watching import FileWatch

OFF = "[mouse]\nenabled = false\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_what_was_saved_is_read_once(path: Path) -> None:
    path.write_text("")
    watch = FileWatch(path)
    path.write_text(OFF)
    assert watch.look(Settings()) is None, "it may still be being written"
    read = watch.look(Settings())
    assert read is not None
    assert read.settings == Settings(mouse=Mouse(enabled=False))
    assert watch.look(Settings()) is None


def test_a_file_that_is_away_for_a_moment_isnt_gone(path: Path) -> None:
    path.write_text(OFF)
    watch = FileWatch(path)
    path.rename(path.with_suffix(".bak"))
    assert watch.look(Settings()) is None
    path.write_text(OFF + "# more\n")
    assert watch.look(Settings()) is None
    read = watch.look(Settings())
    assert read is not None
    assert read.settings.mouse.enabled is False


def test_a_file_that_is_gone_leaves_the_defaults(path: Path) -> None:
    path.write_text(OFF)
    watch = FileWatch(path)
    path.unlink()
    assert watch.look(Settings()) is None
    read = watch.look(Settings(mouse=Mouse(enabled=False)))
    assert read is not None
    assert read.settings == Settings()


def test_a_file_of_the_same_size_and_time_that_took_its_place_is_seen(path: Path) -> None:
    path.write_text(OFF)
    found = path.stat()
    watch = FileWatch(path)
    other = path.with_name("other")
    other.write_text(OFF.replace("false", "true "))
    os.utime(other, ns=(found.st_atime_ns, found.st_mtime_ns))
    other.replace(path)
    watch.look(Settings())
    assert watch.look(Settings()) is not None


def test_what_is_broken_changes_nothing_and_says_where(path: Path) -> None:
    watch = FileWatch(path)
    path.write_text("[mouse\n")
    before = Settings(mouse=Mouse(enabled=False))
    watch.look(before)
    read = watch.look(before)
    assert read is not None
    assert (read.settings, read.broken) == (before, True)
    assert "line 1" in read.problems[0].what
    assert read.problems[0].what.endswith("All stay as they were.")


def test_a_mistake_keeps_the_value_from_before(path: Path) -> None:
    watch = FileWatch(path)
    path.write_text('[playback]\nseek_back = "soon"\nseek_forward = "40"\n')
    before = Settings(playback=Playback(seek_back="20"))
    watch.look(before)
    read = watch.look(before)
    assert read is not None
    assert (read.settings.playback.seek_back, read.settings.playback.seek_forward) == ("20", "40")
    assert read.problems[0].what.endswith("Earmark uses 20 instead.")


def test_what_is_known_to_be_whole_is_read_at_once(path: Path) -> None:
    watch = FileWatch(path)
    path.write_text(OFF)
    read = watch.look(Settings(), whole=True)
    assert read is not None
    assert read.settings.mouse.enabled is False
