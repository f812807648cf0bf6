"""What never leaves this device."""

from urllib.parse import urlsplit

from player.links.addresses import is_youtube
from player.links.urls import web_address

LONGEST = 500
"""Characters of an address; longer ones break a server."""


def may_be_sent(address: str) -> bool:
    """Whether a target may be told of the feed or the enclosure at `address`: an http or https address, and neither one
    of YouTube's, nor too long, nor with a name or password in it. Local files, radio stations and the built-in podcast
    have addresses of other kinds."""
    if not address or len(address) > LONGEST or web_address(address) != address or is_youtube(address):
        return False
    return "@" not in urlsplit(address).netloc
