"""`make bench`, or `python -m tests.bench PART...` for some of it. Everything it writes can be made again."""

import sys
import time
import traceback

from tests.bench import (
    captions,
    control,
    cost,
    feeds,
    first_sound,
    handover,
    keys,
    lost_terminal,
    memory,
    next_episode,
    places,
    resume,
    said,
    scale,
    sounds,
    sync,
    week,
)

PARTS = {
    "places": places.measure,
    "first-sound": first_sound.measure,
    "next": next_episode.measure,
    "handover": handover.measure,
    "cost": cost.measure,
    "week": week.measure,
    "resume": resume.measure,
    "scale": scale.measure,
    "said": said.measure,
    "captions": captions.measure,
    "sounds": sounds.measure,
    "sync": sync.measure,
    "memory": memory.measure,
    "feeds": feeds.measure,
    "keys": keys.measure,
    "control": control.measure,
    "lost-terminal": lost_terminal.measure,
}


def main() -> int:
    names = sys.argv[1:] or list(PARTS)
    if unknown := [name for name in names if name not in PARTS]:
        print(f"There is no part {', '.join(unknown)}. There are {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    failed = []
    for name in names:
        start = time.monotonic()
        try:
            PARTS[name]()
        except Exception:  # noqa: BLE001 - the other parts still run
            traceback.print_exc()
            failed.append(name)
        print(f"  ({name}: {time.monotonic() - start:.0f} s)", flush=True)
    if failed:
        print(f"Failed: {', '.join(failed)}.", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
