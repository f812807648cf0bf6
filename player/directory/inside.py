"""Feed addresses inside the listener's own network: a public directory has no business to name one, for whoever opens
such a podcast would send a request to their router.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from player.directory.found_podcast import FoundPodcast
from player.links.urls import host
from player.net.own_network import is_inside_ip

_SUFFIXES = (".localhost", ".local", ".lan", ".internal", ".home.arpa")


def outside(podcasts: Sequence[FoundPodcast], directory_url: str) -> Sequence[FoundPodcast]:
    """The podcasts, without the feed addresses that lead inside; unless the directory is inside as well. Looks up no
    name."""
    if is_inside_address(directory_url):
        return podcasts
    return tuple(replace(one, feed_url="") if is_inside_address(one.feed_url) else one for one in podcasts)


def is_inside_address(address: str) -> bool:
    """Whether the address says so itself: by its IP, or by a name that no public server has."""
    name = host(address).rstrip(".").lower()
    return bool(name) and (is_inside_ip(name) or name.endswith(_SUFFIXES) or not ("." in name or ":" in name))
