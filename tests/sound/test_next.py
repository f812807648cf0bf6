"""From one episode to the next: what is heard in between, at the sink of a sound server."""

import time
from collections.abc import Iterator

import numpy as np
import pytest

from player.events import Bus
from player.library import Library
from player.media import MediaStore
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.vlc.engine import VlcEngine
from player.settings import Playback
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, episode, take_in
from tests.player.playback.support import wait_until
from tests.sound.pitch import tone
from tests.sound.sound_server import RATE, Recording, SoundServer

pytestmark = pytest.mark.sound

_LEAST = 0.01
_SILENCE_S = 0.6
"""On a machine that is busy with other tests; on a quiet one it is 0.03 to 0.09 s."""
_SECONDS = 8


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    opened = Library(paths)
    opened.open()
    yield opened
    opened.close()


def silence(recording: Recording, since: float) -> float:
    """The longest, in seconds."""
    samples, first = recording.samples()
    heard = np.flatnonzero(np.abs(samples[max(0, int((since - first) * RATE)) :]) > _LEAST)
    return float(np.max(np.diff(heard))) / RATE


@pytest.mark.parametrize(
    "kind", ["mp3", "opus", *(pytest.param(kind, marks=pytest.mark.long) for kind in ("m4a", "wav", "flac"))]
)
def test_the_next_episode_sounds_right_after_the_last(
    paths: Paths, library: Library, server: LoopbackServer, sound: SoundServer, kind: str
) -> None:
    urls = [server.audio(f"/{number}", tone(kind, 440.0 + 220 * number, _SECONDS)) for number in range(2)]
    podcast = library.podcasts.add(URL, "A show")
    ids = take_in(library, podcast, *(episode(number, url=url) for number, url in enumerate(urls))).new
    library.queue.add_last(ids)
    store = MediaStore(paths)
    session = PlaybackService(library, store, Bus(), Playback(), VlcEngine)
    session.start()
    try:
        for one in ids:
            cache(store, library, one)
        with sound.recording() as recording:
            session.play(ids[0], (_SECONDS - 1) * 1000)
            wait_until(lambda: session.status.state is PlaybackState.PLAYING, "sound")
            since = time.monotonic() + 0.3
            wait_until(lambda: session.status.position_ms < 2000 and plays(session, ids[1]), "the next episode")
            heard_from = time.monotonic() + 0.5
            wait_until(lambda: time.monotonic() > heard_from)
            assert silence(recording, since) < _SILENCE_S
    finally:
        session.close()
        store.close()


def plays(session: PlaybackService, episode_id: EpisodeId) -> bool:
    status = session.status
    playing = status.episode is not None and status.episode.id == episode_id
    return playing and status.state is PlaybackState.PLAYING and status.position_ms > 300


def cache(store: MediaStore, library: Library, episode_id: EpisodeId) -> None:
    """All of its bytes are on this disk from here on."""
    media = store.open(library.episodes.get(episode_id), lambda: None)
    wait_until(lambda: media.complete, "its bytes")
    media.close()
