"""Where other apps keep their files."""

import os
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from msgspec import Struct

_MOST_LOOKED_AT = 2_000
"""Files of a folder of downloads."""
_NEWSBOAT = (".newsboat/urls", ".config/newsboat/urls")
_KASTS = (".local/share/KDE/kasts/database.db3", ".var/app/org.kde.kasts/data/KDE/kasts/database.db3")
_GNOME = (
    ".local/share/gnome-podcasts/podcasts.db",
    ".var/app/org.gnome.Podcasts/data/gnome-podcasts/podcasts.db",
)
_APPLE = "Library/Group Containers/243LU875E5.groups.com.apple.podcasts/Documents/MTLibrary.sqlite"


class FoundFile(Struct, frozen=True):
    app: str
    path: Path


def found_files(home: Path | None = None, environ: Mapping[str, str] = os.environ) -> list[FoundFile]:
    """The files of apps that are here, and the newest export of AntennaPod among the downloads. Not for the screen's
    thread: a disk may be slow."""
    home = home or Path.home()
    data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    gpodder = Path(environ.get("GPODDER_HOME") or home / "gPodder")
    places = {
        "gPodder": (gpodder / "Database",),
        "newsboat": (*(home / one for one in _NEWSBOAT), config / "newsboat" / "urls"),
        "castero": (data / "castero" / "castero.db",),
        "Kasts": (*(home / one for one in _KASTS), data / "KDE" / "kasts" / "database.db3"),
        "GNOME Podcasts": (*(home / one for one in _GNOME), data / "gnome-podcasts" / "podcasts.db"),
        "Apple Podcasts": (home / _APPLE,),
        "AntennaPod": _exports(home / "Downloads"),
    }
    firsts = ((app, next(filter(_is_file, paths), None)) for app, paths in places.items())
    return [FoundFile(app, path) for app, path in firsts if path is not None]


def _exports(folder: Path) -> tuple[Path, ...]:
    """AntennaPod puts the day into their names."""
    try:
        names = [one.name for one in islice(folder.iterdir(), _MOST_LOOKED_AT)]
    except OSError:
        return ()
    return tuple(folder / one for one in sorted(names, reverse=True) if one.startswith("AntennaPodBackup"))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
