"""A chained Opus file over HTTP, left and found again in its second stream while most of it is still to come."""

import pytest

from player.events import Bus
from player.library import Library
from player.media import MediaStore
from player.model.playback import PlaybackState
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.vlc.engine import VlcEngine
from player.settings import Playback
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.sound.pitch import chained, heard, steady
from tests.sound.sound_server import SoundServer
from tests.sound.test_far_jumps import Link

pytestmark = pytest.mark.sound

NEAR_S = 0.4


def test_it_is_resumed_in_its_second_stream_and_played_at_its_end_only(
    library: Library, paths: Paths, server: LoopbackServer, sound: SoundServer
) -> None:
    # Where the second stream ends is found without what is held.
    link = Link(chained("opus", 20, 30, 60))
    link.held_from = len(link.data) * 4 // 5
    link.open.clear()
    claimed = episode(0, url=server.answer("/episode.opus", link.answer), duration_ms=60_000)
    new = apply_feed(library, library.podcasts.add(URL, "A show"), claimed).new[0]

    def session() -> PlaybackService:
        made = PlaybackService(library, MediaStore(paths), Bus(), Playback(), VlcEngine)
        made.start()
        return made

    def heard_now() -> float:
        with sound.recording() as recording:
            wait_until(lambda: len(steady(heard(recording))) > 5, "a sound")
            position_s = steady(heard(recording))[-1].position_s
        assert position_s is not None
        return position_s

    first = session()
    first.play(new)
    wait_until(lambda: first.status.state is PlaybackState.PLAYING, "sound")
    first.seek_to(30_000)
    wait_until(lambda: first.status.state is PlaybackState.PLAYING and first.status.position_ms > 30_300, "the jump")
    assert heard_now() == pytest.approx(first.status.position_ms / 1000, abs=NEAR_S)
    first.close()
    assert 30_000 < library.episodes.get(new).position_ms < 34_000
    again = session()
    again.resume()
    wait_until(lambda: again.status.state is PlaybackState.PLAYING, "sound")
    assert heard_now() == pytest.approx(again.status.position_ms / 1000, abs=NEAR_S)
    link.open.set()
    wait_until(lambda: (again.status.duration_ms, again.status.approximate) == (110_000, False), "the length")
    again.seek_to(80_000)
    wait_until(lambda: again.status.position_ms > 81_000, "the third stream")
    assert not library.episodes.get(new).played
    assert heard_now() == pytest.approx(again.status.position_ms / 1000, abs=NEAR_S)
    again.seek_to(108_500)
    wait_until(lambda: again.status.state is PlaybackState.ENDED, "the end")
    wait_until(lambda: library.episodes.get(new).played, "the mark")
    again.close()
