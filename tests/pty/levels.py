"""What a running process holds and has used, as the kernel counts it (Linux)."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


class Levels(NamedTuple):
    resident_kb: int
    threads: int
    files: int
    """Open file descriptors."""

    @classmethod
    def of(cls, pid: int) -> "Levels":
        """Raises OSError when there is no such process."""
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        threads, files = (len(list(Path(f"/proc/{pid}/{what}").iterdir())) for what in ("task", "fd"))
        return cls(pages * os.sysconf("SC_PAGE_SIZE") // 1024, threads, files)


def open_files(pid: int) -> Counter[str]:
    """How many descriptors of each kind: the name of a file, `terminal`, `socket`, `pipe`, `eventpoll`; an episode's
    bytes, in the cache or downloaded, are `episode`."""
    links = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # it has been closed meanwhile
            links.append(str(entry.readlink()))
    return Counter(_kind(link) for link in links)


def _kind(link: str) -> str:
    if link.startswith("/dev/pts/"):
        return "terminal"
    if link.removesuffix(" (deleted)").endswith((".bytes", ".wav")):
        return "episode"
    found = re.fullmatch(r"(?:anon_inode:)?\[?(\w+)\]?(?::\[\d+\])?", link)
    return found[1] if found else Path(link).name


def most_resident_kb(pid: int) -> int:
    """The most memory that the process has ever held."""
    return int(Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2].split()[0])


def cpu_s(pid: int) -> float:
    """Seconds of processor time that the threads it has now have taken; while others had the processor none passed."""
    return sum(int(run.split()[0]) for run in _of_threads(pid, "schedstat")) / 1e9


def at_rest(pid: int) -> bool:
    """Whether all its threads wait for something to happen, and it has done all that it was told. Not when stopped."""
    return all(stat.rpartition(")")[2].split()[0] not in "RDT" for stat in _of_threads(pid, "stat"))


def _of_threads(pid: int, what: str) -> Iterator[str]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # it has ended meanwhile
            yield (task / what).read_text()
