"""The actions on a server that stores a single action for each episode: the last one sent, whatever its time.

Therefore a device sends the state that all actions known to it lead to, and sends nothing if the server's own action
already says the same and isn't older: an old action would replace a newer one, and devices that pull later would miss
what was heard on the others. What came from another device, and was lost by the server, is sent only if it took
something back, a mark or a position: what went further is sent by that device, while its word for what it took back
could be replaced before everybody has seen it.

The server identifies an episode by the guid alone, if there is one: if two podcasts use the same guid, one episode
keeps it, and the other episode's action is sent without.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from player.links.addresses import url_key
from player.links.urls import in_ascii
from player.merging.clock import in_whole_seconds
from player.merging.fold import fold
from player.merging.seconds import as_servers_keep_it
from player.model.syncing import SEEN_PLAYED, Action, EpisodeName

Numbered = tuple[tuple[int, ...], Action]
"""An action, and the numbers of the outbox entries that it covers."""


class KeptActions:
    """The server's actions. `is_complete`: all of them are known, except for actions that other devices send
    meanwhile."""

    def __init__(self) -> None:
        self.is_complete = False
        self._by_guid: dict[str, Action] = {}
        self._by_url: dict[str, Action] = {}

    def learn_all(self, actions: Iterable[Action]) -> None:
        """The server has exactly these actions."""
        self._by_guid, self._by_url = {}, {}
        self.learn(actions)
        self.is_complete = True

    def learn(self, actions: Iterable[Action]) -> None:
        """The server now has these actions, too."""
        for action in actions:
            if action.episode.guid:
                self._by_guid[action.episode.guid] = action
            if action.episode.url:
                self._by_url[action.episode.url] = action

    def lacks(self, actions: Iterable[Action]) -> bool:
        """Whether `actions`, which are all that the server has now, say less than its earlier actions: it has lost
        some, or another app has replaced one by an action that says less."""
        now = KeptActions()
        now.learn_all(actions)
        for known in {*self._by_guid.values(), *self._by_url.values()}:
            found = now._of(known.episode)
            if found != known and (found is None or _says([known, found]) != _says([found])):
                return True
        return False

    def merged(
        self, waiting: Sequence[tuple[int, Action]], known: Mapping[int, Sequence[Action]]
    ) -> tuple[list[Numbered], list[int]]:
        """One action for each episode, and the numbers of the entries that needn't be sent. `known`: as in Outgoing."""
        to_send: list[Numbered] = []
        needless: list[int] = []
        holders = dict(self._by_guid)
        for ours in _by_episode(waiting):
            numbers = tuple(number for number, _action in ours)
            others = (action for number in numbers for action in known.get(number, ()))
            found = self._merge([action for _number, action in ours], others)
            if found is None:
                needless += numbers
                continue
            name = found.episode
            if name.guid and not _is_same(holders.setdefault(name.guid, found).episode, name):
                found = replace(found, episode=replace(name, guid=""))  # it would replace the other episode's
            to_send.append((numbers, found))
        return to_send, needless

    def _merge(self, ours: list[Action], others: Iterable[Action]) -> Action | None:
        """What to send of `ours` and of `others` about the same episode; None if the server's action says the same, and
        isn't older: other devices may know of an action between the two that the server has lost."""
        name = ours[-1].episode
        theirs = self._of(name)
        there = [] if theirs is None else [theirs]
        known = sorted([*(replace(one, episode=name) for one in others), *ours], key=lambda one: one.at)
        if _says([*there, *known]) < _says([*there, *ours]):
            ours = known
        state = _says([*there, *ours])
        same = next((one for one in reversed(ours) if _says([one]) == state), None)
        if theirs is not None and _says([theirs]) == state and (same is None or same.at <= theirs.at):
            return None
        counts = same or ours[-1]
        if theirs is not None and theirs.at >= counts.at:
            counts = replace(counts, at=in_whole_seconds(theirs.at + 1))
        marks = [one for one in known if _says([one])[0] and one.at < counts.at][-1:]
        elsewhere = [there, [*marks, *there], marks]  # what other devices may know of the episode
        seen = (counts.seen_ms, SEEN_PLAYED, theirs.position_ms if theirs else 0)

        def is_right(way: Action) -> list[bool]:
            """To each of the other devices. It counts for its device, which isn't stored, as little as `seen_ms`."""
            kept = as_servers_keep_it(replace(way, device=""))
            return [_says([*one, kept]) == state for one in elsewhere]

        return max((replace(counts, seen_ms=one) for one in dict.fromkeys(seen)), key=is_right)

    def _of(self, name: EpisodeName) -> Action | None:
        found = self._by_guid.get(name.guid)
        return found if found is not None and _is_same(found.episode, name) else self._by_url.get(name.url)


def _says(actions: Sequence[Action]) -> tuple[bool, int]:
    state = fold(actions)
    return state.played, state.position_ms


def _is_same(one: EpisodeName, other: EpisodeName) -> bool:
    """Compares two names with the same guid. Two podcasts may both have an episode with the guid "1"."""
    return one.url == other.url or _key(one.podcast) == _key(other.podcast)


def _by_episode(waiting: Sequence[tuple[int, Action]]) -> Iterable[list[tuple[int, Action]]]:
    """Groups the actions by the address of the audio, or by the podcast and its guid for the episode."""
    episodes: list[list[tuple[int, Action]]] = []
    known: dict[tuple[str, ...], list[tuple[int, Action]]] = {}
    for number, action in waiting:
        name = action.episode
        names = [("url", name.url), *([("guid", _key(name.podcast), name.guid)] if name.guid else [])]
        ours = next((known[one] for one in names if one in known), None)
        if ours is None:
            episodes.append(ours := [])
        known |= dict.fromkeys(names, ours)
        ours.append((number, action))
    return episodes


def _key(podcast: str) -> str:
    """One key for both forms of an address with letters that aren't ASCII."""
    return url_key(in_ascii(podcast) or podcast)
