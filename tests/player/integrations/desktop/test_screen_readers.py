"""A screen reader that runs is found: by its process, by the kernel, and on the session bus."""

import os
from pathlib import Path

import pytest

from player.integrations.desktop.screen_readers import running
from tests.player.integrations.desktop.accessibility import accessibility
from tests.player.integrations.desktop.bus import SessionBus

NO_BUS = {"XDG_RUNTIME_DIR": "/nonexistent"}


def process(root: Path, number: int, name: str) -> None:
    folder = root / "proc" / str(number)
    folder.mkdir(parents=True)
    (folder / "comm").write_text(f"{name}\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "found"), [("orca", "Orca"), ("brltty", "BRLTTY"), ("espeakup", "Speakup"), ("vim", "")]
)
def test_it_is_known_by_its_process(tmp_path: Path, name: str, found: str) -> None:
    process(tmp_path, 1, "systemd")
    process(tmp_path, 4711, name)
    (tmp_path / "proc" / "12").mkdir()  # has ended
    (tmp_path / "proc" / "uptime").write_text("1")
    assert running(NO_BUS, tmp_path) == found


def test_orca_of_somebody_else_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process(tmp_path, 4711, "orca")
    monkeypatch.setattr(os, "getuid", lambda: 64_000)
    assert running(NO_BUS, tmp_path) == ""


@pytest.mark.parametrize(("synth", "found"), [("soft\n", "Speakup"), ("none\n", ""), ("", "")])
def test_speakup_is_known_by_its_synthesizer(tmp_path: Path, synth: str, found: str) -> None:
    folder = tmp_path / "sys" / "accessibility" / "speakup"
    folder.mkdir(parents=True)
    (folder / "synth").write_text(synth)
    assert running(NO_BUS, tmp_path) == found


@pytest.mark.parametrize("reads", [True, False])
def test_it_is_known_by_the_session_bus(tmp_path: Path, daemon: SessionBus, reads: bool) -> None:
    with accessibility(daemon.address, reads=reads):
        found = running({"DBUS_SESSION_BUS_ADDRESS": daemon.address}, tmp_path)
    assert found == ("A screen reader" if reads else "")


def test_a_bus_without_at_spi_knows_of_none(tmp_path: Path, daemon: SessionBus) -> None:
    assert running({"DBUS_SESSION_BUS_ADDRESS": daemon.address}, tmp_path) == ""
