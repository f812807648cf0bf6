"""From one episode to the next: what is heard in between, at the sink of a sound server."""

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
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.quick import mostly_long
from tests.sound.gap import FROM_MS, SECONDS, gap
from tests.sound.pitch import tone
from tests.sound.sound_server import SoundServer

pytestmark = pytest.mark.sound

_SILENCE_S = 0.6
"""On a machine that is busy with other tests. `make bench` measures it on a quiet one."""


@pytest.mark.parametrize("kind", mostly_long(["mp3", "opus", "m4a", "wav", "flac"]))
def test_the_next_episode_sounds_right_after_the_last(
    paths: Paths, library: Library, server: LoopbackServer, sound: SoundServer, kind: str
) -> None:
    urls = [server.audio(f"/{number}", tone(kind, 440.0 + 220 * number, SECONDS)) for number in range(2)]
    podcast = library.podcasts.add(URL, "A show")
    ids = apply_feed(library, podcast, *(episode(number, url=url) for number, url in enumerate(urls))).new
    library.queue.add_last(ids)
    store = MediaStore(paths)
    session = PlaybackService(library, store, Bus(), Playback(), VlcEngine)
    session.start()

    def position() -> tuple[str, int]:
        status = session.status
        if status.episode is None or status.state is not PlaybackState.PLAYING:
            return "", 0
        return status.episode.title, status.position_ms

    try:
        for one in ids:
            cache(store, library, one)
        assert gap(sound, lambda: session.play(ids[0], FROM_MS), position, wait_until) < _SILENCE_S
    finally:
        session.close()
        store.close()


def cache(store: MediaStore, library: Library, episode_id: EpisodeId) -> None:
    """All of its bytes are on this disk from here on."""
    media = store.open(library.episodes.get(episode_id), lambda: None)
    wait_until(lambda: media.complete, "its bytes")
    media.close()
