"""SIGKILL at any moment of pushing: what was acknowledged is there, nothing is there twice, and no line is torn."""

import multiprocessing
import random
from pathlib import Path

import pytest

from player.model.syncing import Action
from tests.player.sync.folder.helpers import Device, action, journals, records_in
from tests.player.sync.folder.killed import push_until_killed


@pytest.mark.parametrize("kills", [12, pytest.param(60, marks=pytest.mark.long)])
def test_what_was_acknowledged_outlives_a_kill_at_any_moment(
    tmp_path: Path, kills: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "Sync"
    folder.mkdir()
    # A server that forks has Earmark imported already: a process is there in a hundredth of a second.
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.player.sync.folder.killed"])
    chance = random.Random(1)
    begin = 0
    for _ in range(kills):
        receiver, sender = processes.Pipe(duplex=False)
        device = processes.Process(target=push_until_killed, args=(tmp_path, folder, begin, sender), daemon=True)
        device.start()
        sender.close()
        pushed = begin - 1
        kills_after = chance.randint(1, 20)
        try:
            while True:
                what, n = receiver.recv()
                if what == "pushed":
                    pushed = n
                kills_after -= 1
                if kills_after == 0:
                    device.kill()
        except EOFError:
            device.join()
        assert device.exitcode == -9, "it was killed, and didn't fail"
        begin = pushed + 1  # what wasn't acknowledged is sent again
        found = [one for one in records_in(*journals(folder)) if isinstance(one, Action)]
        assert found[:begin] == [action(n) for n in range(begin)]
        assert found[begin:] in ([], [action(begin)])
    laptop = Device(tmp_path, folder)
    laptop.push(action(begin))
    records = records_in(*journals(folder))
    assert len(records) == len(set(records))
    assert len({file.name.split(".")[1] for file in journals(folder)}) == 1
    pulled = laptop.pull(whole=True)
    assert pulled.unread == ()
    assert not pulled.forgotten
    assert len(journals(folder)) > 1
