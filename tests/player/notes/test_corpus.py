"""Notes in the styles of many hosts and shows, each beside what a terminal shows of it.

`python -m tests.player.notes.test_corpus` writes what is shown anew: read it in the diff before you keep it.
"""

from pathlib import Path

import pytest

from player.notes import plain, read_notes

FOLDER = Path(__file__).parent
CASES = sorted(path.stem for path in FOLDER.glob("*.notes"))
COLUMNS = 60


def notes_of(case: str) -> str:
    return (FOLDER / f"{case}.notes").read_bytes().decode()


def shown(case: str) -> str:
    return plain(read_notes(notes_of(case)), COLUMNS) + "\n"


@pytest.mark.parametrize("case", CASES)
def test_notes_read_as_they_were_meant(case: str) -> None:
    assert shown(case) == (FOLDER / f"{case}.shown").read_text(encoding="utf-8")


if __name__ == "__main__":
    for name in CASES:
        (FOLDER / f"{name}.shown").write_text(shown(name), encoding="utf-8")
