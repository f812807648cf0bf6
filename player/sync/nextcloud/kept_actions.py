"""What a server keeps that has one action for each episode: the last that was sent, whatever its time.

So a device sends what all actions that it knows of lead to, and nothing where the server's own already says that: an
old action would replace a newer one, and what other devices have heard would be lost to those that come later.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from player.merging.clock import in_whole_seconds
from player.merging.fold import fold
from player.model.syncing.actions import Action, EpisodeName

Numbered = tuple[tuple[int, ...], Action]
"""An action, and the numbers in the outbox that are done with it."""


class KeptActions:
    """The server's actions, as far as they are known; all since a moment (in seconds)."""

    def __init__(self) -> None:
        self._by_guid: dict[str, Action] = {}
        self._by_url: dict[str, Action] = {}
        self._since: int | None = None

    def reaches(self, since: int) -> bool:
        """Whether all are known that are later than that."""
        return self._since is not None and self._since <= since

    def learn(self, actions: Iterable[Action], since: int | None = None) -> None:
        """`since`: these are all that are later than that."""
        for action in actions:
            if action.episode.guid:
                self._by_guid[action.episode.guid] = action
            if action.episode.url:
                self._by_url[action.episode.url] = action
        if since is not None:
            self._since = since if self._since is None else min(self._since, since)

    def merged(self, waiting: Sequence[tuple[int, Action]]) -> tuple[list[Numbered], list[int]]:
        """One action for each episode, and the numbers of those that needn't be sent."""
        episodes: dict[tuple[str, str], list[tuple[int, Action]]] = {}
        for number, action in waiting:
            episodes.setdefault(_name(action.episode), []).append((number, action))
        to_send: list[Numbered] = []
        needless: list[int] = []
        for ours in episodes.values():
            numbers = tuple(number for number, _action in ours)
            found = self._merge([action for _number, action in ours])
            if found is None:
                needless += numbers
            else:
                to_send.append((numbers, found))
        return to_send, needless

    def _merge(self, ours: list[Action]) -> Action | None:
        """What to send of `ours`; None where the server's action says the same."""
        theirs = self._of(ours[0].episode)
        state = fold(ours if theirs is None else [theirs, *ours])
        if theirs is not None:
            alone = fold([theirs])
            if (alone.played, alone.position_ms) == (state.played, state.position_ms):
                return None
        counts = next((one for one in ours if (one.at, one.device) == (state.at, state.device)), ours[-1])
        if theirs is None or theirs.at < counts.at:
            return counts
        return replace(counts, at=in_whole_seconds(theirs.at + 1))

    def _of(self, name: EpisodeName) -> Action | None:
        return self._by_guid.get(name.guid) if name.guid in self._by_guid else self._by_url.get(name.url)


def _name(name: EpisodeName) -> tuple[str, str]:
    """Nextcloud goes by the guid where there is one."""
    return ("guid", name.guid) if name.guid else ("url", name.url)
