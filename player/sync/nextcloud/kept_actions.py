"""The actions on a server that stores a single action for each episode: the last one sent, whatever its time.

Therefore a device sends the state that all actions known to it lead to, and sends nothing if the server's own action
already says the same and isn't older: an old action would replace a newer one, and devices that pull later would miss
what was heard on the others. What came from another device, and was lost by the server, is sent only if it took
something back, a mark or a position: what went further is sent by that device, while its word for what it took back
could be replaced before everybody has seen it.

A device that was away gets the last action without those before it, and may still have a mark or a position that was
taken back meanwhile. Therefore an action also says as much of what the listener knew as it takes for the others to come
to the same state, whatever they have missed. Another device's mark hides how far somebody was before it, as that may
have been lost: what is sent after it takes back any position, if a device that has missed the mark would keep it.

The server identifies an episode by the guid alone, if there is one: if two podcasts use the same guid, one episode
keeps it, and the other episode's action is sent without.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from player.links.addresses import spelling_key
from player.merging.clock import in_whole_seconds
from player.merging.fold import fold
from player.merging.seconds import as_servers_keep_it
from player.merging.statements import possible, statement
from player.model.syncing import SEEN_PLAYED, Action, ActionKind, EpisodeName

Numbered = tuple[tuple[int, ...], Action]
"""An action, and the numbers of the outbox entries that it covers."""
_MOST_SAID = 30
"""How many actions about an episode are looked at for what other devices may know."""


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

    def _merge(self, ours: Sequence[Action], others: Iterable[Action]) -> Action | None:
        """What to send of `ours` and of `others` about the same episode; None if the server's action says the same,
        isn't older, and says it to as many devices: they may know of an action between the two that the server has
        lost."""
        name = ours[-1].episode
        theirs = self._of(name)
        there = [] if theirs is None else [theirs]
        said, known = ([replace(one, episode=name) for one in (*there, *more, *ours)] for more in ((), others))
        if _says(known) > _says(said) and _says(known) not in [_says([one]) for one in said]:
            known = said  # whoever went further says so
        known = sorted(dict.fromkeys(known), key=lambda one: one.at)
        state = _says(known)
        counts = next((one for one in reversed(known) if _says([one]) == state), ours[-1])
        ways = [one for one in there if _says([one]) == state and counts.at <= one.at]
        if theirs is not None and theirs.at >= counts.at:
            counts = replace(counts, at=in_whole_seconds(theirs.at + 1))
        before = _said_before(counts.at, known, ours)
        furthest = max((_says([one])[1] for one in before), default=0)
        played = SEEN_PLAYED if any(_says([one])[0] for one in before) else 0
        seen = (counts.seen_ms, played, played + furthest)
        ways += [replace(counts, seen_ms=one) for one in dict.fromkeys(seen)]
        elsewhere = [[*before[:count], *more] for count in range(len(before) + 1) for more in ([], there)]

        def reached(way: Action) -> int:
            """How many of the devices elsewhere come to the state. Neither `device` nor `seen_ms` is stored."""
            kept = as_servers_keep_it(replace(way, device=""))
            return [_says([*one, kept]) for one in elsewhere].count(state)

        best = max(ways, key=reached)
        return None if best is theirs else best

    def _of(self, name: EpisodeName) -> Action | None:
        found = self._by_guid.get(name.guid)
        return found if found is not None and _is_same(found.episode, name) else self._by_url.get(name.url)


def _says(actions: Sequence[Action]) -> tuple[bool, int]:
    state = fold(actions)
    return state.played, state.position_ms


def _said_before(at: int, known: Sequence[Action], ours: Sequence[Action]) -> list[Action]:
    """The last actions before `at`, each after what another device says that it knew: a mark, and a position. Before
    its mark it may have been any position, unless the mark is one that is known here, and isn't in `ours`, which nobody
    has seen yet."""
    own, unseen = {_when(one) for one in known if one.device}, set(map(_when, ours))
    said: list[Action] = []
    is_marked = False
    for one in known:
        what = statement(one)
        if one.at >= at or what is None:
            continue
        if _when(one) not in own:
            if what.is_mark or (what.knew_played and not is_marked):
                said.append(_heard(one, one.at - 3, possible(one.total_ms)))
            if what.knew_played:
                said.append(replace(one, at=one.at - 2, kind=ActionKind.PLAYED))
            if what.knew_ms > what.position_ms:
                said.append(_heard(one, one.at - 1, what.knew_ms))
        is_marked |= (what.is_mark or what.knew_played) and _when(one) not in unseen
        said.append(one)
    return said[-_MOST_SAID:]


def _when(one: Action) -> tuple[int, int]:
    """Tells an action from others; the server returns a device's own actions without its name."""
    return one.at, one.position_ms


def _heard(one: Action, at: int, position_ms: int) -> Action:
    """The episode was begun again if there was a mark, so the position counts in any case."""
    return replace(
        one, at=at, kind=ActionKind.PLAY, started_ms=None, position_ms=position_ms, total_ms=None, seen_ms=SEEN_PLAYED
    )


def _is_same(one: EpisodeName, other: EpisodeName) -> bool:
    """Compares two names with the same guid. Two podcasts may both have an episode with the guid "1"."""
    return one.url == other.url or spelling_key(one.podcast) == spelling_key(other.podcast)


def _by_episode(waiting: Sequence[tuple[int, Action]]) -> Iterable[list[tuple[int, Action]]]:
    """Groups the actions by the address of the audio, or by the podcast and its guid for the episode."""
    episodes: list[list[tuple[int, Action]]] = []
    known: dict[tuple[str, ...], list[tuple[int, Action]]] = {}
    for number, action in waiting:
        name = action.episode
        names = [("url", name.url), *([("guid", spelling_key(name.podcast), name.guid)] if name.guid else [])]
        ours = next((known[one] for one in names if one in known), None)
        if ours is None:
            episodes.append(ours := [])
        known |= dict.fromkeys(names, ours)
        ours.append((number, action))
    return episodes
