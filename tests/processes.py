"""The processes that a test has started, as /proc shows them."""

import os
from pathlib import Path


def processes(home: Path) -> dict[int, str]:
    """Every live process whose EARMARK_HOME is that folder or lies in it, by its id: its command line."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environ = (entry / "environ").read_bytes()
            alive = state(int(entry.name)) != "Z"
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        value = next((one[13:] for one in environ.split(b"\0") if one.startswith(b"EARMARK_HOME=")), b"")
        if alive and home in (its := Path(os.fsdecode(value)), *its.parents):
            found[int(entry.name)] = command
    return found


def state(pid: int) -> str:
    """One letter, as in proc(5)."""
    return _stat(pid)[0]


def is_ours(pid: int) -> bool:
    """Whether a process was started by this one, or by one that was. One that has ended meanwhile counts as ours."""
    try:
        while pid not in (0, 1, os.getpid()):
            pid = int(_stat(pid)[1])
    except OSError:
        return True
    return pid == os.getpid()


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
