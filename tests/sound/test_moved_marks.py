"""An episode that comes with another advertisement is heard on at the same word."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pytest

from player.feeds.check import decide
from player.library import Library
from player.measuring.kept_sounds import KeptSounds
from player.measuring.kinds import fingerprint
from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedEpisode, FeedState
from player.model.filters import View, ViewName
from player.model.listening import Moment
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.sounds import made
from tests.sound.places import _Ear, _playing
from tests.sound.sound_server import RATE, Recording, SoundServer

pytestmark = [pytest.mark.sound, pytest.mark.long]

T = TypeVar("T")
NEAR_S = 0.5
SECONDS, AT_S, LEFT_MS, BOOKMARK_MS = 150, 30, 70_000, 100_000
_DEADLINE_S = 60.0


@pytest.mark.parametrize(("before", "after"), [(".mp3", ".mp3"), (".m4a", ".opus")])
def test_it_goes_on_at_the_word_where_it_was_left(
    before: str, after: str, sound: SoundServer, server: LoopbackServer, paths: Paths, tmp_path: Path
) -> None:
    if not fingerprint.is_installed():
        pytest.skip("Chromaprint isn't installed")
    told, advertisement = made.talk("told", SECONDS), made.talk("advertisement", 21.5)
    at = AT_S * made.RATE
    longer = np.concatenate([told[:at], advertisement, told[at:]])
    episode = subscribed(server, paths, made.encoded(tmp_path / f"old{before}", told).read_bytes())
    environment = {**sound.environment(), "EARMARK_HOME": str(paths.data.parent)}
    kept = KeptSounds(paths.sounds)
    with sound.recording() as recording:
        ear = _Ear(recording, paths)
        with _playing(episode, environment, paths):
            ear.ask("seek", to_ms=LEFT_MS)
            wait_until(lambda: kept.read(episode) is not None)
            with_library(paths, lambda library: library.bookmarks.put(episode, Moment(BOOKMARK_MS)))
            left_ms = ear.ask("pause")["position_ms"]
        former = kept.read(episode)
        assert former is not None
        shutil.rmtree(paths.media)
        server.audio("/episode", made.encoded(tmp_path / f"new{after}", longer).read_bytes())
        began = time.monotonic()
        with _playing(episode, environment, paths):
            wait_until(lambda: (now := kept.read(episode)) is not None and now.version != former.version)
            wait_until(lambda: ear.ask("status")["position_ms"] > left_ms + 15_000)
            ear.listen(0.5)
            shown_s, moment = ear.ask("status")["position_ms"] / 1000, time.monotonic()
            ear.listen(3.0)
            heard_s = place(recording, moment, longer) - 21.5
        assert abs(heard_s + 21.5 - shown_s) <= NEAR_S, "what is shown is what is heard"
        assert abs(heard_s - left_ms / 1000 - (moment - began)) <= 5, "it went on where it was left"
    (bookmark,) = with_library(paths, lambda library: library.bookmarks.of_episode(episode))
    assert abs(bookmark.position_ms - BOOKMARK_MS - 21_500) <= NEAR_S * 1000


def place(recording: Recording, moment: float, wave: npt.NDArray[np.float32]) -> float:
    """Where in the episode the sound at that moment is, in seconds, by correlation with all of it."""
    samples, first = recording.samples()
    step = RATE / made.RATE
    start = int((moment - first) * RATE)
    wanted = np.interp(np.arange(2 * made.RATE) * step, np.arange(len(samples) - start), samples[start:])
    size = 1 << (len(wave) + len(wanted)).bit_length()
    found = np.fft.irfft(np.fft.rfft(wave, size) * np.conj(np.fft.rfft(wanted, size)), size)[: len(wave)]
    return float(np.argmax(found)) / made.RATE


def subscribed(server: LoopbackServer, paths: Paths, audio: bytes) -> EpisodeId:
    url = server.audio("/episode", audio)

    def add(library: Library) -> EpisodeId:
        podcast = library.podcasts.add(server.url("/feed.xml"), "Talk")
        feed = Feed(title="Talk", episodes=(FeedEpisode(guid="1", title="One", url=url),))
        library.podcasts.apply(podcast.id, feed, FeedState(), decide)
        return EpisodeId(library.episodes.ids(View.of(ViewName.PODCAST, podcast.id))[0])

    return with_library(paths, add)


def with_library(paths: Paths, work: Callable[[Library], T]) -> T:
    library = Library(paths)
    library.open()
    try:
        return work(library)
    finally:
        library.close()


def wait_until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + _DEADLINE_S
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)
