"""How the listener wants the podcasts in the sidebar: their order, which are hidden, which groups are folded."""

from enum import StrEnum
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from player.text.sentences import mark, translate


class PodcastOrder(StrEnum):
    """The values are remembered."""

    NAME = "name"
    NEWEST = "newest"
    """By their newest episodes, the latest first."""
    UNPLAYED = "unplayed"
    """The most unplayed episodes first."""


_HIDDEN = "hidden"
_ORDER_WORDS = {
    PodcastOrder.NAME: (mark("By name"), ""),
    PodcastOrder.NEWEST: (mark("Newest episodes first"), mark("newest")),
    PodcastOrder.UNPLAYED: (mark("Most unplayed first"), mark("unplayed")),
}


class Arrangement(Struct, frozen=True):
    """`hides_played`: podcasts with nothing unplayed are hidden. `folded` are tags."""

    order: PodcastOrder = PodcastOrder.NAME
    hides_played: bool = False
    folded: frozenset[str] = frozenset()

    def reordered(self) -> Self:
        """The arrangement with the next order."""
        orders = list(PodcastOrder)
        return replace(self, order=orders[(orders.index(self.order) + 1) % len(orders)])

    def with_folded(self, tag: str, *, folded: bool) -> Self:
        return replace(self, folded=self.folded | {tag} if folded else self.folded - {tag})

    # -- remembered -------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """`newest hidden`, and below it the folded tags."""
        first = f"{self.order} {_HIDDEN if self.hides_played else ''}".rstrip()
        return "\n".join((first, *sorted(self.folded)))

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Reads what `text` has written; the default arrangement if it can't be read."""
        first, *folded = text.split("\n")
        order, _space, hidden = first.partition(" ")
        known = PodcastOrder(order) if order in set(PodcastOrder) else PodcastOrder.NAME
        return cls(known, hidden == _HIDDEN, frozenset(folded))

    # -- in words ---------------------------------------------------------------------------------------------

    def order_words(self) -> str:
        return translate(_ORDER_WORDS[self.order][0])

    def heading_words(self, dot: str) -> tuple[str, ...]:
        """The words next to the heading, fewer for less room; () for the default arrangement."""
        word = _ORDER_WORDS[self.order][1]
        order, hidden = translate(word) if word else "", translate(_HIDDEN_WORD) if self.hides_played else ""
        both = (f"{order} {dot} {hidden}",) if order and hidden else ()
        return (*both, *filter(None, (hidden or order,)))


_HIDDEN_WORD = mark("hidden")
