"""An Earmark that transcribes, to be killed: says on standard output which numbers it has understood, a line for each
piece, before they are stored and after.

`python -m tests.player.transcribing.killed`, with EARMARK_HOME; it ends when nothing is left in the queue.
"""

import threading

from player import services
from player.model.downloads import DownloadQueueChanged
from player.model.episode import Transcript
from player.net.connectivity import Connectivity
from player.paths import Paths
from player.player import Player
from player.processes.threads import CancelToken
from player.settings import Playback, Settings, Transcribe
from player.transcribing import pieces
from player.transcribing.transcriber import EpisodeTranscriber
from tests.player.transcribing.spoken import Listener


class Talking(Listener):
    def transcribe(self, audio: object, length_ms: int, cancel: CancelToken) -> Transcript:
        found = super().transcribe(audio, length_ms, cancel)  # type: ignore[arg-type]
        print("understood", *self.pieces[-1], flush=True)
        return found


def main(paths: Paths) -> None:
    engine = Talking()
    engine.longest_ms = 8_000
    services.engine_for = lambda *_settings: engine  # type: ignore[attr-defined]
    pieces.SOON_MS = 4_000
    Connectivity._watch = lambda _self: None  # type: ignore
    keep = EpisodeTranscriber.keep

    def kept(*arguments: object) -> None:
        print("keeping", flush=True)
        keep(*arguments)  # type: ignore[arg-type]
        print("kept", flush=True)

    EpisodeTranscriber.keep = kept  # type: ignore[method-assign, assignment]
    player = Player(paths, Settings(playback=Playback(engine="silent"), transcribe=Transcribe(on_battery=True)))
    player.open()
    empty = threading.Event()

    def look(_event: object) -> None:
        if not player.library.downloads.queue.all():
            empty.set()

    player.bus.subscribe(DownloadQueueChanged, look)
    player.downloads.start()
    look(None)
    empty.wait()
    player.close()
    print("done", flush=True)


if __name__ == "__main__":
    main(Paths.of())
