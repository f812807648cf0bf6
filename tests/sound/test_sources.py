"""What a listener's own files, videos and the episodes of a server sound like: from the second on where they were
left.
"""

from pathlib import Path
from typing import Any

import pytest

from player.events import Bus
from player.feeds.subscribe import Subscriber
from player.library import Library
from player.media import MediaStore
from player.model.episode import Episode
from player.model.filters import View, ViewName
from player.model.playback import PlaybackState
from player.model.podcast import PodcastId
from player.net.credentials import Credentials
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.vlc.engine import VlcEngine
from player.settings import Playback
from player.sources import all_pages, all_sources
from tests.audiobookshelf import AudiobookshelfServer
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.player.sources.audiobookshelf.conftest import signed_in
from tests.sound.pitch import heard, pitch_coded, steady
from tests.sound.sound_server import SoundServer

pytestmark = pytest.mark.sound

FROM_MS = 40_000
NEAR_S = 0.3


def first_second(sound: SoundServer, library: Library, paths: Paths, wanted: Episode, **more: Any) -> float:
    """The position in the file of the first steady sound, when it is played from FROM_MS. `more` as MediaStore takes
    it."""
    store = MediaStore(
        paths,
        feed=lambda one: library.podcasts.get(one.podcast_id).url,
        now_at=lambda one: library.episodes.get(one.id).url,
        **more,
    )
    session = PlaybackService(library, store, Bus(), Playback(), VlcEngine)
    session.start()
    try:
        with sound.recording() as recording:
            session.play(wanted.id, FROM_MS)
            wait_until(lambda: session.status.state is PlaybackState.PLAYING, "it to play", 15)
            wait_until(lambda: len(steady(heard(recording))) > 5, "a sound", 15)
            found = steady(heard(recording))[0].position_s
            assert found is not None
            return found
    finally:
        session.close()
        store.close()


def episode_of(library: Library, podcast_id: PodcastId) -> Episode:
    return library.episodes.rows(library.episodes.ids(View.of(ViewName.PODCAST, podcast_id)))[0]


@pytest.mark.parametrize("kind", ["mp3 vbr without xing", pytest.param("m4a", marks=pytest.mark.long)])
def test_a_file_of_one_s_own_sounds_from_the_second_that_was_asked_for(
    sound: SoundServer, library: Library, paths: Paths, tmp_path: Path, kind: str
) -> None:
    ending = "m4b" if kind == "m4a" else "mp3"
    (tmp_path / "Book").mkdir()
    (tmp_path / "Book" / f"1.{ending}").write_bytes(pitch_coded(kind))
    podcast = Subscriber(library, sources=all_sources()).add(str(tmp_path / "Book"))
    assert abs(first_second(sound, library, paths, episode_of(library, podcast.id)) - FROM_MS / 1000) < NEAR_S


@pytest.mark.parametrize("kind", ["webm", pytest.param("m4a in fragments", marks=pytest.mark.long)])
def test_the_sound_of_a_video_begins_at_the_second_that_was_asked_for(
    sound: SoundServer, library: Library, paths: Paths, server: LoopbackServer, kind: str
) -> None:
    url = server.audio("/video", pitch_coded(kind), "audio/webm")
    podcast = library.podcasts.add(URL, "A channel")
    apply_feed(library, podcast, episode(1, url=url))
    assert abs(first_second(sound, library, paths, episode_of(library, podcast.id)) - FROM_MS / 1000) < NEAR_S


def test_an_episode_of_a_server_sounds_from_the_second_that_was_asked_for_with_a_token_that_has_expired(
    sound: SoundServer, library: Library, paths: Paths
) -> None:
    logins = Credentials(paths.logins)
    with AudiobookshelfServer() as shelf:
        shelf.add_podcast("Casting Stones").add_episode("Amber", pitch_coded("mp3"), duration=60)
        podcast = Subscriber(library, logins, sources=all_sources(credentials=logins)).add(signed_in(shelf.address))
        shelf.later_s += 3601
        wanted = episode_of(library, podcast.id)
        at_s = first_second(sound, library, paths, wanted, login=logins.find, pages=all_pages(logins))
        assert abs(at_s - FROM_MS / 1000) < NEAR_S
        assert shelf.renewals == 1
