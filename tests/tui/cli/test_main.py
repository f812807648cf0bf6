"""What holds for every command: help, usage, exit codes, and no traceback whatever happens."""

import contextlib
import io
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from msgspec.structs import replace

from player.library import Library
from player.paths import Paths
from tests.player.library.damaging import damage
from tests.tui.cli.conftest import Earmark
from tui.__main__ import leave_working_folder
from tui.cli import main as cli
from tui.cli.registry import commands, everything, former, groups, load


def start(*arguments: str, stdout: "int | IO[str]" = subprocess.PIPE) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tui", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_modules_of_the_working_folder_are_imported_only_if_somebody_named_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here, ours = str(tmp_path), str(Path(cli.__file__).parents[2])
    for named in ("", ":.:relative", f"{here}:relative"):
        monkeypatch.setenv("PYTHONPATH", named)
        monkeypatch.setattr(sys, "path", [here, "", "relative", ours, "/usr/lib/modules"])
        leave_working_folder()
        assert sys.path == [*([here] if here in named else []), ours, "/usr/lib/modules"]
        assert os.environ["PYTHONPATH"] == (here if here in named else "")
    monkeypatch.chdir(ours)
    monkeypatch.setattr(sys, "path", [ours, ""])
    leave_working_folder()
    assert sys.path == [ours]


def test_help_names_every_command_and_fits_a_terminal_of_80x24(earmark: Earmark) -> None:
    ended = earmark("--help")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert re.findall(r"^([A-Z]\w+): ", ended.out, re.MULTILINE) == list(groups())
    listed = re.findall(r"(?<=[ ,])([a-z][a-z-]*)(?=,|$)", "\n".join(lines[7:-3]), re.MULTILINE)
    assert listed == list(commands())
    assert lines[-1] == "More about one of them: earmark help COMMAND, or earmark COMMAND --help"
    assert earmark("-h").out == ended.out


def test_the_page_of_commands_says_what_each_does_in_its_group(earmark: Earmark) -> None:
    ended = earmark("help", "commands")
    assert ended.code == 0
    for heading, group in groups().items():
        lines = "".join(rf"  {name} +{re.escape(summary)}\n" for name, summary in group.items())
        assert re.search(rf"^{heading}:\n{lines}\n", ended.out, re.MULTILINE)


def test_a_word_that_is_no_command_has_the_nearest_one(earmark: Earmark) -> None:
    ended = earmark("quue")
    assert (ended.code, ended.err) == (
        2, "earmark: There is no command “quue”. Did you mean queue? See: earmark --help\n",
    )  # fmt: skip


def test_an_older_word_is_answered_and_listed_nowhere(earmark: Earmark) -> None:
    assert former() == {
        "top": "find --popular",
        "downloads": "download list",
        "star": "mark starred",
        "played": "mark played",
        "bookmarks": "bookmark list",
    }
    listed = earmark("--help").out + earmark("help", "commands").out
    spec = earmark("--spec").json["commands"]
    for name, today in former().items():
        assert name not in commands()
        assert not re.search(rf"(^  |, |: ){name}(,|$|  )", listed, re.MULTILINE), name
        assert f"This is an older word for: earmark {today}\n" in earmark(name, "--help").out
        assert spec[name]["former"] == today
    assert spec["mark"]["former"] is None


@pytest.mark.parametrize("name", everything().commands)
def test_every_command_has_help_with_an_example(earmark: Earmark, name: str) -> None:
    ended = earmark(name, "--help")
    assert ended.code == 0
    assert ended.out.startswith(f"usage: earmark {name}")
    assert re.search(rf"\nexamples:\n  earmark {name}", ended.out)
    assert not ended.err


@pytest.mark.parametrize("name", ["podcasts", "episodes", "show", "refresh", "status", "doctor", "add"])
def test_what_lists_or_reports_can_do_so_in_json(earmark: Earmark, name: str) -> None:
    assert "--json" in earmark(name, "--help").out


def test_the_version_is_told(earmark: Earmark) -> None:
    assert re.fullmatch(r"earmark \d+\.\d+\.\d+\n", earmark("--version").out)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("sttaus",), "There is no command “sttaus”. Did you mean status? See: earmark --help"),
        (("--frobnicate",), "There is no option “--frobnicate”. See: earmark --help"),
        (("add",), "the following arguments are required: URL. See: earmark add --help"),
        (("podcasts", "--no"), "unrecognized arguments: --no. See: earmark podcasts --help"),
        (("podcasts", "--js"), "unrecognized arguments: --js. See: earmark podcasts --help"),
        (("speed", "9"), "argument X: Speed must be between 0.5 and 3. See: earmark speed --help"),
        (("volume", "loud"), "argument N: Volume must be between 0 and 150. See: earmark volume --help"),
        (("play", "--at", "soon"), "argument --at: Invalid time “soon”. Use 90, 12:34, 1:02:03 or 1h2m3s."),
        (("play", "--at", "9:99"), "argument --at: Invalid time “9:99”. Use 90, 12:34, 1:02:03 or 1h2m3s."),
        (("episodes", "--limit", "-1"), "argument --limit: “-1” isn't a number of rows."),
    ],
)
def test_wrong_usage_is_one_sentence_and_ends_with_2(
    earmark: Earmark, arguments: tuple[str, ...], sentence: str
) -> None:
    ended = earmark(*arguments)
    assert ended.code == 2
    assert not ended.out
    assert ended.err.startswith(f"earmark: {sentence}")
    assert ended.err.count("\n") == 1


def test_escape_characters_in_an_argument_are_not_passed_on(earmark: Earmark) -> None:
    assert "\x1b" not in earmark("\x1b[31mred").err


def test_without_a_terminal_the_app_says_what_to_use_instead(earmark: Earmark) -> None:
    ended = earmark()
    assert ended.code == 1
    assert ended.err == "earmark: The app needs a terminal. Without one, use earmark play. See: earmark --help\n"


def test_a_bug_is_a_sentence_on_the_screen_and_a_traceback_in_the_log(
    earmark: Earmark, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_library: Library) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Library, "open", broken)
    ended = earmark("podcasts")
    assert ended.code == 1
    assert ended.err == f"earmark: Something went wrong inside Earmark (ZeroDivisionError). See {paths.log}\n"
    assert "ZeroDivisionError: a bug" in paths.log.read_text()


@pytest.mark.parametrize(
    "statement",
    ["UPDATE episodes SET title = x'41'", "UPDATE details SET extra = '{'", "UPDATE state SET value = x'ff'"],
)
def test_a_library_that_is_damaged_inside_is_never_taken_for_a_bug(
    earmark: Earmark, paths: Paths, statement: str
) -> None:
    earmark("podcasts")
    damage(paths, statement)
    said = {
        earmark(*command).err for command in (("episodes",), ("podcasts", "welcome"), ("search", "play"), ("play",))
    }
    said -= {"", "earmark: Nothing has been played yet. Choose an episode from: earmark episodes\n"}
    if said:
        assert said == {f"earmark: The library {paths.library} is damaged. Repair it with: earmark doctor --repair\n"}
        assert "wrong  library: " in earmark("doctor").out


def test_what_looks_like_a_bug_is_damage_where_the_library_is_damaged(
    earmark: Earmark, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    earmark("podcasts")
    damage(paths, "UPDATE podcasts SET title = x'41'")
    broken = replace(load("podcasts"), run=lambda _context, _options: 1 // 0)
    monkeypatch.setattr(cli, "load", lambda _name: broken)
    ended = earmark("podcasts")
    assert ended.err == f"earmark: The library {paths.library} is damaged. Repair it with: earmark doctor --repair\n"
    assert ended.code == 1


def test_a_log_past_a_megabyte_starts_anew(earmark: Earmark, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    paths.state.mkdir(parents=True)
    paths.log.write_text("old\n" * 300_000)
    monkeypatch.setattr(Library, "open", lambda _library: 1 / 0)
    earmark("podcasts")
    assert "ZeroDivisionError" in paths.log.read_text()
    assert paths.log.stat().st_size < 10_000
    assert paths.log.with_name("earmark.log.1").read_text().startswith("old")


def test_a_home_that_can_not_be_made_is_a_sentence(
    earmark: Earmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EARMARK_HOME", str(tmp_path / "file"))
    ended = earmark("podcasts")
    assert ended.code == 1
    assert re.match(r"earmark: .*file.*\n$", ended.err)


def test_a_library_from_a_newer_earmark_is_a_sentence_and_stays_as_it_is(earmark: Earmark, paths: Paths) -> None:
    earmark("podcasts")
    with contextlib.closing(sqlite3.connect(paths.library)) as library:
        library.execute("PRAGMA user_version = 1000")
    before = paths.library.read_bytes()
    for command in (("podcasts",), ("play",), ("add", "http://127.0.0.1:9/feed"), ("doctor", "--repair")):
        ended = earmark(*command)
        assert ended.code == 1
        assert "was written by a newer version of Earmark" in ended.err
        assert ended.err.count("\n") == 1
    assert paths.library.read_bytes() == before


def test_a_library_that_may_not_be_written_is_a_sentence(earmark: Earmark, paths: Paths) -> None:
    earmark("podcasts")
    paths.data.chmod(0o500)
    if os.access(paths.data, os.W_OK):
        pytest.skip("this user may write anywhere")
    try:
        for command in (("podcasts",), ("play",)):
            ended = earmark(*command)
            assert ended.code == 1
            assert "can't be written to" in ended.err
    finally:
        paths.data.chmod(0o700)


def test_a_mistake_in_the_settings_is_told_and_the_command_goes_on(earmark: Earmark, paths: Paths) -> None:
    paths.config.mkdir(parents=True)
    paths.settings.write_text("[appearance]\nthem = 'ink'\n")
    ended = earmark("episodes")
    assert ended.code == 0
    assert "Press play" in ended.out
    assert "there is no setting “appearance.them”" in ended.err


@pytest.mark.usefixtures("library")
def test_letters_that_the_output_can_not_show_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert cli.main(["episodes"]) == 0
    assert b"Press play" in raw.getvalue()


# -- as a process ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("library")
def test_a_reader_that_goes_away_ends_the_listing_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = start("episodes", "--json", stdout=writer)
    os.close(writer)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (141, "")


@pytest.mark.usefixtures("library")
def test_a_full_disk_behind_the_output_is_a_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        process = start("podcasts", stdout=full)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert err.startswith("earmark: No space left on device.")
    assert err.count("\n") == 1


@pytest.mark.usefixtures("library")
def test_a_closed_output_is_no_crash() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec '{sys.executable}' -m tui podcasts >&- 2>&-"], timeout=20, check=False
    )
    assert done.returncode == 0


@pytest.fixture
def deaf() -> Iterator[socket.socket]:
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(20)
        yield listener


def interrupted_while_waiting(deaf: socket.socket, *arguments: str) -> tuple[int, str, str]:
    process = start(*arguments)
    connection, _ = deaf.accept()
    with connection:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    return process.returncode, out, err


INTERRUPTED_IMPORT = """
import os, signal, sys
class Interrupting:
    def find_spec(name, *_):
        if name == "msgspec":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting)
from tui.__main__ import process
process()
"""


def test_ctrl_c_during_the_first_imports_is_quiet() -> None:
    run = subprocess.run([sys.executable, "-c", INTERRUPTED_IMPORT, "--version"], capture_output=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (-signal.SIGINT, b"", b"")


def test_ctrl_c_while_adding_is_quiet(deaf: socket.socket) -> None:
    address = f"http://127.0.0.1:{deaf.getsockname()[1]}/feed"
    assert interrupted_while_waiting(deaf, "add", address) == (130, "", "")


def test_ctrl_c_while_refreshing_is_quiet_and_waits_for_no_server(
    deaf: socket.socket, library: Library, earmark: Earmark
) -> None:
    earmark("podcasts")
    library.podcasts.add(f"http://127.0.0.1:{deaf.getsockname()[1]}/feed", "Deaf Radio")
    started = time.monotonic()
    assert interrupted_while_waiting(deaf, "refresh") == (130, "", "")
    assert time.monotonic() - started < 15
