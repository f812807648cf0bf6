"""Downloads and transcripts in the background: a queue that survives crashes, restarts and lost networks, with a few
downloads and one transcript at a time.

The library's table is the queue. One thread reads it, carries out commands, begins what is due, watches its
progress and records how it ended. An attempt has a thread of its own, which only fetches, or transcribes.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from functools import partial
from queue import Empty, SimpleQueue
from typing import TypeVar

from msgspec.structs import replace

from player.downloads import files
from player.downloads.attempt import (
    LATELY_S,
    ROOM_S,
    Attempt,
    DownloadAttempt,
    Transcriber,
    Verdict,
    after,
    in_words,
    wait_s,
)
from player.downloads.files import delete
from player.downloads.making import FileMaker
from player.downloads.stored_queue import QueueAtRest, Row, Rows, progress_of
from player.errors import EarmarkError, FileChanged, LibraryError, MediaError, NoRoom, NothingToDownload, NotWritable
from player.events import (
    Bus,
    Cause,
    EpisodesChanged,
    LibraryChanged,
    NetworkChanged,
    Notice,
    PodcastAdded,
    PodcastRemoved,
)
from player.library import Library
from player.model.downloads import (
    MANUAL,
    Download,
    DownloadCancelled,
    DownloadDeleted,
    DownloadEntry,
    DownloadFailed,
    DownloadFinished,
    DownloadProgress,
    DownloadQueueChanged,
    DownloadSnapshot,
    DownloadsProgress,
    DownloadState,
    Progress,
    Work,
)
from player.model.episode import EpisodeId
from player.model.playback import Severity
from player.text.cleaning import clean_line
from player.text.sentences import _

log = logging.getLogger(__name__)
T = TypeVar("T")

TICK_S = 0.3
"""How often progress is checked."""
_JOIN_S = 0.8
_LEAST_ROOM = 1 << 20
_MOST_FINISHED = 100


class Downloader:
    """The queue of downloads and transcripts, and the files.

    For any thread. Commands return at once, and their futures are done when the change is on the disk; events are
    published on the bus. `start` resumes unfinished downloads; so does the first download.
    """

    def __init__(
        self,
        library: Library,
        bus: Bus,
        maker: FileMaker,
        *,
        at_once: int = 2,
        downloaded: Callable[[EpisodeId], None] = lambda _episode_id: None,
        transcriber: Transcriber | None = None,
    ) -> None:
        """At most `at_once` downloads run at the same time. `downloaded` is called, on a thread, with each episode
        whose download is complete. Without a `transcriber` what is to be transcribed stays in the queue."""
        self._library = library
        self._bus = bus
        self._maker = maker
        self._at_once = at_once
        self._downloaded = downloaded
        self._transcriber = transcriber
        self._table = QueueAtRest(library)
        self._asked: dict[EpisodeId, Cause] = {}
        self._lock = threading.Lock()
        self._started = self._closed = self._paused = self._held = False
        self._inbox: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        # Changed only by the thread, which replaces them as a whole, so that any other thread may read them.
        self._rows: Rows = {}
        self._transcripts_wait = ""
        """Why transcripts in the queue aren't made now."""
        self._finished: dict[EpisodeId, DownloadEntry] = {}
        self._attempts: dict[EpisodeId, Attempt] = {}
        """The attempts that haven't ended, including attempts for episodes that were removed from the queue."""
        self._network_at = -LATELY_S
        self._not_writable = ""
        """The last message about the folder, until a download is put into it."""

    # -- what a screen sees -----------------------------------------------------------------------------------

    def snapshot(self) -> DownloadSnapshot:
        """The present queue. Never waits."""
        rows, finished = self._rows, self._finished
        done = (entry for one, entry in finished.items() if one not in rows)
        entries = (*(row.entry() for row in rows.values()), *done)
        return DownloadSnapshot(entries, progress_of(rows.values()), self._paused, self._held, self._transcripts_wait)

    def is_downloading(self, episode_id: EpisodeId) -> bool:
        """Whether the episode is to be downloaded, and that hasn't failed."""
        return episode_id in self._asked or self._is_wanted(episode_id, Work.DOWNLOAD)

    def is_transcribing(self, episode_id: EpisodeId) -> bool:
        """Whether the episode is to be transcribed, and that hasn't failed."""
        return self._is_wanted(episode_id, Work.TRANSCRIPT)

    def _is_wanted(self, episode_id: EpisodeId, work: Work) -> bool:
        row = self._rows.get(episode_id)
        if row is None or row.state is DownloadState.FAILED:
            return False
        return row.queued.downloads if work is Work.DOWNLOAD else row.queued.transcribes

    def why(self, episode_id: EpisodeId) -> str | None:
        """Why an episode is in the queue, or was downloaded since the start: `manual`, or a rule; None if neither."""
        row, entry = self._rows.get(episode_id), self._finished.get(episode_id)
        if row is not None and row.queued.downloads:
            return row.queued.why
        return entry.why if entry and entry.work is Work.DOWNLOAD else None

    def run_at_once(self, most: int) -> None:
        """Running downloads aren't stopped."""
        self._at_once = most
        self.reload()

    # -- commands ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Loads the queue and resumes it."""
        with self._lock:
            if self._started or self._closed:
                return
            self._started = True
        for kind in (PodcastRemoved, PodcastAdded, LibraryChanged):
            self._bus.subscribe(kind, lambda _event: self.reload())
        self._bus.subscribe(NetworkChanged, lambda event: self.hold(event.offline))
        self._change(self._load)

    def download(
        self,
        ids: EpisodeId | Sequence[EpisodeId],
        *,
        why: str = MANUAL,
        cause: Cause = Cause.PERSON,
        first: bool = False,
    ) -> Future[list[EpisodeId]]:
        """Adds to the end of the queue, or (`first`) to its head. The future has the episodes that weren't in it
        before.

        Failed downloads are tried again, and a download that a person asks for again is no longer paused.
        """
        wanted = _listed(ids)
        self._asked.update(dict.fromkeys(wanted, cause))

        def add() -> list[EpisodeId]:
            try:
                files.forget_missing(self._library, wanted)
                return self._library.downloads.queue.add(wanted, why, first=first, resumes=cause is Cause.PERSON)
            finally:
                self._renew()
                for one in wanted:
                    self._asked.pop(one, None)
                self._say_if_paused(cause)

        self.start()
        return self._change(add)

    def transcribe(
        self, ids: EpisodeId | Sequence[EpisodeId], *, cause: Cause = Cause.PERSON, first: bool = False
    ) -> Future[list[EpisodeId]]:
        """Adds to the end of the queue, or (`first`) to its head, before what is being transcribed. The future has the
        episodes that weren't to be transcribed before."""
        wanted = _listed(ids)

        def add() -> list[EpisodeId]:
            resumes = cause is Cause.PERSON
            if resumes and self._transcriber is not None:
                self._transcriber.try_again()
            added = self._library.downloads.queue.add(wanted, work=Work.TRANSCRIPT, first=first, resumes=resumes)
            if first:
                for one, attempt in self._attempts.items():
                    if attempt.work is Work.TRANSCRIPT and one not in wanted:
                        attempt.stop()
            self._say_if_paused(cause)
            return added

        self.start()
        return self._change(add)

    def _say_if_paused(self, cause: Cause) -> None:
        if self._paused and cause is Cause.PERSON:
            self._bus.publish(Notice(_("Downloads are paused: they begin when you resume them")))

    def cancel(self, ids: EpisodeId | Sequence[EpisodeId]) -> Future[list[EpisodeId]]:
        """Removes episodes from the queue. Their bytes stay cached for a while, so that they needn't be fetched
        again."""
        wanted = _listed(ids)

        def cancel() -> list[EpisodeId]:
            for one in wanted:
                if attempt := self._attempts.get(one):
                    attempt.stop()
            removed = self._table.cancel(wanted)
            self._renew()
            for one in removed:
                self._bus.publish(DownloadCancelled(one, Cause.PERSON))
            return removed

        return self._change(cancel)

    def pause(self, ids: EpisodeId | Sequence[EpisodeId] | None = None) -> Future[None]:
        """Pauses these, or everything (None), until `resume`; also after a restart."""
        return self._change(partial(self._table.pause, None if ids is None else _listed(ids)))

    def resume(self, ids: EpisodeId | Sequence[EpisodeId] | None = None) -> Future[None]:
        """Resumes these, or everything that is paused (None)."""
        return self._change(partial(self._table.resume, None if ids is None else _listed(ids)))

    def retry(self, ids: EpisodeId | Sequence[EpisodeId] | None = None) -> Future[None]:
        """Retries now, and with all attempts: these, or everything (None) that has failed or waits for another
        attempt."""
        if self._transcriber is not None:
            self._transcriber.try_again()
        return self._change(partial(self._table.retry, None if ids is None else _listed(ids)))

    def move(self, ids: EpisodeId | Sequence[EpisodeId], by: int) -> Future[bool]:
        """Moves some rows, up (`by` < 0) or down, as far as the ends; running downloads continue."""
        return self._change(partial(self._library.downloads.queue.move, _listed(ids), by))

    def hold(self, on: bool) -> None:
        """While this is on, nothing is fetched, for example in offline mode. It isn't stored."""
        changed, self._held = self._held != on, on
        if changed:
            self._bus.publish(DownloadQueueChanged())
            self.reload()

    def reload(self) -> None:
        """Another process has changed the queue."""
        self._change(lambda: None)

    def delete(self, episode_id: EpisodeId, *, cause: Cause = Cause.PERSON) -> None:
        """Deletes the file. Waits for the disk. Raises LibraryError, or MediaError if that isn't possible."""
        path = self._library.downloads.path(episode_id)
        if path is not None:
            try:
                delete(path, self._maker.folder)
            except OSError as error:
                raise MediaError(
                    _("{file} can't be deleted: {reason}", file=path, reason=error.strerror),
                    _("Make its folder writable, then try again."),
                ) from error
        self._library.downloads.remove(episode_id)
        self._bus.publish(EpisodesChanged((episode_id,)))
        self._bus.publish(DownloadDeleted(episode_id, cause))

    def lost(self, download: Download) -> None:
        """The file of a download is missing or damaged. Returns at once."""
        self._change(lambda: files.forget(self._library, self._bus, [download], self._maker.folder))

    def close(self) -> None:
        """Ends running downloads; the next start resumes them."""
        with self._lock:
            self._closed = True
        attempts = list(self._attempts.values())
        for attempt in attempts:
            attempt.stop()
        for attempt in attempts:
            attempt.join(_JOIN_S / len(attempts))
        self._inbox.put(None)
        if self._thread is not None:
            self._thread.join(_JOIN_S)

    # -- inside: the thread -----------------------------------------------------------------------------------

    def _change(self, work: Callable[[], T]) -> Future[T]:
        """Carries it out on the thread, which then reads the queue again. Cancelled once this is closed."""
        future: Future[T] = Future()

        def carry_out() -> None:
            if self._closed:
                future.cancel()
                return
            future.set_running_or_notify_cancel()
            try:
                try:
                    result = work()
                finally:
                    self._renew()
            except Exception as error:  # noqa: BLE001 - it belongs to the thread that waits for the future
                self._complain(error)
                future.set_exception(error)
            else:
                future.set_result(result)

        with self._lock:
            if self._closed:
                future.cancel()
                return future
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="earmark-downloads", daemon=True)
                self._thread.start()
        self._inbox.put(carry_out)
        return future

    def _complain(self, error: Exception) -> None:
        if isinstance(error, EarmarkError):
            self._bus.publish(Notice(str(error), Severity.ERROR))
        else:
            log.error("a change of the downloads failed", exc_info=error)

    def _run(self) -> None:
        work: Callable[[], None] | None = self._begin
        while work is not None:
            try:
                work()
                self._begin()
                self._look()
            except Exception:
                log.exception("the downloads' thread met an error")
            try:
                work = self._inbox.get(timeout=self._pause_s())
            except Empty:
                work = self._begin

    def _load(self) -> None:
        files.look_for_files(self._library, self._bus, self._maker.folder)
        for episode in self._library.episodes.rows([one.episode_id for one in self._library.downloads.all()]):
            self._maker.tidy(episode)

    def _renew(self) -> None:
        """Replaces the rows by the library's, and stops attempts that aren't wanted any more."""
        before, was_paused = [row.queued for row in self._rows.values()], self._paused
        try:
            self._rows, self._paused = self._table.rows(self._rows), self._table.paused
        except LibraryError as error:
            log.warning("the queue of downloads can't be read: %s", error)
        self._ask_transcriber()
        for one, cause in list(self._asked.items()):
            if row := self._rows.get(one):
                row.cause = cause
        for one, attempt in self._attempts.items():
            row = self._rows.get(one)
            wanted = row is not None and row.queued.state is DownloadState.WAITING and row.queued.work is attempt.work
            if not wanted or self._paused or (self._held and attempt.work is Work.DOWNLOAD):
                attempt.stop()
        if before != [row.queued for row in self._rows.values()] or was_paused != self._paused:
            self._bus.publish(DownloadQueueChanged())

    def _ask_transcriber(self) -> None:
        before, wanted = self._transcripts_wait, any(row.queued.work is Work.TRANSCRIPT for row in self._rows.values())
        self._transcripts_wait = self._transcriber.waits if wanted and self._transcriber is not None else ""
        if before != self._transcripts_wait:
            self._bus.publish(DownloadQueueChanged())

    def _begin(self) -> None:
        """Begins what is due, as much as may run."""
        self._ask_transcriber()
        now = datetime.now(UTC)
        for one, row in self._rows.items():
            if self._paused or self._closed or not self._started:
                return
            if row.is_due(now) and one not in self._attempts and self._may_begin(row):
                ended = partial(self._ended, row)
                attempt: Attempt
                if row.queued.work is Work.DOWNLOAD:
                    attempt = DownloadAttempt(self._maker, row.queued, row.episode, ended)
                    self._bus.publish(DownloadProgress(one, None, row.cause))
                else:
                    assert self._transcriber is not None, "it may begin"
                    attempt = self._transcriber.attempt(row.episode, ended)
                self._attempts[one] = row.attempt = attempt
                row.progress = Progress()
                self._bus.publish(DownloadQueueChanged())
                attempt.start()

    def _may_begin(self, row: Row) -> bool:
        work = row.queued.work
        running = sum(attempt.work is work for attempt in self._attempts.values())
        if work is Work.TRANSCRIPT:
            return self._transcriber is not None and not running and not self._transcripts_wait
        return running < self._at_once and not self._held and self._maker.has_room(row.needs)

    def _pause_s(self) -> float | None:
        """Seconds until there is something to do; None: until something changes."""
        if self._attempts:
            return TICK_S
        if self._paused or self._closed or not self._started:
            return None
        now = datetime.now(UTC)
        waits = [
            max(wait_s(row.queued.retry_at, now), ROOM_S / 10 if row.needs else 0.0)
            for row in self._rows.values()
            if row.queued.retry_at is not None
            and row.state is DownloadState.WAITING
            and not (self._held and row.queued.downloads)
        ]
        if self._transcripts_wait:
            waits.append(ROOM_S)
        return max(TICK_S, min(waits)) if waits else None

    def _look(self) -> None:
        """Checks the progress of the running downloads."""
        running = [(row, row.attempt) for row in self._rows.values() if row.attempt]
        told = False
        for row, attempt in running:
            progress = attempt.look()
            if progress.done != row.progress.done and attempt.work is Work.DOWNLOAD:
                self._network_at = time.monotonic()
            if progress != row.progress:
                row.progress, told = progress, True
                if attempt.work is Work.DOWNLOAD:
                    self._bus.publish(DownloadProgress(attempt.episode.id, progress.part, row.cause, progress))
            if attempt.trouble is not None and not row.warned:
                row.warned = True
                sentence = _("Download waiting. {trouble} It resumes automatically.", trouble=attempt.trouble)
                self._bus.publish(Notice(sentence, Severity.WARNING))
        if told:
            self._bus.publish(DownloadsProgress(progress_of(self._rows.values()), len(running)))

    # -- inside: ends of attempts -----------------------------------------------------------------------------

    def _ended(self, row: Row, attempt: Attempt) -> None:
        """Runs on the attempt's thread."""
        self._inbox.put(partial(self._settle, row, attempt))

    def _settle(self, row: Row, attempt: Attempt) -> None:
        one = row.queued.episode_id
        row.progress = attempt.look()
        self._ask_transcriber()
        verdict = self._verdict(row, attempt)
        if attempt.error is None:
            size = row.progress.total or row.progress.done
            done = replace(
                row.entry(),
                state=DownloadState.DONE,
                progress=Progress(size, size),
                problem="",
                retry_at=None,
                work=attempt.work,
            )
            if attempt.work is Work.TRANSCRIPT:
                self._remove_transcribed(one)
            finished = {**self._finished, one: done}
            self._finished = dict(list(finished.items())[-_MOST_FINISHED:])
        row.attempt = None
        del self._attempts[one]
        self._renew()
        if not self._closed:
            self._tell(row, attempt, verdict)
            self._bus.publish(DownloadQueueChanged())

    def _remove_transcribed(self, one: EpisodeId) -> None:
        try:
            self._library.downloads.queue.done(one, Work.TRANSCRIPT)
        except LibraryError as problem:
            log.warning("the end of a transcript can't be written: %s", problem)

    def _verdict(self, row: Row, attempt: Attempt) -> Verdict | None:
        """What to do about an episode whose attempt has failed, which is recorded; None if it hasn't failed, or if no
        transcript at all can be made."""
        if attempt.error is None or attempt.stopped:
            return None
        error = attempt.error = in_words(attempt.error)
        if attempt.work is Work.TRANSCRIPT and self._transcripts_wait:
            return None
        verdict = after(
            error,
            row.queued.attempts,
            passing=attempt.passing or isinstance(error, (LibraryError, FileChanged)),
            progressed=attempt.progressed,
            network_seen=time.monotonic() - self._network_at < LATELY_S,
        )
        no_room = isinstance(error, NoRoom)
        row.needs = max(_LEAST_ROOM, (row.progress.total or 0) - row.progress.done) if no_room else 0
        again = None if verdict.pause_s is None else datetime.now(UTC) + timedelta(seconds=verdict.pause_s)
        queue, one = self._library.downloads.queue, attempt.episode.id
        try:
            if isinstance(error, NothingToDownload):
                queue.remove([one])
            else:
                queue.problem(
                    one,
                    error.what,
                    error.advice,
                    state=verdict.state,
                    attempts=verdict.attempts,
                    retry_at=again,
                )
        except LibraryError as problem:
            log.warning("the end of a download can't be written: %s", problem)
        return verdict

    def _tell(self, row: Row, attempt: Attempt, verdict: Verdict | None) -> None:
        one, title, error = attempt.episode.id, clean_line(attempt.episode.title, 60), attempt.error
        if attempt.work is Work.TRANSCRIPT:
            self._tell_of_transcript(title, error, verdict)
        elif error is None:
            self._not_writable = ""
            self._bus.publish(EpisodesChanged((one,)))
            self._downloaded(one)
            self._bus.publish(Notice(_("Downloaded “{title}”", title=title)))
            self._bus.publish(DownloadFinished(one, row.cause))
        elif verdict is None:
            return
        elif verdict.state is DownloadState.FAILED:
            self._bus.publish(Notice(str(error), Severity.ERROR))
            self._bus.publish(DownloadFailed(one, str(error), row.cause))
        elif isinstance(error, NoRoom) and not row.out_of_room:
            row.out_of_room = True
            waits = _("The download of “{title}” waits. {problem}", title=title, problem=error)
            self._bus.publish(Notice(waits, Severity.WARNING))
        elif isinstance(error, NotWritable) and self._not_writable != str(error):
            self._not_writable = str(error)
            waits = _("Downloads wait. {problem} They resume automatically.", problem=error)
            self._bus.publish(Notice(waits, Severity.WARNING))

    def _tell_of_transcript(self, title: str, error: Exception | None, verdict: Verdict | None) -> None:
        if error is None:
            self._bus.publish(Notice(_("Transcribed “{title}”", title=title)))
        elif wait := self._transcripts_wait:
            self._bus.publish(Notice(wait, Severity.WARNING))
        elif verdict is not None and verdict.state is DownloadState.FAILED:
            words = _("“{title}” can't be transcribed. {problem}", title=title, problem=error)
            self._bus.publish(Notice(words, Severity.ERROR))


def _listed(ids: EpisodeId | Sequence[EpisodeId]) -> list[EpisodeId]:
    return [ids] if isinstance(ids, int) else list(ids)
