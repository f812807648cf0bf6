"""SIGKILL at any moment, amid moves, ends and clears: nothing is lost, nothing doubled, no finished episode is back."""

import multiprocessing
import random

import pytest

from player.library import Library
from player.model.episode import EpisodeId
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.up_next.killed import listen_until_killed


@pytest.mark.parametrize("kills", [8, pytest.param(50, marks=pytest.mark.long)])
def test_the_queue_outlives_a_kill_at_any_moment(paths: Paths, library: Library, kills: int) -> None:
    podcast = library.podcasts.add(URL, "A show")
    ids = apply_feed(library, podcast, *(episode(number) for number in range(500))).new
    library.close()
    # A server that forks has Earmark imported already: a process is there in a hundredth of a second.
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.player.playback.up_next.killed"])
    chance = random.Random(1)
    finished: set[EpisodeId] = set()
    did: set[str] = set()
    for run in range(kills):
        receiver, sender = processes.Pipe(duplex=False)
        listener = processes.Process(target=listen_until_killed, args=(paths, run, sender, ids), daemon=True)
        listener.start()
        sender.close()
        queue: list[int] | None = None
        doing: tuple[str, list[EpisodeId]] | None = None
        kills_after = chance.randint(2, 40)
        try:
            while True:
                kind, some = receiver.recv()
                did.add(kind)
                if kind == "queue":
                    if doing and doing[0] == "finish":
                        finished |= set(doing[1])
                    queue, doing = some, None
                else:
                    doing = kind, some
                kills_after -= 1
                if kills_after == 0:
                    listener.kill()
        except EOFError:
            listener.join()
        assert listener.exitcode == -9, "it was killed, and didn't fail"
        check(paths, queue, doing, finished)
    assert did == {"queue", "add", "move", "clear", "finish", "skip"}


def check(
    paths: Paths, queue: list[int] | None, doing: tuple[str, list[EpisodeId]] | None, finished: set[EpisodeId]
) -> None:
    """`queue` was on the disk before what was done last, which may or may not be on the disk."""
    library = Library(paths, backs_up=False)
    library.open()
    try:
        found = list(library.queue.ids())
        assert len(found) == len(set(found)), "nothing is doubled"
        assert finished.isdisjoint(found), "no finished episode is queued"
        assert all(row.played for row in library.episodes.rows(sorted(finished)))
        if queue is None:
            return
        if doing is None:
            assert found == queue, "what was on the disk is as it was"
            return
        kind, some = doing
        match kind:
            case "move":
                assert set(found) == set(queue)
            case "add":
                assert found == queue or set(found) == set(queue) | set(some)
            case "clear":
                assert found in (queue, [])
            case "finish" | "skip":
                assert found in (queue, [one for one in queue if one not in some])
                if kind == "finish":
                    assert library.episodes.get(some[0]).played is (some[0] not in found), "both or none"
    finally:
        library.close()
