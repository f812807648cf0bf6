"""Finds the reader for a file of another app, and cleans what it has read."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from msgspec import Struct

from player import regular_file
from player.errors import TransferError
from player.feeds.opml import known_files
from player.library.foreign.database import MAGIC, opened
from player.model.foreign import ForeignLibrary
from player.text.sentences import _
from player.transfer.cleaning import cleaned

START_BYTES = 64 * 1024
"""How much of a file `recognises` gets."""


class Reader(Protocol):
    """Reads the files of one app. Made for a single file, without state; runs on any thread but the screen's.

    A reader may take texts, numbers and moments as the file has them, if only their types are right
    (`player.text.untrusted_json`): `load` cleans all of them. It bounds what it reads itself: bytes, rows, time.
    """

    def recognises(self, path: Path, start: bytes) -> bool:
        """Whether the file is one of this app's, from its name and its first `START_BYTES`. Never raises."""
        ...

    def read(self, path: Path) -> ForeignLibrary:
        """Everything that can be had. Of what is damaged, or of a version that isn't known, what can be read is read,
        and `left_out` says what is missing. Raises TransferError, with a plain sentence, if there is nothing."""
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
    ("player.transfer.opml", "OpmlReader"),
)
"""Modules and classes, loaded when a file is read; the first that recognises it reads it. Plain text comes last."""


_INSIDE = ("Database", "urls", "cache.db", "castero.db", "database.db3", "podcasts.db", "MTLibrary.sqlite")
"""What apps call their files: enough, where their folder is named."""


class _File(Struct, frozen=True):
    path: Path
    start: bytes


def load(path: Path, readers: Sequence[Reader] | None = None) -> ForeignLibrary:
    """What the app that wrote the file knew, cleaned and bounded. Takes as long as the file needs, at most about a
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


def load_bytes(body: bytes, name: str) -> ForeignLibrary:
    """As `load`, for what came through a pipe; `name` is for sentences."""
    with TemporaryDirectory(prefix="earmark-") as folder:
        path = Path(folder) / "import"
        path.write_bytes(body)
        try:
            return load(path)
        except TransferError as error:
            raise TransferError(error.what.replace(str(path), name), error.advice) from error


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
        with opened(file.path):  # What is damaged is said to be so.
            pass
        what = _("{file} is a database of an app that Earmark doesn't know", file=file.path)
        return TransferError(what, _("Nearly every app can export its subscriptions as OPML: import that."))
    return TransferError(_("There are no podcast feeds in {file}", file=file.path), known_files())
