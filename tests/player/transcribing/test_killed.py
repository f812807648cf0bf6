"""Killed at any moment, a transcript loses one piece at most, and no piece is in it twice."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from player.library import AttachmentKind, Library
from player.library.attachments import MADE
from player.model.downloads import Work
from player.paths import Paths
from player.transcribing.made import read_made
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.transcribing.spoken import talk

ROOT = Path(__file__).parents[3]
SECONDS = 130


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kills", [3, pytest.param(30, marks=pytest.mark.long)])
def test_a_kill_loses_one_piece_at_most(paths: Paths, server: LoopbackServer, kills: int) -> None:
    dice = random.Random(kills)
    library = Library(paths)
    library.open()
    url = server.audio("/a.mp3", talk("mp3", SECONDS))
    (one,) = apply_feed(library, library.podcasts.add(URL, "A show"), episode(1, url=url)).new
    library.downloads.queue.add([one], work=Work.TRANSCRIPT)
    done = 0
    for number in range(kills):
        lines = _run(dice.randint(1, 3 + 3 * (number % 3)))
        if lines and lines[-1] == "done":
            # It came to its end, so it begins again.
            library.attachments.remove(one, AttachmentKind.TRANSCRIPT, MADE)
            library.downloads.queue.add([one], work=Work.TRANSCRIPT)
            done = 0
            continue
        kept = done + sum(len(line.split()) - 1 for line in _stored(lines))
        made = read_made(library.attachments.get(one, AttachmentKind.TRANSCRIPT, MADE))
        numbers = [int(part.body.split()[1].rstrip(".")) for part in made.segments] if made else []
        assert numbers == sorted(set(numbers)), "none twice"
        assert kept <= len(numbers) <= kept + 10, "what was kept is there, and at most the piece that was being kept"
        done = len(numbers)
    assert _run(None)[-1] == "done"
    made = read_made(library.attachments.get(one, AttachmentKind.TRANSCRIPT, MADE))
    assert made is not None
    assert made.is_whole
    assert [part.body for part in made.segments] == [f"Number {n}." for n in range(SECONDS)]
    assert library.downloads.queue.all() == []
    library.close()


def _stored(lines: list[str]) -> list[str]:
    """The pieces that were kept."""
    return [line for at, line in enumerate(lines) if line.startswith("understood") and "kept" in lines[at + 1 : at + 3]]


def _run(most: int | None) -> list[str]:
    """Runs Earmark until it has said so many lines, and kills it then."""
    said: list[str] = []
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.player.transcribing.killed"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process, process.stdout as output:
        for line in output:
            said.append(line.strip())
            if len(said) == most:
                process.kill()
    return said
