"""Downloads that are killed again and again, over a network that stalls and breaks, become whole files all the same."""

import hashlib
import random
import subprocess
import sys
from pathlib import Path

import pytest

from player.library import Library
from player.media.formats.mpeg import id3v2_size
from player.paths import Paths
from tests.bad_network import BadFile, close, reset, short, status, trickle
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.sounds import mp3

COUNT = 10
ROOT = Path(__file__).parents[3]
STEPS = ("after the file is put", "before the file is noted", "after the file is noted", "before the file is put")


class Killed:
    """Runs Earmark until it has said so many lines, or a certain one, and kills it then."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def run(self, lines: int | None = None, step: str = "") -> bool:
        """True if it came to its end before."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.player.downloads.killed"], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        with process, process.stdout as said:
            for number, line in enumerate(said, 1):
                self.said.append(line.strip())
                if number == lines or (step and line.strip() == step):
                    process.kill()
                    return False
        assert process.returncode == 0
        return True


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.long)])
def test_ten_at_once_are_whole_in_the_end(paths: Paths, server: LoopbackServer, kills: int) -> None:
    dice = random.Random(kills)
    bodies = [mp3(1_200, seed=number) for number in range(COUNT)]
    faults = [short(30_000), close, trickle(80_000), reset, status(503), trickle(50_000), trickle(20_000)]
    files = [BadFile(body, dice.choices(faults, k=4 * kills)) for body in bodies]
    library = Library(paths)
    library.open()
    podcast = library.podcasts.add(URL, "A show")
    items = [
        episode(number, title="One name", url=server.answer(f"/{number}", file)) for number, file in enumerate(files)
    ]
    ids = sorted(apply_feed(library, podcast, *items).new)
    library.downloads.queue.add(ids)
    killed = Killed()
    for number in range(kills):
        if step := STEPS[number // 4] if number % 4 == 1 and number // 4 < len(STEPS) else "":
            files[number // 4].let_go.set()
        assert not killed.run(None if step else dice.randint(COUNT + 2, 4 * COUNT), step), f"only {number} kills"
    for file in files:
        file.let_go.set()
    assert killed.run()
    assert [line for line in killed.said if line.startswith("failed")] == []

    assert library.downloads.queue.all() == []
    found = {}
    for one in ids:
        download = library.downloads.get(one)
        assert download is not None
        data = download.path.read_bytes()
        assert len(data) == download.size
        found[one] = hashlib.sha256(data[id3v2_size(data) :]).hexdigest()
    wanted = {library.episodes.get(one).url: digest for one, digest in found.items()}
    assert wanted == {server.url(f"/{number}"): hashlib.sha256(body).hexdigest() for number, body in enumerate(bodies)}
    folder = paths.data / "episodes"
    # Nothing half written, and nothing twice.
    assert len([path for path in folder.rglob("*") if path.is_file()]) == COUNT
    assert list(paths.media.iterdir()) == []
    library.close()
