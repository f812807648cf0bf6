"""The sound comes out where the listener chose, also after a change while it plays and after a restart."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from player.model.episode import EpisodeId
from player.model.playback import PlaybackState
from player.paths import Paths
from player.playback.outputs import SoundOutput
from player.playback.vlc.instance import find_outputs
from player.player import Player
from player.settings import Audio, Feeds, Settings
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.sound.pitch import heard, pitch_coded, steady
from tests.sound.sound_server import SINK, SoundServer, running_sound_server

pytestmark = pytest.mark.sound

HEADSET = SoundOutput("pulse", "headset")
QUIET = Settings(feeds=Feeds(refresh_on_start=False, refresh_minutes=0))


@pytest.fixture
def two_sinks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SoundServer]:
    folder = tmp_path / "pulse"
    folder.mkdir()
    with running_sound_server(folder) as server:
        monkeypatch.setenv("PULSE_SERVER", server.address)
        asked(
            server, "load-module", "module-null-sink", "sink_name=headset", "sink_properties=device.description=Phones"
        )
        yield server


def asked(server: SoundServer, *arguments: str) -> str:
    return subprocess.run(
        ["pactl", *arguments], env=server.environment(), check=True, capture_output=True, text=True
    ).stdout


def in_use(server: SoundServer) -> str:
    """The sink that is played into, "" for none."""
    sinks = dict(line.split("\t")[:2] for line in asked(server, "list", "short", "sinks").splitlines())
    for line in asked(server, "list", "short", "sink-inputs").splitlines():
        return sinks.get(line.split("\t")[1], "")
    return ""


def opened(settings: Settings = QUIET) -> Player:
    player = Player(Paths.of(), settings)
    player.open()
    player.start()
    return player


@pytest.fixture
def episode_id(server: LoopbackServer) -> EpisodeId:
    player = Player(Paths.of(), QUIET)
    player.open()
    url = server.audio("/episode.mp3", pitch_coded("mp3 vbr"))
    new = apply_feed(player.library, player.library.podcasts.add(URL, "A show"), episode(0, url=url)).new
    player.close()
    return new[0]


def playing(player: Player) -> bool:
    return player.session.status.state is PlaybackState.PLAYING


def test_outputs_are_found_with_names_for_a_person(two_sinks: SoundServer) -> None:
    found = {one.title: one.output for one in find_outputs()}
    assert found["Phones (PulseAudio)"] == HEADSET
    assert found["PulseAudio (default device)"] == SoundOutput("pulse")


@pytest.mark.long
def test_a_choice_while_it_plays_moves_the_sound_and_keeps_the_place(
    two_sinks: SoundServer, episode_id: EpisodeId
) -> None:
    player = opened()
    try:
        with two_sinks.recording() as recording:
            player.session.play(episode_id, 20_000)
            wait_until(lambda: playing(player) and in_use(two_sinks) == SINK, "sound from the first")
            player.choose_output(HEADSET)
            wait_until(lambda: playing(player) and in_use(two_sinks) == "headset", "sound from the other")
            player.choose_output(SoundOutput())
            moment = time.monotonic()
            wait_until(lambda: playing(player) and in_use(two_sinks) == SINK, "sound from the first again")
            wait_until(lambda: steady(heard(recording, moment)), "a tone")
            first = steady(heard(recording, moment))[0]
            status = player.session.status.at(first.at)
        assert first.position_s == pytest.approx(status.position_ms / 1000, abs=0.3)
    finally:
        player.close()


def test_the_choice_and_the_volume_survive_a_restart(two_sinks: SoundServer, episode_id: EpisodeId) -> None:
    player = opened()
    player.choose_output(HEADSET).result()
    player.session.set_volume(60)
    player.close()
    again = opened()
    try:
        again.session.play(episode_id)
        wait_until(lambda: playing(again) and in_use(two_sinks) == "headset", "sound from the chosen one")
        assert again.session.status.volume == 60
    finally:
        again.close()


def test_what_config_toml_names_is_used(two_sinks: SoundServer, episode_id: EpisodeId) -> None:
    player = opened(Settings(feeds=QUIET.feeds, audio=Audio(output="pulse", device="headset")))
    try:
        player.session.play(episode_id)
        wait_until(lambda: playing(player) and in_use(two_sinks) == "headset", "sound from the one of config.toml")
    finally:
        player.close()


def test_a_chosen_output_that_is_not_there_is_said(two_sinks: SoundServer, episode_id: EpisodeId) -> None:
    player = opened(Settings(feeds=QUIET.feeds, audio=Audio(output="pulse", device="unplugged")))
    try:
        player.session.play(episode_id)
        wait_until(lambda: player.session.status.state is PlaybackState.ERROR, "the sentence")
        assert player.session.status.error == (
            "No sound device is responding. Connect the one you chose, or choose another sound output."
        )
        assert in_use(two_sinks) == ""
    finally:
        player.close()
