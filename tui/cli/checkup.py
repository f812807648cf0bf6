"""The checks of `earmark doctor`, one finding at a time. They change nothing."""

import json
import os
import platform
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from player import __version__
from player.errors import ControlError, DamagedLibrary, EarmarkError, LibraryError, NotRunning
from player.integrations.client import request
from player.integrations.single_instance import holder
from player.library import Library
from player.paths import Paths
from player.processes.python_child import command, environment
from player.settings import Notifications
from player.settings_file import load_settings
from player.text.cleaning import clean_line
from player.text.sentences import _, plural, spoken
from player.text.sizes import size_label
from tui.cli.describe import STATES, day
from tui.look.built_in import BUILT_IN
from tui.look.own_themes import own_themes

_SOUND_S = 20
_STARTING_S = 1.0


TITLES = {
    "sound output": _("sound output"),
    "data folder": _("data folder"),
    "settings folder": _("settings folder"),
    "cache folder": _("cache folder"),
    "state folder": _("state folder"),
    "runtime folder": _("runtime folder"),
    "downloads folder": _("downloads folder"),
    "sound effects": _("sound effects"),
    "same sound": _("same sound"),
    "casting": _("casting"),
    "settings": _("settings"),
    "themes": _("themes"),
    "hooks": _("hooks"),
    "notifications": _("notifications"),
    "transcripts": _("transcripts"),
    "library": _("library"),
    "feeds": _("feeds"),
    "sync": _("sync"),
    "backups": _("backups"),
    "media keys": _("media keys"),
    "running": _("running"),
    "service": _("service"),
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
    yield _same_sound()
    yield _casting(paths)
    yield _youtube()
    yield from _folders(paths)
    yield _downloads_folder(paths)
    yield _settings(paths)
    yield _themes(paths)
    yield _hooks(paths)
    yield _notifications(paths)
    yield _transcripts(paths)
    yield from _library(paths)
    yield _media_keys(paths)
    yield running(paths)
    yield from service()
    yield Finding("log", True, str(paths.log))


def _sound() -> Iterator[Finding]:
    """Tested in a separate process, so that a crash of libvlc is a finding too."""
    try:
        tried = subprocess.run(
            [*command("-m", "tui.cli.soundcheck"), spoken()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SOUND_S,
            env=environment(),
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
    if missing := found["missing"]:
        what = _(
            "FFmpeg lacks {filters} here: podcasts aren't levelled, nor pauses trimmed.", filters=", ".join(missing)
        )
        yield Finding("sound effects", False, what, _("Install PyAV from its own packages: pip install av"))
    else:
        yield Finding("sound effects", True, _("levelling, voice boost, trimmed pauses, mono"))


def _same_sound() -> Finding:
    from player.measuring.kinds.fingerprint import is_installed

    if is_installed():
        return Finding("same sound", True, _("recognised in other files (libchromaprint)"))
    return Finding(
        "same sound",
        True,
        _("It isn't recognised in other files: libchromaprint isn't installed."),
        _("Install libchromaprint1 (Debian, Ubuntu) or chromaprint (Homebrew) to have it."),
        noted=True,
    )


def _casting(paths: Paths) -> Finding:
    """Whether devices on the network can play, and whether a port is open for one. None is looked for."""
    from player.playback.casting.finding import can_cast, how_to_cast

    if not can_cast():
        return Finding("casting", True, _("not installed, and no port is open. {how}", how=how_to_cast()))
    with suppress(ControlError):
        status = request(paths.socket, "status")["status"]
        if address := status.get("served_at"):
            device = clean_line(str(status.get("plays_on")), 60)
            where = _("“{device}” plays; it fetches the audio from port {address}", device=device, address=address)
            return Finding("casting", True, where)
    return Finding("casting", True, _("no port is open: there is one only while a device plays"))


def _youtube() -> Finding:
    """It is looked for and not run."""
    from player.sources.youtube.program import NAME, program

    return Finding(NAME, True, program() or _("not installed; only YouTube needs it"))


def _transcripts(paths: Paths) -> Finding:
    """What makes them is named and not run."""
    from player.net.loop import NetworkLoop
    from player.settings_file import read_settings
    from player.transcribing.engines import engine_for

    engine = engine_for(read_settings(paths.settings).settings.transcribe, NetworkLoop(1, 1), lambda _url: None)
    what = engine.name if engine else _("nothing makes them; to find a way: earmark transcribe --setup")
    return Finding("transcripts", True, what)


def _folders(paths: Paths) -> Iterator[Finding]:
    for name, folder in (
        ("data folder", paths.data),
        ("settings folder", paths.config),
        ("cache folder", paths.cache),
        ("state folder", paths.state),
        ("runtime folder", paths.runtime),
    ):
        yield _folder(name, folder, _("Earmark needs {path}.", path=folder))


def _downloads_folder(paths: Paths) -> Finding:
    from player.downloads.files import folder_of

    settings, _problems = load_settings(paths.settings)
    folder = folder_of(settings.media.downloads, paths.data)
    advice = _("Make it writable, or choose another one (downloads in [media]). Downloads wait until then.")
    return _folder("downloads folder", folder, advice)


def _folder(name: str, folder: Path, advice: str) -> Finding:
    standing = next(path for path in (folder, *folder.parents) if path.exists())
    if not standing.is_dir():
        return Finding(name, False, _("{path} isn't a folder.", path=standing), advice)
    if not os.access(standing, os.W_OK | os.X_OK):
        return Finding(name, False, _("{path} can't be written to.", path=standing), advice)
    return Finding(name, True, str(folder))


def _settings(paths: Paths) -> Finding:
    settings, problems = load_settings(paths.settings)
    if settings.keys:
        from tui.actions.table import remapped

        problems += remapped(settings.keys)[1]
    if problems:
        return Finding("settings", False, " ".join(problems), _("Correct the file; the other settings apply."))
    file = str(paths.settings) if paths.settings.exists() else _("defaults (no config.toml)")
    return Finding("settings", True, file)


def _themes(paths: Paths) -> Finding:
    found = own_themes(paths.themes)
    wanted = load_settings(paths.settings).settings.appearance
    known = {*BUILT_IN, *found.themes, "auto"}
    unknown = [one for one in (wanted.theme, wanted.dark, wanted.light) if one not in known]
    if unknown or found.problems:
        problems = [*found.problems, *(_("There is no theme “{name}”.", name=one) for one in unknown)]
        return Finding("themes", False, " ".join(problems), _("List them with: earmark themes"))
    return Finding("themes", True, plural(len(found.themes), "{n:,} of yours", "{n:,} of yours"))


def _hooks(paths: Paths) -> Finding:
    """Programs that can't be run, and those that failed of late."""
    hooks = load_settings(paths.settings).settings.hooks
    if not hooks.programs:
        return Finding("hooks", True, _("none"))
    from player.integrations.hooks.program_runner import problem_of, problems, recent_failures

    if missing := problems(hooks):
        return Finding("hooks", False, " ".join(missing.values()), _("Correct the file, or install the program."))
    if failures := recent_failures(paths.hook_failures, datetime.now(UTC)):
        last = failures[-1]
        sentence = plural(
            len(failures),
            "{n:,} failure in the last 7 days: “hooks.{setting}”, {program} {problem}",
            "{n:,} failures in the last 7 days; the latest: “hooks.{setting}”, {program} {problem}",
            setting=last.setting,
            program=clean_line(last.words[0]) if last.words else "",
            problem=problem_of(last.outcome, last.code, last.errors),
        )
        return Finding("hooks", True, sentence, clean_line(last.errors), noted=True)
    count = len(hooks.programs)
    return Finding("hooks", True, plural(count, "{n} program, no failures", "{n} programs, no failures"))


def _notifications(paths: Paths) -> Finding:
    """Which way they take from this terminal."""
    if load_settings(paths.settings).settings.notifications == Notifications():
        return Finding("notifications", True, _("off"))
    from player.integrations.desktop.notifications import DesktopService
    from tui.terminal.notifications import Terminal

    desktop = DesktopService(lambda _button: None)
    server = desktop.server()
    desktop.close()
    if server:
        return Finding("notifications", True, _("through the desktop ({server})", server=server))
    if way := Terminal(os.environ, lambda _text: None).way:
        return Finding("notifications", True, _("through the terminal ({way})", way=way))
    sentence = _("No desktop here shows notifications, and this terminal isn't known to.")
    return Finding("notifications", True, sentence, noted=True)


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
        yield _sync(library)
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


def _sync(library: Library) -> Finding:
    """A failing target is only listed, like a failing feed."""
    if not library.state.has_sync_account():
        return Finding("sync", True, _("not set up"))
    from player.model.syncing import SyncStatus
    from player.sync.sync_sentences import failure_words, since_words, target_words

    syncing = library.syncing
    account, state = syncing.account(), syncing.state()
    if account is None:
        return Finding("sync", True, _("not set up"))
    when = since_words(state.succeeded_at, datetime.now(UTC))
    sentence = _("{target}, last synced {when}", target=target_words(account), when=when)
    if problem := failure_words(SyncStatus(account, state=state)):
        return Finding("sync", True, f"{sentence}; {problem}", noted=True)
    return Finding("sync", True, sentence)


def _backups(library: Library, folder: Path) -> Finding:
    backup = library.newest_backup()
    if backup:
        sentence = _("latest good backup: {date}, in {folder}", date=day(backup.made_at), folder=folder)
        return Finding("backups", True, sentence)
    return Finding("backups", True, _("none yet; one is made every day"))


def _media_keys(paths: Paths) -> Finding:
    """Their absence is no fault: many a terminal has no desktop around it."""
    from player.integrations.desktop.media_keys import obstacle

    if not load_settings(paths.settings).settings.desktop.media_keys:
        return Finding("media keys", True, _("off (media_keys in config.toml)"))
    problem = obstacle()
    return Finding("media keys", True, problem or _("they work, over MPRIS2 on D-Bus"))


def running(paths: Paths) -> Finding:
    deadline = time.monotonic() + _STARTING_S
    while True:
        try:
            status = request(paths.socket, "status")["status"]
            break
        except ControlError as error:
            if holder(paths.lock) is None or time.monotonic() > deadline:
                return _unanswered(paths, error)
        time.sleep(0.1)  # it is being started just now
    doing = _doing(status["state"])
    if status.get("runs_in") != "background":
        return Finding("running", True, _("yes ({state})", state=doing))
    sentence = _(
        "in the background ({state}), PID {pid}, since {since}, {memory}",
        state=doing,
        pid=status["pid"],
        since=_since(str(status["since"])),
        memory=_memory(status["pid"] or 0),
    )
    return Finding("running", True, sentence, _("End it with: earmark quit"))


def service() -> Iterator[Finding]:
    """Of systemd, where it is installed."""
    from tui.cli.service_state import standing, standing_text

    word = standing()
    text, advice = standing_text(word)
    if word:
        well = word != "failed"
        runs = _("it runs, and waits while another Earmark plays")
        yield Finding("service", well, text or runs, advice, noted=bool(text) and well)


def _unanswered(paths: Paths, error: ControlError) -> Finding:
    """One that hangs, or can't be controlled, holds the library all the same."""
    pid = holder(paths.lock)
    if pid is None:
        return Finding("running", True, _("no") if isinstance(error, NotRunning) else error.what)
    sentence = _("PID {pid} holds the library, but doesn't answer ({memory})", pid=pid, memory=_memory(pid))
    return Finding("running", False, sentence, _("End it with: kill {pid}", pid=pid))


def _since(moment: str) -> str:
    """The time of day; before today with the day."""
    try:
        then = datetime.fromisoformat(moment).astimezone()
    except (ValueError, OverflowError):
        return clean_line(moment, 40)
    clock = f"{then:%H:%M}"
    return clock if then.date() == datetime.now().astimezone().date() else f"{day(then)} {clock}"


def _memory(pid: int) -> str:
    """What the process keeps in memory, as the system counts it."""
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return size_label(pages * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError, subprocess.SubprocessError):
        asked = subprocess.run(
            ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, stdin=subprocess.DEVNULL, timeout=5, check=True
        )
        return size_label(int(asked.stdout) * 1024)
    return _("memory unknown")


def _doing(state: str) -> str:
    if state in ("stopped", "ended", "error"):
        return _("nothing playing")
    return STATES.get(state, state).lower()


def _fault(name: str, error: EarmarkError) -> Finding:
    return Finding(name, False, f"{error.what}.", error.advice)
