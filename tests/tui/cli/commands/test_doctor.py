"""`doctor` says what is wrong, and mends a damaged library."""

import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.integrations.hooks.program_worker import note
from player.integrations.single_instance import InstanceLock
from player.library import Library
from player.library.database.backups import Backups
from player.measuring.kinds import fingerprint
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.integrations.desktop.bus import session_bus
from tests.player.library.helpers import URL, apply_feed, episode
from tests.tui.cli.conftest import Earmark, feed
from tui.cli import checkup
from tui.cli.checkup import Finding, sound_findings


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with libvlc, libchromaprint and a sound output."""
    monkeypatch.setattr(checkup, "_sound", lambda: iter([Finding("libvlc", True, "3.0")]))
    monkeypatch.setattr(fingerprint, "is_installed", lambda: True)


def damage(path: Path) -> None:
    path.write_bytes(b"no database at all, but long enough to be looked at" * 100)


@pytest.mark.usefixtures("sound")
def test_when_all_is_well_it_says_so_line_by_line(earmark: Earmark, paths: Paths) -> None:
    earmark("podcasts")
    ended = earmark("doctor")
    assert ended.code == 0
    assert all(line.startswith("ok     ") for line in ended.out.splitlines())
    for part in (
        "Python 3",
        f"data folder: {paths.data}",
        "3 episodes, no damage",
        "1 podcast",
        "running: no\n",
        str(paths.log),
    ):
        assert part in ended.out


@pytest.mark.usefixtures("sound")
def test_it_says_whether_media_keys_work_and_why_not(
    earmark: Earmark, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("dbus_fast", reason="dbus_fast is for Linux")
    assert "ok     media keys: none; there is no D-Bus session here" in earmark("doctor").out
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
    assert "ok     media keys: none; the D-Bus session can't be reached: " in earmark("doctor").out
    with session_bus() as bus:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.address)
        assert "ok     media keys: they work, " in earmark("doctor").out
    paths.config.mkdir(parents=True)
    paths.settings.write_text("[desktop]\nmedia_keys = false\n")
    assert "ok     media keys: off (media_keys in config.toml)\n" in earmark("doctor").out


@pytest.mark.usefixtures("sound")
def test_looking_at_a_new_machine_makes_no_library(earmark: Earmark, paths: Paths) -> None:
    assert earmark("doctor").code == 0
    assert not paths.library.exists()


@pytest.mark.usefixtures("sound")
def test_a_feed_that_fails_is_named(earmark: Earmark, server: LoopbackServer) -> None:
    earmark("add", server.page("/feed", feed("Slow Radio", "Rain")))
    del server.answers["/feed"]
    earmark("refresh", "slow")
    ended = earmark("doctor")
    assert "note   feeds: 1 of 2 failed: Slow Radio (" in ended.out
    assert (ended.code, "wrong" in ended.out) == (0, False), "nothing here is wrong"
    assert earmark("doctor", "--json").json["ok"] is True


@pytest.mark.usefixtures("sound")
@pytest.mark.parametrize(
    ("state", "text"),
    [("ended", "yes (nothing playing)"), ("stopped", "yes (nothing playing)"), ("playing", "yes (playing)"),
     ("buffering", "yes (waiting for the network)")],
)  # fmt: skip
def test_what_the_running_earmark_does_is_said(
    earmark: Earmark, monkeypatch: pytest.MonkeyPatch, state: str, text: str
) -> None:
    monkeypatch.setattr(checkup, "request", lambda *_: {"status": {"state": state}})
    assert f"ok     running: {text}\n" in earmark("doctor").out


@pytest.mark.usefixtures("sound")
def test_hooks_that_cannot_run_are_wrong_and_those_that_failed_are_noted(earmark: Earmark, paths: Paths) -> None:
    paths.config.mkdir(parents=True)
    paths.settings.write_text('[hooks]\nleft = ["earmark-no-such-program"]\n')
    ended = earmark("doctor")
    assert (ended.code, "there is no program “earmark-no-such-program”" in ended.out) == (1, True)
    paths.settings.write_text('[hooks]\nleft = ["sh"]\n')
    assert "ok     hooks: 1 program, no failures\n" in earmark("doctor").out
    failure = {"moment": datetime.now(UTC).isoformat(), "setting": "left", "words": ["sh"], "errors": "no such file"}
    for code in (1, 2):
        note(str(paths.hook_failures), {**failure, "outcome": "failed", "code": code})
    ended = earmark("doctor")
    assert "note   hooks: 2 failures in the last 7 days; the latest: “hooks.left”, sh exited with 2\n" in ended.out
    assert (ended.code, "no such file" in ended.out) == (0, True)


@pytest.mark.usefixtures("sound")
def test_findings_can_be_had_in_json(earmark: Earmark, paths: Paths) -> None:
    paths.config.mkdir(parents=True)
    paths.settings.write_text("[playback]\nengine = 'loud'\n")
    found = earmark("doctor", "--json")
    assert found.code == 1
    assert found.json["ok"] is False
    wrong = [check for check in found.json["checks"] if not check["ok"]]
    assert [list(check) for check in wrong] == [["name", "ok", "text", "advice"]]
    assert "playback.engine" in wrong[0]["text"]


@pytest.mark.usefixtures("sound")
def test_a_folder_that_can_not_be_is_named(earmark: Earmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EARMARK_HOME", str(tmp_path / "file"))
    ended = earmark("doctor")
    assert ended.code == 1
    assert f"wrong  data folder: {tmp_path}/file isn't a folder." in ended.out


@pytest.mark.usefixtures("sound")
def test_a_folder_that_may_not_be_written_to_is_named(earmark: Earmark, paths: Paths) -> None:
    paths.cache.mkdir(parents=True, mode=0o500)
    if os.access(paths.cache, os.W_OK):
        pytest.skip("this user may write anywhere")
    ended = earmark("doctor")
    assert ended.code == 1
    assert f"{paths.cache} can't be written to." in ended.out


@pytest.mark.usefixtures("sound")
def test_a_downloads_folder_on_a_read_only_disk_is_named(earmark: Earmark, paths: Paths, tmp_path: Path) -> None:
    assert f"ok     downloads folder: {paths.data / 'episodes'}\n" in earmark("doctor").out
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "earmark-test", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    try:
        assert earmark("config", "set", "media.downloads", str(disk / "episodes")).code == 0
        ended = earmark("doctor")
        assert ended.code == 1
        assert f"wrong  downloads folder: {disk} can't be written to.\n" in ended.out
        assert "Make it writable, or choose another one (downloads in [media])" in ended.out
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_the_sound_is_tried_in_a_process_of_its_own(earmark: Earmark) -> None:
    """Here there is no sound server, so something is wrong; what that is depends on the machine."""
    ended = earmark("doctor")
    assert ended.code == 1
    assert any(line.startswith(("wrong  sound output:", "wrong  libvlc:")) for line in ended.out.splitlines())


@pytest.mark.parametrize(
    ("code", "output", "told"),
    [
        (
            0,
            b'{"version": "3.0.24", "what": null, "advice": "", "missing": []}',
            [("libvlc", True), ("sound output", True), ("sound effects", True)],
        ),
        (
            0,
            b'{"version": "3.0.24", "what": "No", "advice": "Do.", "missing": ["alimiter"]}',
            [("libvlc", True), ("sound output", False), ("sound effects", False)],
        ),
        (0, b'{"version": null, "what": "Not there", "advice": "Get it."}', [("libvlc", False)]),
        (-11, b"", [("libvlc", False)]),
        (1, b"", [("libvlc", False)]),
    ],
)
def test_a_library_of_sounds_that_crashes_is_a_finding_too(
    code: int, output: bytes, told: list[tuple[str, bool]]
) -> None:
    assert [(finding.name, finding.well) for finding in sound_findings(code, output)] == told


@pytest.mark.usefixtures("sound")
def test_it_says_whether_the_same_sound_is_recognised(earmark: Earmark, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ok     same sound: recognised in other files (libchromaprint)\n" in earmark("doctor").out
    monkeypatch.setattr(fingerprint, "is_installed", lambda: False)
    ended = earmark("doctor")
    assert ended.code == 0
    assert (
        "note   same sound: It isn't recognised in other files: libchromaprint isn't installed.\n"
        "       Install libchromaprint1 (Debian, Ubuntu) or chromaprint (Homebrew) to have it.\n"
    ) in ended.out


@pytest.mark.usefixtures("sound")
def test_it_says_whether_a_port_is_open_for_a_device(earmark: Earmark, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ok     casting: no port is open: there is one only while a device plays\n" in earmark("doctor").out
    status = {"state": "playing", "plays_on": "Kitchen", "served_at": "192.168.1.5:40123"}
    monkeypatch.setattr(checkup, "request", lambda *_: {"status": status})
    said = "ok     casting: “Kitchen” plays; it fetches the audio from port 192.168.1.5:40123\n"
    assert said in earmark("doctor").out
    monkeypatch.setattr("player.playback.casting.finding.device_kinds", dict)
    assert (
        "ok     casting: not installed, and no port is open."
        f" To play on Chromecasts and DLNA devices: {sys.executable} -m pip install 'earmark[cast]'\n"
    ) in earmark("doctor").out


# -- repair ---------------------------------------------------------------------------------------------------


def test_a_whole_library_needs_no_mending(earmark: Earmark) -> None:
    earmark("podcasts")
    ended = earmark("doctor", "--repair")
    assert (ended.code, ended.out) == (0, "The library isn't damaged. There is nothing to repair.\n")


def test_a_damaged_library_is_told_of_everywhere_with_what_mends_it(earmark: Earmark, paths: Paths) -> None:
    earmark("podcasts")
    damage(paths.library)
    for command in (("podcasts",), ("episodes",), ("play",)):
        ended = earmark(*command)
        assert ended.code == 1
        assert ended.err.endswith("Repair it with: earmark doctor --repair\n")
    assert "wrong  library: " in earmark("doctor").out


def test_a_damaged_library_is_kept_and_the_newest_good_backup_takes_its_place(earmark: Earmark, paths: Paths) -> None:
    earmark("podcasts")
    earmark("remove", "pytorch", "--yes")
    library = Library(paths)
    library.open()
    library.close()
    assert list(paths.backups.glob("*.db"))
    damage(paths.library)
    ended = earmark("doctor", "--repair")
    assert ended.code == 0
    kept, restored, heading, choice = ended.out.splitlines()
    assert kept.startswith("The damaged library was kept as ")
    assert Path(kept.removeprefix("The damaged library was kept as ").removesuffix(".")).read_bytes()[:2] == b"no"
    assert restored.startswith("It was replaced by the backup of 2")
    assert heading == f"The good backups in {paths.backups}:"
    # The backup of a start is made beside what the command does: with the podcast that it removes, or without.
    assert re.search(r": (2 podcasts|1 podcast), 3 episodes, 0 stars, 0 bookmarks, 0 positions$", choice)
    assert "Welcome to Earmark" in earmark("podcasts").out


def test_a_backup_that_a_clock_ahead_made_is_not_restored_over_a_newer_one(earmark: Earmark, paths: Paths) -> None:
    earmark("podcasts")
    backups = Backups(paths.library, paths.backups, 1000)
    ahead = backups.make(datetime(2040, 1, 1, tzinfo=UTC))
    library = Library(paths, backs_up=False)
    library.open()
    apply_feed(library, library.podcasts.add(URL), episode(0))
    library.episodes.set_starred([library.episodes.find("Episode 0").id], True)
    library.close()
    made = backups.make(datetime.now(UTC))
    damage(paths.library)
    done = earmark("doctor", "--repair", "--json").json
    assert done["backup"] == str(made.path)
    assert [(one["file"], one["starred"]) for one in done["backups"]] == [(str(made.path), 1), (str(ahead.path), 0)]
    assert len(earmark("episodes", "--starred", "--json").json) == 1


@pytest.fixture
def backups(earmark: Earmark, paths: Paths) -> list[Path]:
    """Of a damaged library: the newest first, in which the stars of the other one are lost."""
    earmark("podcasts")
    making = Backups(paths.library, paths.backups, 1000)
    library = Library(paths, backs_up=False)
    library.open()
    apply_feed(library, library.podcasts.add(URL), episode(0))
    one = library.episodes.find("Episode 0").id
    library.episodes.set_starred([one], True)
    for old in paths.backups.glob("*.db"):
        old.unlink()
    starred = making.make(datetime.now(UTC) - timedelta(days=1))
    library.episodes.set_starred([one], False)
    library.close()
    newest = making.make(datetime.now(UTC))
    damage(paths.library)
    return [newest.path, starred.path]


def starred(earmark: Earmark) -> int:
    return len(earmark("episodes", "--starred", "--json").json)


def test_without_a_choice_the_newest_backup_is_restored_and_the_others_are_named(
    earmark: Earmark, backups: list[Path], paths: Paths
) -> None:
    ended = earmark("doctor", "--repair")
    _kept, _restored, heading, first, second, advice = ended.out.splitlines()
    assert heading == f"The good backups in {paths.backups}:"
    assert first.startswith(f"  1  {backups[0].name}: ")
    assert second.startswith(f"  2  {backups[1].name}: ")
    assert ", 0 stars, " in first
    assert ", 1 star, " in second
    assert advice == "Restore another one with: earmark doctor --repair --backup NAME"
    assert starred(earmark) == 0
    ended = earmark("doctor", "--repair", "--backup", "2")
    assert ended.code == 0, ended.err
    kept, restored = ended.out.splitlines()[:2]
    assert kept.startswith("The library that was there was kept as ")
    assert Path(kept.removeprefix("The library that was there was kept as ").removesuffix(".")).exists()
    assert restored.startswith("It was replaced by the backup of ")
    assert starred(earmark) == 1
    assert all(one.exists() for one in backups)


@pytest.mark.parametrize("by", ["2", "name", "path"])
def test_a_backup_is_chosen_by_its_number_or_name(earmark: Earmark, backups: list[Path], by: str) -> None:
    wanted = {"name": backups[1].name, "path": str(backups[1])}.get(by, by)
    done = earmark("doctor", "--repair", "--backup", wanted, "--json").json
    assert (done["backup"], done["damaged"]) == (str(backups[1]), True)
    assert starred(earmark) == 1


@pytest.mark.parametrize("wanted", ["3", "0", "library.db", "", "q"])
def test_a_backup_that_is_not_there_changes_nothing(
    earmark: Earmark, backups: list[Path], paths: Paths, wanted: str
) -> None:
    ended = earmark("doctor", "--repair", "--backup", wanted)
    assert (ended.code, ended.out) == (1, "")
    assert "othing was changed" in ended.err
    assert paths.library.read_bytes().startswith(b"no database")
    assert all(one.exists() for one in backups)
    assert earmark("doctor", "--backup", "1").code == 2


@pytest.mark.parametrize(
    ("typed", "stars"), [("\n", 0), ("1\n", 0), (" 2\n", 1), ("q\n", None), ("7\n", None), ("", None)]
)
def test_on_a_terminal_the_listener_chooses(
    earmark: Earmark, backups: list[Path], paths: Paths, monkeypatch: pytest.MonkeyPatch, typed: str, stars: int | None
) -> None:
    leader, follower = os.openpty()
    os.write(leader, typed.encode() or b"\x04")
    with os.fdopen(leader, "wb"), os.fdopen(follower) as terminal, monkeypatch.context() as at_a_terminal:
        at_a_terminal.setattr("sys.stdin", terminal)
        ended = earmark("doctor", "--repair")
    assert f"2  {backups[1].name}: " in ended.err
    assert "Restore which one? [1-2, enter: 1, q: none] " in ended.err
    if stars is None:
        assert (ended.code, ended.out) == (1, "")
        assert "othing was changed" in ended.err
        assert paths.library.read_bytes().startswith(b"no database")
    else:
        assert (ended.code, len(ended.out.splitlines())) == (0, 2)
        assert starred(earmark) == stars


def test_a_repair_that_is_interrupted_leaves_the_damaged_library_where_it_is(
    earmark: Earmark, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    earmark("podcasts")
    earmark("remove", "pytorch", "--yes")
    library = Library(paths)
    library.open()
    library.close()
    damage(paths.library)

    def fail(_backups: object, _now: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as while_it_looks:
        while_it_looks.setattr(Backups, "good", fail)
        earmark("doctor", "--repair")
    assert paths.library.read_bytes().startswith(b"no database")
    assert earmark("doctor", "--repair").code == 0


def test_without_a_backup_a_new_library_is_started(earmark: Earmark, paths: Paths) -> None:
    paths.data.mkdir(parents=True)
    damage(paths.library)
    mended = earmark("doctor", "--repair", "--json").json
    assert mended["backup"] is None
    assert Path(mended["set_aside"]).exists()
    assert len(earmark("podcasts", "--json").json) == 1


def test_while_an_earmark_is_running_nothing_is_mended(earmark: Earmark, paths: Paths) -> None:
    paths.data.mkdir(parents=True)
    damage(paths.library)
    running = InstanceLock(paths.lock)
    running.take()
    ended = earmark("doctor", "--repair")
    running.release()
    assert ended.code == 1
    assert "already running" in ended.err
    assert paths.library.read_bytes().startswith(b"no database")
