"""Fetches the small files of an episode over HTTP; the only module of this room that uses the network."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from player import __version__
from player.attachments.stored import built_in
from player.errors import AttachmentError
from player.links.urls import web_address
from player.media.fetching.media_errors import host_of, network_failure
from player.media.pages import NoPages, Pages
from player.net import decompression
from player.net.failures import RequestFailed
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
