"""A program that understands the numbers in a WAV file: `python listener_program.py AUDIO OUT` writes OUT.srt."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.player.transcribing.spoken import heard


def clock(seconds: float) -> str:
    ms = round(1000 * seconds)
    return f"{ms // 3_600_000:02}:{ms // 60_000 % 60:02}:{ms // 1000 % 60:02},{ms % 1000:03}"


def main(audio: str, out: str) -> None:
    words = heard(Path(audio))
    cues = [f"{n}\n{clock(start)} --> {clock(end)}\nNumber {n}, twice: {n}.\n" for n, start, end in words]
    Path(f"{out}.srt").write_text("\n".join(cues))


if __name__ == "__main__":
    main(*sys.argv[1:])
