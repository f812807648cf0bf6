"""Programs of the listener's that are run to their end, within bounds: `run` waits for one. It has the lowest priority,
and ends with Earmark, or when it is cancelled, together with everything that it has started."""

import json
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from player.processes.program_guard import ENDED, STOPPED
from player.processes.python_child import lone_script
from player.processes.threads import CancelToken

_GUARD = Path(__file__).with_name("program_guard.py")


class Outcome(NamedTuple):
    """`outcome`, `code` and `errors` are as in `program_guard.py`; `printed` is its standard output."""

    outcome: str
    code: int | None
    errors: str
    printed: bytes


def run(
    words: Sequence[str],
    folder: Path,
    cancel: CancelToken,
    *,
    seconds: float,
    printed: int,
    written: int,
    given: Path | None = None,
) -> Outcome:
    """Runs a program with its arguments in `folder` for at most `seconds`, with the file `given` as its standard input.
    It may print `printed` bytes, and the files in the folder may have `written` bytes. Raises OSError if no process can
    be started."""
    order = {
        "words": list(words),
        "folder": str(folder),
        "given": str(given or ""),
        "seconds": seconds,
        "printed": printed,
        "written": written,
    }
    guard = subprocess.Popen(
        lone_script(_GUARD, json.dumps(order)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        bufsize=0,
    )
    with guard:
        assert guard.stdin is not None
        assert guard.stdout is not None
        with cancel.ending(guard.stdin.close):
            head, _newline, body = guard.stdout.read().partition(b"\n")
    with suppress(ValueError):
        told = json.loads(head)
        return Outcome(told["outcome"], told["code"], told["errors"], body)
    # The guard was killed, and the program may have been killed with it.
    return Outcome(STOPPED if cancel.is_set else ENDED, guard.returncode or 1, "", b"")
