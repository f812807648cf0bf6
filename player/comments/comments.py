"""The comments on episodes: fetched when they are asked for, never before, and kept until Earmark ends. Only the server
of the post is asked."""

import logging
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import NoReturn

from msgspec import Struct

from player.comments.thread import Thread, api_address, read_thread
from player.errors import AttachmentError
from player.links.urls import on_same_server
from player.model.episode import Discussion, EpisodeId, discussions
from player.net.failures import FailureReason, RequestFailed, Subject, explain, server_name
from player.net.fetch import Request, get
from player.net.loop import NetworkLoop
from player.processes.scheduler import SharedThreads
from player.processes.threads import CancelToken
from player.text.sentences import _, mark

log = logging.getLogger(__name__)

TOTAL_S, SILENCE_S = 30.0, 15.0
"""Seconds for each of the two requests."""
LIMIT = 4 * 1024**2
"""Most bytes of an answer."""
_MOST_KEPT = 50
_REDIRECTS = 2
_OPEN = mark("Open the post in the browser instead.")
_MEMBERS = (mark("{server} shows replies only to its members ({status})"), _OPEN)
_NO_POST = (mark("{server} no longer has the post with the comments ({status})"), "")
_SUBJECT = Subject(
    mark("the comments"),
    address=_OPEN,
    own={
        FailureReason.LOGIN: _MEMBERS,
        FailureReason.DENIED: _MEMBERS,
        FailureReason.NOT_FOUND: _NO_POST,
        FailureReason.REMOVED: _NO_POST,
    },
)


class Comments(Struct, frozen=True):
    """The comments that an episode has, as far as they are known. `url` is the address of the post, `server` the name
    of its server. `thread` is None until it has been fetched; `trouble`: why it couldn't be fetched, the last time."""

    url: str
    server: str
    thread: Thread | None = None
    trouble: str = ""


def post_with_comments(extra: str) -> Discussion | None:
    """The post whose replies can be read here, from the feed's extra data on an episode."""
    return next((one for one in discussions(extra) if one.protocol == "activitypub"), None)


def fetch_thread(post: str, network: NetworkLoop, cancel: CancelToken) -> Thread:
    """The post at that address and its replies. Blocks. Raises AttachmentError."""
    address = api_address(post)
    if not address:
        _refuse(post)

    def stays(url: str) -> None:
        """The listener has asked for this server alone."""
        if not on_same_server(url, post):
            raise AttachmentError(
                _("{server} refers to {other} for the comments", server=server_name(post), other=server_name(url)),
                _("Open the post in the browser instead."),
            )

    def body(url: str) -> bytes:
        headers = {"Accept": "application/json"}
        request = Request(
            url=url, size=LIMIT, total_s=TOTAL_S, silence_s=SILENCE_S, headers=headers, fence=stays,
            redirects=_REDIRECTS,
        )  # fmt: skip
        got = get(network, request, cancel)
        if not got.whole:
            raise RequestFailed(FailureReason.INCOMPLETE, url=got.url)
        return got.body

    try:
        return read_thread(body(address), body(f"{address}/context"), address)
    except RequestFailed as failed:
        raise AttachmentError(*explain(failed, _SUBJECT, address)) from failed
    except ValueError:
        _refuse(post)


def _refuse(post: str) -> NoReturn:
    raise AttachmentError(
        _("Earmark can't read the comments on {server}", server=server_name(post)),
        _("Open the post in the browser instead."),
    )


class EpisodeComments:
    """For any thread; only `fetch` waits."""

    def __init__(self, network: NetworkLoop, changed: Callable[[EpisodeId], None], *, wanted: bool) -> None:
        """`changed` is called on another thread when the comments of an episode have come, or couldn't be fetched.
        Unless `wanted`, no episode has any."""
        self.wanted = wanted
        self._network = network
        self._changed = changed
        self._lock = Lock()
        self._known: OrderedDict[str, Comments] = OrderedDict()
        self._asked: set[str] = set()
        self._thread = SharedThreads(1, "earmark-comments")
        self._cancel = CancelToken()

    def of(self, extra: str) -> Comments | None:
        """What is known of the comments of the episode with that extra data; None if it has none."""
        post = post_with_comments(extra) if self.wanted else None
        if post is None:
            return None
        with self._lock:
            return self._known.get(post.url) or Comments(post.url, server_name(post.url))

    def want(self, episode_id: EpisodeId, url: str) -> None:
        """Fetches the comments below the post at that address, also if they are known already."""
        with self._lock:
            if url in self._asked or self._cancel.is_set:
                return
            self._asked.add(url)
            self._thread.submit(self._fetch, episode_id, url)

    def close(self) -> None:
        """Ends a request at once."""
        with self._lock:
            self._cancel.set()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _fetch(self, episode_id: EpisodeId, url: str) -> None:
        thread, trouble = None, ""
        try:
            thread = fetch_thread(url, self._network, self._cancel)
        except AttachmentError as error:
            log.info("the comments on %s can't be fetched: %s", server_name(url), error)
            trouble = str(error)
        with self._lock:
            self._asked.discard(url)
            before = self._known.get(url)
            kept = before.thread if before is not None and thread is None else thread
            self._known[url] = Comments(url, server_name(url), kept, trouble)
            self._known.move_to_end(url)
            while len(self._known) > _MOST_KEPT:
                self._known.popitem(last=False)
        self._changed(episode_id)
