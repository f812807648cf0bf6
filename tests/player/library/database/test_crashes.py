"""The power goes, or somebody sends SIGKILL: nothing that was acknowledged is lost."""

import random
import sqlite3

from player.library import Library
from player.model.episode import EpisodeId
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode, other_process
from tests.quick import LONG

RUNS = 10 if LONG else 4

SAVES = """
import threading
from datetime import UTC, datetime
from player.library import Library
from player.model.episode import EpisodeId
from player.paths import Paths
from tests.player.library.helpers import episode, apply_feed

library = Library(Paths.of())
library.open()
podcast = library.podcasts.find("A show")
first = {first}

def refresh():
    number = first
    while True:
        apply_feed(library, podcast, *(episode(number + more, notes="n" * 3000) for more in range(50)))
        number += 50

threading.Thread(target=refresh, daemon=True).start()
position_ms = first
while True:
    position_ms += 1
    library.progress.save(EpisodeId({episode}), position_ms, None, datetime.now(UTC))
    print(position_ms)
"""


def test_a_saved_position_outlives_a_kill_at_any_moment(
    paths: Paths, library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    library.close()
    chance = random.Random(1)
    seen = 0
    for run in range(RUNS):
        with other_process(SAVES.format(first=(run + 1) * 1_000_000, episode=ids[0])) as player:
            for _ in range(chance.randint(1, 120)):
                seen = int(player.line())
            player.process.kill()
            player.process.wait()
            seen = max([seen, *map(int, player.rest())])
        again = Library(paths)
        again.open()
        saved = again.progress.position(ids[0])
        assert saved
        assert saved.position_ms in (seen, seen + 1), "no acknowledged save is lost; one may be done but not yet said"
        podcast = again.podcasts.find("A show")
        assert podcast.episode_count % 50 == 5, "a refresh is there as a whole or not at all"
        again.close()
        database = sqlite3.connect(paths.library)
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        assert database.execute("SELECT count(*) FROM details").fetchone()[0] == podcast.episode_count
        database.close()


def test_a_first_start_that_is_killed_leaves_a_library_or_none(paths: Paths) -> None:
    code = """
from player.library import Library
from player.paths import Paths
print("now")
Library(Paths.of()).open()
print("done")
"""
    for lines in (1, 1, 1, 2):
        with other_process(code) as first:
            for _ in range(lines):
                first.line()
    library = Library(paths)
    library.open()
    assert len(library.podcasts.all()) == 1
    podcast = library.podcasts.add(URL)
    assert apply_feed(library, podcast, episode(0)).changed
    library.close()
