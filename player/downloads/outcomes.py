"""What comes of downloads: written to the library, and said."""

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from player.downloads.attempt import Attempt
from player.downloads.files import is_away
from player.downloads.retries import Verdict, after
from player.downloads.rows import Row
from player.errors import DiskFull, EarmarkError, FileChanged, LibraryError, MediaError, NoRoom, NotWritable
from player.events import Bus, Cause, EpisodesChanged, Notice
from player.library import Library
from player.model.downloads import Download, DownloadDeleted, DownloadFailed, DownloadFinished, DownloadState
from player.model.episode import EpisodeId
from player.model.playback import Severity
from player.text.cleaning import clean_line
from player.text.sentences import _, plural

log = logging.getLogger(__name__)

_LEAST_ROOM = 1 << 20
_NAMED = 3


class Outcomes:
    """Any thread."""

    def __init__(self, library: Library, bus: Bus, downloaded: Callable[[EpisodeId], None]) -> None:
        """`downloaded` is called with each episode whose download is complete."""
        self._library = library
        self._bus = bus
        self._downloaded = downloaded
        self._not_writable = ""
        """What was said about the folder since the last download that it took."""

    # -- attempts ---------------------------------------------------------------------------------------------

    def write(self, row: Row, attempt: Attempt, *, network_seen: bool) -> Verdict | None:
        """What becomes of a download whose attempt has failed; None where it hasn't."""
        if attempt.error is None or attempt.stopped:
            return None
        error = _in_words(attempt.error)
        verdict = after(
            error,
            row.queued.attempts,
            passing=attempt.passing or isinstance(error, (LibraryError, FileChanged)),
            progressed=attempt.progressed,
            network_seen=network_seen,
        )
        if isinstance(error, NoRoom):
            row.needs = max(_LEAST_ROOM, (row.progress.total or 0) - row.progress.done)
        else:
            row.needs = 0
        attempt.error = error
        again = None if verdict.pause_s is None else datetime.now(UTC) + timedelta(seconds=verdict.pause_s)
        try:
            self._library.downloads.queue.problem(
                attempt.episode.id,
                error.what,
                error.advice,
                state=verdict.state,
                attempts=verdict.attempts,
                retry_at=again,
            )
        except LibraryError as problem:
            log.warning("the end of a download can't be written: %s", problem)
        return verdict

    def tell(self, row: Row, attempt: Attempt, verdict: Verdict | None) -> None:
        episode, title = attempt.episode, clean_line(attempt.episode.title, 60)
        if attempt.error is None:
            self._not_writable = ""
            self._bus.publish(EpisodesChanged((episode.id,)))
            self._downloaded(episode.id)
            self._bus.publish(Notice(_("Downloaded “{title}”", title=title)))
            self._bus.publish(DownloadFinished(episode.id, row.cause))
        elif verdict is not None and verdict.state is DownloadState.FAILED:
            self._bus.publish(Notice(str(attempt.error), Severity.ERROR))
            self._bus.publish(DownloadFailed(episode.id, str(attempt.error), row.cause))
        elif verdict is not None and isinstance(attempt.error, NoRoom) and not row.out_of_room:
            row.out_of_room = True
            waits = _("The download of “{title}” waits. {problem}", title=title, problem=attempt.error)
            self._bus.publish(Notice(waits, Severity.WARNING))
        elif (
            verdict is not None and isinstance(attempt.error, NotWritable) and self._not_writable != str(attempt.error)
        ):
            self._not_writable = str(attempt.error)
            waits = _("Downloads wait. {problem} They resume automatically.", problem=attempt.error)
            self._bus.publish(Notice(waits, Severity.WARNING))

    def waits(self, row: Row, trouble: MediaError | None) -> None:
        """Says once why nothing comes."""
        if trouble is not None and not row.warned:
            row.warned = True
            sentence = _("Download waiting. {trouble} It resumes automatically.", trouble=trouble)
            self._bus.publish(Notice(sentence, Severity.WARNING))

    # -- files that are there no longer -------------------------------------------------------------------------

    def look_for_files(self, folder: Path) -> None:
        """Forgets the downloads whose files are missing. Raises LibraryError."""
        missing = [one for one in self._library.downloads.all() if not one.path.exists()]
        self.forget(missing, folder)

    def forget_missing(self, ids: Sequence[EpisodeId]) -> None:
        """Those of `ids` whose files are missing may be downloaded again. Raises LibraryError."""
        for one in ids:
            path = self._library.downloads.path(one)
            if path is not None and not path.exists():
                self._library.downloads.remove(one)

    def forget(self, lost: list[Download], folder: Path) -> None:
        """These files are missing or damaged: what isn't on a disk that is away is marked as downloaded no longer."""
        gone = [one for one in lost if one.path.exists() or not is_away(one.path, folder)]
        away = len(lost) - len(gone)
        if away:
            self._bus.publish(Notice(_away(away, folder), Severity.WARNING))
        for one in gone:
            self._library.downloads.remove(one.episode_id)
        if gone:
            self._bus.publish(Notice(_missing(gone), Severity.WARNING))
            self._bus.publish(EpisodesChanged(tuple(one.episode_id for one in gone)))
            for one in gone:
                self._bus.publish(DownloadDeleted(one.episode_id, Cause.RULE))


def _in_words(error: Exception) -> EarmarkError:
    match error:
        case DiskFull():
            return NoRoom(error.what, error.advice)
        case EarmarkError():
            return error
        case _:
            log.error("a download failed", exc_info=error)
            return MediaError(_("Something went wrong inside Earmark"), _("See the log."))


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
