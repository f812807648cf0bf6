"""A machine without libvlc: the app offers to install it, asks before it does, and opens either way. The package
managers are imitations that write down what they are told."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from player.paths import Paths
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty

_QUESTION = r"\[y/N\]"
_INSTALL = "apt-get install --yes --no-install-recommends libvlc5 vlc-plugin-base libvlc-bin"
_APT = """#!/bin/sh
echo "apt-get $*" >>{asked}
{then}
"""
_SUDO = '#!/bin/sh\nexec "$@"\n'


@dataclass
class Machine:
    folder: Path

    @property
    def environ(self) -> Mapping[str, str]:
        return {"PATH": str(self.folder), "PYTHON_VLC_LIB_PATH": str(self.libvlc)}

    @property
    def libvlc(self) -> Path:
        return self.folder / "libvlc.so.5"

    def has(self, program: str, text: str) -> None:
        (self.folder / program).write_text(text)
        (self.folder / program).chmod(0o755)

    def has_apt(self, then: str) -> None:
        self.has("apt-get", _APT.format(asked=self.folder / "asked", then=then))
        self.has("sudo", _SUDO)

    @property
    def asked(self) -> list[str]:
        file = self.folder / "asked"
        return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def machine(paths: Paths, tmp_path: Path) -> Machine:
    paths.config.mkdir(parents=True)
    paths.settings.write_text("[feeds]\nrefresh_on_start = false\n", encoding="utf-8")
    (tmp_path / "bin").mkdir()
    return Machine(tmp_path / "bin")


def closes(terminal: Terminal) -> None:
    terminal.wait_for("enter play")
    terminal.press("q")
    assert terminal.wait_exit() == 0


def test_after_a_yes_the_package_manager_installs_it_and_the_app_opens(machine: Machine) -> None:
    machine.has_apt(f'case $1 in install) : >"{machine.libvlc}" ;; esac')
    with Terminal(environ=machine.environ, columns=160) as terminal:
        terminal.wait_for(_QUESTION)
        assert "libvlc, which plays the audio, isn't installed." in terminal.text
        assert _INSTALL in terminal.text
        assert machine.asked == []
        terminal.press("y", "enter")
        closes(terminal)
        assert "couldn't be installed" not in terminal.text
    assert machine.asked == ["apt-get update", _INSTALL]
    with Terminal(environ=machine.environ) as again:
        closes(again)
        assert b"[y/N]" not in again.raw


@pytest.mark.parametrize("answer", ["n", ""])
def test_after_a_no_nothing_is_installed_the_app_opens_and_the_next_start_asks_again(
    machine: Machine, answer: str
) -> None:
    machine.has_apt("")
    for _start in (1, 2):
        with Terminal(environ=machine.environ) as terminal:
            terminal.wait_for(_QUESTION)
            terminal.press(answer, "enter")
            closes(terminal)
    assert machine.asked == []


def test_a_package_manager_that_fails_is_said_before_the_app_opens(machine: Machine) -> None:
    machine.has_apt('case $1 in install) echo "E: no space left"; exit 100 ;; esac')
    with Terminal(environ=machine.environ) as terminal:
        terminal.wait_for(_QUESTION)
        terminal.press("y", "enter")
        terminal.wait_for("It couldn't be installed")
        assert "E: no space left" in terminal.text
        terminal.press("enter")
        closes(terminal)


def test_without_a_package_manager_the_app_opens_and_says_what_is_missing(machine: Machine) -> None:
    with Terminal(environ=machine.environ) as terminal:
        terminal.wait_for("libvlc, which plays the audio, isn't installed")
        assert b"[y/N]" not in terminal.raw
        closes(terminal)


def test_ctrl_c_at_the_question_opens_nothing(machine: Machine) -> None:
    machine.has_apt("")
    with Terminal(environ=machine.environ) as terminal:
        terminal.wait_for(_QUESTION)
        terminal.press("ctrl+c")
        assert terminal.wait_exit() == 130
    assert machine.asked == []


def test_a_command_says_it_in_a_sentence_and_asks_nothing(machine: Machine) -> None:
    machine.has_apt("")
    environ = os.environ | machine.environ
    played = subprocess.run(
        [sys.executable, "-m", "tui", "play", "Press play"],
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert played.returncode == 1
    assert "libvlc, which plays the audio, isn't installed. Install it with: " in played.stderr
    assert "[y/N]" not in played.stderr
    with Terminal("play", "Press play", environ=machine.environ) as terminal:
        assert terminal.wait_exit() == 1
        assert b"[y/N]" not in terminal.raw
    assert machine.asked == []
