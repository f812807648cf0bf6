"""What `doctor` looks at, one finding after the other. Nothing is changed by looking."""

import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from player import __version__
from player.errors import ControlError, DamagedLibrary, EarmarkError, LibraryError, NotRunning
from player.integrations.client import request
from player.library import Library
from player.paths import Paths
from player.settings import load_settings
from tui.cli.describe import STATES, day
from tui.drawing.labels import count

_SOUND_S = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """`advice` says what to do, where something is to be done. `noted`: it is well, but good to know."""

    name: str
    well: bool
    text: str
    advice: str = ""
    noted: bool = False


def examine(paths: Paths) -> Iterator[Finding]:
    yield Finding("Earmark", True, f"{__version__}, Python {platform.python_version()}, {platform.system()}")
    yield from _sound()
    yield from _folders(paths)
    yield _settings(paths)
    yield from _library(paths)
    yield _running(paths)
    yield Finding("log", True, str(paths.log))


def _sound() -> Iterator[Finding]:
    """Tried in a process of its own: where libvlc crashes, that is a finding too."""
    try:
        tried = subprocess.run(
            [sys.executable, "-m", "tui.cli.soundcheck"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SOUND_S,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=False,
        )
    except subprocess.TimeoutExpired:
        yield Finding("libvlc", False, f"It didn't finish within {_SOUND_S} s.", "Restart the sound server.")
        return
    yield from sound_findings(tried.returncode, tried.stdout)


def sound_findings(code: int, output: bytes) -> Iterator[Finding]:
    """What the process that tried the sound tells by its exit code and its output."""
    if code < 0:
        yield Finding("libvlc", False, f"It crashed ({signal.Signals(-code).name}).", "Reinstall it.")
        return
    try:
        found = json.loads(output)
    except ValueError:
        yield Finding("libvlc", False, f"It made Python exit (code {code}).", "Reinstall it.")
        return
    if found["version"] is None:
        yield Finding("libvlc", False, f"{found['what']}.", found["advice"])
        return
    yield Finding("libvlc", True, found["version"])
    if found["what"] is None:
        yield Finding("sound output", True, "test playback succeeded")
    else:
        yield Finding("sound output", False, f"{found['what']}.", found["advice"])


def _folders(paths: Paths) -> Iterator[Finding]:
    for name, folder in (
        ("data", paths.data),
        ("settings", paths.config),
        ("cache", paths.cache),
        ("state", paths.state),
        ("runtime", paths.runtime),
    ):
        standing = next(place for place in (folder, *folder.parents) if place.exists())
        if standing.is_dir() and os.access(standing, os.W_OK | os.X_OK):
            yield Finding(f"{name} folder", True, str(folder))
        else:
            what = "can't be written to" if standing.is_dir() else "isn't a folder"
            yield Finding(f"{name} folder", False, f"{standing} {what}.", f"Earmark needs {folder}.")


def _settings(paths: Paths) -> Finding:
    problems = load_settings(paths.settings).problems
    if problems:
        return Finding("settings", False, " ".join(problems), "Correct the file; the other settings hold.")
    return Finding("settings", True, str(paths.settings) if paths.settings.exists() else "defaults (no config.toml)")


def _library(paths: Paths) -> Iterator[Finding]:
    if not paths.library.exists():
        yield Finding("library", True, f"none yet; it will be {paths.library}")
        return
    library = Library(paths)
    try:
        library.open()
        library.check()
        yield Finding("library", True, f"{count(library.episodes.counts().all, 'episode', 'episodes')}, no damage")
        yield _feeds(library)
    except DamagedLibrary as error:
        yield Finding("library", False, f"{error.what}.", "Repair it with: earmark doctor --repair")
    except LibraryError as error:
        yield _fault("library", error)
    finally:
        library.close()
    yield _backups(library, paths.backups)


def _feeds(library: Library) -> Finding:
    """A feed that fails is its publisher's trouble or the network's: nothing is wrong with this Earmark."""
    podcasts = library.podcasts.all()
    failing = [f"{podcast.title} ({podcast.error.rstrip('.')})" for podcast in podcasts if podcast.error]
    if failing:
        return Finding("feeds", True, f"{len(failing)} of {len(podcasts)} failed: {'; '.join(failing)}", noted=True)
    return Finding("feeds", True, count(len(podcasts), "podcast", "podcasts"))


def _backups(library: Library, folder: Path) -> Finding:
    backup = library.newest_backup()
    if backup:
        return Finding("backups", True, f"latest good backup: {day(backup.made_at)}, in {folder}")
    return Finding("backups", True, "none yet; one is made every day")


def _running(paths: Paths) -> Finding:
    try:
        status = request(paths.socket, "status")["status"]
    except ControlError as error:
        return Finding("running", True, "no" if isinstance(error, NotRunning) else error.what)
    return Finding("running", True, f"yes ({_doing(status['state'])})")


def _doing(state: str) -> str:
    if state in ("stopped", "ended", "error"):
        return "nothing playing"
    return STATES.get(state, state).lower()


def _fault(name: str, error: EarmarkError) -> Finding:
    return Finding(name, False, f"{error.what}.", error.advice)
