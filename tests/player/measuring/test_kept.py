"""What is measured is kept in the library, and the sound follows it; of what is heard the sound itself is kept."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from player.measuring.kept_sounds import KeptSounds
from player.measuring.kinds import fingerprint
from player.measuring.sound import HEARD_MS, VALUE_MS
from player.model.effects import Trim
from player.model.podcast_settings import PodcastSettings
from player.paths import Paths
from player.playback.silent_engine import SilentEngine
from player.player import Player
from player.settings import Audio, Feeds, Settings
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.measuring.audio import speech, wav
from tests.player.playback.support import wait_until

RATE = 16_000
LEVELED = Settings(feeds=Feeds(refresh_on_start=False), audio=Audio(level="-16", trim=Trim.STRONG))


@pytest.fixture
def player(paths: Paths) -> Iterator[Player]:
    made = Player(paths, LEVELED, engine=lambda listener: SilentEngine(listener))
    made.open()
    made.start()
    yield made
    made.close()


def test_the_loudness_is_kept_the_gain_follows_and_pauses_are_left_out(
    player: Player, server: LoopbackServer, tmp_path: Path
) -> None:
    samples, pauses = speech(40, RATE)
    url = server.audio("/a.wav", wav(tmp_path / "a.wav", samples, RATE, 1).read_bytes())
    podcast = player.library.podcasts.add(URL)
    (one,) = apply_feed(player.library, podcast, episode(0, url=url)).new
    player.session.play(one).result(10)
    wait_until(lambda: player.library.loudness.of(one) is not None, "the loudness")
    known = player.library.loudness.of(one)
    assert known
    assert known.is_whole
    wait_until(lambda: player.session.status.gain_db not in (None, 0.0), "the gain")
    status = player.session.status
    assert status.gain_db == pytest.approx(-16.0 - known.lufs, abs=0.1)
    long = [pause for pause in pauses if pause[1] - pause[0] >= 0.6]
    assert len(status.left_out) == len(long)
    assert status.until_ms(40_000) < 40_000 - status.position_ms
    player.library.podcast_settings.set(podcast.id, PodcastSettings(trim=Trim.OFF))
    player.session.settings_changed(podcast.id)
    wait_until(lambda: player.session.status.left_out == (), "pauses as they are")


def test_of_what_is_heard_the_sound_is_kept_though_its_bytes_go(
    player: Player, paths: Paths, server: LoopbackServer, tmp_path: Path
) -> None:
    if not fingerprint.is_installed():
        pytest.skip("Chromaprint isn't installed")
    url = server.audio("/a.wav", wav(tmp_path / "a.wav", speech(20, RATE)[0], RATE, 1).read_bytes())
    podcast = player.library.podcasts.add(URL)
    (one,) = apply_feed(player.library, podcast, episode(0, url=url)).new
    player.session.play(one).result(10)
    wait_until(lambda: player.services.kept_sounds.read(one) is not None, "the sound")
    heard = player.library.episodes.get(one)
    sound = player.services.measuring.sound(heard)
    assert sound
    assert len(sound.values) == pytest.approx((sound.duration_ms - HEARD_MS) / VALUE_MS, abs=2)
    player.session.stop().result(10)

    def is_gone() -> bool:
        player.services.media.discard(heard)
        return player.services.measuring.sound(heard) is None

    wait_until(is_gone, "the end of its use")
    assert KeptSounds(paths.sounds).read(one) == sound


def test_how_loud_a_download_is_is_known_before_it_plays(
    paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.processes.power.is_battery", lambda: False)
    path = wav(tmp_path / "a.wav", speech(20, RATE)[0], RATE, 1)
    with closing(Player(paths, LEVELED, engine=lambda listener: SilentEngine(listener))) as player:
        player.open()
        podcast = player.library.podcasts.add(URL)
        (one,) = apply_feed(player.library, podcast, episode(0)).new
        player.library.downloads.put(one, path, size=path.stat().st_size)
        player.services.measuring._others_s = 0.0
        player.start()
        wait_until(lambda: player.library.loudness.of(one) is not None, "the loudness")
        known = player.library.loudness.of(one)
        assert known
        assert known.is_whole
