"""The transcripts that haven't been fetched: fetched in the background, so that searches find what is said in them.
Those beside the audio files of this computer are read without being asked for.
"""

import logging
import threading
from array import array
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from player.attachments.episode_transcripts import Transcripts
from player.errors import LibraryError
from player.events import Bus, Notice, PodcastRefreshed
from player.library import AttachmentKind, Library
from player.links.urls import origin
from player.model.episode import EpisodeId, TranscriptRef
from player.model.playback import Severity
from player.processes.scheduler import SHARED, SharedThreads
from player.text.sentences import plural

log = logging.getLogger(__name__)

_SERVERS = 4
"""Servers that are asked at the same time; each for one transcript after another."""
_IN_A_ROW = 10
"""After so many failures in a row a server isn't asked for the rest."""
PAUSE_S = 1.0
"""The pause after a failure, in which it turns out whether Earmark is offline."""
_NEVER = datetime.min.replace(tzinfo=UTC)
_AGAIN = timedelta(days=1)
"""How long a transcript that couldn't be fetched isn't tried again."""
_QUIET_S, _AT_MOST_S = 2.0, 30.0
"""The delay after a refreshed podcast: the transcripts of many are looked for together."""


class Progress(Struct, frozen=True):
    """`done` of `total` transcripts were fetched or have failed. `by_person`: the listener asked for some of them."""

    done: int = 0
    total: int = 0
    by_person: bool = False

    @property
    def under_way(self) -> bool:
        return self.done < self.total


class Backlog:
    """For any thread. Nothing is fetched while `offline`; `go_on` is called when that has ended."""

    def __init__(
        self,
        library: Library,
        transcripts: Transcripts,
        fetch: Callable[[EpisodeId], str],
        bus: Bus,
        *,
        offline: Callable[[], bool],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`fetch` fetches the transcripts of an episode; it returns why that failed, or "", and may raise
        LibraryError."""
        self._library = library
        self._transcripts = transcripts
        self._fetch = fetch
        self._bus = bus
        self._offline = offline
        self._now = now
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._pool = SharedThreads(_SERVERS, "earmark-transcripts")
        self._waiting: dict[str, deque[tuple[EpisodeId, TranscriptRef]]] = {}
        """By server."""
        self._asked: set[str] = set()
        """The servers that a thread is asking."""
        self._wanted: set[EpisodeId] = set()
        """The episodes that wait or are being fetched."""
        self._progress = Progress()
        self._failed: list[str] = []
        self._when = "opened"
        self._new: set[EpisodeId] = set()
        self._task = SHARED.task(self._fetch_by_itself, "transcripts")
        self._files = SHARED.task(self._read_files, "transcript files")
        bus.subscribe(PodcastRefreshed, self._refreshed)

    @property
    def progress(self) -> Progress:
        """Never waits."""
        return self._progress

    def missing(self, among: "Sequence[int] | array[int] | None" = None) -> list[tuple[EpisodeId, TranscriptRef]]:
        """The episodes without a transcript though their feed names one, `among` these or (None) all; without those
        that have just failed. Blocks. Raises LibraryError."""
        return self._transcripts.lacking(among, self._now() - _AGAIN)

    def fetch(self, missing: Collection[tuple[EpisodeId, TranscriptRef]], *, by_person: bool = True) -> None:
        """Fetches these in the background, besides those that are being fetched already."""
        with self._lock:
            before = self._progress if self._wanted else Progress()
            if not self._wanted:
                self._failed = []
            more = [one for one in missing if one[0] not in self._wanted]
            for episode_id, ref in more:
                self._waiting.setdefault(origin(ref.url), deque()).append((episode_id, ref))
                self._wanted.add(episode_id)
            self._progress = Progress(before.done, before.total + len(more), before.by_person or by_person)
        self.go_on()

    def go_on(self) -> None:
        """Continues after `offline` has ended."""
        with self._lock, suppress(RuntimeError):  # it has been closed
            for server, waiting in self._waiting.items():
                if waiting and server not in self._asked:
                    self._asked.add(server)
                    self._pool.submit(self._ask, server)

    def cancel(self) -> None:
        """Drops what waits; what is being fetched just now may still arrive."""
        with self._lock:
            self._waiting.clear()
            self._wanted.clear()
            self._progress = Progress()

    def close(self) -> None:
        self.cancel()
        self._closed.set()
        self._task.close(timeout_s=0.0)
        self._files.close(timeout_s=0.0)
        self._pool.shutdown(wait=False, cancel_futures=True)

    # -- by itself ----------------------------------------------------------------------------------------------

    def follow(self, when: str) -> None:
        """`when` is `[transcripts] fetch`."""
        before, self._when = self._when, when
        self._files.soon(_QUIET_S, _AT_MOST_S)
        if when == "all" and before != when:
            self._task.soon(_QUIET_S, _AT_MOST_S)

    def _refreshed(self, event: PodcastRefreshed) -> None:
        if event.changed or event.new:
            self._files.soon(_QUIET_S, _AT_MOST_S)
        if self._when == "opened" or not event.new or (self._when == "new" and event.first):
            return
        with self._lock:
            self._new.update(event.new)
        self._task.soon(_QUIET_S, _AT_MOST_S)

    def _fetch_by_itself(self) -> None:
        with self._lock:
            new, self._new = self._new, set()
        try:
            missing = self.missing(None if self._when == "all" else array("q", new))
        except LibraryError as error:
            log.info("missing transcripts can't be looked for: %s", error)
        else:
            self.fetch(missing, by_person=False)

    def _read_files(self) -> None:
        """A file that can't be read, or isn't a transcript, is tried again when it has changed."""
        try:
            among = self._library.attachments.on_this_computer()
            for episode_id, ref in self._transcripts.lacking(among, _NEVER, files=True) if among else ():
                if self._closed.is_set():
                    return
                if self._attempt(episode_id):
                    self._library.attachments.put_failure(episode_id, ref.url, self._now())
        except LibraryError as error:
            log.warning("transcripts can't be stored: %s", error)

    # -- on a thread for each server ------------------------------------------------------------------------------

    def _ask(self, server: str) -> None:
        in_a_row = 0
        while (taken := self._next(server)) is not None:
            episode_id, ref = taken
            try:
                why = self._attempt(episode_id)
                if why:
                    self._closed.wait(PAUSE_S)
                if why and (self._offline() or episode_id not in self._wanted):
                    self._put_back(server, taken)
                    continue
                if why:
                    self._library.attachments.put_failure(episode_id, ref.url, self._now())
            except LibraryError as error:
                log.warning("transcripts can't be stored: %s", error)
                self.cancel()
                self._bus.publish(Notice(str(error), Severity.WARNING))
                continue
            in_a_row = in_a_row + 1 if why else 0
            self._ended(server, episode_id, why, give_up=in_a_row >= _IN_A_ROW)

    def _next(self, server: str) -> tuple[EpisodeId, TranscriptRef] | None:
        with self._lock:
            waiting = self._waiting.get(server)
            if waiting and not self._offline():
                return waiting.popleft()
            self._asked.discard(server)
            return None

    def _put_back(self, server: str, taken: tuple[EpisodeId, TranscriptRef]) -> None:
        """It is fetched once more when Earmark is online again, unless it was cancelled."""
        with self._lock:
            if taken[0] in self._wanted:
                self._waiting.setdefault(server, deque()).appendleft(taken)

    def _attempt(self, episode_id: EpisodeId) -> str:
        """Why no transcript could be fetched, in any language; "" if one is here."""
        why = self._fetch(episode_id)
        return "" if self._library.attachments.listed(episode_id, AttachmentKind.TRANSCRIPT) else why

    def _ended(self, server: str, episode_id: EpisodeId, why: str, *, give_up: bool) -> None:
        """Counts one that was fetched or has failed; with `give_up` no more is asked of the server. The last one
        publishes how many have failed."""
        with self._lock:
            if episode_id not in self._wanted:
                return
            self._failed += [why] if why else []
            dropped = {one for one, _ref in self._waiting.pop(server, ())} if give_up else set()
            self._wanted -= {episode_id, *dropped}
            before = self._progress
            self._progress = Progress(before.done + 1, before.total - len(dropped), before.by_person)
            failed = [] if self._wanted else self._failed
        if failed:
            words = plural(
                len(failed),
                "{n:,} transcript couldn't be fetched: {why}",
                "{n:,} transcripts couldn't be fetched: {why}",
                why=failed[0],
            )
            self._bus.publish(Notice(words, Severity.WARNING))
