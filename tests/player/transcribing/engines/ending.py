"""Whether what was started has ended."""

import time
from collections.abc import Callable
from pathlib import Path


def wait_until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def is_gone(pid: int) -> bool:
    """Or a zombie, for which nobody may wait in a container."""
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except FileNotFoundError:
        return True
