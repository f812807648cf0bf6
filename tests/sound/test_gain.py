"""A fade softens what is heard, and the volume stays the one that the listener chose."""

import time
from collections.abc import Iterator

import pytest

from player.events import Bus
from player.library import Library
from player.media import MediaStore
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState
from player.model.podcast_settings import PodcastSettings
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.vlc.engine import VlcEngine
from player.settings import Playback
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.sound.pitch import heard, pitch_coded, steady
from tests.sound.sound_server import SoundServer

pytestmark = pytest.mark.sound


@pytest.fixture
def playing(
    paths: Paths, library: Library, server: LoopbackServer, sound: SoundServer
) -> Iterator[tuple[PlaybackService, EpisodeId]]:
    url = server.audio("/episode.mp3", pitch_coded("mp3"))
    new = apply_feed(library, library.podcasts.add(URL, "A show"), episode(0, url=url)).new
    made = PlaybackService(library, MediaStore(paths), Bus(), Playback(), VlcEngine)
    made.start()
    yield made, new[0]
    made.close()
    assert library.state.get("volume") == "90"


def test_a_gain_is_heard_and_the_volume_stays(
    playing: tuple[PlaybackService, EpisodeId], library: Library, sound: SoundServer
) -> None:
    session, episode_id = playing
    with sound.recording() as recording:
        session.set_volume(90)
        session.play(episode_id, 10_000)
        wait_until(lambda: session.status.state is PlaybackState.PLAYING, "sound")

        def loudness() -> float:
            """Of a steady tone that sounds from now on."""
            since = time.monotonic() + 0.2
            wait_until(lambda: len([one for one in steady(heard(recording)) if one.at > since]) > 2, "a tone")
            return [one for one in steady(heard(recording)) if one.at > since][-1].loudness

        loud = loudness()
        fade = session._controller._transport.set_gain
        session._thread.put(lambda: fade(0.5))
        soft = loudness()
        assert soft < 0.7 * loud
        assert session.status.volume == 90
        session._thread.put(lambda: fade(1.0))
        assert loudness() == pytest.approx(loud, rel=0.2)
        for gain_db, factor in ((-12.0, 0.25), (6.0, 2.0)):
            podcast_id = library.episodes.get(episode_id).podcast_id
            library.podcast_settings.set(podcast_id, PodcastSettings(gain_db=gain_db))
            session.settings_changed(podcast_id)
            assert loudness() == pytest.approx(factor * loud, rel=0.2), "its podcast's own gain"
        assert session.status.volume == 90
