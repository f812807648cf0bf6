"""libvlc by itself, the least that any player on it can take: plays FILE as each line of input asks.

`python -m tests.bench.bare FILE`; lines: `play START_MS`, `seek MS`, `stop`. Answers each with the moment it began.
"""

import sys
import time

from vlc import Instance


def main() -> None:
    began = time.monotonic()
    library = Instance(["--quiet", "--intf=dummy", "--no-video"])
    player = library.media_player_new()
    print("ready", flush=True)
    for line in sys.stdin:
        order, _, value = line.strip().partition(" ")
        began = time.monotonic()
        if order == "play":
            media = library.media_new_path(sys.argv[1])
            media.add_option(":demux=avformat,any")
            media.add_option(f":start-time={int(value) / 1000}")
            player.set_media(media)
            player.play()
        elif order == "seek":
            player.set_time(int(value))
        else:
            player.stop()
        print(began, flush=True)


if __name__ == "__main__":
    main()
