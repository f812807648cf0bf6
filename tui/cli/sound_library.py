"""The offer to install libvlc, on the terminal before the app opens. Nothing is installed without a yes, and the app
opens without sound after a no."""

import shlex
import subprocess

from player.paths import Paths
from player.playback.vlc import installing
from player.playback.vlc.installing import PackageManager
from player.settings_file import load_settings
from player.text.sentences import _
from tui.cli.command import complain, typed


def offer(paths: Paths) -> list[str]:
    """Call this where libvlc is missing and both ends of the terminal are there. Returns what the app is to say: how
    to install it, where nothing could be offered. Raises KeyboardInterrupt."""
    settings, _mistakes = load_settings(paths.settings)
    if settings.playback.engine != "vlc":
        return []
    problem = installing.missing()
    manager = installing.package_manager()
    prefix = None if manager is None else installing.as_root(manager)
    if manager is None or prefix is None:
        return [str(problem)]
    commands = [[*prefix, *words] for words in _commands(manager)]
    complain(_("{problem}. The app opens without it, but plays nothing.", problem=problem.what))
    complain(_("Install it now? That runs: {command}", command=" && ".join(map(shlex.join, commands))))
    if typed("[y/N] ").strip().lower() not in ("y", "yes"):
        return []
    if not all(subprocess.run(words, check=False).returncode == 0 for words in commands) or not installing.is_here():
        typed(_("It couldn't be installed. Press enter to open the app without sound."))
    return []


def _commands(manager: PackageManager) -> list[list[str]]:
    install = manager.command(unasked=True)
    # A machine that has just been set up has no list of packages, or one of packages that are gone.
    return [["apt-get", "update"], install] if manager.program == "apt-get" else [install]
