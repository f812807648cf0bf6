"""Two and three devices, each with a copy of the folder that another program brings up to date now and then."""

import random
import shutil
from pathlib import Path

import pytest

from tests.player.sync.folder.helpers import Device, action, all_of, fact, journals
from tests.quick import LONG


class Copies:
    """A folder for each device, and a program that copies files between them: whole, in part or as a conflict."""

    def __init__(self, home: Path, names: list[str], chance: random.Random) -> None:
        self._chance = chance
        self.devices = []
        for name in names:
            folder = home / name / "Sync"
            folder.mkdir(parents=True)
            self.devices.append(Device(home, folder, name))

    def copy_some(self) -> None:
        here, there = self._chance.sample(self.devices, 2)
        for file in self._journals_of(here):
            self._copy(file, there)

    def _journals_of(self, device: Device) -> list[Path]:
        """Its own: others' come from themselves."""
        return [file for file in journals(device.folder) if file.name.startswith(device.name)]

    def _copy(self, file: Path, there: Device) -> None:
        text = file.read_bytes()
        target = there.folder / "earmark-sync" / file.name
        match self._chance.randrange(7):
            case 0:
                target.write_bytes(text[: self._chance.randrange(len(text) + 1)])
            case 1:
                hole = self._chance.randrange(len(text) + 1)
                end = min(len(text), hole + self._chance.randrange(2000))
                target.write_bytes(text[:hole] + b"\0" * (end - hole) + text[end:])
            case 2:
                cut = self._chance.randrange(len(text) + 1)
                target.with_name(f"{file.stem}.sync-conflict-20260401-120000-ABCDEFG.jsonl").write_bytes(text[cut:])
            case 3:
                pass
            case _:
                target.write_bytes(text)

    def copy_all(self) -> None:
        for here in self.devices:
            for there in self.devices:
                if here is not there:
                    for file in self._journals_of(here):
                        shutil.copy(file, there.folder / "earmark-sync" / file.name)


@pytest.mark.parametrize("names", [["laptop", "phone"], ["laptop", "phone", "tablet"]], ids=str)
@pytest.mark.parametrize("seed", range(20 if LONG else 1))
def test_devices_end_with_the_same_records_however_files_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str], seed: int
) -> None:
    monkeypatch.setattr("player.sync.folder.journal.PART_SIZE", 4000)
    chance = random.Random(seed)
    copies = Copies(tmp_path / "devices", names, chance)
    for step in range(200 if LONG else 100):
        device = chance.choice(copies.devices)
        match chance.randrange(6):
            case 0 | 1:
                made = [action(step * 100 + n, device.name) for n in range(chance.randint(1, 12))]
                device.push(*made, fact(step, device=device.name))
            case 2:
                device.pull(whole=chance.random() < 0.1)
            case 3:
                device.restart()
            case _:
                copies.copy_some()
    copies.copy_all()
    for device in copies.devices:
        pulled = device.pull()
        assert all_of(device.pull()) == []
        assert not pulled.forgotten
        own = {file for one in copies.devices for file in journals(one.folder) if "conflict" not in file.name}
        assert not [one for one in pulled.unread if any(one.startswith(f"{file.name} ") for file in own)]
    known = [device.known for device in copies.devices]
    assert known[0]
    assert all(one == known[0] for one in known)
    assert all(set(all_of(device.pull(whole=True))) == known[0] for device in copies.devices)
