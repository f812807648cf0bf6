"""Kinds of device are found in their folder, and their libraries loaded when they are needed."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from player.playback.casting import finding, kinds
from player.playback.casting.device import DeviceKind, FoundDevice
from player.playback.casting.finding import can_cast, how_to_cast
from player.playback.outputs import SoundOutput

KIND = """
from player.playback.casting.device import DeviceKind
KIND = DeviceKind(title="Gramophone", needs={needs}, find=print, connect=print)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with more kinds."""
    more = tmp_path / "more"
    more.mkdir()
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(more)])
    yield more
    sys.modules.pop("player.playback.casting.kinds.gramophone", None)


def test_another_kind_needs_no_other_file(folder: Path) -> None:
    (folder / "gramophone.py").write_text(KIND.format(needs=()))
    assert set(kinds.device_kinds()) == {"chromecast", "dlna", "gramophone"}
    assert kinds.is_kind("gramophone")
    assert not kinds.is_kind("pulse")


def test_a_kind_whose_library_is_missing_is_left_out(folder: Path) -> None:
    (folder / "gramophone.py").write_text(KIND.format(needs=("no_such_library",)))
    assert set(kinds.device_kinds()) == {"chromecast", "dlna"}


@pytest.mark.parametrize(
    ("host", "is_listed"), [("192.168.1.9", True), ("93.184.216.34", False), ("no address", False)]
)
def test_a_device_that_says_it_is_outside_of_the_network_is_not_listed(
    host: str, is_listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = FoundDevice(SoundOutput("gramophone", "1"), "Attic", "Attic (Gramophone)", host)

    def find(_addresses: Sequence[str], _seconds: float, found: Callable[[FoundDevice], bool]) -> None:
        found(device)

    kind = DeviceKind("Gramophone", (), find, lambda _found: pytest.fail("nothing is connected"))
    monkeypatch.setattr(finding, "device_kinds", lambda: {"gramophone": kind})
    monkeypatch.setattr(finding, "addresses", lambda: ("192.168.1.2",))
    assert bool(finding.find_devices()) is is_listed


def test_without_libraries_a_sentence_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.playback.casting.finding.device_kinds", dict)
    assert not can_cast()
    how = f"To play on Chromecasts and DLNA devices: {sys.executable} -m pip install 'earmark[cast]'"
    assert how_to_cast() == how


_PLAYS_HERE = """
import json, sys
from player.playback.casting.finding import can_cast
from player.playback.engine import Playing
from player.playback.engine_choice import engine_factory
from player.playback.outputs import OutputChoice, SoundOutput
from tests.player.playback.support import HeldMedia, silence, wait_until

reports = []
engine = engine_factory("silent", OutputChoice(SoundOutput()))(reports.append)
engine.load(1, HeldMedia(silence(5)), 0, speed=1.0, volume=100)
wait_until(lambda: any(isinstance(one, Playing) for one in reports))
assert can_cast()
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules} | {n for n in sys.modules if "casting" in n})))
"""


def test_nothing_of_the_extra_is_loaded_while_this_computer_plays() -> None:
    ran = subprocess.run([sys.executable, "-c", _PLAYS_HERE], capture_output=True, text=True, check=True)
    loaded = set(json.loads(ran.stdout))
    assert not loaded & {"pychromecast", "zeroconf", "google", "async_upnp_client", "aiohttp", "defusedxml", "ifaddr"}
    assert "player.playback.casting.cast_engine" not in loaded
