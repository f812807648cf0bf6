"""Files that a clean-up or the listener moves aside, with their transcripts: brought back when the act is undone,
deleted a day later."""

import errno
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

from player.downloads.files import TRANSCRIPT, make_folder, transcript_beside
from player.downloads.planning import TRASH_MS, Cause, Removal
from player.errors import NotWritable
from player.library import Library
from player.media.fetching.media_errors import NOT_WRITABLE
from player.model.downloads import Refusal
from player.model.episode import EpisodeId
from player.model.listening import Reverted
from player.text.sentences import _

log = logging.getLogger(__name__)

_FOLDER = ".trash"


class SetAside(NamedTuple):
    """The episodes whose files were moved into the trash, and why others couldn't be moved, of which there are
    `kept`."""

    gone: list[EpisodeId]
    kept: int = 0
    refused: NotWritable | None = None


def set_aside(library: Library, folder: Path, removals: Sequence[Removal]) -> SetAside:
    """Moves the files of these downloads into the trash of the downloads folder, as one act that can be undone.

    Downloads that are protected by now stay, and so do files that can't be moved.
    """
    causes = {one.episode_id: one.cause for one in removals}
    return _set_aside(
        library,
        folder,
        [*causes],
        lambda: library.downloads.trash.free_to_go([*causes]),
        lambda one: None if causes[one] is Cause.ROOM else Refusal.CLEANED,
    )


def delete(library: Library, folder: Path, ids: Sequence[EpisodeId]) -> SetAside:
    """The same for downloads that the listener deletes, to which no protection applies."""

    def files() -> list[tuple[EpisodeId, Path]]:
        wanted = set(ids)
        return [(one.episode_id, one.path) for one in library.downloads.all() if one.episode_id in wanted]

    return _set_aside(library, folder, ids, files, lambda _one: Refusal.DELETED)


def _set_aside(
    library: Library,
    folder: Path,
    ids: Sequence[EpisodeId],
    files: Callable[[], Sequence[tuple[EpisodeId, Path]]],
    refusal: Callable[[EpisodeId], Refusal | None],
) -> SetAside:
    """`files` reads, in the transaction, which of the downloads are deleted."""
    trash, done = library.downloads.trash, _Moves()
    purge(library, [one.episode_id for one in trash.files(ids)])
    with done.unless_it_fails(), library.transaction(), library.acts.recorded_downloads() as act_id:
        gone, refused = [], []
        for episode_id, path in files():
            try:
                trashed = done.move(path, _place(folder, episode_id, path))
            except FileNotFoundError:
                trashed = path  # there is nothing to bring back
            except NotWritable as error:
                refused.append(error)
                continue
            except OSError as error:
                log.warning("a download can't be moved aside: %s", error)
                continue
            trash.put(act_id, episode_id, trashed, refusal(episode_id))
            gone.append(episode_id)
    for path in done.left:
        _remove_empty(path.parent, folder)
    if refused:
        log.warning("%d downloads can't be moved aside: %s", len(refused), refused[0])
    return SetAside(gone, len(refused), refused[0] if refused else None)


def purge(library: Library, ids: Sequence[EpisodeId]) -> None:
    """Deletes files in the trash for good."""
    gone, stuck = [], []
    for file in library.downloads.trash.files(ids):
        try:
            if file.trashed != file.path:
                for one in filter(None, (transcript_beside(file.trashed), file.trashed)):
                    one.unlink(missing_ok=True)
            gone.append(file.episode_id)
        except OSError as error:
            stuck.append(error)
    if stuck:
        log.warning("%d files in the trash can't be deleted: %s", len(stuck), stuck[0])
    library.downloads.trash.forget(gone)


def restore(library: Library, episode_id: EpisodeId, why: str) -> bool:
    """Brings one file back for a rule that wants it again; False if it isn't there any more."""
    moves = _Moves()
    with moves.unless_it_fails(), library.transaction():
        for file in library.downloads.trash.files([episode_id]):
            try:
                path = moves.move(file.trashed, file.path)
            except NotWritable as error:
                log.warning("a download can't be brought back yet: %s", error)
                return False
            except OSError as error:
                log.warning("a download can't be brought back: %s", error)
                library.downloads.trash.forget([episode_id])
                return False
            library.downloads.trash.restore(episode_id, path, why)
            return True
    return False


def undo(library: Library) -> Reverted | None:
    """Undoes the last act, whatever it was. Raises the exceptions of `library.acts.undo`, and NotWritable: then nothing
    is undone."""
    trash, moves = library.downloads.trash, _Moves()
    with moves.unless_it_fails(), library.transaction():
        for file in trash.to_undo():
            try:
                trash.moved(file.episode_id, moves.move(file.trashed, file.path), file.trashed)
            except OSError as error:
                log.warning("a download can't be brought back: %s", error)
                trash.forget([file.episode_id])
        return library.acts.undo()


def redo(library: Library) -> Reverted | None:
    """Redoes the act that was undone last. Raises the exceptions of `library.acts.redo`, and NotWritable: then nothing
    is done."""
    trash, moves = library.downloads.trash, _Moves()
    with moves.unless_it_fails(), library.transaction():
        for file in trash.to_redo():
            path = library.downloads.path(file.episode_id) or file.path
            with suppress(OSError):
                make_folder(file.trashed.parent)
                trash.moved(file.episode_id, path, moves.move(path, file.trashed))
        return library.acts.redo()


def sweep(library: Library, folder: Path, now: float | None = None) -> None:
    """Deletes files that have been in the trash for more than a day, or that are dated in the future, and belong to no
    act, as after a crash. `now`: s since 1970."""
    until = time.time() if now is None else now
    library.downloads.facts.date_trash_anew()
    known = {file.trashed for file in library.downloads.trash.files()}
    known |= {path.with_suffix(TRANSCRIPT) for path in known}
    with suppress(OSError):
        for path in (folder / _FOLDER).iterdir():
            if path not in known and not until - TRASH_MS / 1000 <= path.lstat().st_ctime <= until + TRASH_MS / 1000:
                path.unlink()


class _Moves:
    """Files that were moved, to be moved back if the following step fails."""

    def __init__(self) -> None:
        self._moved: list[tuple[Path, Path]] = []

    @property
    def left(self) -> list[Path]:
        """Where the files were."""
        return [source for source, _target in self._moved]

    def move(self, source: Path, target: Path) -> Path:
        """Moves a file, with its transcript, to `target`, or to the next free name there, on the same disk. Raises
        OSError, and NotWritable for folders that may be writable later."""
        try:
            make_folder(target.parent)
            target = _free(target)
            try:
                source.rename(target)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                # The downloads folder was a different one, on another disk.
                target = _free(source.with_name(f".{source.name}.trash"))
                source.rename(target)
        except OSError as error:
            if error.errno not in NOT_WRITABLE or not source.exists():
                raise
            raise NotWritable(
                _(
                    "{file} can't be moved to {folder} ({reason})",
                    file=source,
                    folder=target.parent,
                    reason=error.strerror,
                ),
                _("Make the folder writable, then try again."),
            ) from error
        self._moved.append((source, target))
        beside = target.with_suffix(TRANSCRIPT)
        if (transcript := transcript_beside(source)) is not None and not beside.exists():
            with suppress(OSError):
                transcript.rename(beside)
                self._moved.append((transcript, beside))
        return target

    def unless_it_fails(self) -> "_Moves":
        return self

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        for source, target in reversed(self._moved) if kind else ():
            with suppress(OSError):
                make_folder(source.parent)
                target.rename(source)


def _place(folder: Path, episode_id: EpisodeId, path: Path) -> Path:
    return folder / _FOLDER / f"{episode_id}{path.suffix}"


def _free(path: Path) -> Path:
    for number in count(2):
        if not path.exists():
            return path
        path = path.with_name(f"{path.stem} ({number}){path.suffix}")
    raise AssertionError


def _remove_empty(folder: Path, root: Path) -> None:
    """Removes the folder of a podcast that has no downloads any more, and empty folders above it."""
    with suppress(OSError):
        for one in (folder, *folder.parents):
            if root not in one.parents:
                return
            one.rmdir()
