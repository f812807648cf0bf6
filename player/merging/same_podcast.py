"""Which addresses belong to the same podcast: by `url_key`, by known moves, and by other links between them; and which
addresses never leave this device."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from player.links.addresses import is_youtube, url_key
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


Move = tuple[str, str]
"""The former and the present address of a feed."""


class SamePodcast:
    """Names that belong to the same podcast. The order in which they are joined changes nothing."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def name(self, one: str) -> str:
        """One name for all names that were joined with this one."""
        parents = self._parent
        while (parent := parents.get(one, one)) != one:
            parents[one] = one = parents.get(parent, parent)
        return one

    def join(self, one: str, other: str) -> None:
        one, other = self.name(one), self.name(other)
        self._parent[max(one, other)] = min(one, other)


class Moves:
    """Where podcasts have moved to, along chains of moves, forks and cycles. Moves to addresses that may not be sent
    are left out. The order of `moves` changes nothing. `pairs` are the keys of both addresses of each move."""

    def __init__(self, moves: Iterable[Move] = ()) -> None:
        self.pairs: set[Move] = set()
        self._left: set[str] = set()
        self._addresses: dict[str, str] = {}
        for former, present in moves:
            old, new = url_key(former), url_key(present)
            if old == new or not old or not may_be_sent(present):
                continue
            self._left.add(old)
            self._addresses[new] = max(self._addresses.get(new, ""), present)  # https rather than http
            self.pairs.add((old, new))
        self._same = SamePodcast()
        for old, new in self.pairs:
            self._same.join(old, new)
        self._ends: dict[str, str] = {}
        for key in sorted(self._addresses, key=self._is_worse):
            self._ends.setdefault(self._same.name(key), key)

    def present(self, address: str) -> str:
        """The present address of the podcast; `address` itself if it didn't move from there. For a fork or a cycle one
        of the addresses, the same on every device."""
        key = url_key(address)
        end = self._ends.get(self._same.name(key), key)
        return address if end == key else self._addresses[end]

    def _is_worse(self, key: str) -> tuple[bool, str]:
        return key in self._left, key
