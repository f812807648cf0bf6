"""Which addresses are of one podcast: by `url_key`, by moves that are known, and by a feed's guid."""

from collections.abc import Iterable

from player.links.same_feed import url_key

Move = tuple[str, str]
"""The former and the present address of a feed."""


class Moves:
    """Known moves, whatever order they came in; chains, forks and cycles of them too."""

    def __init__(self, moves: Iterable[Move]) -> None:
        self._parent: dict[str, str] = {}
        self._left: set[str] = set()
        self._address: dict[str, str] = {}
        for former, present in moves:
            old, new = url_key(former), url_key(present)
            if not former or not present or old == new:
                continue
            for key, address in ((old, former), (new, present)):
                self._address[key] = max(self._address.get(key, ""), address)  # https over http
            self._left.add(old)
            one, other = self._root(old), self._root(new)
            self._parent[max(one, other)] = min(one, other)
        self._final: dict[str, str] = {}
        for key in self._address:
            root = self._root(key)
            self._final[root] = min(self._final.get(root, key), key, key=self._preference)

    def same(self, address: str) -> str:
        """What all addresses share that are one podcast's by these moves."""
        return self._root(url_key(address))

    def present(self, address: str) -> str:
        """Where the podcast is now; the address itself if it didn't move. Of a cycle, or a fork, one address: the same
        on every device."""
        key = url_key(address)
        final = self._final.get(self._root(key), key)
        return address if final == key else self._address[final]

    def was_left(self, address: str) -> bool:
        """Whether the podcast moved away from there."""
        key = url_key(address)
        return key in self._left and self._final.get(self._root(key)) != key

    def _root(self, key: str) -> str:
        while (parent := self._parent.get(key, key)) != key:
            key = parent
        return key

    def _preference(self, key: str) -> tuple[bool, str]:
        return key in self._left, key
