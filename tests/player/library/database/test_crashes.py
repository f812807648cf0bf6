"""The power goes, or somebody sends SIGKILL: nothing that was acknowledged is lost."""

import random
import sqlite3

from player.library import Library
from player.model.episode import EpisodeId
from player.model.listening import ActKind
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


MARKS = """
from player.library import Library
from player.model.episode import EpisodeId
from player.model.listening import ActKind
from player.model.segments import SegmentKind
from player.paths import Paths

library = Library(Paths.of())
library.open()
start_ms = {first}
while True:
    start_ms += 10_000
    with library.acts.recorded_segments(ActKind.SEGMENT_MARKED):
        one = library.segments.mark(EpisodeId({episode}), start_ms, start_ms + 5_000, SegmentKind.SPONSOR)
    library.segments.put_found(EpisodeId({other}), [(one.id, start_ms, start_ms + 5_000)])
    library.progress.save(EpisodeId({other}), start_ms, None, one.created_at, segments_ms=1)
    print(start_ms)
    with library.acts.recorded_segments(ActKind.SEGMENT_DELETED, [one.id]):
        library.segments.delete([one.id])
    library.acts.undo()
"""


def test_what_was_marked_or_found_outlives_a_kill_at_any_moment(
    paths: Paths, library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    library.close()
    chance = random.Random(1)
    for run in range(RUNS):
        with other_process(MARKS.format(first=(run + 1) * 10_000_000, episode=ids[0], other=ids[1])) as marker:
            seen = 0
            for _ in range(chance.randint(1, 60)):
                seen = int(marker.line())
            marker.process.kill()
            marker.process.wait()
            seen = max([seen, *map(int, marker.rest())])
        again = Library(paths)
        again.open()
        marked = {one.start_ms for one in again.segments.all()}
        deleted = again.acts.last()
        assert deleted
        if deleted.kind is ActKind.SEGMENT_DELETED:
            again.acts.undo()
            marked = {one.start_ms for one in again.segments.all()}
        assert {seen} <= marked <= {*range(10_000, seen + 20_000, 10_000)}
        found = {one.start_ms for one in again.segments.of_episode(ids[1])}
        assert found in ({seen}, {seen + 10_000}), "finds are replaced at once, and come back with their segment"
        assert found <= marked
        again.check()
        again.close()
        database = sqlite3.connect(paths.library)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
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
