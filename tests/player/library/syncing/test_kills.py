"""SIGKILL in the middle of taking and collecting: all of it is there, or nothing. And how much work that is."""

import random
import sqlite3
from datetime import timedelta

import pytest

from player.library import Library
from player.library.database.connections import Connections
from player.library.syncing import syncing
from player.model.episode import EpisodeId
from player.model.syncing import ActionKind, Pulled
from player.paths import Paths
from tests.player.library.helpers import apply_feed, episode, other_process
from tests.player.library.syncing.devices import ALL, FOLDER, MIN_MS, NOW, name, play, said, take
from tests.quick import LONG

RUNS = 8 if LONG else 3

TAKES = """
from datetime import timedelta
from player.library import Library
from player.model.episode import EpisodeId
from player.model.syncing import Pulled
from player.paths import Paths
from tests.player.library.syncing.devices import MIN_MS, NOW, play

library = Library(Paths.of())
library.open()
number = int(library.syncing.state().cursor or 0)
print(number)
while True:
    number += 1
    now = NOW + timedelta(minutes=number)
    actions = [play(one, number * 5_000, now) for one in range(4)]
    actions += [play(1_000 * number + more, MIN_MS, now) for more in range(50)]
    library.progress.save(EpisodeId({own}), number * 5_000, None, now)
    library.syncing.take(Pulled(tuple(actions), cursor=str(number)), now)
    print(number)
"""


def test_a_kill_leaves_all_of_a_pull_or_nothing(paths: Paths, library: Library, ids: tuple[EpisodeId, ...]) -> None:
    library.syncing.set_account(FOLDER)
    said(library.syncing)
    library.close()
    chance = random.Random(1)
    for _run in range(RUNS):
        with other_process(TAKES.format(own=ids[4])) as player:
            for _ in range(chance.randint(1, 12)):
                seen = int(player.line())
            player.process.kill()
            player.process.wait()
            seen = max([seen, *map(int, player.rest())])
        library.open()
        number = int(library.syncing.state().cursor or 0)
        assert number in (seen, seen + 1), "what was acknowledged isn't lost; one may be done but not yet said"
        positions = [found.position_ms for one in ids[:4] if (found := library.progress.position(one))]
        assert positions == [number * 5_000] * len(positions)
        assert library.syncing.counts().unmatched == number * 50
        library.syncing.collect(NOW + timedelta(minutes=number + 1))
        own = [action for _number, action in library.syncing.outgoing(10_000, ALL).actions]
        saved = library.progress.position(ids[4])
        assert [action.position_ms for action in own] == [5_000 * (one + 1) for one in range(len(own))]
        assert len(own) in (number, number + 1), "no action is lost between the log and the outbox"
        assert (saved.position_ms if saved else 0) == 5_000 * len(own)
        library.close()
        database = sqlite3.connect(paths.library)
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        database.close()


def _steps(connections: Connections, library: Library, pulled: Pulled) -> int:
    """Hundreds of steps of SQLite's machine that taking this needs."""
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    connections._writer.set_progress_handler(count, 100)
    library.syncing.take(pulled, NOW)
    connections._writer.set_progress_handler(None, 0)
    return steps


def test_the_work_of_a_pull_grows_with_what_it_brings_and_not_with_its_square(library: Library) -> None:
    """10,000 actions of 10,000 episodes take 1.3 s."""
    podcast = library.podcasts.add("https://example.org/feed.xml")
    apply_feed(library, podcast, *(episode(number) for number in range(1_000)))
    library.syncing.set_account(FOLDER)
    take(library.syncing)
    connections = library._connected
    few = _steps(connections, library, Pulled(tuple(play(number, MIN_MS) for number in range(200))))
    many = _steps(connections, library, Pulled(tuple(play(number, MIN_MS) for number in range(200, 1_000))))
    assert many < 6 * few
    again = Pulled(tuple(play(number, MIN_MS) for number in range(200, 1_000)))
    assert _steps(connections, library, again) < many / 4, "what is known isn't applied again"


def test_a_library_that_others_said_much_about_collects_only_what_changed(library: Library) -> None:
    podcast = library.podcasts.add("https://example.org/feed.xml")
    new = apply_feed(library, podcast, *(episode(number) for number in range(500))).new
    library.syncing.set_account(FOLDER)
    take(library.syncing, *(play(number, MIN_MS) for number in range(500)))
    library.progress.save(new[7], 3 * MIN_MS, None, NOW)
    assert [action.episode for action in said(library.syncing)] == [name(7)]


def test_many_changes_are_collected_in_several_transactions(
    library: Library, ids: tuple[EpisodeId, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a position that is saved meanwhile waits for none of them long."""
    library.syncing.set_account(FOLDER)
    said(library.syncing)
    monkeypatch.setattr(syncing, "_AT_ONCE", 2)
    library.episodes.set_played(ids, True)
    library.progress.save(ids[0], MIN_MS, None, NOW)
    assert library.syncing.collect(NOW) == len(ids)
    assert {action.kind for action in said(library.syncing)} == {ActionKind.PLAYED}
    assert library.syncing.collect(NOW) == 0
