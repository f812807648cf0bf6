"""Writes positions to the library on its own thread, so that a slow disk delays neither the sound nor a key."""

import logging
from collections import deque
from collections.abc import Callable
from datetime import datetime
from threading import Condition, Thread
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from player.errors import LibraryError, NotFound
from player.library import Library
from player.library.listening.segments import Find
from player.model.episode import BytePosition, EpisodeId, SavedPosition
from player.model.listening import ActKind, ListeningSpan, Part, latest_spans

log = logging.getLogger(__name__)

_AGAIN_S = 1.0


class SavePosition(Struct, frozen=True):
    """`announce`: lists should show it. `byte` belongs to exactly this position. `heard` is added to the history with
    it, and `saved_ms` to the time that trimmed pauses have saved, `segments_ms` to that of skipped segments. `version`
    identifies the bytes that are open, "" if none are; `audio` says if the position is in other audio."""

    episode_id: EpisodeId
    position_ms: int
    duration_ms: int | None
    at: datetime
    announce: bool
    byte: BytePosition | None = None
    heard: tuple[ListeningSpan, ...] = ()
    saved_ms: int = 0
    segments_ms: int = 0
    version: str = ""
    audio: int | None = None


class Start(Struct, frozen=True):
    """The episode becomes the last one played and loses its played mark."""

    episode_id: EpisodeId


class MakeLast(Struct, frozen=True):
    """The next start shows this episode as paused; nothing else about it changes."""

    episode_id: EpisodeId


class Finish(Struct, frozen=True):
    """The episode was heard to its end: it is marked played and its position deleted. Everything that the end changes
    is one transaction."""

    episode_id: EpisodeId
    heard: tuple[ListeningSpan, ...] = ()


class Skip(Struct, frozen=True):
    """The listener skipped the episode: it leaves the queue and, if `played`, counts as played. Can be undone."""

    episode_id: EpisodeId
    played: bool


class CountAsPlayed(Struct, frozen=True):
    """The listener left it so close to its end that it counts as played. Can be undone."""

    episode_id: EpisodeId


class QueueInterrupted(Struct, frozen=True):
    """The listener left it for another episode: it goes to the head of the queue, unless it is queued."""

    episode_id: EpisodeId


class RejectSegments(Struct, frozen=True):
    """The listener went back to hear these segments; or, unless `rejected`, that was undone."""

    episode_id: EpisodeId
    finds: tuple[Find, ...]
    rejected: bool


class Remember(Struct, frozen=True):
    """A small value that survives a restart."""

    key: str
    value: str


Write = SavePosition | Start | MakeLast | Finish | Skip | CountAsPlayed | QueueInterrupted | RejectSegments | Remember


class Saver:
    """Writes in order; of several positions waiting for an episode only the latest. A write that fails is retried.

    The callbacks run on the saver's thread: `saved(episode_id)` when lists should reload, `failed(error)` once per run
    of failures, `marked(episode_id, played)` when a mark has changed, `queue_changed(by_person)` when the queue has,
    `rejected(episode_id)` when other segments are skipped.
    """

    def __init__(
        self,
        library: Library,
        saved: Callable[[EpisodeId], None],
        failed: Callable[[LibraryError], None],
        marked: Callable[[EpisodeId, bool], None] = lambda _episode_id, _played: None,
        queue_changed: Callable[[bool], None] = lambda _by_person: None,
        rejected: Callable[[EpisodeId], None] = lambda _episode_id: None,
    ) -> None:
        self._library = library
        self._saved = saved
        self._failed = failed
        self._marked = marked
        self._queue_changed = queue_changed
        self._rejected = rejected
        self._changed = Condition()
        self._waiting: deque[Write] = deque()
        self._closing = False
        self._giving_up = False
        self._thread = Thread(target=self._run, name="earmark-saver", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, write: Write) -> None:
        with self._changed:
            add(self._waiting, write)
            self._changed.notify_all()

    def position(self, episode_id: EpisodeId) -> SavedPosition | None:
        """The position that hasn't been written yet, if there is one."""
        with self._changed:
            for write in reversed(self._waiting):
                if isinstance(write, SavePosition) and write.episode_id == episode_id:
                    return SavedPosition(write.position_ms, write.at, write.byte)
        return None

    def queue_changes(self) -> tuple[list[EpisodeId], frozenset[EpisodeId]]:
        """Changes to the queue that haven't been written yet: the episodes that go to its head, first one first, and
        the episodes that leave it."""
        coming: list[EpisodeId] = []
        leaving: set[EpisodeId] = set()
        with self._changed:
            for write in self._waiting:
                match write:
                    case QueueInterrupted(episode_id):
                        coming.insert(0, episode_id)
                    case Finish(episode_id) | Skip(episode_id) | CountAsPlayed(episode_id):
                        leaving.add(episode_id)
        return coming, frozenset(leaving)

    def flush(self, timeout_s: float) -> bool:
        """Waits until everything is on disk. False if it isn't after `timeout_s`."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting, timeout_s)

    def close(self, timeout_s: float) -> bool:
        """Writes what is waiting, and ends. False if not everything could be written within `timeout_s`."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        deadline = monotonic() + timeout_s
        written = self.flush(timeout_s)
        with self._changed:
            self._giving_up = True
            self._changed.notify_all()
        if self._thread.ident is not None:  # not started if this process never got to write
            self._thread.join(max(0.0, deadline - monotonic()))
        return written

    def _run(self) -> None:
        failing = False
        while write := self._next():
            try:
                self._carry_out(write)
            except NotFound:
                log.info("nothing to write to: %r", write)
            except LibraryError as error:
                log.warning("not written, will be tried again: %s: %r", error, write)
                if not failing:
                    failing = True
                    self._failed(error)
                self._wait_before_trying_again()
                continue
            except Exception:
                log.exception("not written: %r", write)
            else:
                failing = False
            self._done(write)

    def _next(self) -> Write | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            if self._giving_up or not self._waiting:
                return None
            return self._waiting[0]

    def _done(self, write: Write) -> None:
        with self._changed:
            # A newer position may have replaced this one while it was being written.
            if self._waiting and self._waiting[0] is write:
                self._waiting.popleft()
            self._changed.notify_all()
        match write:
            case Start() | Finish() | Skip() | CountAsPlayed() | SavePosition(announce=True):
                self._saved(write.episode_id)

    def _wait_before_trying_again(self) -> None:
        until = monotonic() + _AGAIN_S
        with self._changed:
            while not self._giving_up and (left := until - monotonic()) > 0:
                self._changed.wait(left)

    def _carry_out(self, write: Write) -> None:
        queue = self._library.queue
        match write:
            case SavePosition():
                self._library.progress.save(
                    write.episode_id, write.position_ms, write.duration_ms, write.at, write.byte, write.heard,
                    write.saved_ms, write.segments_ms, write.version, write.audio,
                )  # fmt: skip
            case Start():
                if self._library.progress.start(write.episode_id):
                    self._marked(write.episode_id, False)
            case MakeLast():
                self._library.progress.make_last(write.episode_id)
            case Finish():
                with self._library.transaction():
                    queued = queue.has(write.episode_id)
                    marked = self._library.progress.finish(write.episode_id, write.heard)
                if marked:
                    self._marked(write.episode_id, True)
                if queued:
                    self._queue_changed(False)
            case Skip():
                self._leave(ActKind.SKIPPED, write.episode_id, played=write.played)
            case CountAsPlayed():
                self._leave(ActKind.PLAYED, write.episode_id, played=True)
            case QueueInterrupted():
                with self._library.transaction():
                    added = [] if queue.has(write.episode_id) else queue.add_next([write.episode_id])
                if added:
                    self._queue_changed(False)
            case RejectSegments(episode_id, finds, rejected):
                self._library.segments.reject(episode_id, finds, rejected)
                self._rejected(episode_id)
            case Remember():
                self._library.state.set(write.key, write.value)

    def _leave(self, kind: ActKind, episode_id: EpisodeId, *, played: bool) -> None:
        """The position stays, so that undoing restores the episode as it was."""
        parts = (Part.QUEUE, Part.PLAYED, Part.INBOX) if played else (Part.QUEUE,)
        with self._library.acts.recorded(kind, [episode_id], *parts):
            queued = self._library.queue.remove([episode_id])
            if played:
                self._library.inbox.remove([episode_id])
            marked = self._library.episodes.set_played([episode_id], True) if played else []
        if queued:
            self._queue_changed(True)
        if marked:
            self._marked(episode_id, True)


def add(waiting: deque[Write], write: Write) -> None:
    """Appends `write`, replacing the last entry if this one would overwrite it. The spans heard are kept from both."""
    last = waiting[-1] if waiting else None
    match last, write:
        case SavePosition(), SavePosition() if last.episode_id == write.episode_id:
            heard = latest_spans((*last.heard, *write.heard))
            announce, saved_ms = write.announce or last.announce, write.saved_ms + last.saved_ms
            segments_ms = write.segments_ms + last.segments_ms
            waiting[-1] = replace(write, announce=announce, heard=heard, saved_ms=saved_ms, segments_ms=segments_ms)
        case Remember(), Remember() if last.key == write.key:
            waiting[-1] = write
        case _:
            waiting.append(write)
