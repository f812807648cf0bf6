"""The bytes of an image: from the network, from a file of the listener's, or from the built-in podcast."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from player import __version__
from player.artwork.cover_art import IN_AUDIO
from player.artwork.picture import LARGEST
from player.attachments.episode_transcripts import built_in
from player.links.addresses import is_file_address, path_of
from player.links.urls import web_address
from player.net import decompression
from player.net.failures import FailureReason, RequestFailed
from player.net.requester import Login, Requester

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop
    from player.net.requester import Response

_SILENCE_S = 15.0
_TOTAL_S = 40.0

_HEADERS = {
    "User-Agent": f"Earmark/{__version__}",
    "Accept": "image/jpeg, image/png, image/webp, image/gif;q=0.8, image/*;q=0.5",
    "Accept-Encoding": decompression.ACCEPTED,
}


class NoImage(Exception):
    """`again_s`: after how many seconds it is worth asking again."""

    def __init__(self, why: str, again_s: float) -> None:
        super().__init__(why)
        self.again_s = again_s


SOON, LATER = 120.0, 6 * 3600.0


class Fetched(Struct, frozen=True):
    """`image` is None where what is cached is still the newest. `tag` and `modified` are for asking the next time.
    `audio`: the `file:` address of the audio file that the image is in; then `image` is empty."""

    image: bytes | None
    tag: str = ""
    modified: str = ""
    audio: str = ""


class ImageFetcher:
    """For one thread; any may call `abort`."""

    def __init__(self, network: NetworkLoop, login: Login, clock: Callable[[], float] = time.monotonic) -> None:
        self._network = network
        self._login = login
        self._clock = clock
        self._requester: Requester | None = None
        self._aborted = False

    def fetch(self, url: str, podcast: str, tag: str = "", modified: str = "") -> Fetched:
        """The image at `url`, which the podcast at the address `podcast` names: only one that is itself on this
        computer may name a file. Raises NoImage."""
        if (body := built_in(url)) is not None:
            return Fetched(body)
        if url.startswith(IN_AUDIO):
            return _in_audio(url.removeprefix(IN_AUDIO), tag)
        if is_file_address(url):
            if not is_file_address(podcast):
                raise NoImage("a feed names a file of this computer", LATER)
            return _read(url, tag)
        if not web_address(url):
            raise NoImage("its address isn't valid", LATER)
        return self._request(url, tag, modified)

    def abort(self) -> None:
        self._aborted = True
        if self._requester is not None:
            self._requester.abort()

    def _request(self, url: str, tag: str, modified: str) -> Fetched:
        headers = dict(_HEADERS)
        if tag:
            headers["If-None-Match"] = tag
        if modified:
            headers["If-Modified-Since"] = modified
        requester = self._requester = Requester(self._network, self._login, _SILENCE_S)
        if self._aborted:
            requester.abort()
        try:
            with requester.get(url, headers) as response:
                if response.status == 304 and (tag or modified):
                    return Fetched(None, tag, modified)
                if response.status != 200:
                    again = SOON if response.status in (408, 425, 429) or response.status >= 500 else LATER
                    raise NoImage(f"the server answers {response.status}", again)
                body = self._body(response)
                return Fetched(body, *(_short(response.headers.get(name, "")) for name in ("ETag", "Last-Modified")))
        except RequestFailed as failed:
            again = 0.0 if failed.reason is FailureReason.OFFLINE or self._aborted else SOON
            raise NoImage(failed.reason.name.lower(), again) from failed
        except decompression.Broken as error:
            raise NoImage("it arrived corrupt", SOON) from error

    def _body(self, response: Response) -> bytes:
        end = self._clock() + _TOTAL_S
        unpacker = decompression.unpacker(response.headers.get("Content-Encoding", ""))
        if unpacker is None:
            raise NoImage("it is compressed in an unknown way", LATER)
        body = bytearray()
        for packed in response.pieces:
            for piece in unpacker.unpack(packed):
                body += piece
                if len(body) > LARGEST:
                    raise NoImage("it is too large", LATER)
            if self._clock() > end:
                raise NoImage("it takes too long", SOON)
        if not unpacker.whole:
            raise NoImage("it arrived incomplete", SOON)
        return bytes(body)


def _short(header: str) -> str:
    return header if len(header) <= 200 else ""


def _read(url: str, tag: str) -> Fetched:
    """A file; its `tag` changes whenever the file does."""
    try:
        fd = os.open(path_of(url), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            state = os.fstat(fd)
            if not stat.S_ISREG(state.st_mode) or state.st_size > LARGEST:
                raise NoImage("it isn't a file, or too large", LATER)
            now = f"{state.st_mtime_ns} {state.st_size}"
            if now == tag:
                return Fetched(None, tag)
            with os.fdopen(os.dup(fd), "rb") as file:
                return Fetched(file.read(LARGEST), now)
        finally:
            os.close(fd)
    except (OSError, ValueError) as error:
        raise NoImage(f"it can't be read: {error}", SOON) from error


def _in_audio(address: str, tag: str) -> Fetched:
    """What is in an audio file is read where it is scaled, in a process that may die of it."""
    try:
        state = path_of(address).stat()
    except (OSError, ValueError) as error:
        raise NoImage(f"the audio can't be read: {error}", SOON) from error
    if not stat.S_ISREG(state.st_mode):
        raise NoImage("the audio isn't a file", LATER)
    now = f"{state.st_mtime_ns} {state.st_size}"
    return Fetched(None if now == tag else b"", now, audio=address)
