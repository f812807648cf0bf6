"""`earmark play --detach` and `earmark quit`: a player in the background, from its start to its end."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from player.background.launching import Launched, launch, taking_over
from player.errors import NotRunning
from player.integrations.client import request
from player.integrations.single_instance import InstanceLock, is_held
from player.library import Library
from player.model.episode import Episode
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark
from tests.tui.cli.headless.conftest import saved_ms
from tui.cli import checkup
from tui.cli.commands.quit import sentence_of
from tui.cli.registry import load, parser


@pytest.mark.usefixtures("nothing_stays")
def test_it_plays_in_a_session_of_its_own_until_it_is_told_to_quit(
    earmark: Earmark, rain: Episode, paths: Paths, library: Library
) -> None:
    began = earmark("play", "--detach", "Rain", "--at", "12:34.5")
    assert (began.code, began.err) == (0, "")
    where, control = (
        "In the background: Rain · Slow Radio",
        "Control it with: earmark toggle, earmark seek +30, earmark quit",
    )
    slowly = f"{where}. It is still being opened. {control}\n"
    assert began.out in (f"{where}, at 12:34. {control}\n", slowly)
    status = earmark("status", "--json").json
    while status["state"] in ("opening", "buffering"):
        status = earmark("status", "--json").json
    assert (status["state"], status["runs_in"]) == ("playing", "background")
    pid = int(status["pid"])
    assert os.getsid(pid) == pid
    assert "In the background" in earmark("status").out
    shown = checkup.running(paths)
    assert shown.text.startswith(f"in the background (playing), PID {pid}, since ")
    assert shown.advice == "End it with: earmark quit"

    again = earmark("play", "--detach", "Rain", "--at", "30:00")
    assert (again.code, again.out.split(". ")[0]) == (0, "In the background: Rain · Slow Radio, at 30:00")
    assert request(paths.socket, "status")["status"]["pid"] == pid

    begun = time.monotonic()
    ended = earmark("quit")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("The background player has ended. Rain · Slow Radio: stopped at 30:0")
    assert time.monotonic() - begun < 5.0
    assert not is_held(paths.lock)
    assert saved_ms(library, rain) >= 1_800_000
    assert "Playing: Rain · Slow Radio, at 12:34" in paths.log.read_text()
    assert (earmark("quit").code, earmark("quit").out) == (0, "Earmark isn't running.\n")


@pytest.mark.usefixtures("nothing_stays")
def test_why_it_doesnt_play_is_said_and_nothing_stays_behind(
    earmark: Earmark, rain: Episode, paths: Paths, server: LoopbackServer
) -> None:
    server.page("/rain.wav", b"", status=404)
    ended = earmark("play", "--detach", "Rain")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("earmark: Rain: ")
    unknown = earmark("play", "--detach", "Snow")
    assert (unknown.code, unknown.err.split(".")[0]) == (1, "earmark: No episode matches “Snow”")
    deadline = time.monotonic() + 20
    while is_held(paths.lock):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    with pytest.raises(NotRunning):
        request(paths.socket, "status")


@pytest.mark.long
@pytest.mark.usefixtures("nothing_stays")
def test_of_several_at_once_one_begins_and_the_others_have_it_play(rain: Episode, paths: Paths) -> None:
    command = [sys.executable, "-m", "tui", "play", "--detach", "Rain"]
    processes = [subprocess.Popen([*command, "--at", f"{minute}:00"]) for minute in (10, 20, 30, 40)]
    assert [process.wait(timeout=60) for process in processes] == [0, 0, 0, 0]
    status = request(paths.socket, "status")["status"]
    assert (status["runs_in"], status["state"]) == ("background", "playing")


def test_a_program_that_isnt_there_or_ends_without_a_word_is_a_sentence(tmp_path: Path) -> None:
    log = tmp_path / "state" / "earmark.log"
    missing = launch([str(tmp_path / "earmark")], log, 5.0)
    assert missing.problem == f"Can't start {tmp_path}/earmark (No such file or directory)."
    assert launch(["/bin/true"], log, 5.0) == Launched(f"The background player ended at once. See {log}")


def test_one_that_holds_the_library_and_doesnt_answer_is_named(
    earmark: Earmark, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("tui.cli.commands.quit", "tui.cli.checkup"):
        monkeypatch.setattr(f"{module}._STARTING_S", 0.1)
    lock = InstanceLock(paths.lock)
    lock.take()
    quitting, found = earmark("quit"), checkup.running(paths)
    lock.release()
    pid = os.getpid()
    assert (quitting.code, quitting.err) == (
        1, f"earmark: Earmark runs (PID {pid}) but can't be controlled. End it with: kill {pid}\n"
    )  # fmt: skip
    assert (found.well, found.advice) == (False, f"End it with: kill {pid}")
    assert found.text.startswith(f"PID {pid} holds the library, but doesn't answer (")
    assert checkup.running(paths).text == "no"


def test_the_lock_is_held_for_whoever_looks_without_taking_it(tmp_path: Path) -> None:
    lock = InstanceLock(tmp_path / "earmark.lock")
    assert not is_held(tmp_path / "earmark.lock")
    lock.take()
    assert is_held(tmp_path / "earmark.lock")
    lock.release()
    assert not is_held(tmp_path / "earmark.lock")


def test_what_has_ended_is_named() -> None:
    status = {"runs_in": "app", "episode": None, "state": "stopped", "position_ms": 0}
    assert sentence_of(status) == "The app has quit."
    assert sentence_of({**status, "runs_in": "foreground"}) == "earmark play has ended."


def test_the_word_of_a_hand_over_may_begin_with_a_hyphen() -> None:
    """As one of 64 made by `secrets.token_urlsafe` does."""
    name, *arguments = taking_over("-mQ9_")
    assert parser(name, load(name)).parse_args(arguments).take_over == "-mQ9_"
