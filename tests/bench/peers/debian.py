"""Packages of Debian unpacked into a folder: nothing of the machine's own is touched, and no rights are needed."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.bench.peers.peer import Missing


def unpack(folder: Path, packages: Sequence[str]) -> None:
    """Fetches them once. Raises Missing."""
    done = folder / "unpacked"
    if done.exists():
        return
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise Missing("its packages are unpacked with apt-get and dpkg-deb, which this machine hasn't")
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    own = ["-qq", f"-oDir::State::Lists={folder}/lists", f"-oDir::Cache={folder}/cache", "-oDebug::NoLocking=1"]
    _run(["apt-get", *own, "update"], folder)
    _run(["apt-get", *own, "download", *packages], folder)
    for package in folder.glob("*.deb"):
        _run(["dpkg-deb", "-x", package, folder], folder)
    for name in ("lists", "cache"):
        shutil.rmtree(folder / name)
    done.touch()


def libraries(folder: Path) -> str:
    """Where what was unpacked has its libraries, for LD_LIBRARY_PATH."""
    found = {path.parent for path in folder.glob("usr/lib/**/*.so*")}
    return ":".join(sorted(map(str, found)))


def _run(command: Sequence[str | Path], folder: Path) -> None:
    try:
        subprocess.run(
            command, check=True, cwd=folder, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}
        )
    except subprocess.CalledProcessError as error:
        printed = error.stderr.strip().splitlines() or [f"it ended with {error.returncode}"]
        raise Missing(f"{command[0]} failed: {printed[-1]}") from error
