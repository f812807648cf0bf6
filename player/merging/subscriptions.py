"""What to subscribe to and to unsubscribe from. A pure decision.

1. Of changes with a time the latest wins, between targets' changes and ours; at the same time a subscription wins.
2. Changes without a time (the lists of a server) lose against a change of ours that the target doesn't have yet. Within
   one answer a subscription wins.
3. What we unsubscribed from doesn't return through a whole list: it is removed at the target again. A list of what is
   new brings it back, as somebody has subscribed to it since.
4. What is missing in a whole list was perhaps forgotten by the server: nothing is unsubscribed for that.
5. A podcast has many addresses (`same_podcast.py`), and none is subscribed to twice. That a former address was removed
   says nothing of the podcast.
"""

from collections.abc import Iterable

from msgspec import Struct

from player.merging.same_podcast import Move
from player.model.syncing.actions import SubscriptionChange


class Standing(Struct, frozen=True):
    """What is known of one podcast here: subscribed, or unsubscribed since `at` by `device`, 0 and "" unknown.

    `acknowledged`: the target has this, or it came from there.
    """

    podcast: str
    subscribed: bool
    at: int = 0
    device: str = ""
    acknowledged: bool = False
    guid: str = ""
    title: str = ""


class SubscriptionPlan(Struct, frozen=True):
    """What follows from an answer. Nothing of it is done yet.

    `subscribe`: to podcasts that aren't subscribed here, at their present addresses. `unsubscribe`: addresses as they
    are here. `remove_again`: addresses as the target has them. `aliases`: an address elsewhere, and the one that the
    podcast has here. `standings`: what is known now of each podcast that the answer is about, acknowledged, at its
    address here. `missing`: addresses here of subscriptions that the target had, and a whole list lacks.
    """

    subscribe: tuple[SubscriptionChange, ...] = ()
    unsubscribe: tuple[str, ...] = ()
    remove_again: tuple[str, ...] = ()
    aliases: tuple[Move, ...] = ()
    standings: tuple[Standing, ...] = ()
    missing: tuple[str, ...] = ()


def plan_subscriptions(
    here: Iterable[Standing],
    pulled: Iterable[SubscriptionChange],
    moves: Iterable[Move] = (),
    *,
    is_whole: bool = False,
) -> SubscriptionPlan:
    """What `pulled` leads to. `moves` are those just pulled, and all that were known before. The order of any of them
    changes nothing. Addresses that may not be sent are ignored when they are pulled."""
    raise NotImplementedError
