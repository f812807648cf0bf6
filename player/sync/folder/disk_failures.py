"""Errors of the disk, as sentences and as reasons for the synchroniser."""

import errno
from pathlib import Path

from player.sync.target import SyncError, SyncFailure
from player.text.cleaning import clean_line
from player.text.sentences import _

_DISK_AWAY = {
    errno.ENODEV, errno.ENOTCONN, errno.ESTALE, errno.EHOSTDOWN, errno.EHOSTUNREACH, errno.ETIMEDOUT,
    errno.ENETUNREACH, errno.ENETDOWN,
}  # fmt: skip
_AWAY = _DISK_AWAY | {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO}
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}


def shown(path: Path | str) -> str:
    """A name made safe to show: file names may contain anything."""
    return clean_line(str(path).encode("utf-8", "replace").decode(), 200)


def is_away(path: Path) -> SyncError:
    return SyncError(
        SyncFailure.UNREACHABLE,
        _("The sync folder {folder} isn't there", folder=shown(path)),
        _("Plug in or mount the disk it is on. To choose another folder: earmark sync setup"),
    )


def is_another(path: Path) -> SyncError:
    return SyncError(
        SyncFailure.UNREACHABLE,
        _("{folder} isn't the folder that this Earmark syncs through", folder=shown(path)),
        _("Plug in or mount the right disk. To use this folder from now on: earmark sync setup"),
    )


def is_disk_away(error: OSError) -> bool:
    """Whether no other file of the folder could be read either."""
    return error.errno in _DISK_AWAY


def sync_error(error: OSError, path: Path) -> SyncError:
    """`error` happened to the folder, or to a file in it."""
    if error.errno in _AWAY:
        return is_away(path)
    if error.errno in _FULL:
        return SyncError(
            SyncFailure.FAULT,
            _("No space left in the sync folder {folder}", folder=shown(path)),
            _("Free some space; nothing is lost, and it is written later."),
        )
    if error.errno in _READ_ONLY:
        return SyncError(
            SyncFailure.FAULT,
            _("The sync folder {folder} can't be read and written ({reason})", folder=shown(path), reason=_why(error)),
            _("Change its permissions, or mount it for writing."),
        )
    return SyncError(
        SyncFailure.FAULT,
        _("The sync folder {folder} failed ({reason})", folder=shown(path), reason=_why(error)),
        _("Check the disk it is on."),
    )


def state_error(error: OSError, path: Path) -> SyncError:
    """`error` happened to the file in which this Earmark stores the state of its journal."""
    return SyncError(
        SyncFailure.FAULT,
        _("Can't write {file} ({reason})", file=shown(path), reason=_why(error)),
        _("Check the disk and the permissions of that folder."),
    )


def is_busy() -> SyncError:
    return SyncError(
        SyncFailure.BUSY,
        _("Another Earmark is writing to the sync folder"),
        _("Earmark tries again soon."),
        retry_s=5.0,
    )


def is_stopped() -> SyncError:
    return SyncError(SyncFailure.UNREACHABLE, _("Syncing was stopped"))


def _why(error: OSError) -> str:
    return error.strerror or _("disk error")
