"""Work that can wait waits on a battery that is nearly empty, and long work on any battery."""

from pathlib import Path

import pytest

from player.processes.power import is_battery, is_low


def supply(folder: Path, **said: str) -> None:
    folder.mkdir()
    for name, value in said.items():
        (folder / name).write_text(f"{value}\n")


@pytest.mark.parametrize(
    ("said", "low"),
    [
        ({"type": "Battery", "status": "Discharging", "capacity": "19"}, True),
        ({"type": "Battery", "status": "Discharging", "capacity": "20"}, False),
        ({"type": "Battery", "status": "Charging", "capacity": "5"}, False),
        ({"type": "Battery", "status": "Discharging", "capacity": "5", "scope": "Device"}, False),
        ({"type": "Battery", "status": "Discharging", "capacity": "nonsense"}, False),
        ({"type": "Battery", "status": "Discharging"}, False),
        ({"type": "Mains", "online": "0"}, False),
    ],
)
def test_a_battery_is_low_when_it_runs_out(tmp_path: Path, said: dict[str, str], low: bool) -> None:
    supply(tmp_path / "BAT0", **said)
    assert is_low(tmp_path) is low
    discharging = said["type"] == "Battery" and said["status"] == "Discharging" and "scope" not in said
    assert is_battery(tmp_path) is discharging


def test_where_there_is_none_nothing_waits(tmp_path: Path) -> None:
    assert not is_low(tmp_path)
    assert not is_low(tmp_path / "nothing")
    assert not is_battery(tmp_path)
