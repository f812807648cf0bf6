"""A week of listening at a run: episode after episode opened, sought in and left; what stays behind."""

import subprocess
import sys
import time
from pathlib import Path

from player.model.episode import EpisodeId
from player.model.filters import View
from player.model.playback import PlaybackState
from player.paths import Paths
from player.player import Player
from player.settings import Feeds, Settings
from tests.bench.house import ROOT, house
from tests.bench.table import print_table

EPISODES = 2_000
_MOST_S = 420.0
_LOOKS = (0.05, 0.25, 0.5, 0.75, 1.0)
_ACTIVE = (PlaybackState.PLAYING, PlaybackState.ERROR)


def measure() -> None:
    with house(600) as home:
        home.stock([f"Episode {number}" for number in range(200)])
        command = [sys.executable, "-m", "tests.bench.week"]
        output = subprocess.run(
            command, env=home.environment(), cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True,
        ).stdout  # fmt: skip
    rows = [line.split("\t") for line in output.splitlines()]
    first, last = rows[0], rows[-1]
    grown = [int(after) - int(before) for before, after in zip(first[1:], last[1:], strict=True)]
    rows.append(["grown since the first look", *(f"{by:+d}" for by in grown)])
    print_table(
        f"Memory over {last[0]} episodes opened, sought in and left",
        ("episodes", "resident kB", "threads", "files"),
        rows,
    )


def main() -> None:
    """In a process of its own: prints how many episodes, resident kB, threads and open files, as the week goes by."""
    player = Player(Paths.of(), Settings(feeds=Feeds(refresh_on_start=False)))
    player.open()
    player.start()
    ids = [EpisodeId(one) for one in player.library.episodes.ids(View()) if _is_long(player, EpisodeId(one))]
    start = time.monotonic()
    looks = [round(EPISODES * part) for part in _LOOKS]
    number = 0
    while number < EPISODES and time.monotonic() - start < _MOST_S:
        episode = ids[number % len(ids)]
        player.session.play(episode, (number * 7 % 500) * 1000)
        _wait_for_sound(player, episode)
        player.session.seek_by(30_000)
        number += 1
        if number in looks:
            _look(number, player)
    if number not in looks:
        _look(number, player)
    player.close()


def _is_long(player: Player, episode_id: EpisodeId) -> bool:
    return player.library.episodes.get(episode_id).podcast == "Long Radio"


def _wait_for_sound(player: Player, episode: EpisodeId) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        status = player.session.status
        if status.episode and status.episode.id == episode and status.state in _ACTIVE:
            return
        time.sleep(0.005)


def _look(number: int, player: Player) -> None:
    player.session.stop()
    time.sleep(1.0)
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    resident, files = status["VmRSS"].split()[0], len(list(Path("/proc/self/fd").iterdir()))
    print(number, resident, status["Threads"].strip(), files, sep="\t", flush=True)


if __name__ == "__main__":
    main()
