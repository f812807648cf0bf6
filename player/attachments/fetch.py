"""Small files that stand beside an episode, by HTTP; the only place of the companions that knows the network."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from player import __version__
from player.attachments.stored import built_in
from player.errors import AttachmentError
from player.links.urls import web_address
from player.media.fetching.media_errors import host_of, network_failure
from player.net import decompression
from player.net.failures import RequestFailed
from player.net.requester import Login, Requester
from player.text.cleaning import clean_line

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop
    from player.net.requester import Response

SILENCE_S = 15.0
TOTAL_S = 60.0
"""For one file, however slowly it comes."""

_HEADERS = {
    "User-Agent": f"Earmark/{__version__}",
    "Accept": "application/json+chapters, application/json, text/vtt, application/x-subrip, text/*;q=0.8, */*;q=0.5",
    "Accept-Encoding": decompression.ACCEPTED,
}


@dataclass(frozen=True, slots=True)
class Fetched:
    """`media_type` is what the server calls it, without parameters and in small letters; "" where it says nothing."""

    body: bytes
    media_type: str


class Fetcher:
    """For one thread; `hang_up` is for all."""

    def __init__(self, network: "NetworkLoop", login: Login, clock: Callable[[], float] = time.monotonic):
        self._requester = Requester(network, login, SILENCE_S)
        self._clock = clock

    def fetch(self, url: str, what: str, limit: int) -> Fetched:
        """The bytes at `url`, `limit` of them at most. Raises AttachmentError, whose sentence calls them `what`."""
        if (body := built_in(url)) is not None:
            return Fetched(body, "")
        if not web_address(url):
            raise AttachmentError(f"The address of the {what} is not one that can be fetched", "Refresh the podcast.")
        try:
            with self._requester.get(url, _HEADERS) as response:
                if response.status != 200:
                    raise _refusal(response.status, response.url, what)
                return Fetched(self._body(response, what, limit), _media_type(response))
        except RequestFailed as failed:
            error = network_failure(failed, url).error
            raise AttachmentError(error.what, error.advice) from failed

    def hang_up(self) -> None:
        """Ends what is under way, at once."""
        self._requester.abort()

    def _body(self, response: "Response", what: str, limit: int) -> bytes:
        host, end = host_of(response.url), self._clock() + TOTAL_S
        unpacker = decompression.unpacker(response.headers.get("Content-Encoding", ""))
        if unpacker is None:
            raise AttachmentError(f"{host} sent the {what} packed in a way that Earmark doesn't know")
        body = bytearray()
        try:
            for packed in response.pieces:
                for piece in unpacker.unpack(packed):
                    body += piece
                    if len(body) > limit:
                        raise AttachmentError(f"What {host} sent as the {what} has more than {limit // 1024**2} MB")
                if self._clock() > end:
                    raise AttachmentError(f"{host} is too slow: the {what} didn't come within {TOTAL_S:g} s")
            if not unpacker.whole:
                raise AttachmentError(f"What {host} sent as the {what} breaks off in the middle")
        except decompression.Broken as error:
            raise AttachmentError(f"What {host} sent as the {what} isn't packed as it says") from error
        return bytes(body)


def _media_type(response: "Response") -> str:
    return clean_line(response.headers.get("Content-Type", "").partition(";")[0], 100).lower()


def _refusal(status: int, url: str, what: str) -> AttachmentError:
    host = host_of(url)
    if status in (404, 410):
        return AttachmentError(f"{host} has no {what} for this episode any more ({status})", "Refresh the podcast.")
    if status in (401, 407):
        advice = "“Name and password” among the commands takes them."
        return AttachmentError(f"{host} wants a name and password for the {what} ({status})", advice)
    if status == 403:
        return AttachmentError(f"{host} refuses to give out the {what} (403)", "Refresh the podcast.")
    if status in (408, 425, 429) or status >= 500:
        return AttachmentError(f"{host} can't serve the {what} now ({status})", "Try again later.")
    return AttachmentError(f"{host} gave an odd answer instead of the {what} ({status})")
