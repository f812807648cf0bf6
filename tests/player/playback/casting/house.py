"""An Earmark that plays through the silent engine, or on a device, from a server on loopback."""

import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from player.model.episode import EpisodeId
from player.paths import Paths
from player.playback.casting.device import FoundDevice
from player.player import Player
from player.settings import Audio, Feeds, Playback, Settings

SETTINGS = Settings(feeds=Feeds(refresh_on_start=False, refresh_minutes=0), playback=Playback(engine="silent"))
LEVELLED = Settings(feeds=SETTINGS.feeds, playback=SETTINGS.playback, audio=Audio(level="-16", trim="strong"))


def opened(paths: Paths, settings: Settings = SETTINGS) -> Player:
    player = Player(paths, settings)
    player.open()
    player.start()
    return player


def listening_ports() -> set[int]:
    """The TCP ports on which this process listens."""
    ours = set()
    for handle in Path("/proc/self/fd").iterdir():
        try:
            ours.add(str(handle.readlink()).removeprefix("socket:[").removesuffix("]"))
        except OSError:
            continue
    rows = [line.split() for file in ("tcp", "tcp6") for line in Path(f"/proc/net/{file}").read_text().splitlines()[1:]]
    return {int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == "0A" and row[9] in ours}


def listen_until_killed(paths: Paths, device: FoundDevice, episode_id: EpisodeId, report: Connection) -> None:
    """Plays on the device, and sends each position that is shown while it plays."""
    from player.playback.casting import cast_engine

    vars(cast_engine)["find_device"] = lambda *_asked: device
    player = opened(paths)
    player.choose_output(device.output, device.title).result()
    player.session.play(episode_id, 50_000)
    while True:
        status = player.session.status.at(time.monotonic())
        if status.state.value == "playing":
            report.send(status.position_ms)
        time.sleep(0.05)


def chosen(player: Player, ids: Sequence[EpisodeId], device: FoundDevice) -> None:
    """Plays the first of them from 50 s on the device."""
    player.choose_output(device.output, device.title).result()
    player.session.play(ids[0], 50_000)
