"""Downloads in the background: a queue that outlives crashes, restarts and networks, a few episodes of it at a time."""

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

from player.downloads.at_rest import PAUSED
from player.downloads.files import delete, part_of
from player.downloads.making import FileMaker
from player.downloads.outcomes import Outcomes
from player.downloads.rows import Rows
from player.downloads.runner import Runner
from player.errors import EarmarkError, LibraryError, MediaError
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
    DownloadQueueChanged,
    DownloadSnapshot,
    DownloadState,
)
from player.model.episode import EpisodeId
from player.model.playback import Severity
from player.processes.threads import DaemonThreads
from player.text.sentences import _

log = logging.getLogger(__name__)
T = TypeVar("T")

_JOIN_S = 0.8


class Downloader:
    """The queue of downloads, and the files.

    Any thread. Commands return at once, and their futures are done when the change is on the disk; what comes of it is
    published on the bus. `start` resumes what was left; the first command does so too.
    """

    def __init__(
        self,
        library: Library,
        bus: Bus,
        maker: FileMaker,
        *,
        at_once: int = 2,
        downloaded: Callable[[EpisodeId], None] = lambda _episode_id: None,
    ) -> None:
        """`at_once` downloads run at the same time at most. `downloaded` is called, on a thread, with each episode
        whose download is complete."""
        self._library = library
        self._bus = bus
        self._maker = maker
        self._outcomes = Outcomes(library, bus, downloaded)
        self._changed = threading.Condition()
        self._renewing = threading.Lock()
        """Held from reading the library's rows until they are taken over: none may replace those that were read later,
        or a download that has ended in between would begin again."""
        self._rows = Rows()
        self._asked: dict[EpisodeId, Cause] = {}
        self._loaded = False
        self._runner = Runner(bus, maker, self._outcomes, self._rows, self._changed, at_once, self._reload)
        self._writes = DaemonThreads(1, "earmark-downloads-writes")

    # -- what a screen sees -----------------------------------------------------------------------------------

    def snapshot(self) -> DownloadSnapshot:
        """The queue as it is. Waits for nothing."""
        with self._changed:
            return self._rows.snapshot(paused=self._runner.paused, held=self._runner.held)

    def is_downloading(self, episode_id: EpisodeId) -> bool:
        """Whether it is in the queue, and hasn't failed."""
        with self._changed:
            row = self._rows.get(episode_id)
            return episode_id in self._asked or (row is not None and row.state is not DownloadState.FAILED)

    def why(self, episode_id: EpisodeId) -> str | None:
        """Why an episode is in the queue, or was downloaded since the start: `manual`, or a rule; None: it isn't."""
        with self._changed:
            return self._rows.why(episode_id)

    def run_at_once(self, most: int) -> None:
        """Those that run already aren't stopped."""
        with self._changed:
            self._runner.at_once = most
        self._runner.look_again()

    # -- commands ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Loads the queue and resumes it."""
        with self._changed:
            if self._loaded or self._runner.closed:
                return
            self._loaded = True
        for kind in (PodcastRemoved, PodcastAdded, LibraryChanged):
            self._bus.subscribe(kind, lambda _event: self.reload())
        self._bus.subscribe(NetworkChanged, lambda event: self.hold(event.offline))
        self._change(self._load)
        self._runner.start()

    def download(
        self,
        ids: EpisodeId | Sequence[EpisodeId],
        *,
        why: str = MANUAL,
        cause: Cause = Cause.PERSON,
        first: bool = False,
    ) -> Future[list[EpisodeId]]:
        """Adds to the end of the queue, or (`first`) to its head. The future has those that weren't there before.

        What has failed is tried again; and what a person asks for anew is paused no longer.
        """
        wanted = _listed(ids)
        with self._changed:
            self._asked.update(dict.fromkeys(wanted, cause))

        def add() -> list[EpisodeId]:
            try:
                self._outcomes.forget_missing(wanted)
                return self._library.downloads.queue.add(wanted, why, first=first, resumes=cause is Cause.PERSON)
            finally:
                self._reload()
                self._forget_asked(wanted)
                if self._runner.paused and cause is Cause.PERSON:
                    self._bus.publish(Notice(_("Downloads are paused: they begin when you resume them")))

        self.start()
        return self._change(add)

    def cancel(self, ids: EpisodeId | Sequence[EpisodeId]) -> Future[list[EpisodeId]]:
        """Takes them out of the queue. What has been fetched stays cached for a while: it isn't fetched again."""
        wanted = _listed(ids)

        def remove() -> list[EpisodeId]:
            paths = {one.episode_id: one.path for one in self._library.downloads.queue.all()}
            removed = self._library.downloads.queue.remove(wanted)
            self._reload()
            for one in removed:
                if path := paths.get(one):
                    part_of(path, one).unlink(missing_ok=True)
                self._bus.publish(DownloadCancelled(one, Cause.PERSON))
            return removed

        return self._change(remove)

    def pause(self, ids: EpisodeId | Sequence[EpisodeId] | None = None) -> Future[None]:
        """These, or everything (None), until `resume`; also after a restart."""
        if ids is None:
            return self._pause_all(True)
        wanted = _listed(ids)
        return self._change(lambda: self._library.downloads.queue.pause(wanted))

    def resume(self, ids: EpisodeId | Sequence[EpisodeId] | None = None) -> Future[None]:
        """These, or everything that is paused (None)."""
        if ids is not None:
            wanted = _listed(ids)
            return self._change(lambda: self._library.downloads.queue.wait(wanted))
        with self._changed:
            every = [row.queued.episode_id for row in self._rows if row.state is DownloadState.PAUSED]
        self._change(lambda: self._library.downloads.queue.wait(every))
        return self._pause_all(False)

    def retry(self, ids: EpisodeId | Sequence[EpisodeId] | None = None) -> Future[None]:
        """Now, and with all attempts: these, or everything (None) that has failed or waits for another attempt."""
        if ids is None:
            with self._changed:
                wanted = [row.queued.episode_id for row in self._rows if row.queued.problem and row.attempt is None]
        else:
            wanted = _listed(ids)
        return self._change(lambda: self._library.downloads.queue.wait(wanted))

    def move(self, ids: EpisodeId | Sequence[EpisodeId], by: int) -> Future[bool]:
        """Some rows, up (`by` < 0) or down, as far as the ends; those that run already go on."""
        wanted = _listed(ids)
        return self._change(lambda: self._library.downloads.queue.move(wanted, by))

    def move_first(self, ids: EpisodeId | Sequence[EpisodeId]) -> Future[bool]:
        """To the head of the queue."""
        return self.move(ids, -(1 << 31))

    def clear_finished(self) -> None:
        """They are no longer shown in the queue."""
        with self._changed:
            had = self._rows.clear_finished()
        if had:
            self._bus.publish(DownloadQueueChanged())

    def hold(self, on: bool) -> None:
        """Nothing is fetched while this is on, such as in offline mode. It isn't remembered."""
        with self._changed:
            changed, self._runner.held = self._runner.held != on, on
        if changed:
            self._runner.look_again()

    def reload(self) -> None:
        """Somebody else wrote to the queue."""
        self._change(lambda: None)

    def delete(self, episode_id: EpisodeId, *, cause: Cause = Cause.PERSON) -> None:
        """Deletes the file. Waits for the disk. Raises LibraryError, or MediaError where that can't be done."""
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
        self._change(lambda: self._outcomes.forget([download], self._maker.folder))

    def close(self) -> None:
        """Ends what runs; the next start resumes it."""
        self._runner.close(_JOIN_S)
        self._writes.shutdown(wait=True, cancel_futures=True)

    # -- inside: changes, in one thread -----------------------------------------------------------------------

    def _change(self, work: Callable[[], T]) -> Future[T]:
        def changed() -> T:
            try:
                return work()
            finally:
                self._reload()

        try:
            future = self._writes.submit(changed)
        except RuntimeError:  # it is closed
            future = Future()
            future.cancel()
            return future
        future.add_done_callback(self._complain)
        return future

    def _complain(self, future: Future[T]) -> None:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, EarmarkError):
            self._bus.publish(Notice(str(error), Severity.ERROR))
        elif error is not None:
            log.error("a change of the downloads failed", exc_info=error)

    def _load(self) -> None:
        paused = self._library.state.get(PAUSED) == "1"
        with self._changed:
            self._runner.paused = paused
        self._outcomes.look_for_files(self._maker.folder)
        for episode in self._library.episodes.rows([one.episode_id for one in self._library.downloads.all()]):
            self._maker.tidy(episode)

    def _pause_all(self, paused: bool) -> Future[None]:
        def write() -> None:
            self._library.state.set(PAUSED, "1" if paused else "")
            with self._changed:
                self._runner.paused = paused
            self._runner.look_again()

        return self._change(write)

    def _reload(self, first: Callable[[], None] = lambda: None) -> None:
        """Takes over the library's rows; before, with the lock held, `first` is called."""
        with self._renewing:
            try:
                queued = self._library.downloads.queue.all()
                episodes = {one.id: one for one in self._library.episodes.rows([row.episode_id for row in queued])}
            except LibraryError as error:
                log.warning("the queue of downloads can't be read: %s", error)
                with self._changed:
                    first()
                return
            with self._changed:
                first()
                changed, ended = self._rows.renew(queued, episodes)
                for one, cause in self._asked.items():
                    if row := self._rows.get(one):
                        row.cause = cause
        for row in ended:
            if row.attempt:
                row.attempt.stop()
        if changed:
            self._runner.look_again()

    def _forget_asked(self, ids: Sequence[EpisodeId]) -> None:
        with self._changed:
            for one in ids:
                self._asked.pop(one, None)


def _listed(ids: EpisodeId | Sequence[EpisodeId]) -> list[EpisodeId]:
    return [ids] if isinstance(ids, int) else list(ids)
