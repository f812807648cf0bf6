"""The app, which counts what it holds whenever it is told to: what a process looks like from outside doesn't tell.

`python -m tests.pty.census` is `earmark` otherwise. On SIGUSR2 it logs a line, and writes a `Held` into the file
EARMARK_CENSUS.
"""

import ctypes
import gc
import json
import logging
import os
import re
import signal
import sys
import tempfile
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType

_MOST_TYPES = 400


class _MallInfo(ctypes.Structure):
    """glibc's `struct mallinfo2`."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
        )
    )  # fmt: skip


@dataclass(frozen=True)
class Held:
    """`blocks` of Python's own allocator are in use, `python_kb` in all, and `malloc_kb` of the C library's heaps;
    `objects` that the garbage collector knows, and how many of each type; the names of the `threads` that Python knows.
    """

    blocks: int
    malloc_kb: int
    objects: int
    types: dict[str, int] = field(default_factory=dict)
    threads: tuple[str, ...] = ()
    python_kb: int = 0


def _count() -> Held:
    gc.collect()
    blocks = sys.getallocatedblocks()
    kinds = Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in gc.get_objects())
    names = tuple(sorted(thread.name for thread in threading.enumerate()))
    return Held(blocks, _malloc_kb(), kinds.total(), dict(kinds.most_common(_MOST_TYPES)), names, _python_kb())


def _python_kb() -> int:
    """Python only prints it, where errors go."""
    with tempfile.TemporaryFile() as printed:
        kept = os.dup(2)
        os.dup2(printed.fileno(), 2)
        try:
            sys._debugmallocstats()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        printed.seek(0)
        found = re.search(rb"bytes in allocated blocks\s*=\s*([0-9,]+)", printed.read())
    return int(found[1].replace(b",", b"")) // 1024 if found else 0


def _malloc_kb() -> int:
    """0 where the C library can't tell."""
    with suppress(AttributeError, OSError):
        mallinfo = ctypes.CDLL(None).mallinfo2
        mallinfo.restype = _MallInfo
        info = mallinfo()
        return int((info.uordblks + info.hblkhd) // 1024)
    return 0


def _write(_number: int, _frame: FrameType | None) -> None:
    path = Path(os.environ["EARMARK_CENSUS"])
    part = path.with_suffix(".part")
    part.write_text(json.dumps(asdict(_count())))
    logging.getLogger("census").info("counted")
    part.replace(path)


if __name__ == "__main__":
    signal.signal(signal.SIGUSR2, _write)
    from tui.__main__ import process

    process()
