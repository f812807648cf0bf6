"""What to subscribe to and to unsubscribe from. A pure decision.

1. Of changes with a time the latest wins, whether it is the target's or ours; at the same time a subscription wins.
2. Changes without a time (the lists of a server) lose against a change of ours that the target doesn't have yet. Within
   one answer a subscription wins.
3. A podcast that we unsubscribed from doesn't return through a whole list: it is removed at the target again. A list of
   changes brings it back, because somebody has subscribed to it since.
4. A subscription that is missing from a whole list may have been forgotten by the server: nothing is unsubscribed
   because of that.
5. A podcast may have many addresses (`same_podcast.py`), and is subscribed to only once. If a list has lost its former
   address, that says nothing about the podcast, provided that any other device has ever used its present address: then
   that device has followed the move. If the target has the podcast only under another address, it goes by that address
   from then on, as if it had been sent before the podcast moved.
"""

from collections import Counter
from collections.abc import Iterable, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from player.links.addresses import url_key
from player.merging.clock import usable
from player.merging.same_podcast import Move, Moves, SamePodcast, may_be_sent
from player.model.syncing import SubscriptionChange


class Standing(Struct, frozen=True):
    """What is known of one podcast here: subscribed, or unsubscribed since `at` by `device`, 0 and "" unknown.

    `acknowledged`: the target has the same, or this came from the target.
    """

    podcast: str
    subscribed: bool
    at: int = 0
    device: str = ""
    acknowledged: bool = False
    guid: str = ""
    title: str = ""


class SubscriptionPlan(Struct, frozen=True):
    """What follows from a target's answer. None of it has been done yet.

    `subscribe`: to podcasts that aren't subscribed here, at their present addresses. `unsubscribe`: addresses in this
    library. `remove_again`: addresses as the target has them. `aliases`: an address on another device, and the
    podcast's address here. `standings`: what is known now of each podcast that the answer is about, at its address
    here, to be sent unless it is acknowledged. `missing`: addresses in this library of subscriptions that the target
    had before, but that are missing from its whole list. `renamed`: the address of a standing, and the address that
    replaces it.
    """

    subscribe: tuple[SubscriptionChange, ...] = ()
    unsubscribe: tuple[str, ...] = ()
    remove_again: tuple[str, ...] = ()
    aliases: tuple[Move, ...] = ()
    standings: tuple[Standing, ...] = ()
    missing: tuple[str, ...] = ()
    renamed: tuple[Move, ...] = ()


def plan_subscriptions(
    here: Iterable[Standing],
    pulled: Iterable[SubscriptionChange],
    moves: Iterable[Move] = (),
    aliases: Iterable[Move] = (),
    *,
    is_whole: bool = False,
) -> SubscriptionPlan:
    """What `pulled` leads to. `moves` are the moves just pulled and all moves known before, `aliases` are those of
    earlier plans. The order of any of these changes nothing. Pulled addresses that may not be sent are ignored."""
    known = sorted(set(here), key=lambda one: (one.podcast, one.at, one.device))
    changes = sorted({one for one in pulled if may_be_sent(one.podcast)}, key=_in_order)
    moved = Moves(moves)
    aliases = tuple(aliases)
    elsewhere = {url_key(one) for one, _ours in aliases}
    plan = _Plan()
    for standings, those in _podcasts(known, changes, moved, aliases):
        for standing, its in _by_standing(standings, those, moved):
            if standing is None:
                _add_new(plan, its, moved)
            elif its:
                _add_known(plan, standing, its, moved, elsewhere, is_whole=is_whole)
            elif is_whole and standing.subscribed and standing.acknowledged and may_be_sent(standing.podcast):
                plan.missing.append(standing.podcast)
    return plan.done()


class _Plan:
    """A SubscriptionPlan that is being made."""

    def __init__(self) -> None:
        self.subscribe: list[SubscriptionChange] = []
        self.unsubscribe: list[str] = []
        self.remove_again: list[str] = []
        self.aliases: set[Move] = set()
        self.standings: list[Standing] = []
        self.missing: list[str] = []
        self.renamed: list[Move] = []

    def add(self, address: str, standing: Standing, changes: Iterable[SubscriptionChange]) -> None:
        self.subscribe.append(
            SubscriptionChange(address, True, standing.at, standing.device, title=standing.title, guid=standing.guid)
        )
        self.call(changes, standing.podcast)

    def call(self, changes: Iterable[SubscriptionChange], address: str) -> None:
        """Records the other addresses under which the target has the podcast."""
        self.aliases |= {(one.podcast, address) for one in changes if url_key(one.podcast) != url_key(address)}

    def done(self) -> SubscriptionPlan:
        return SubscriptionPlan(
            subscribe=tuple(self.subscribe),
            unsubscribe=tuple(self.unsubscribe),
            remove_again=tuple(self.remove_again),
            aliases=tuple(sorted(self.aliases)),
            standings=tuple(self.standings),
            missing=tuple(self.missing),
            renamed=tuple(self.renamed),
        )


def _in_order(change: SubscriptionChange) -> tuple[int, bool, str, str, str, str]:
    """The sort key by which the last change counts."""
    return usable(change.at), change.subscribed, change.device, change.podcast, change.guid, change.title


_Podcast = tuple[list[Standing], list[SubscriptionChange]]


def _podcasts(
    known: Sequence[Standing], changes: Sequence[SubscriptionChange], moved: Moves, aliases: Iterable[Move]
) -> list[_Podcast]:
    """What is known here of each podcast, and what was pulled about it. A guid that several subscriptions here have
    (copies of a feed, say one with and one without advertising) joins nothing, and neither does a guid that was pulled
    with an address that is in this library."""
    same = SamePodcast()
    for one, other in moved.pairs:
        same.join(one, other)
    for elsewhere, ours in aliases:
        same.join(url_key(elsewhere), url_key(ours))
    copies = Counter(one.guid for one in known if one.subscribed)
    keys = {url_key(one.podcast) for one in known}
    named_here: list[Standing | SubscriptionChange] = [*known]
    for named in named_here + [one for one in changes if url_key(one.podcast) not in keys]:
        if named.guid and copies[named.guid] < 2:
            same.join(url_key(named.podcast), f"guid {named.guid}")
    podcasts: dict[str, _Podcast] = {}
    for standing in known:
        podcasts.setdefault(same.name(url_key(standing.podcast)), ([], []))[0].append(standing)
    for change in changes:
        podcasts.setdefault(same.name(url_key(change.podcast)), ([], []))[1].append(change)
    return [podcasts[name] for name in sorted(podcasts)]


def _by_standing(
    standings: Sequence[Standing], changes: Sequence[SubscriptionChange], moved: Moves
) -> list[tuple[Standing | None, list[SubscriptionChange]]]:
    """The changes for each subscription; if there is none, for the podcast that was unsubscribed from last. If there
    are several subscriptions to one podcast, each gets the changes of its own address, and the one at the present
    address also gets subscriptions at other addresses; ended subscriptions at other addresses are ignored."""
    if not standings:
        return [(None, list(changes))]
    subscribed = [one for one in standings if one.subscribed]
    if len(subscribed) < 2:
        here = subscribed[0] if subscribed else max(standings, key=lambda one: (usable(one.at), one.podcast))
        return [(here, list(changes))]
    main = min(subscribed, key=lambda one: (url_key(one.podcast) != url_key(moved.present(one.podcast)), one.podcast))
    found: dict[str, list[SubscriptionChange]] = {url_key(one.podcast): [] for one in subscribed}
    for change in changes:
        key = url_key(change.podcast)
        if key in found:
            found[key].append(change)
        elif change.subscribed:
            found[url_key(main.podcast)].append(change)
    return [(one, found[url_key(one.podcast)]) for one in subscribed]


def _add_new(plan: _Plan, changes: Sequence[SubscriptionChange], moved: Moves) -> None:
    last = changes[-1]
    if not last.subscribed and not usable(last.at):
        return
    plan.standings.append(_standing(_name_new(changes, moved), last, changes))
    if last.subscribed:
        plan.add(moved.present(last.podcast), plan.standings[-1], changes)


def _add_known(
    plan: _Plan,
    here: Standing,
    changes: Sequence[SubscriptionChange],
    moved: Moves,
    elsewhere: Set[str],
    *,
    is_whole: bool,
) -> None:
    has_time = usable(changes[-1].at) > 0
    last = changes[-1] if has_time else _last_in_list(here, changes, moved, elsewhere)
    if here.subscribed:
        plan.call(changes, here.podcast)
    if last is None:
        return
    if has_time:
        ours, theirs = (usable(here.at), here.subscribed, here.device), _in_order(last)[:3]
        agrees, wins = theirs == ours, theirs > ours
    else:
        agrees, wins = last.subscribed == here.subscribed, here.acknowledged
    if agrees:
        name = here.podcast if has_time else _name_there(here, changes)
        plan.standings.append(replace(here, podcast=name, acknowledged=True))
        if name != here.podcast:
            plan.renamed.append((here.podcast, name))
    elif wins and last.subscribed and not here.subscribed:
        if is_whole and not has_time:
            plan.remove_again += [one.podcast for one in changes if one.subscribed]
            return
        standing = _standing(_name_new(changes, moved), last, changes, here)
        plan.standings.append(standing)
        plan.add(moved.present(last.podcast), standing, (*changes, SubscriptionChange(here.podcast, False)))
    elif wins:
        standing = _standing(here.podcast, last, changes, here)
        ends = here.subscribed and not last.subscribed
        # A device that doesn't know of the move has a podcast at each address: it is told the end of the other one.
        is_news = ends and has_time and url_key(last.podcast) != url_key(here.podcast)
        plan.standings.append(replace(standing, acknowledged=not is_news))
        if ends:
            plan.unsubscribe.append(here.podcast)


def _last_in_list(
    here: Standing, changes: Sequence[SubscriptionChange], moved: Moves, elsewhere: Set[str]
) -> SubscriptionChange | None:
    """What a list without times says about a podcast; None if it only says that a former address was removed, while
    other devices use the present one. `elsewhere`: the keys of addresses that other devices have used for podcasts."""
    present, name = url_key(moved.present(here.podcast)), url_key(here.podcast)
    names = {present} if present in elsewhere else {present, name}
    counted = [one for one in changes if one.subscribed or url_key(one.podcast) in names]
    return counted[-1] if counted else None


def _name_new(changes: Sequence[SubscriptionChange], moved: Moves) -> str:
    """The name of a subscription that comes from other devices: the present address. Lists without times go by their
    own addresses, though, and so does what is removed from them later."""
    present = moved.present(changes[-1].podcast)
    is_listed = url_key(present) in {url_key(one.podcast) for one in changes if one.subscribed}
    return present if is_listed or usable(changes[-1].at) else changes[-1].podcast


def _name_there(here: Standing, changes: Sequence[SubscriptionChange]) -> str:
    """The address under which the target has the podcast: the one in this library if the target lists it, or if it was
    sent."""
    names = [one.podcast for one in changes if one.subscribed]
    is_known = here.acknowledged or not here.subscribed or url_key(here.podcast) in map(url_key, names)
    return here.podcast if is_known else names[-1]


def _standing(
    address: str, last: SubscriptionChange, changes: Sequence[SubscriptionChange], here: Standing | None = None
) -> Standing:
    """The standing after `last`. Guid and title come from the first that has them."""
    named: list[Standing | SubscriptionChange] = [last, *reversed(changes), *([here] if here else [])]
    return Standing(
        address,
        last.subscribed,
        at=max(usable(last.at), usable(here.at) if here else 0),
        device=last.device,
        acknowledged=True,
        guid=next((one.guid for one in named if one.guid), ""),
        title=next((one.title for one in named if one.title), ""),
    )
