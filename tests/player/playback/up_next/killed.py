"""What is killed: a listener who moves, clears, skips and hears to the end, and reports each before and after."""

import random
from multiprocessing.connection import Connection

from player.library import Library
from player.model.episode import EpisodeId
from player.paths import Paths
from tests.player.playback.up_next.commands import acts_of
from tests.player.playback.up_next.stage import Stage

MOST_QUEUED = 12


def listen_until_killed(paths: Paths, seed: int, report: Connection, ids: tuple[EpisodeId, ...]) -> None:
    """Sends (what is done now, with which episodes), then the queue once that is on the disk; over and over."""
    library = Library(paths, backs_up=False)
    library.open()
    stage, dice = Stage(library), random.Random(seed)
    acts = acts_of(stage)
    while True:
        queue = [EpisodeId(one) for one in stage.queue]
        unplayed = [one for one in ids if not stage.played(one) and one not in queue]
        match dice.choice(["add", "add", "move", "shuffle", "clear", "undo", "finish", "finish", "skip"]):
            case "add" if len(queue) < MOST_QUEUED:
                chosen = dice.sample(unplayed, 4)
                report.send(("add", chosen))
                acts.queue_last(chosen) if dice.random() < 0.5 else acts.queue_next(chosen)
            case "move" if queue:
                report.send(("move", queue))
                acts.move_in_queue([dice.choice(queue)], dice.choice([-3, -1, 1, 3]))
            case "shuffle":
                report.send(("move", queue))
                acts.shuffle_queue()
            case "clear" if dice.random() < 0.3:
                report.send(("clear", queue))
                acts.clear_queue()
                report.send(("queue", stage.queue))
                report.send(("add", queue))
                acts.undo()
            case "finish" | "skip" as end if queue:
                if stage.playing not in queue or not stage.status.cached:
                    report.send(("move", queue))
                    stage.play(queue[0])
                    report.send(("queue", stage.queue))
                assert stage.playing is not None
                report.send((end, [stage.playing]))
                if end == "finish":
                    stage.finish()
                else:
                    stage.skip()
        stage.settle()
        report.send(("queue", stage.queue))
