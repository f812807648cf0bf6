"""Fetches the small files of episodes over HTTP, one after the other on a thread; the only module of this room that
uses the network.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import TYPE_CHECKING

from msgspec import Struct

from player import __version__
from player.attachments.episode_transcripts import built_in
from player.errors import AttachmentError, LibraryError
from player.library import Attachment, AttachmentKind
from player.links.urls import web_address
from player.media.fetching.media_errors import host_of, network_failure
from player.media.protocol import NoPages, Pages
from player.model.episode import EpisodeId
from player.net import decompression
from player.net.failures import RequestFailed
from player.net.loop import NetworkLoop
from player.net.requester import Login, Requester
from player.text.cleaning import clean_line
from player.text.sentences import _

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop
    from player.net.requester import Response


SILENCE_S = 15.0
TOTAL_S = 60.0
"""Seconds for one file, however slow it is."""

_HEADERS = {
    "User-Agent": f"Earmark/{__version__}",
    "Accept": "application/json+chapters, application/json, text/vtt, application/x-subrip, text/*;q=0.8, */*;q=0.5",
    "Accept-Encoding": decompression.ACCEPTED,
}


class Fetched(Struct, frozen=True):
    """`media_type` is the server's, without parameters and in lower case; "" if absent."""

    body: bytes
    media_type: str


class Fetcher:
    """For one thread; any may call `abort`."""

    def __init__(
        self,
        network: "NetworkLoop",
        login: Login,
        clock: Callable[[], float] = time.monotonic,
        pages: Pages | None = None,
    ):
        self._pages = pages or NoPages()
        self._aborted = False
        self._requester = Requester(network, login, SILENCE_S)
        self._clock = clock

    def fetch(self, url: str, what: str, limit: int) -> Fetched:
        """The bytes at `url`, `limit` of them at most. Raises AttachmentError, whose sentence calls the file `what`."""
        if (body := built_in(url)) is not None:
            return Fetched(body, "")
        if self._pages.serves(url):
            found = self._pages.attachment(url, lambda: self._aborted)
            if isinstance(found, bytes):
                return Fetched(found, "")
            url = found
        if not web_address(url):
            raise AttachmentError(_("The URL of the {what} isn't valid", what=what), _("Refresh the podcast."))
        try:
            with self._requester.get(url, _HEADERS) as response:
                if response.status != 200:
                    raise _refusal(response.status, response.url, what)
                return Fetched(self._body(response, what, limit), _media_type(response))
        except RequestFailed as failed:
            error = network_failure(failed, url).error
            raise AttachmentError(error.what, error.advice) from failed

    def abort(self) -> None:
        """Cancels the request that runs, at once."""
        self._aborted = True
        self._requester.abort()

    def _body(self, response: "Response", what: str, limit: int) -> bytes:
        host, end = host_of(response.url), self._clock() + TOTAL_S
        unpacker = decompression.unpacker(response.headers.get("Content-Encoding", ""))
        if unpacker is None:
            raise AttachmentError(
                _("{host} compressed the {what} in a way that Earmark doesn't support", host=host, what=what)
            )
        body = bytearray()
        try:
            for packed in response.pieces:
                for piece in unpacker.unpack(packed):
                    body += piece
                    if len(body) > limit:
                        raise AttachmentError(
                            _(
                                "{host} sent more than {limit} MB for the {what}",
                                what=what,
                                host=host,
                                limit=limit // 1024**2,
                            )
                        )
                if self._clock() > end:
                    raise AttachmentError(
                        _(
                            "{host} is too slow: the {what} didn't arrive within {seconds:g} s",
                            host=host,
                            what=what,
                            seconds=TOTAL_S,
                        )
                    )
            if not unpacker.whole:
                raise AttachmentError(_("{host} sent only part of the {what}", what=what, host=host))
        except decompression.Broken as error:
            raise AttachmentError(_("{host} sent corrupt data for the {what}", what=what, host=host)) from error
        return bytes(body)


def _media_type(response: "Response") -> str:
    return clean_line(response.headers.get("Content-Type", "").partition(";")[0], 100).lower()


def _refusal(status: int, url: str, what: str) -> AttachmentError:
    fields = {"host": host_of(url), "what": what, "status": status}
    if status in (404, 410):
        return AttachmentError(
            _("{host} no longer has the {what} of this episode ({status})", **fields), _("Refresh the podcast.")
        )
    if status in (401, 407):
        return AttachmentError(
            _("{host} requires a username and password for the {what} ({status})", **fields),
            _("Enter them with the command “Sign in to a server”."),
        )
    if status == 403:
        return AttachmentError(_("{host} denied access to the {what} ({status})", **fields), _("Refresh the podcast."))
    if status in (408, 425, 429) or status >= 500:
        return AttachmentError(
            _("{host} can't provide the {what} right now ({status})", **fields), _("Try again later.")
        )
    return AttachmentError(_("{host} sent an unexpected response instead of the {what} ({status})", **fields))


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

        with self._lock:
            if self._closed:
                return None
            fetcher = Fetcher(self._network, self._login, pages=self._pages)
            self._fetchers.add(fetcher)
            return fetcher

    def _end(self, fetcher: "Fetcher | None") -> None:
        with self._lock:
            self._fetchers -= {fetcher}
