"""Whether libvlc is on this computer, and how this system's package manager brings it.

The app asks before its first frame, and scripts/prepare before any of Earmark's dependencies is installed:
`python -m player.playback.vlc.installing` exits with 0 where libvlc is here. Hence nothing heavy is imported.
"""

import os
import sys
from pathlib import Path
from typing import NamedTuple

from player.errors import NoSoundLibrary
from player.text.sentences import _

_PACKAGES = Path(__file__).with_name("packages.txt")
_ON_A_MAC = "/Applications/VLC.app/Contents/MacOS/lib/libvlc.dylib"
_PLUGINS = ("codec/libavcodec_plugin.so", "demux/libavformat_plugin.so")
"""One of them opens podcasts; libvlc alone opens nothing."""


class PackageManager(NamedTuple):
    """A line of packages.txt, each field as a shell would read it."""

    program: str
    install: str
    unasked: str
    packages: str

    def command(self, *, unasked: bool = False) -> list[str]:
        """The words of the command that installs libvlc; `unasked`: without a question of the manager's own."""
        options = self.unasked.split() if unasked else []
        return [self.program, *self.install.split(), *options, *self.packages.split()]


def is_here() -> bool:
    """Whether libvlc and the plugins that open podcasts are found as python-vlc and libvlc look for them. Where they
    are in a usual folder, this takes microseconds and loads nothing."""
    named = os.environ.get("PYTHON_VLC_LIB_PATH")
    if named is not None:
        return Path(named).exists()
    if sys.platform == "darwin":
        return Path(_ON_A_MAC).exists() or _loads("libvlc.dylib")
    for folder in _usual_folders():
        if (folder / "libvlc.so.5").exists():
            plugins = folder / "vlc" / "plugins"
            return "VLC_PLUGIN_PATH" in os.environ or any((plugins / name).exists() for name in _PLUGINS)
    return _loads("libvlc.so.5")


def missing() -> NoSoundLibrary:
    """The error that says how to install it."""
    return NoSoundLibrary(_("libvlc, which plays the audio, isn't installed"), advice())


def advice() -> str:
    """The install command for this machine's package manager, as a sentence."""
    manager = package_manager()
    if manager is None:
        return _("Install VLC.")
    words = " ".join(manager.command())
    prefix = as_root(manager)
    return _("Install it with: {command}", command=f"su -c '{words}'" if prefix is None else " ".join([*prefix, words]))


def package_manager() -> PackageManager | None:
    """The first in packages.txt that this machine has."""
    from shutil import which

    lines = _PACKAGES.read_text(encoding="utf-8").splitlines()
    managers = (PackageManager(*line.split("|")) for line in lines if not line.startswith("#"))
    return next((manager for manager in managers if which(manager.program)), None)


def as_root(manager: PackageManager) -> tuple[str, ...] | None:
    """What comes before its command: nothing for root and for Homebrew, which wants no root; else sudo, or None where
    there is no sudo."""
    from shutil import which

    if manager.program == "brew" or os.geteuid() == 0:
        return ()
    return ("sudo",) if which("sudo") else None


def _usual_folders() -> list[Path]:
    multiarch = getattr(sys.implementation, "_multiarch", "")
    return [Path("/usr", name) for name in (f"lib/{multiarch}", "lib64", "lib", "local/lib")]


def _loads(name: str) -> bool:
    import ctypes

    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(not is_here())
