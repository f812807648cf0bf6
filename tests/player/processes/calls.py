"""Functions for a sandbox, most of which do what they can against it."""

import os
import stat
import subprocess
import time
from pathlib import Path

from msgspec import Struct


class Shape(Struct, frozen=True):
    """A value of a type that isn't built in."""

    name: str
    sides: tuple[int, ...] = ()


def widened(shape: Shape, by: int, mark: bytes) -> Shape | None:
    """None for a shape without sides."""
    sides = tuple(side + by for side in shape.sides)
    return Shape(f"{shape.name} {len(mark)}", sides) if sides else None


def pid() -> int:
    return os.getpid()


def zeros(count: int) -> bytes:
    return bytes(count)


def niceness() -> int:
    return os.nice(0)


def written(path: str) -> int:
    return Path(path).write_bytes(b"something")


def raising(what: str) -> int:
    raise ValueError(f"no {what}")


def ending(number: int) -> int:
    """By that signal; 0: with an exit code."""
    if number:
        os.kill(os.getpid(), number)
    os._exit(3)


def waiting(folder: str, name: str) -> int:
    """Says in a file that it runs, and in which process, until there is a file `go`."""
    new = Path(folder, f"{name}.new")
    new.write_text(str(os.getpid()))
    new.replace(Path(folder, name))
    while not Path(folder, "go").exists():
        time.sleep(0.005)
    return os.getpid()


def lasting(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def spinning() -> int:
    while True:
        pass


def printing() -> int:
    """With and without Python; and a program that it starts would read the next request."""
    print("not a frame", flush=True)
    os.write(1, b"neither")
    return subprocess.run(["cat"], check=True).returncode


def answering(data: bytes) -> Shape:
    """As if this process had been taken over: whatever it likes goes where answers go."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        try:
            if int(name) > 2 and stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                os.write(int(name), data)
                break
        except OSError:
            continue
    while True:
        time.sleep(1)


def prepare() -> None:
    os.environ["PREPARED"] = "yes"


def prepared() -> str:
    return os.environ.get("PREPARED", "")
