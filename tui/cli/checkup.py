"""The checks of `earmark doctor`, one finding at a time. They change nothing."""

import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from player import __version__
from player.errors import ControlError, DamagedLibrary, EarmarkError, LibraryError, NotRunning
from player.integrations.client import request
from player.library import Library
from player.paths import Paths
from player.settings import load_settings
from player.text.sentences import _, plural
from tui.cli.describe import STATES, day

_SOUND_S = 20


TITLES = {
    "sound output": _("sound output"),
    "data folder": _("data folder"),
    "settings folder": _("settings folder"),
    "cache folder": _("cache folder"),
    "state folder": _("state folder"),
    "runtime folder": _("runtime folder"),
    "settings": _("settings"),
    "library": _("library"),
    "feeds": _("feeds"),
    "backups": _("backups"),
    "running": _("running"),
    "log": _("log"),
}
"""What a person reads for the name of a finding; those missing here are names in every language."""


class Finding(Struct, frozen=True):
    """`name` is the same in every language: scripts look for it in the JSON.

    `advice`: what to do, if anything. `noted`: nothing is wrong, but it is worth knowing.
    """

    name: str
    well: bool
    text: str
    advice: str = ""
    noted: bool = False


def examine(paths: Paths) -> Iterator[Finding]:
    yield Finding("Earmark", True, f"{__version__}, Python {platform.python_version()}, {platform.system()}")
    yield from _sound()
    yield _youtube()
    yield from _folders(paths)
    yield _settings(paths)
    yield from _library(paths)
    yield _running(paths)
    yield Finding("log", True, str(paths.log))


def _sound() -> Iterator[Finding]:
    """Tested in a separate process, so that a crash of libvlc is a finding too."""
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
        yield Finding("libvlc", False, _("It didn't finish within {n} s.", n=_SOUND_S), _("Restart the sound server."))
        return
    yield from sound_findings(tried.returncode, tried.stdout)


def sound_findings(code: int, output: bytes) -> Iterator[Finding]:
    """The findings in the exit code and the JSON of tui/cli/soundcheck.py."""
    if code < 0:
        yield Finding(
            "libvlc", False, _("It crashed ({signal}).", signal=signal.Signals(-code).name), _("Reinstall it.")
        )
        return
    try:
        found = json.loads(output)
    except ValueError:
        yield Finding("libvlc", False, _("It made Python exit (code {code}).", code=code), _("Reinstall it."))
        return
    if found["version"] is None:
        yield Finding("libvlc", False, f"{found['what']}.", found["advice"])
        return
    yield Finding("libvlc", True, found["version"])
    if found["what"] is None:
        yield Finding("sound output", True, _("test playback succeeded"))
    else:
        yield Finding("sound output", False, f"{found['what']}.", found["advice"])


def _youtube() -> Finding:
    """It is looked for and not run."""
    from player.sources.youtube.program import NAME, program

    return Finding(NAME, True, program() or _("not installed; only YouTube needs it"))


def _folders(paths: Paths) -> Iterator[Finding]:
    for name, folder in (
        ("data folder", paths.data),
        ("settings folder", paths.config),
        ("cache folder", paths.cache),
        ("state folder", paths.state),
        ("runtime folder", paths.runtime),
    ):
        standing = next(path for path in (folder, *folder.parents) if path.exists())
        if standing.is_dir() and os.access(standing, os.W_OK | os.X_OK):
            yield Finding(name, True, str(folder))
            continue
        if standing.is_dir():
            problem = _("{path} can't be written to.", path=standing)
        else:
            problem = _("{path} isn't a folder.", path=standing)
        yield Finding(name, False, problem, _("Earmark needs {path}.", path=folder))


def _settings(paths: Paths) -> Finding:
    problems = load_settings(paths.settings).problems
    if problems:
        return Finding("settings", False, " ".join(problems), _("Correct the file; the other settings apply."))
    file = str(paths.settings) if paths.settings.exists() else _("defaults (no config.toml)")
    return Finding("settings", True, file)


def _library(paths: Paths) -> Iterator[Finding]:
    if not paths.library.exists():
        yield Finding("library", True, _("none yet; it will be {file}", file=paths.library))
        return
    library = Library(paths)
    try:
        library.open()
        library.check()
        episodes = library.episodes.counts().all
        yield Finding("library", True, plural(episodes, "{n:,} episode, no damage", "{n:,} episodes, no damage"))
        yield _feeds(library)
    except DamagedLibrary as error:
        yield Finding("library", False, f"{error.what}.", _("Repair it with: earmark doctor --repair"))
    except LibraryError as error:
        yield _fault("library", error)
    finally:
        library.close()
    yield _backups(library, paths.backups)


def _feeds(library: Library) -> Finding:
    """Failing feeds are only listed: the fault is the publisher's or the network's, not this installation's."""
    podcasts = library.podcasts.all()
    failing = [f"{podcast.title} ({podcast.error.rstrip('.')})" for podcast in podcasts if podcast.error]
    if failing:
        sentence = _(
            "{failed} of {all} failed: {feeds}", failed=len(failing), all=len(podcasts), feeds="; ".join(failing)
        )
        return Finding("feeds", True, sentence, noted=True)
    return Finding("feeds", True, plural(len(podcasts), "{n:,} podcast", "{n:,} podcasts"))


def _backups(library: Library, folder: Path) -> Finding:
    backup = library.newest_backup()
    if backup:
        sentence = _("latest good backup: {date}, in {folder}", date=day(backup.made_at), folder=folder)
        return Finding("backups", True, sentence)
    return Finding("backups", True, _("none yet; one is made every day"))


def _running(paths: Paths) -> Finding:
    try:
        status = request(paths.socket, "status")["status"]
    except ControlError as error:
        return Finding("running", True, _("no") if isinstance(error, NotRunning) else error.what)
    return Finding("running", True, _("yes ({state})", state=_doing(status["state"])))


def _doing(state: str) -> str:
    if state in ("stopped", "ended", "error"):
        return _("nothing playing")
    return STATES.get(state, state).lower()


def _fault(name: str, error: EarmarkError) -> Finding:
    return Finding(name, False, f"{error.what}.", error.advice)
