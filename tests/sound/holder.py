"""A process that plays, as a screen or in the background, and nothing else: one side of a hand-over.

`python -m tests.sound.holder ROLE [EPISODE]` takes over what plays, if anything does, and plays the episode. It says
`open` once it has the library, `sounds` once the sound is here, and ends when it is asked to, or its input ends. A line
on its input is the word that a screen expects of whoever takes over; EARMARK_WORD is the one that it says itself.
"""

import os
import sys
import threading
import time

from player.errors import EarmarkError
from player.events import QuitAsked
from player.model.episode import EpisodeId
from player.model.playback import Role
from player.paths import Paths
from player.player import Player
from player.settings_file import load_settings
from tui import logs


def main(role: str, *episodes: str) -> int:
    paths = Paths.of()
    logs.start(paths.log)
    player = Player(paths, load_settings(paths.settings)[0], role=Role(role))
    over = threading.Event()
    player.bus.subscribe(QuitAsked, lambda _event: over.set())
    try:
        player.claim.word = os.environ.get("EARMARK_WORD", "")
        player.open()
        print("open", flush=True)
        player.start()
        print(f"sounds {time.monotonic():.4f}", flush=True)
        for one in episodes:
            player.session.play(EpisodeId(int(one)))
        threading.Thread(target=_listen, args=(player, over), daemon=True).start()
        over.wait()
    except EarmarkError as error:
        print(f"refused {error}", flush=True)
        return 1
    finally:
        player.close()
        print(f"ended {time.monotonic():.4f}", flush=True)
    return 0


def _listen(player: Player, over: threading.Event) -> None:
    for line in sys.stdin:
        player.services.giver.expect(line.strip())
        print("expects", flush=True)
    over.set()


if __name__ == "__main__":
    code = main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
