"""A thread that fetches the files of episodes one after the other, and remembers failures."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import TYPE_CHECKING

from msgspec import Struct

from player.errors import AttachmentError, LibraryError
from player.library import Attachment, AttachmentKind
from player.media.pages import Pages
from player.model.episode import EpisodeId
from player.net.loop import NetworkLoop
from player.net.requester import Login

if TYPE_CHECKING:
    from player.attachments.fetch import Fetcher

log = logging.getLogger(__name__)

AGAIN_S = 60.0
"""Seconds before a failed file is tried again, however often it is requested."""
_JOIN_S = 5.0


class Want(Struct, frozen=True):
    """A file of at most `limit` bytes; `media_type` and `language` are what the feed says of it.

    Of one kind in one language the first is fetched, and the others only where those before them can't be had.
    """

    kind: AttachmentKind
    url: str
    limit: int
    media_type: str = ""
    language: str = ""


class Worker:
    """`wants` tells what an episode lacks, `keep` takes what came, or raises AttachmentError for what can't be read;
    `changed` is called when something came, or failed to. All three in the worker's thread."""

    def __init__(
        self,
        wants: Callable[[EpisodeId], Sequence[Want]],
        keep: Callable[[EpisodeId, Attachment], None],
        changed: Callable[[EpisodeId], None],
        network: NetworkLoop,
        login: Login,
        *,
        clock: Callable[[], float] = time.monotonic,
        pages: Pages | None = None,
    ) -> None:
        """`pages` finds the files of episodes whose address is a web page."""
        self._pages = pages
        self._wants = wants
        self._keep = keep
        self._changed = changed
        self._network = network
        self._login = login
        self._clock = clock
        self._lock = threading.Lock()
        self._queue: SimpleQueue[EpisodeId | None] = SimpleQueue()
        self._pending: set[EpisodeId] = set()
        self._failed: dict[EpisodeId, tuple[float, dict[AttachmentKind, str]]] = {}
        self._thread: threading.Thread | None = None
        self._fetchers: set[Fetcher] = set()
        self._closed = False

    def want(self, episode_id: EpisodeId, *, at_once: bool = False) -> None:
        """Fetches the files of an episode soon; those that failed a moment ago only if `at_once`. Any thread; returns
        at once."""
        with self._lock:
            failed_at = self._failed[episode_id][0] if episode_id in self._failed else float("-inf")
            waits = not at_once and self._clock() - failed_at < AGAIN_S
            if self._closed or episode_id in self._pending or waits:
                return
            self._pending.add(episode_id)
            self._queue.put(episode_id)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="earmark-companions", daemon=True)
                self._thread.start()

    def forget_failures(self) -> None:
        """What failed may be wanted again at once."""
        with self._lock:
            self._failed.clear()

    def trouble(self, episode_id: EpisodeId, kind: AttachmentKind | None = None) -> str:
        """Why the last fetch (of that kind) failed, a sentence; "" when it didn't."""
        with self._lock:
            _, failures = self._failed.get(episode_id, (0.0, {}))
        return next((sentence for one, sentence in failures.items() if kind in (None, one)), "")

    def close(self) -> None:
        """Cancels the requests that run, at once."""
        with self._lock:
            self._closed = True
            thread, fetchers = self._thread, tuple(self._fetchers)
        for fetcher in fetchers:
            fetcher.abort()
        if thread is not None:
            self._queue.put(None)
            thread.join(_JOIN_S)

    # -- on the fetching thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        while (episode_id := self._queue.get()) is not None and not self._closed:
            try:
                self.fetch(episode_id)
            except LibraryError as error:
                log.warning("the attachments of episode %s can't be stored: %s", episode_id, error)
            except Exception:
                log.exception("fetching the attachments of episode %s failed", episode_id)
            finally:
                with self._lock:
                    self._pending.discard(episode_id)

    def fetch(self, episode_id: EpisodeId, kind: AttachmentKind | None = None) -> None:
        """Fetches all missing files (of that kind) now. Raises LibraryError."""
        wants = [want for want in self._wants(episode_id) if kind in (None, want.kind)]
        came: set[tuple[AttachmentKind, str]] = set()
        troubles: dict[tuple[AttachmentKind, str], str] = {}
        fetcher = self._begin() if wants else None
        try:
            for want in wants:
                if fetcher is None or self._closed:
                    return
                if (what := (want.kind, want.language)) in came:
                    continue
                try:
                    fetched = fetcher.fetch(want.url, want.kind, want.limit)
                    media_type = want.media_type or fetched.media_type
                    self._keep(episode_id, Attachment(want.kind, want.url, fetched.body, media_type, want.language))
                    came.add(what)
                except AttachmentError as error:
                    troubles.setdefault(what, str(error))
        finally:
            self._end(fetcher)
        failures: dict[AttachmentKind, str] = {}
        for (failed_kind, language), sentence in troubles.items():
            if (failed_kind, language) not in came:
                failures.setdefault(failed_kind, sentence)
        with self._lock:
            self._failed.pop(episode_id, None)
            if failures:
                self._failed[episode_id] = self._clock(), failures
        if came or failures:
            self._changed(episode_id)

    def _begin(self) -> "Fetcher | None":
        from player.attachments.fetch import Fetcher

        with self._lock:
            if self._closed:
                return None
            fetcher = Fetcher(self._network, self._login, pages=self._pages)
            self._fetchers.add(fetcher)
            return fetcher

    def _end(self, fetcher: "Fetcher | None") -> None:
        with self._lock:
            self._fetchers -= {fetcher}
