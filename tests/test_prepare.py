"""scripts/prepare, which make runs first: several at once install one after the other."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from player.playback.vlc.installing import PackageManager

ROOT = Path(__file__).parent.parent
_TOOLS = ("sh", "dirname", "find", "head", "touch", "rm", "mkdir", "chmod", "cp", "id")
_PYTHON = f"""#!/bin/sh
case "$1 $2" in
    "-m venv") mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && cp pip "$3/bin/pip" ;;
    "-m compileall") ;;
    *) exec {sys.executable} "$@" ;;
esac
"""
_PIP = """#!/bin/sh
echo installed >> installations
echo installing > began
read -r result < proceed
exit "$result"
"""


@pytest.fixture(params=["flock", "python"])
def checkout(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A tree whose pip tells through `began` that it is at work, and exits with the code that comes from `proceed`."""
    tools = [*_TOOLS, "flock"] if request.param == "flock" else _TOOLS
    (tmp_path / "bin").mkdir()
    for name in tools:
        if (path := shutil.which(name)) is None:
            pytest.skip(f"no {name} on this machine")
        (tmp_path / "bin" / name).symlink_to(path)
    for name in ("scripts", "tui"):
        (tmp_path / name).mkdir()
    shutil.copy(ROOT / "scripts" / "prepare", tmp_path / "scripts")
    vlc = Path("player", "playback", "vlc")
    (tmp_path / vlc).mkdir(parents=True)
    shutil.copy(ROOT / vlc / "packages.txt", tmp_path / vlc)
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    for name, text in (("python", _PYTHON), ("pip", _PIP)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    for name in ("began", "proceed"):
        os.mkfifo(tmp_path / name)
    return tmp_path


@contextmanager
def prepare(checkout: Path, purpose: str = "check") -> Iterator["subprocess.Popen[str]"]:
    environ = {
        "PATH": str(checkout / "bin"),
        "PYTHON": str(checkout / "python"),
        "PYTHON_VLC_LIB_PATH": str(checkout / "libvlc.so.5"),
    }
    with subprocess.Popen(
        [checkout / "scripts" / "prepare", purpose],
        env=environ,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def waits(process: "subprocess.Popen[str]") -> bool:
    """Reads what it says first."""
    assert process.stderr
    return "waiting for another installation" in process.stderr.readline()


def installations(checkout: Path) -> int:
    return len((checkout / "installations").read_text().splitlines())


def test_a_second_one_waits_for_the_first_and_finds_all_installed(checkout: Path) -> None:
    with prepare(checkout) as first:
        (checkout / "began").read_text()
        with prepare(checkout) as second:
            assert waits(second)
            assert installations(checkout) == 1
            (checkout / "proceed").write_text("0\n")
            assert first.wait() == 0
            assert second.wait() == 0
    assert installations(checkout) == 1


def test_a_second_one_installs_where_the_first_failed(checkout: Path) -> None:
    with prepare(checkout) as first:
        (checkout / "began").read_text()
        with prepare(checkout) as second:
            assert waits(second)
            (checkout / "proceed").write_text("1\n")
            assert first.wait() == 1
            (checkout / "began").read_text()
            (checkout / "proceed").write_text("0\n")
            assert second.wait() == 0
    assert installations(checkout) == 2


_WRITES_DOWN = """#!/bin/sh
echo "${0##*/} $*" >> asked
"""
_SUDO = """#!/bin/sh
case $1 in -*) ;; *) exec "$@" ;; esac
"""
TABLE = ROOT / "player" / "playback" / "vlc" / "packages.txt"


@pytest.mark.parametrize("checkout", ["flock"], indirect=True)
@pytest.mark.parametrize("line", [line for line in TABLE.read_text().splitlines() if not line.startswith("#")])
def test_libvlc_comes_with_the_command_that_the_app_offers(checkout: Path, line: str) -> None:
    manager = PackageManager(*line.split("|"))
    for name, text in ((manager.program, _WRITES_DOWN), ("sudo", _SUDO)):
        (checkout / "bin" / name).write_text(text)
        (checkout / "bin" / name).chmod(0o755)
    for name in ("env", "mktemp", "tail"):
        (checkout / "bin" / name).symlink_to(str(shutil.which(name)))
    with prepare(checkout, "run") as process:
        (checkout / "began").read_text()
        (checkout / "proceed").write_text("0\n")
        assert process.wait() == 0
    asked = (checkout / "asked").read_text().splitlines()[-1]
    assert asked.replace(" -qq", "").split() == manager.command(unasked=True)
