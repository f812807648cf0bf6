"""The unit for systemd, and what started as a service tells it."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from player.background.launching import tell_systemd
from player.background.service_unit import ServiceError, is_installed, remove_unit, unit_path, unit_text, write_unit

HARD = "a $HOME 50% \"quoted\" 'path' \\ of ours"


def test_the_unit_has_the_program_and_the_home() -> None:
    lines = unit_text(["/usr/bin/earmark", "play", "--headless", "--stay"], None).splitlines()
    assert "ExecStart=/usr/bin/earmark play --headless --stay" in lines
    assert not [line for line in lines if line.startswith("Environment")]
    lines = unit_text(["/opt/my programs/earmark", "play"], "/home/me/50%").splitlines()
    assert 'ExecStart="/opt/my programs/earmark" play' in lines
    assert 'Environment="EARMARK_HOME=/home/me/50%%"' in lines


def test_what_cant_stand_in_a_unit_is_refused() -> None:
    with pytest.raises(ServiceError, match="can't be used in a systemd unit"):
        unit_text(["/opt/two\nlines/earmark"], None)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_understands_it_whatever_the_paths_are(tmp_path: Path) -> None:
    program = tmp_path / "my 50% programs" / "earmark"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / "earmark.service"
    unit.write_text(unit_text([str(program), "play", "--headless", HARD], str(tmp_path / HARD)))
    asked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--user", str(unit)],
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (asked.returncode, asked.stderr) == (0, "")


def test_a_unit_that_isnt_ours_is_neither_overwritten_nor_removed(tmp_path: Path) -> None:
    path = tmp_path / "systemd" / "user" / "earmark.service"
    assert not is_installed(path)
    write_unit(path, unit_text(["/usr/bin/earmark"], None))
    write_unit(path, unit_text(["/usr/local/bin/earmark"], None))
    assert "/usr/local/bin" in path.read_text()
    assert remove_unit(path)
    assert not remove_unit(path)
    path.write_text("[Service]\nExecStart=/bin/mine\n")
    for act in (lambda: write_unit(path, "x"), lambda: remove_unit(path)):
        with pytest.raises(ServiceError, match="wasn't made by Earmark"):
            act()
    assert path.read_text() == "[Service]\nExecStart=/bin/mine\n"
    assert [one.name for one in path.parent.iterdir()] == ["earmark.service"]


def test_it_stands_where_the_user_keeps_their_settings() -> None:
    assert unit_path({"HOME": "/home/me"}) == Path("/home/me/.config/systemd/user/earmark.service")
    assert unit_path({"HOME": "/home/me", "XDG_CONFIG_HOME": "/cfg"}) == Path("/cfg/systemd/user/earmark.service")
    assert unit_path({"HOME": "/home/me", "XDG_CONFIG_HOME": "cfg"}).is_relative_to("/home/me")


def test_systemd_is_told_when_it_has_started_if_it_asked(tmp_path: Path) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(address)
        systemd.settimeout(5)
        tell_systemd({"NOTIFY_SOCKET": address})
        assert systemd.recv(100) == b"READY=1"
    for nobody in ({}, {"NOTIFY_SOCKET": address}, {"NOTIFY_SOCKET": "vsock:2:1"}):
        tell_systemd(nobody)
