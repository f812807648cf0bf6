"""Files of other apps: where they are on this computer, the reader for each, and its data, cleaned."""

import os
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from player import regular_file
from player.errors import TransferError
from player.feeds.opml import OpmlError, Outline, known_files, load_opml
from player.library.foreign.database import MAGIC, opened
from player.model.foreign import ForeignLibrary, ForeignPodcast
from player.text.sentences import _
from player.transfer.cleaning import cleaned

START_BYTES = 64 * 1024
"""The bytes of a file that `recognises` gets."""


class Reader(Protocol):
    """Reads the files of one app. Made for a single file, without state; runs on any thread but the screen's.

    A reader may take texts, numbers and moments as they are in the file, provided that their types are right
    (`player.text.untrusted_json`): `load` cleans all of them. The reader itself bounds the bytes, rows and time that it
    reads.
    """

    def recognises(self, path: Path, start: bytes) -> bool:
        """Whether the file is one of this app's, from its name and its first `START_BYTES`. Never raises."""
        ...

    def read(self, path: Path) -> ForeignLibrary:
        """Everything that can be read, also if the file is damaged or its version unknown; then `left_out` says what is
        missing. Raises TransferError, with a plain sentence, if nothing can be read."""
        ...


_READERS = (
    ("player.library.foreign.antennapod", "AntennaPodReader"),
    ("player.library.foreign.gpodder", "GPodderReader"),
    ("player.library.foreign.castero", "CasteroReader"),
    ("player.library.foreign.gnome_podcasts", "GnomePodcastsReader"),
    ("player.library.foreign.kasts", "KastsReader"),
    ("player.library.foreign.newsboat", "NewsboatReader"),
    ("player.library.foreign.podcast_addict", "PodcastAddictReader"),
    ("player.library.foreign.apple_podcasts", "ApplePodcastsReader"),
    ("player.library.foreign.pocket_casts", "PocketCastsReader"),
    ("player.transfer.overcast", "OvercastReader"),
    ("player.transfer.portcast", "PortCastReader"),
    ("player.transfer.load", "OpmlReader"),
)
"""Modules and classes, loaded when a file is read; the first that recognises it reads it. Plain text comes last."""


_INSIDE = ("Database", "urls", "cache.db", "castero.db", "database.db3", "podcasts.db", "MTLibrary.sqlite")
"""The names of apps' files, so that it is enough to name their folder."""


class _File(Struct, frozen=True):
    path: Path
    start: bytes


def load(path: Path, readers: Sequence[Reader] | None = None) -> ForeignLibrary:
    """The data of the app that wrote the file, cleaned and bounded. Takes as long as the file needs, at most about a
    minute: not for the screen's thread. Raises TransferError."""
    file = _begin(path)
    for reader in _readers() if readers is None else readers:
        if reader.recognises(file.path, file.start):
            found = cleaned(reader.read(file.path))
            if found.podcasts:
                return found
            what = _("There are no podcasts in {file}", file=file.path)
            raise TransferError(what, " ".join(found.left_out))
    raise _unknown(file)


def _readers() -> Iterator[Reader]:
    for module, name in _READERS:
        yield getattr(import_module(module), name)()


def _begin(path: Path) -> _File:
    try:
        if path.is_dir():
            path = next((path / name for name in _INSIDE if (path / name).is_file()), path)
        elif path.exists() and not path.is_file():
            what = _("{file} isn't a file", file=path)
            raise TransferError(what, _("Enter the path of a file that another app exported."))
        with regular_file.opened(path) as file:
            return _File(path, file.read(START_BYTES))
    except OSError as error:
        raise TransferError(
            _("Can't read {file} ({reason})", file=path, reason=error.strerror),
            _("Enter the path of a file that another app exported."),
        ) from error


def _unknown(file: _File) -> TransferError:
    if file.start.startswith(MAGIC):
        with opened(file.path):  # A damaged database raises its own sentence.
            pass
        what = _("{file} is a database of an app that Earmark doesn't know", file=file.path)
        return TransferError(what, _("Nearly every app can export its subscriptions as OPML: import that."))
    return TransferError(_("There are no podcast feeds in {file}", file=file.path), known_files())


class OpmlReader:
    """Reads lists of subscriptions: OPML, as nearly every app exports it, and text with a feed's URL on each line.

    Asked last, as it recognises any text."""

    def recognises(self, path: Path, start: bytes) -> bool:  # noqa: ARG002 - other apps' files have names
        return not start.startswith(MAGIC)

    def read(self, path: Path) -> ForeignLibrary:
        try:
            outlines = load_opml(path)
        except OpmlError as error:
            raise TransferError(error.what, error.advice) from error
        return of_outlines(outlines)


def of_outlines(outlines: list[Outline]) -> ForeignLibrary:
    """A list of subscriptions as the data of an app, without the app's name, which the list doesn't tell."""
    return ForeignLibrary(
        "",
        podcasts=tuple(
            ForeignPodcast(one.url, title=one.title, own_title=one.own_title, tags=one.tags) for one in outlines
        ),
    )


# -- where the files are -------------------------------------------------------------------------------------------

_MOST_LOOKED_AT = 2_000
"""The most files examined in a folder of downloads."""
_GPODDER_SNAP = "snap/gpodder/current/gPodder/Database"
"""A snap's home folder is its own; the Flatpak of gPodder uses the listener's."""
_NEWSBOAT = (".newsboat/urls", ".config/newsboat/urls", "snap/newsboat/current/.newsboat/urls")
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
    """The files of apps on this computer, and the newest export of AntennaPod among the downloads. Not for the screen's
    thread: a disk may be slow."""
    home = home or Path.home()
    data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    gpodder = Path(environ.get("GPODDER_HOME") or home / "gPodder")
    places = {
        "gPodder": (gpodder / "Database", home / _GPODDER_SNAP),
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
    """The exports in a folder, the newest first: AntennaPod puts the day into their names."""
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
