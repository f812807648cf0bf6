"""libvlc is started to play what it is handed, and for nothing else."""

import logging
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from player.media.built_in import BuiltInMedia
from player.playback.engine import EngineReport, Playing
from player.playback.outputs import SoundOutput
from player.playback.vlc.engine import VlcEngine
from tests.player.playback.support import silence, wait_until
from tests.sound.canaries import FileCanary

pytestmark = pytest.mark.sound


@pytest.fixture
def reports() -> list[EngineReport]:
    return []


@pytest.fixture
def engine(reports: list[EngineReport]) -> Iterator[VlcEngine]:
    made = VlcEngine(reports.append, lambda: SoundOutput("adummy"))
    yield made
    made.close()


def play(engine: VlcEngine, reports: list[EngineReport]) -> None:
    engine.load(1, BuiltInMedia(silence(20)), 0, speed=1.0, volume=100)

    def moves() -> bool:
        engine.poll()
        playing = any(isinstance(report, Playing) for report in tuple(reports))
        return playing and (engine.position() or 0) > 0

    wait_until(moves)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who opens a file")
def test_a_file_called_vlc_in_the_folder_one_stands_in_is_left_alone(
    engine: VlcEngine, reports: list[EngineReport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    canary = FileCanary(tmp_path / "vlc")
    play(engine, reports)
    # What libvlc does by itself it does in a thread of its own.
    time.sleep(0.2)
    assert canary.opened() == 0
    canary.close()


def test_how_libvlc_finds_the_bytes_is_no_error_in_the_log(
    engine: VlcEngine, reports: list[EngineReport], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        play(engine, reports)
    assert "function pointers" not in caplog.text
