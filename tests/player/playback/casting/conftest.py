from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.player.playback.casting.fake_cast import FakeCast


@pytest.fixture
def device(tmp_path: Path) -> Iterator[FakeCast]:
    """A Chromecast."""
    made = FakeCast(tmp_path)
    yield made
    made.close()


@pytest.fixture
def cast(device: FakeCast, monkeypatch: pytest.MonkeyPatch) -> FakeCast:
    """A Chromecast that is found at once."""
    monkeypatch.setattr("player.playback.casting.cast_engine.find_device", lambda *_asked: device.found)
    return device


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Devices are given up sooner."""
    for name, seconds in (("_GONE_S", 2.0), ("_ARRIVES_S", 1.5), ("_BEGINS_S", 6.0), ("_UNASKED_S", 2.0)):
        monkeypatch.setattr(f"player.playback.casting.cast_engine.{name}", seconds)
    for kind in ("chromecast", "dlna"):
        monkeypatch.setattr(f"player.playback.casting.kinds.{kind}._ANSWERS_S", 1.0)
