"""The quick way prints what the command prints, loads next to nothing, and leaves everything else to the command."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from player.integrations.client import plain_socket_path
from player.integrations.control_socket import ControlServer
from player.paths import Paths
from tests.player.integrations.fake_session import FakeSession
from tests.test_import_hygiene import imported_by
from tests.tui.cli.conftest import Earmark
from tui.cli.status_line import one_line

FORMAT = "{icon} {title:.8} {position}/{duration}"


@pytest.fixture
def session() -> FakeSession:
    return FakeSession()


@pytest.fixture
def running(paths: Paths, session: FakeSession) -> Iterator[ControlServer]:
    server = ControlServer(paths.socket, session)
    server.start()
    yield server
    server.close()


@pytest.mark.usefixtures("running")
@pytest.mark.parametrize("arguments", [("--format", FORMAT), (f"--format={FORMAT}", "--quiet"), ("--format={state}",)])
def test_it_prints_what_the_command_prints(
    earmark: Earmark, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    asked = earmark("status", *arguments)
    assert one_line(arguments) == asked.code == 0
    assert capsys.readouterr().out == asked.out != ""


@pytest.mark.usefixtures("running")
@pytest.mark.parametrize(
    "arguments",
    [
        (), ("--json",), ("--quiet",), ("--format",), ("--format", "{titel}"), ("--format", "{title}", "--follow"),
        ("--format", "--quiet"), ("--help",), ("--format={title}", "--json"), ("--format", "{title}", "x"),
        ("--format={title}", "--format={state}"), ("--quiet", "--quiet", "--format={title}"),
    ],
)  # fmt: skip
def test_everything_else_is_left_to_the_command(arguments: tuple[str, ...]) -> None:
    assert one_line(arguments) is None


def test_without_an_earmark_it_is_quiet_or_leaves_that_to_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert one_line(("--format", "{title}")) is None
    assert one_line(("--format", "{title}", "--quiet")) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("running")
def test_quiet_prints_nothing_when_nothing_was_played(session: FakeSession, capsys: pytest.CaptureFixture[str]) -> None:
    session.status = replace(session.status, episode=None)
    assert one_line(("--format", "{title}", "--quiet")) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "environ",
    [
        {"EARMARK_HOME": "/tmp/a b"},
        {"EARMARK_HOME": "relative"},
        {"EARMARK_HOME": "~/x"},
        {"EARMARK_HOME": "/tmp/../x/"},
        {"EARMARK_HOME": "/home/x", "XDG_RUNTIME_DIR": "/run/user/7"},
    ],
)
def test_the_socket_is_where_the_others_look_for_it(environ: dict[str, str]) -> None:
    assert plain_socket_path(environ) in (None, str(Paths.of(environ).socket))


def test_the_socket_is_found_by_the_runtime_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("EARMARK_HOME", raising=False)
    for folder in (str(tmp_path), "relative", f"{tmp_path}/"):
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        assert plain_socket_path(os.environ) in (None, str(Paths.of().socket))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    tmp_path.chmod(0o777)  # as in the Linux of Windows
    assert plain_socket_path(os.environ) == f"{tmp_path}/earmark/control.sock" == str(Paths.of().socket)
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert plain_socket_path(os.environ) is None


def test_it_loads_next_to_nothing() -> None:
    loaded = imported_by(
        "import sys\nsys.argv = ['earmark', 'status', '--quiet', '--format={title}']\n"
        "from tui.__main__ import process\ntry:\n    process()\nexcept SystemExit:\n    pass"
    )
    assert not loaded & {"msgspec", "platformdirs", "argparse", "textual", "rich", "logging", "sqlite3", "dataclasses"}


@pytest.mark.usefixtures("running")
def test_a_closed_pipe_is_no_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing) as output:
        done = subprocess.run(
            [sys.executable, "-m", "tui", "status", "--format={title}"],
            stdout=output, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (141, "")
