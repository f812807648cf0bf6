"""An Earmark that downloads, to be killed: says on standard output what it has come to, one line for each step.

`python -m tests.player.downloads.killed`, with EARMARK_HOME; it ends when nothing is left in the queue.
"""

import threading
from collections.abc import Callable
from typing import Any

from player.downloads import making
from player.library.downloads import Downloads as StoredDownloads
from player.media.fetching import range_fetcher
from player.model.downloads import DownloadFailed, DownloadProgress, DownloadQueueChanged
from player.net.connectivity import Connectivity
from player.paths import Paths
from player.player import Player
from player.settings import Downloads, Playback, Settings


def say(what: str) -> None:
    print(what, flush=True)


def told(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """The same, with a line before and after."""

    def wrapped(*arguments: Any, **named: Any) -> Any:
        say(f"before {name}")
        result = work(*arguments, **named)
        say(f"after {name}")
        return result

    return wrapped


def main(paths: Paths) -> None:
    making.put = told("the file is put", making.put)  # type: ignore[attr-defined]
    StoredDownloads.put = told("the file is noted", StoredDownloads.put)  # type: ignore[method-assign]
    range_fetcher.PAUSES_S = (0.01,)  # type: ignore[assignment]
    Connectivity._watch = lambda _self: None  # type: ignore
    player = Player(paths, Settings(playback=Playback(engine="silent"), downloads=Downloads(at_once=10)))
    player.open()
    empty = threading.Event()
    loaded = threading.Event()

    def look(_event: object) -> None:
        if loaded.is_set() and not player.library.downloads.queue.all():
            empty.set()

    player.bus.subscribe(DownloadProgress, lambda event: say(f"{event.episode_id} {event.progress.done}"))
    player.bus.subscribe(DownloadFailed, lambda event: say(f"failed: {event.error}"))
    player.bus.subscribe(DownloadQueueChanged, look)
    player.downloads.start()
    player.downloads.resume().result(10)
    loaded.set()
    look(None)
    empty.wait()
    player.close()
    say("done")


if __name__ == "__main__":
    main(Paths.of())
