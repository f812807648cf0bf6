"""Fetches the small files of episodes, over HTTP or from beside their audio, one after another on a background thread;
the only module of this room that uses the network.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from msgspec import Struct

from player.attachments.episode_transcripts import built_in, read_file
from player.errors import AttachmentError, LibraryError
from player.library import Attachment, AttachmentKind
from player.links.addresses import is_file_address
from player.media.protocol import NoPages, Pages
from player.model.episode import EpisodeId
from player.net.failures import FailureReason, RequestFailed, Subject, explain
from player.net.fetch import Logins, Request, get
from player.net.loop import NetworkLoop
from player.net.requester import Login
from player.processes.threads import CancelToken
from player.text.cleaning import clean_line
from player.text.sentences import mark

SILENCE_S = 15.0
TOTAL_S = 60.0
"""Seconds for one file, however slow it is."""

_HEADERS = {
    "Accept": "application/json+chapters, application/json, text/vtt, application/x-subrip, text/*;q=0.8, */*;q=0.5",
}
_WHAT = {AttachmentKind.CHAPTERS: mark("the chapters"), AttachmentKind.TRANSCRIPT: mark("the transcript")}


class Fetched(Struct, frozen=True):
    """`media_type` is the server's, without parameters and in lower case; "" if absent."""

    body: bytes
    media_type: str


class Fetcher:
    """For one thread; any thread may call `abort`."""

    def __init__(self, network: NetworkLoop, login: Login, pages: Pages | None = None) -> None:
        self._pages = pages or NoPages()
        self._network = network
        self._login = login
        self._cancel = CancelToken()
        self._cookies: list[str] = []

    def fetch(self, url: str, what: str, limit: int) -> Fetched:
        """The bytes at `url`, at most `limit` of them. Raises AttachmentError, whose sentence calls the file `what`,
        such as “the chapters”, a text marked for translators."""
        if (body := built_in(url)) is not None:
            return Fetched(body, "")
        if is_file_address(url):
            return Fetched(read_file(url, limit), "")
        if self._pages.serves(url):
            found = self._pages.attachment(url, lambda: self._cancel.is_set)
            if isinstance(found, bytes):
                return Fetched(found, "")
            url = found
        request = Request(
            url=url, size=limit, total_s=TOTAL_S, silence_s=SILENCE_S, headers=_HEADERS, logins=Logins(self._login),
            cookies=self._cookies,
        )  # fmt: skip
        try:
            got = get(self._network, request, self._cancel)
            if not got.whole:
                raise RequestFailed(FailureReason.INCOMPLETE, url=got.url)
        except RequestFailed as failed:
            subject = Subject(what, address=mark("Refresh the podcast."))
            raise AttachmentError(*explain(failed, subject, url)) from failed
        return Fetched(got.body, clean_line(got.content_type.partition(";")[0], 100).lower())

    def abort(self) -> None:
        """Cancels the current request at once, and all later ones."""
        self._cancel.set()


log = logging.getLogger(__name__)

AGAIN_S = 60.0
"""Seconds before a failed file is tried again, however often it is requested."""
_JOIN_S = 5.0


class Want(Struct, frozen=True):
    """A file of at most `limit` bytes; `media_type` and `language` are from the feed.

    Of the files of one kind and language, the first is fetched; each further file only if the files before it can't be
    fetched.
    """

    kind: AttachmentKind
    url: str
    limit: int
    media_type: str = ""
    language: str = ""


class Worker:
    """`wants` returns the files that an episode lacks, `keep` stores a fetched file, or raises AttachmentError if it
    can't be read; `changed` is called when a file was fetched or has failed. All three are called on the worker's
    thread, or on the thread that calls `fetch`."""

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
        """Fetches the files of an episode soon; files that have just failed only if `at_once`. Any thread; returns at
        once."""
        with self._lock:
            failed_at = self._failed[episode_id][0] if episode_id in self._failed else float("-inf")
            waits = not at_once and self._clock() - failed_at < AGAIN_S
            if self._closed or episode_id in self._pending or waits:
                return
            self._pending.add(episode_id)
            self._queue.put(episode_id)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="earmark-attachments", daemon=True)
                self._thread.start()

    def forget_failures(self) -> None:
        """Failed files may be requested again at once."""
        with self._lock:
            self._failed.clear()

    def trouble(self, episode_id: EpisodeId, kind: AttachmentKind | None = None) -> str:
        """A sentence that says why the last fetch (of that kind) failed; "" if it didn't."""
        with self._lock:
            _, failures = self._failed.get(episode_id, (0.0, {}))
        return next((sentence for one, sentence in failures.items() if kind in (None, one)), "")

    def close(self) -> None:
        """Cancels the current requests at once."""
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
                    fetched = fetcher.fetch(want.url, _WHAT[want.kind], want.limit)
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

        with self._lock:
            if self._closed:
                return None
            fetcher = Fetcher(self._network, self._login, pages=self._pages)
            self._fetchers.add(fetcher)
            return fetcher

    def _end(self, fetcher: "Fetcher | None") -> None:
        with self._lock:
            self._fetchers -= {fetcher}
