"""No libvlc, no device, a device that goes away: a sentence, and never silence that passes for sound."""

import ctypes.util
import gc
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from player.errors import NoSoundDevice, NoSoundLibrary
from player.playback.engine import EngineFailed, Playing
from player.playback.vlc.engine import VlcEngine
from tests.player.playback.support import HeldMedia, ReportLog, silence, wait_until
from tests.sound.sound_server import SoundServer, running_sound_server

pytestmark = pytest.mark.sound

START_MS = 20_000


@pytest.fixture
def ear() -> ReportLog:
    return ReportLog()


@pytest.fixture
def engine(ear: ReportLog) -> Iterator[VlcEngine]:
    made = VlcEngine(ear)
    yield made
    made.close()


def play(engine: VlcEngine, generation: int = 1) -> None:
    engine.load(generation, HeldMedia(silence(60)), START_MS, speed=1.0, volume=100)


def failure(engine: VlcEngine, ear: ReportLog, generation: int = 1) -> EngineFailed:
    def come() -> object:
        engine.poll()
        return ear.of(EngineFailed, generation)

    wait_until(come)
    failed = ear.of(EngineFailed, generation)[0]
    assert isinstance(failed, EngineFailed)
    return failed


def sounds(engine: VlcEngine, ear: ReportLog, generation: int) -> bool:
    """Whether sound comes out, and the position moves with it."""
    engine.poll()
    return bool(ear.of(Playing, generation)) and (engine.position() or 0) > START_MS


def test_without_a_device_nothing_pretends_to_play(engine: VlcEngine, ear: ReportLog) -> None:
    play(engine)
    failed = failure(engine, ear)
    assert isinstance(failed.error, NoSoundDevice)
    assert str(failed.error).startswith("No sound device is responding.")
    assert not ear.of(Playing)
    assert engine.position() == pytest.approx(20_000, abs=300)


def test_a_device_that_comes_back_is_used(
    engine: VlcEngine, ear: ReportLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(engine)
    failure(engine, ear)
    with running_sound_server(tmp_path) as server:
        monkeypatch.setenv("PULSE_SERVER", server.address)
        play(engine, 2)

        wait_until(lambda: sounds(engine, ear, 2))
        assert not ear.of(EngineFailed, 2)
        server.die()
        assert str(failure(engine, ear, 2).error).startswith("The sound device was disconnected.")


def test_a_missing_libvlc_says_how_to_install_it(
    engine: VlcEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "vlc", raising=False)
    monkeypatch.setenv("PYTHON_VLC_LIB_PATH", str(tmp_path / "libvlc.so.5"))
    with pytest.raises(NoSoundLibrary, match=r"isn't installed. Install (it|VLC)"):
        play(engine)
    assert engine.position() is None


def test_a_libvlc_that_is_installed_after_a_first_try_plays_on_the_next(
    sound: SoundServer, engine: VlcEngine, ear: ReportLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as bare:
        bare.delitem(sys.modules, "vlc", raising=False)
        # What ctypes answers on a machine without libvlc: python-vlc then imports without a complaint.
        bare.setattr(ctypes.util, "find_library", lambda _name: None)
        with pytest.raises(NoSoundLibrary, match=r"isn't installed. Install (it|VLC)"):
            play(engine)
    play(engine, 2)

    wait_until(lambda: sounds(engine, ear, 2))


def test_nothing_is_left_of_many_loads(
    engine: VlcEngine, ear: ReportLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_sound_server(tmp_path) as server:
        monkeypatch.setenv("PULSE_SERVER", server.address)
        play(engine)
        engine.stop()
        threads = native_threads()
        media = []
        for generation in range(2, 22):
            data = HeldMedia(silence(1))
            media.append(weakref.ref(data))
            engine.load(generation, data, 0, speed=1.0, volume=100)
            del data
        engine.stop()
        gc.collect()
        assert [held for held in media if held() is not None] == []
        wait_until(lambda: native_threads() <= threads)


def native_threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))
