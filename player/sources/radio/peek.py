"""The beginning of a response, whatever it is: a radio stream has no end that could be waited for."""

from collections.abc import Mapping

from msgspec import Struct

from player.feeds.fetch import Connections, is_endless
from player.net.failures import RequestFailed

_TIMEOUT_S = 15.0


class Peeked(Struct, frozen=True):
    """`url` is the final address. `start` is empty if the head alone tells that it is a radio stream."""

    url: str
    content_type: str
    headers: Mapping[str, str]
    start: bytes


async def peek(connections: Connections, url: str, most: int) -> Peeked | None:
    """At most about `most` bytes; the rest isn't fetched. None if that fails. On the loop of the connections."""
    try:
        got = await connections.request(
            url, most, total_s=_TIMEOUT_S, cut=True, accepts=lambda head, _url: not is_endless(head.headers)
        )
    except RequestFailed:
        return None
    return Peeked(got.url, got.media_type, got.headers, got.body)
