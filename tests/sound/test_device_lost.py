"""The device goes away while an episode plays: a pause with a sentence, and space goes on at the same place."""

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from player.events import Bus
from player.integrations.desktop.headphones import Headphones
from player.library import Library
from player.media import MediaStore
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.vlc.engine import VlcEngine
from player.settings import Playback
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.sound.pitch import heard, pitch_coded, steady
from tests.sound.sound_server import SINK, SoundServer, running_sound_server

pytestmark = pytest.mark.sound

AT_MS = 20_000
NEAR_S = 0.3
LOST_S = 1.0
UNREAD_S = 0.25
"""Of the last and the first tenth of a second the tone can't be read."""


@pytest.fixture
def events() -> Bus:
    return Bus()


@pytest.fixture
def session(paths: Paths, server: LoopbackServer, events: Bus) -> Iterator[tuple[PlaybackService, EpisodeId]]:
    url = server.audio("/episode.mp3", pitch_coded("mp3 vbr"))
    library = Library(paths)
    library.open()
    new = apply_feed(library, library.podcasts.add(URL, "A show"), episode(0, url=url)).new
    made = PlaybackService(library, MediaStore(paths), events, Playback(), VlcEngine)
    made.start()
    yield made, new[0]
    made.close()
    library.close()


@pytest.fixture
def watching(session: tuple[PlaybackService, EpisodeId], events: Bus) -> Iterator[Headphones]:
    made = Headphones(events, session[0])
    made.start()
    yield made
    made.close()


def crash(server: SoundServer) -> None:
    server.die()


def unplug(server: SoundServer) -> None:
    """The sink goes, the server stays."""
    listed = subprocess.run(
        ["pactl", "list", "short", "modules"], env=server.environment(), check=True, capture_output=True, text=True
    ).stdout
    (number,) = [line.split()[0] for line in listed.splitlines() if SINK in line]
    subprocess.run(["pactl", "unload-module", number], env=server.environment(), check=True)


@pytest.mark.parametrize("lose", [pytest.param(crash, marks=pytest.mark.long), unplug])
def test_a_device_that_goes_away_is_a_pause_and_space_goes_on_at_the_same_place(
    lose: Callable[[SoundServer], None],
    session: tuple[PlaybackService, EpisodeId],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    playback, episode_id = session
    folders = [tmp_path / "before", tmp_path / "after"]
    for folder in folders:
        folder.mkdir()
    address = tmp_path / "sound"
    monkeypatch.setenv("PULSE_SERVER", f"unix:{address}")

    with running_sound_server(folders[0]) as server, running_sound_server(folders[1]) as next_one:
        address.symlink_to(folders[0] / "native")
        with server.recording() as recording:
            playback.play(episode_id, AT_MS)
            wait_until(lambda: playback.status.position_ms > AT_MS + 1_800, "two seconds of sound")
            lose(server)
            wait_until(lambda: playback.status.state is PlaybackState.PAUSED, "the pause")
            last = steady(heard(recording))[-1].position_s
        server.die()
        status = playback.status
        assert status.error is not None
        assert status.error.startswith("The sound device was disconnected.")
        assert last is not None
        assert status.position_ms / 1000 == pytest.approx(last, abs=LOST_S)

        playback.toggle()
        wait_until(lambda: playback.status.state is PlaybackState.ERROR, "the sentence")
        assert playback.status.position_ms == status.position_ms

        address.unlink()
        address.symlink_to(folders[1] / "native")
        with next_one.recording() as recording:
            resumed = time.monotonic()
            playback.toggle()
            wait_until(lambda: len(steady(heard(recording, resumed))) > 5, "sound")
            first = steady(heard(recording, resumed))[0].position_s
        assert playback.status.error is None
        playback.stop()
    assert first is not None
    assert first == pytest.approx(status.position_ms / 1000, abs=NEAR_S)
    assert last - LOST_S <= first <= last + UNREAD_S


def test_unplugged_headphones_are_a_pause_though_the_speakers_could_take_over(
    session: tuple[PlaybackService, EpisodeId],
    watching: Headphones,
    tmp_path: Path,
    own_home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    playback, episode_id = session
    with running_sound_server(tmp_path) as server:
        monkeypatch.setenv("PULSE_SERVER", server.address)
        for module in (["module-null-sink", "sink_name=speakers"], ["module-rescue-streams"]):
            subprocess.run(["pactl", "load-module", *module], env=server.environment(), check=True, capture_output=True)
        playback.play(episode_id, AT_MS)
        wait_until(lambda: playback.status.position_ms > AT_MS + 300, "sound")
        wait_until(lambda: watching.route.sink == SINK, "what the sound server says")
        unplug(server)
        wait_until(lambda: playback.status.state is PlaybackState.PAUSED, "the pause")
        position_ms = playback.status.position_ms
        assert playback.status.error is None, "the sound device isn't lost, only another"
        playback.toggle()
        wait_until(lambda: playback.status.position_ms > position_ms + 300, "sound from the speakers")
        playback.stop()
