"""Forgets downloads whose files are gone or damaged, so that their episodes are streamed again."""

from collections.abc import Sequence
from pathlib import Path

from player.downloads.files import is_away
from player.events import Bus, Cause, EpisodesChanged, Notice
from player.library import Library
from player.model.downloads import Download, DownloadDeleted
from player.model.episode import EpisodeId
from player.model.playback import Severity
from player.text.sentences import _, plural

_NAMED = 3


def look_for_files(library: Library, bus: Bus, folder: Path) -> None:
    """Forgets the downloads whose files are missing. Raises LibraryError."""
    forget(library, bus, [one for one in library.downloads.all() if not one.path.exists()], folder)


def forget_missing(library: Library, ids: Sequence[EpisodeId]) -> None:
    """Those of `ids` whose files are missing may be downloaded again. Raises LibraryError."""
    for one in ids:
        path = library.downloads.path(one)
        if path is not None and not path.exists():
            library.downloads.remove(one)


def forget(library: Library, bus: Bus, lost: list[Download], folder: Path) -> None:
    """These files are missing or damaged: their episodes are no longer marked as downloaded, except for files on an
    absent disk. Raises LibraryError."""
    gone = [one for one in lost if one.path.exists() or not is_away(one.path, folder)]
    away = len(lost) - len(gone)
    if away:
        bus.publish(Notice(_away(away, folder), Severity.WARNING))
    for one in gone:
        library.downloads.remove(one.episode_id)
    if gone:
        bus.publish(Notice(_missing(gone), Severity.WARNING))
        bus.publish(EpisodesChanged(tuple(one.episode_id for one in gone)))
        for one in gone:
            bus.publish(DownloadDeleted(one.episode_id, Cause.RULE))


def _missing(lost: list[Download]) -> str:
    names = ", ".join(str(one.path) for one in lost[:_NAMED])
    more = _(" and more") if len(lost) > _NAMED else ""
    if any(one.path.exists() for one in lost):
        return _(
            "A downloaded file is damaged: {files}{more}. Its episode is streamed again. Download it again, or put a"
            " sound copy there.",
            files=names,
            more=more,
        )
    return plural(
        len(lost),
        "The file of a download is gone: {files}. Its episode is streamed again.",
        "The files of {n} downloads are gone: {files}{more}. Their episodes are streamed again.",
        files=names,
        more=more,
    )


def _away(count: int, folder: Path) -> str:
    return plural(
        count,
        "The folder {folder} is empty or isn't there, so a download can't be used. Its episode is streamed.",
        "The folder {folder} is empty or isn't there, so {n} downloads can't be used. Their episodes are streamed.",
        folder=folder,
    )
