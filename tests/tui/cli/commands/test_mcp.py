"""`mcp`, as far as it needs no SDK."""

import os
import shlex
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Earmark

ROOT = Path(__file__).parents[4]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.cli.commands.mcp.version", lambda _name: "2.3.0")


@pytest.mark.parametrize("found", [None, "1.30.0"])
@pytest.mark.parametrize("options", [(), ("--print-config",)])
def test_without_the_sdk_it_says_how_to_install_it(
    earmark: Earmark, monkeypatch: pytest.MonkeyPatch, found: str | None, options: tuple[str, ...]
) -> None:
    def version(name: str) -> str:
        if found is None:
            raise PackageNotFoundError(name)
        return found

    monkeypatch.setattr("tui.cli.commands.mcp.version", version)
    ended = earmark("mcp", *options)
    assert (ended.code, ended.out) == (1, "")
    install = f"{sys.executable} -m pip install 'mcp>=2,<3'"
    assert ended.err == f"earmark: This needs version 2 of the Python package mcp. Install it: {install}\n"
    assert '\nmcp = ["mcp>=2,<3"]\n' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.usefixtures("installed")
def test_it_prints_what_to_paste(earmark: Earmark, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EARMARK_HOME", str(tmp_path))
    made = earmark("mcp", "--print-config", "--allow-control").json
    server = made["mcpServers"]["earmark"]
    assert Path(server["command"]).is_absolute()
    assert server["args"][-2:] == ["mcp", "--allow-control"]
    assert server["env"] == {"EARMARK_HOME": str(tmp_path)}
    assert earmark("mcp", "--print-config").json["mcpServers"]["earmark"]["args"][-1] == "mcp"


@pytest.mark.usefixtures("installed")
def test_the_folders_of_the_environment_are_passed_on(earmark: Earmark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EARMARK_HOME")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
    made = earmark("mcp", "--print-config").json["mcpServers"]["earmark"]
    assert made["env"] == {"XDG_RUNTIME_DIR": "/run/user/1000"}
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert "env" not in earmark("mcp", "--print-config").json["mcpServers"]["earmark"]


@pytest.mark.usefixtures("installed")
def test_what_is_printed_can_be_run(earmark: Earmark) -> None:
    server = earmark("mcp", "--print-config").json["mcpServers"]["earmark"]
    words = [server["command"], *server["args"], "--help"]
    done = subprocess.run(words, env={**os.environ, **server["env"]}, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: earmark mcp")


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_closed_standard_input_or_output_is_a_sentence(closed: str) -> None:
    words = shlex.join([sys.executable, "-m", "tui", "mcp"])
    done = subprocess.run(["sh", "-c", f"{words} {closed}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "earmark: Standard input or output is closed, through which an assistant asks.\n"


def test_nothing_but_the_protocol_reaches_standard_output(tmp_path: Path) -> None:
    script = f"""
import os, subprocess, sys
from pathlib import Path
from tui.cli.assistant.server import _wires
with _wires(Path({str(tmp_path / "log")!r})) as (reads, writes):
    print("printed", flush=True)
    os.write(1, b"written")
    os.write(2, b"warned")
    subprocess.run(["sh", "-c", "echo child; cat"])
    os.write(writes, os.read(reads, 100).upper())
    print("said", file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", script], input="question", capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("QUESTION", "said\n")
    assert (tmp_path / "log").read_text() == "warned"
