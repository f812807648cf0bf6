"""Where the episodes of a podcast come from: its feed, or a source that isn't one, such as a folder of audio."""

from collections.abc import Iterable
from typing import Protocol

from player.feeds.check import CheckResult
from player.feeds.fetch import Connections, MemoryBudget
from player.model.feed import FeedSchedule, FeedState
from player.model.podcast_settings import PodcastSettings


class Asks(Protocol):
    """A FeedChecker, or a Source."""

    async def ask(self, url: str, state: FeedState, schedule: FeedSchedule, load: MemoryBudget) -> CheckResult:
        """What is new in the podcast at `url`, on the loop of the connections. Raises FeedError."""
        ...


class Source(Asks, Protocol):
    """Podcasts that aren't feeds. Their addresses have a scheme of their own, which no feed can name."""

    def serves(self, url: str) -> bool:
        """Whether the podcast at this address is one of them."""
        ...

    def address(self, text: str) -> str:
        """The address of the podcast that somebody means who types this; "" if it isn't one of them.

        May read the disk, but not the network. Raises BadAddress.
        """
        ...

    async def behind(self, url: str, connections: Connections) -> CheckResult | None:
        """The podcast at a web address that is neither a feed nor a page; None if there is none of these podcasts.

        On the loop of the connections.
        """
        ...

    def settings(self) -> PodcastSettings:
        """What is set for such a podcast when it is added."""
        ...


class Shortcut(Protocol):
    """Addresses that people have of something that has a feed at another one."""

    def feed_of(self, text: str) -> str:
        """The address of the feed that somebody means who types this; "" for what is none of these addresses.

        May wait for the network. Raises FeedError.
        """
        ...


class Sources:
    """All there are besides feeds, in the order in which they are asked."""

    def __init__(self, sources: Iterable[Source] = (), shortcuts: Iterable[Shortcut] = ()) -> None:
        self._sources = tuple(sources)
        self._shortcuts = tuple(shortcuts)

    def feed_of(self, text: str) -> str:
        """The address of the feed that somebody means who types this; "" if no shortcut leads there. Raises
        FeedError."""
        return next((found for one in self._shortcuts if (found := one.feed_of(text))), "")

    def of(self, url: str, otherwise: Asks) -> Asks:
        """Whom to ask about the podcast at `url`: its source, or what asks feeds."""
        return next((one for one in self._sources if one.serves(url)), otherwise)

    def meant(self, text: str) -> tuple[Source, str] | None:
        """The podcast that somebody means who types this, by its source and address; None if it is a feed or a page.

        Raises BadAddress.
        """
        return next(((one, found) for one in self._sources if (found := one.address(text))), None)

    async def behind(self, url: str, connections: Connections) -> tuple[Source, CheckResult] | None:
        """What is at a web address that is neither a feed nor a page."""
        for one in self._sources:
            if found := await one.behind(url, connections):
                return one, found
        return None


NO_SOURCES = Sources()
"""Feeds alone."""
