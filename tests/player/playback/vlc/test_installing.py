"""How libvlc is looked for, and the commands that bring it."""

import os
from pathlib import Path

import pytest

from player.playback.vlc import installing


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of programs."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return tmp_path


def has(programs: Path, *names: str) -> None:
    for name in names:
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)


@pytest.mark.parametrize(
    ("manager", "command"),
    [
        ("apt-get", "sudo apt-get install libvlc5 vlc-plugin-base libvlc-bin"),
        ("dnf", "sudo dnf install vlc-libs vlc-plugins-base vlc-plugin-ffmpeg"),
        ("pacman", "sudo pacman -S --needed libvlc vlc-plugin-ffmpeg vlc-plugin-mpg123"),
        ("zypper", "sudo zypper install libvlc5 vlc-noX"),
        ("brew", "brew install --cask vlc"),
    ],
)
def test_the_advice_is_the_command_of_the_package_manager(programs: Path, manager: str, command: str) -> None:
    has(programs, manager, "sudo")
    assert installing.advice() == f"Install it with: {command}"


def test_root_needs_no_sudo(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    has(programs, "dnf", "sudo")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert installing.advice().startswith("Install it with: dnf install")


def test_where_there_is_no_sudo_the_advice_is_for_su(programs: Path) -> None:
    has(programs, "apt-get")
    assert installing.advice() == "Install it with: su -c 'apt-get install libvlc5 vlc-plugin-base libvlc-bin'"
    manager = installing.package_manager()
    assert manager
    assert installing.as_root(manager) is None


def test_without_a_known_package_manager_the_advice_is_vlc(programs: Path) -> None:
    assert installing.package_manager() is None
    assert installing.advice() == "Install VLC."


def test_it_is_here_if_it_is_in_the_named_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_VLC_LIB_PATH", str(tmp_path / "libvlc.so.5"))
    assert not installing.is_here()
    (tmp_path / "libvlc.so.5").touch()
    assert installing.is_here()


@pytest.mark.sound
def test_it_is_here_where_the_tests_of_sound_run() -> None:
    assert installing.is_here()
