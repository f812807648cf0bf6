"""The answers of directories: fetched over HTTP within rate limits, cached for ten minutes, and read piece by piece."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any
from urllib.parse import urlencode

import msgspec

from player.directory import directory_errors
from player.directory.directory import Attempt, Item
from player.net.failures import FailureReason, RequestFailed
from player.net.fetch import Request, get
from player.net.loop import NetworkLoop

Record = Mapping[str, Any]

_MOST_RECORDS = 200
_RECORD_LIMIT = 64 * 1024
"""The most bytes of a record. The largest records of Podcast Index have 5 KB."""
_BOM = b"\xef\xbb\xbf"


class Answer:
    """JSON of any shape, from the directory called `name`."""

    def __init__(self, name: str, body: bytes) -> None:
        self._name = name
        self._body = body.removeprefix(_BOM)

    def records(self, *path: str) -> Iterator[Record]:
        """The objects of the list at the end of a path of keys, 200 at most; entries that aren't objects are left out.

        Raises DirectoryError if there is no list.
        """
        return self._objects(self._decode(self._at(path), list[msgspec.Raw]))

    def one_or_more(self, *path: str) -> Iterator[Record]:
        """Like `records`, for a list that is missing if it is empty, and that is a bare object if it has only one."""
        *parents, key = path
        parent = self._decode(self._at(tuple(parents)), dict[str, msgspec.Raw])
        if key not in parent:
            return iter(())
        try:
            return self._objects(msgspec.json.decode(parent[key], type=list[msgspec.Raw]))
        except (ValueError, RecursionError):
            return self._objects([parent[key]])

    def text(self, *path: str) -> str:
        """The value at the end of a path of keys, as JSON without quotes; "" if there is none. Raises
        DirectoryError."""
        *parents, key = path
        found = self._decode(self._at(tuple(parents)), dict[str, msgspec.Raw]).get(key)
        return bytes(found)[:100].decode(errors="replace").strip('"') if found is not None else ""

    # -- inside -----------------------------------------------------------------------------------------------

    def _at(self, path: tuple[str, ...]) -> bytes | msgspec.Raw:
        here: bytes | msgspec.Raw = self._body
        for key in path:
            inner = self._decode(here, dict[str, msgspec.Raw]).get(key)
            if inner is None:
                raise directory_errors.nonsense(self._name)
            here = inner
        return here

    def _decode(self, body: bytes | msgspec.Raw, kind: Any) -> Any:
        """The body as that type, with its inner values still encoded."""
        try:
            return msgspec.json.decode(body, type=kind)
        except (ValueError, RecursionError) as error:  # msgspec's own errors are ValueErrors
            raise directory_errors.nonsense(self._name) from error

    def _objects(self, raw: list[msgspec.Raw]) -> Iterator[Record]:
        for one in islice(raw, _MOST_RECORDS):
            if len(bytes(one)) > _RECORD_LIMIT:
                continue
            try:
                yield msgspec.json.decode(one, type=dict[str, Any])
            except (ValueError, RecursionError):
                continue


class RateLimit:
    """Allows at most `most` requests in `seconds`, and none while the server wants a pause. For any thread."""

    def __init__(self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._times: deque[float] = deque()
        self._paused_until = 0.0

    def take(self) -> float:
        """Counts a request and returns 0 if it may be sent now; else returns the seconds until a request may be
        sent."""
        with self._lock:
            now = self._clock()
            while self._times and now - self._times[0] >= self._seconds:
                self._times.popleft()
            wait = self._paused_until - now
            if len(self._times) >= self._most:
                wait = max(wait, self._times[0] + self._seconds - now)
            if wait > 0:
                return wait
            self._times.append(now)
            return 0.0

    def pause(self, seconds: float) -> None:
        """Allows no requests for that long, as the server has asked."""
        with self._lock:
            self._paused_until = max(self._paused_until, self._clock() + seconds)


log = logging.getLogger(__name__)

LIMIT = 1024 * 1024
"""The most bytes of an answer, decompressed. A hundred podcasts of Podcast Index have 0.3 MB."""
_MOST_REDIRECTS = 3
_LONGEST_PAUSE_S, _PAUSE_S = 3600.0, 60.0
"""The longest pause that a server may ask for, and the pause after a status of 429 without a time."""
_HEADERS = {"Accept": "application/json, text/javascript;q=0.9, */*;q=0.1"}


class Answers:
    """Any thread may ask, and is blocked until the answer arrives. Connections are shared by all directories."""

    def __init__(self, network: NetworkLoop) -> None:
        self._network = network

    def ask(
        self,
        name: str,
        address: str,
        parameters: Mapping[str, str | int],
        attempt: Attempt,
        *,
        limit: RateLimit | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """The answer of the directory called `name`. Raises DirectoryError.

        If `limit` would be exceeded, the thread waits first, provided that the attempt has time for that.
        """
        _wait_for_turn(name, limit, attempt)
        url = f"{address}?{urlencode(parameters)}" if parameters else address
        sent = {**_HEADERS, **(headers or {})}
        redirects = 0 if "Authorization" in sent else _MOST_REDIRECTS  # the request is signed for this server alone
        request = Request(url=url, size=LIMIT, total_s=attempt.left_s, headers=sent, redirects=redirects)
        try:
            return Answer(name, get(self._network, request, attempt.cancel).body)
        except RequestFailed as failed:
            log.info("asking %s failed: %s", name, failed)
            if limit is not None and failed.status in (403, 429, 503):
                usual_s = _PAUSE_S if failed.status == 429 else 0.0
                limit.pause(min(usual_s if failed.pause_s is None else failed.pause_s, _LONGEST_PAUSE_S))
            if failed.reason is FailureReason.TOO_SLOW:
                raise directory_errors.too_slow(name, attempt.seconds) from failed
            raise directory_errors.of_request(name, failed) from failed


def _wait_for_turn(name: str, limit: RateLimit | None, attempt: Attempt) -> None:
    """Waits until `limit` allows a request. Raises DirectoryError if that would take longer than the attempt."""
    import threading

    if attempt.cancel.is_set:
        raise directory_errors.of_request(name, RequestFailed(FailureReason.CANCELLED))
    while limit is not None and (wait_s := limit.take()) > 0:
        if wait_s >= attempt.left_s:
            raise directory_errors.too_often(name, wait_s)
        woken = threading.Event()
        with attempt.cancel.ending(woken.set):
            if woken.wait(wait_s):
                raise directory_errors.of_request(name, RequestFailed(FailureReason.CANCELLED))


_MOST = 64
"""The most answers that are cached; the largest have about 100 KB."""
_FRESH_S = 600.0


class RecentAnswers:
    """A cache of answers, for any thread. Failures aren't cached."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[float, Sequence[Any]]] = OrderedDict()

    def get(self, question: Hashable, ask: Callable[[], Sequence[Item]]) -> Sequence[Item]:
        """The cached answer if it is recent, else the result of `ask`. Raises the exceptions of `ask`."""
        with self._lock:
            at, answer = self._kept.get(question, (0.0, None))
            if answer is not None and self._clock() - at < _FRESH_S:
                return answer
        new = ask()
        with self._lock:
            self._kept[question] = self._clock(), new
            self._kept.move_to_end(question)
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return new
