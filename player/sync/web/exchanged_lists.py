"""The lists that both kinds of servers exchange: subscriptions, and actions on episodes."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from player.directory.searching import is_inside_address
from player.links.addresses import url_key
from player.links.urls import web_address
from player.merging.same_podcast import may_be_sent
from player.model.syncing import Action, Outgoing, Pushed, SubscriptionChange
from player.sync.web import server_errors
from player.sync.web.answer import Answer
from player.sync.web.batches import Batched, send_in_batches
from player.sync.web.wire import Dialect, Unreadable, Wire, from_wire, is_sendable, to_wire

MOST_AT_ONCE = 30
"""The most entries in a request, which all servers accept."""


class Item(Struct, frozen=True):
    """An entry to send, with its numbers in the outbox. `addresses` are the addresses that the server may change or
    refuse."""

    numbers: tuple[int, ...]
    addresses: tuple[str, ...]
    entries: tuple[Wire, ...] = ()
    subscribed: bool = False


# -- from a server ------------------------------------------------------------------------------------------------


def subscriptions(answer: Answer) -> tuple[SubscriptionChange, ...]:
    """The podcasts that were added and removed. A podcast in both lists counts as unknown."""
    added, removed = (_by_key(answer.texts(key)) for key in ("add", "remove"))
    return tuple(
        SubscriptionChange(address, subscribed)
        for these, others, subscribed in ((added, removed, True), (removed, added, False))
        for key, address in these.items()
        if key not in others
    )


def actions(entries: Iterable[msgspec.Raw], dialect: Dialect, now: datetime) -> tuple[tuple[Action, ...], int]:
    """The actions, each once, and how many can't be read."""
    found: dict[Action, None] = {}
    unreadable = 0
    for raw in entries:
        try:
            action = from_wire(raw, dialect, now)
        except Unreadable:
            unreadable += 1
        else:
            if action is not None:
                found[action] = None
    return tuple(found), unreadable


def _by_key(addresses: Sequence[str]) -> dict[str, str]:
    found = (web_address(address.strip()) for address in addresses)
    return {url_key(address): address for address in found if address}


# -- to a server --------------------------------------------------------------------------------------------------


class Shipment:
    """Sends an `Outgoing`, and records the outcome. `address` is the server's; `as_kept` is the form in which it stores
    a feed's address, "" for an address that it doesn't store."""

    def __init__(
        self, address: str, outgoing: Outgoing, dialect: Dialect, as_kept: Callable[[str], str] = lambda feed: feed
    ) -> None:
        self._address = address
        self._dialect = dialect
        self._outgoing = outgoing
        self._as_kept = as_kept
        self._sent = [number for number, _fact in outgoing.facts]
        self._refused: dict[int, str] = {}
        self._moved: dict[str, str] = {}

    def subscriptions(self, send: Callable[[list[str], list[str]], Answer | None]) -> None:
        """`send` is called with the added and the removed addresses. No address is ever in both lists: servers refuse
        that."""
        latest: dict[str, Item] = {}
        for number, change in self._outgoing.subscriptions:
            if not may_be_sent(change.podcast):
                self._sent.append(number)
                continue
            kept = self._as_kept(change.podcast)
            if not kept and change.subscribed:
                self._refused[number] = server_errors.refused_feed(self._address, change.podcast)
            if not kept:
                self._sent.append(number)
                continue
            if kept != change.podcast:
                self._moved[change.podcast] = kept
            key = url_key(kept)
            before = latest.pop(key).numbers if key in latest else ()
            latest[key] = Item((*before, number), (kept,), subscribed=change.subscribed)

        def ship(items: Sequence[Item]) -> None:
            lists = [[one.addresses[0] for one in items if one.subscribed is wanted] for wanted in (True, False)]
            self._answered(items, send(*lists))

        self._keep(send_in_batches(tuple(latest.values()), MOST_AT_ONCE, ship))

    def waiting(self) -> list[tuple[int, Action]]:
        """The actions that may be sent to the server, in the order of their times. The others count as sent."""
        waiting = []
        for number, action in sorted(self._outgoing.actions, key=lambda one: one[1].at):
            if is_sendable(action):
                waiting.append((number, action))
            else:
                self._sent.append(number)
        return waiting

    def needless(self, numbers: Iterable[int]) -> None:
        """The server knows better."""
        self._sent += numbers

    def actions(
        self, waiting: Sequence[tuple[tuple[int, ...], Action]], send: Callable[[list[Wire]], Answer | None]
    ) -> None:
        items = [
            Item(numbers, (action.episode.podcast, action.episode.url), to_wire(action, self._dialect))
            for numbers, action in waiting
        ]

        def ship(batch: Sequence[Item]) -> None:
            self._answered(batch, send([entry for one in batch for entry in one.entries]))

        most = MOST_AT_ONCE // max((len(one.entries) for one in items), default=1)
        self._keep(send_in_batches(items, most, ship))

    def pushed(self) -> Pushed:
        refused = tuple(self._refused.items())
        sent = tuple(number for number in self._sent if number not in self._refused)
        return Pushed(sent=sent, refused=refused, moved=tuple(self._moved.items()))

    def _answered(self, items: Sequence[Item], answer: Answer | None) -> None:
        if answer is None:
            return
        named = {address: item for item in items for address in item.addresses}
        podcasts = {item.addresses[0] for item in items}
        for old, new in answer.update_urls():
            if old not in named:
                continue
            if not new:
                sentence = server_errors.refused_address(self._address)
                these = (item for item in items if old in item.addresses)
                self._refused.update((number, sentence) for item in these for number in item.numbers)
            elif old in podcasts and self._may_move(new):
                self._moved[old] = new

    def _may_move(self, address: str) -> bool:
        """A server on the web must not move a podcast into the listener's own network."""
        return is_inside_address(self._address) or not is_inside_address(address)

    def _keep(self, done: Batched[Item]) -> None:
        self._sent += [number for item in done.sent for number in item.numbers]
        for item, status in done.refused:
            sentence = server_errors.refused(self._address, status)
            self._refused.update((number, sentence) for number in item.numbers)
