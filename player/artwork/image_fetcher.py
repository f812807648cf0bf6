"""The bytes of an image: from the network, from one of the listener's files, or from the built-in podcast."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from msgspec import Struct

from player.artwork.picture import IN_AUDIO, LARGEST
from player.attachments.episode_transcripts import built_in
from player.links.addresses import is_file_address, path_of
from player.model.feed import FeedState
from player.net.failures import FailureReason, RequestFailed
from player.net.fetch import Logins, Request, get
from player.net.requester import Login
from player.processes.threads import CancelToken

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop

_SILENCE_S = 15.0
_TOTAL_S = 40.0

_HEADERS = {"Accept": "image/jpeg, image/png, image/webp, image/gif;q=0.8, image/*;q=0.5"}


class NoImage(Exception):
    """The image isn't available. `again_s`: the seconds after which another attempt is worthwhile."""

    def __init__(self, why: str, again_s: float) -> None:
        super().__init__(why)
        self.again_s = again_s


SOON, LATER = 120.0, 6 * 3600.0


class Fetched(Struct, frozen=True):
    """`image` is None if the cached image is still up to date. `tag` and `modified` are for the next conditional
    request. `audio` is the `file:` address of the audio file that contains the image; a new `image` is then empty."""

    image: bytes | None
    tag: str = ""
    modified: str = ""
    audio: str = ""


class ImageFetcher:
    """For one thread; any thread may call `abort`."""

    def __init__(self, network: NetworkLoop, login: Login) -> None:
        self._network = network
        self._login = login
        self._cancel = CancelToken()

    def fetch(self, url: str, podcast: str, tag: str = "", modified: str = "") -> Fetched:
        """The image at `url`, which the podcast at the address `podcast` names: only a podcast that is itself on this
        computer may name a file. Raises NoImage."""
        if (body := built_in(url)) is not None:
            return Fetched(body)
        if url.startswith(IN_AUDIO):
            return _in_audio(url.removeprefix(IN_AUDIO), tag)
        if is_file_address(url):
            if not is_file_address(podcast):
                raise NoImage("a feed names a file of this computer", LATER)
            return _read(url, tag)
        request = Request(
            url=url, size=LARGEST, total_s=_TOTAL_S, silence_s=_SILENCE_S, headers=_HEADERS, logins=Logins(self._login),
            known=FeedState(tag, modified), cookies=[],
        )  # fmt: skip
        try:
            got = get(self._network, request, self._cancel)
        except RequestFailed as failed:
            raise NoImage(
                f"{failed.reason.name.lower()} {failed.status or ''}".strip(), _AGAIN_S.get(failed.reason, SOON)
            ) from failed
        if not got.whole:
            raise NoImage("it arrived incomplete", SOON)
        return Fetched(got.body if got.is_new else None, got.state.etag, got.state.last_modified)

    def abort(self) -> None:
        self._cancel.set()


R = FailureReason
_AGAIN_S = {
    **dict.fromkeys((R.OFFLINE, R.CANCELLED), 0.0),
    **dict.fromkeys((R.BAD_ADDRESS, R.TOO_LARGE, R.ENCODING, R.LOGIN, R.PAYMENT, R.DENIED, R.NOT_FOUND), LATER),
    **dict.fromkeys((R.REMOVED, R.ODD_STATUS), LATER),
}


def _read(url: str, tag: str) -> Fetched:
    """The image in a file, with a `tag` that changes whenever the file does. Raises NoImage."""
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
    """The image in an audio file, which is extracted only where it is scaled, in a process that may crash. Raises
    NoImage."""
    try:
        state = path_of(address).stat()
    except (OSError, ValueError) as error:
        raise NoImage(f"the audio can't be read: {error}", SOON) from error
    if not stat.S_ISREG(state.st_mode):
        raise NoImage("the audio isn't a file", LATER)
    now = f"{state.st_mtime_ns} {state.st_size}"
    return Fetched(None if now == tag else b"", now, audio=address)
