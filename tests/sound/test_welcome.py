"""The first thing anyone hears: each episode of the built-in podcast, through real libvlc."""

import numpy as np
import pytest

from player.media.built_in import BuiltInMedia
from player.playback.engine import Playing
from player.playback.vlc.engine import VlcEngine
from player.welcome import resource
from tests.player.playback.support import ReportLog, wait_until
from tests.quick import mostly_long
from tests.sound.sound_server import SoundServer

pytestmark = pytest.mark.sound


@pytest.mark.parametrize("name", mostly_long(["1-press-play.opus", "2-find-your-way.opus", "3-make-it-yours.opus"]))
def test_an_episode_of_the_built_in_show_is_heard_and_says_that_it_plays(sound: SoundServer, name: str) -> None:
    ear = ReportLog()
    engine = VlcEngine(ear)
    try:
        with sound.recording() as recording:
            engine.load(1, BuiltInMedia(resource(name)), 5_000, speed=1.0, volume=100)

            def sounds() -> bool:
                engine.poll()
                samples, _ = recording.samples()
                return (engine.position() or 0) > 5_500 and bool(np.abs(samples).max(initial=0.0) > 0.1)

            wait_until(sounds)
            assert ear.of(Playing)
    finally:
        engine.close()
