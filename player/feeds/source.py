"""Where the episodes of a podcast come from, its feed or another source; and the outcome of a check."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from msgspec import Struct

from player.errors import FeedError, HttpFailure, Offline
from player.feeds.check import CheckResult
from player.feeds.feed_errors import reason_of
from player.feeds.feed_fetch import Connections, built_in
from player.links.urls import without_secrets
from player.model.feed import FeedSchedule, FeedState
from player.model.podcast import WELCOME_URL, Podcast
from player.model.podcast_settings import PodcastSettings
from player.net.fetch import MemoryBudget
from player.text.sentences import _

if TYPE_CHECKING:
    from player.net.credentials import Credentials
    from player.net.loop import NetworkLoop


class Asks(Protocol):
    """A FeedChecker, or what `Sources.of` returns."""

    async def ask(self, url: str, state: FeedState, schedule: FeedSchedule, load: MemoryBudget) -> CheckResult:
        """What is new in the podcast at `url`. Runs on the event loop of the connections. Raises FeedError."""
        ...


class Means(NamedTuple):
    """What sources need to work. `cache` is the cache folder; None: nothing is cached."""

    cache: Path | None = None
    credentials: Credentials | None = None


class NoFeed(Struct, frozen=True):
    """A web address without a feed. `page` is the web page there, which names no feed; b"" if it isn't a web page.
    `login` is the name and password typed for this server."""

    url: str
    page: bytes = b""
    login: tuple[str, str] | None = None


class Offered(Struct, frozen=True):
    """One of several podcasts at an address; `url` is the podcast's own. `place` is the part of the server that it is
    in, such as a library. `known`: the listener is subscribed to it."""

    url: str
    title: str
    author: str = ""
    episodes: int | None = None
    place: str = ""
    known: bool = False


class SeveralPodcasts(FeedError):
    """There are several podcasts at the address, to choose from."""

    def __init__(self, what: str, advice: str = "", offered: tuple[Offered, ...] = ()) -> None:
        super().__init__(what, advice)
        self.offered = offered


class Source(Protocol):
    """Podcasts that aren't feeds. Their addresses have a scheme that feeds can't use."""

    async def ask(
        self, url: str, state: FeedState, schedule: FeedSchedule, load: MemoryBudget, connections: Connections
    ) -> CheckResult:
        """What is new in the podcast at `url`. Runs on the event loop of the connections. Raises FeedError."""
        ...

    def serves(self, url: str) -> bool:
        """Whether this source has the podcast at this address."""
        ...

    def address(self, text: str) -> str:
        """The address of the podcast that a person means by typing `text`; "" if this source has no such podcast.

        May read the disk, but not the network. Raises BadAddress.
        """
        ...

    async def behind(self, there: NoFeed, connections: Connections) -> CheckResult | None:
        """The podcast at a web address that isn't a feed; None if this source has no podcast there.

        Runs on the event loop of the connections. Raises FeedError: SignInNeeded, or SeveralPodcasts.
        """
        ...

    def settings(self) -> PodcastSettings:
        """The settings that such a podcast gets when it is added."""
        ...


class Shortcut(Protocol):
    """Recognises addresses that people know for a podcast whose feed has a different address."""

    def feed_of(self, text: str) -> str:
        """The address of the feed that a person means by typing `text`; "" if it isn't such an address.

        May wait for the network. Raises FeedError.
        """
        ...


class SignsIn(Protocol):
    """A source whose servers give tokens in place of a password."""

    def server(self, url: str) -> str:
        """The address of the server of a podcast or an episode; "" if this source has none there."""
        ...

    def sign_in(self, server: str, name: str, secret: str, network: NetworkLoop) -> None:
        """Signs in, and stores the tokens that the server gives. Blocks. Raises FeedError."""
        ...


class _Asking(NamedTuple):
    source: Source
    connections: Connections

    async def ask(self, url: str, state: FeedState, schedule: FeedSchedule, load: MemoryBudget) -> CheckResult:
        return await self.source.ask(url, state, schedule, load, self.connections)


class Sources:
    """All sources and shortcuts, in the order in which they are asked."""

    def __init__(self, sources: Iterable[Source] = (), shortcuts: Iterable[Shortcut] = ()) -> None:
        self._sources = tuple(sources)
        self._shortcuts = tuple(shortcuts)
        self._signing_in = [cast(SignsIn, one) for one in self._sources if hasattr(one, "sign_in")]

    def feed_of(self, text: str) -> str:
        """The address of the feed that a person means by typing `text`; "" if no shortcut leads there. Raises
        FeedError."""
        return next((found for one in self._shortcuts if (found := one.feed_of(text))), "")

    def of(self, url: str, otherwise: Asks, connections: Connections) -> Asks:
        """Which source to ask about the podcast at `url`; `otherwise`, the feed checker, if no source has it."""
        return next((_Asking(one, connections) for one in self._sources if one.serves(url)), otherwise)

    def server(self, url: str) -> str:
        """The address of the server of a podcast or an episode, to sign in there; `url` itself if no source has it."""
        return next((server for one in self._signing_in if (server := one.server(url))), url)

    def sign_in(self, url: str, name: str, secret: str, network: NetworkLoop) -> bool:
        """Signs in to the server of a podcast or an episode, if a source knows that server; False if none does, and
        name and password have to be stored instead. Blocks. Raises FeedError."""
        for one in self._signing_in:
            if server := one.server(url):
                one.sign_in(server, name, secret, network)
                return True
        return False

    def meant(self, text: str) -> tuple[Source, str] | None:
        """The source and address of the podcast that a person means by typing `text`; None if it is a feed or a page.

        Raises BadAddress.
        """
        return next(((one, found) for one in self._sources if (found := one.address(text))), None)

    async def behind(self, there: NoFeed, connections: Connections) -> tuple[Source, CheckResult] | None:
        """The podcast at a web address that isn't a feed, and its source; None if no source has one there. Raises
        FeedError."""
        for one in self._sources:
            if found := await one.behind(there, connections):
                return one, found
        return None


NO_SOURCES = Sources()
"""Feeds only."""


log = logging.getLogger(__name__)


class CheckJob(Struct, frozen=True):
    """One podcast to be checked."""

    podcast: Podcast
    state: FeedState
    schedule: FeedSchedule
    load: MemoryBudget


class Outcome(Struct, frozen=True):
    """The outcome of checking one podcast: a result, or why the check failed."""

    job: CheckJob
    answer: CheckResult | None = None
    error: str = ""
    pause: timedelta | None = None
    gone: bool = False
    offline: bool = False
    reason: str = ""

    @property
    def weighs(self) -> bool:
        """Whether it holds episodes; any number of outcomes without episodes may wait."""
        return self.answer is not None and self.answer.feed is not None


async def outcome_of(job: CheckJob, asks: Asks) -> Outcome:
    """Checks one podcast; never raises."""
    try:
        return Outcome(job, await asks.ask(job.podcast.url, job.state, job.schedule, job.load))
    except HttpFailure as error:
        pause = None if error.pause_s is None else timedelta(seconds=error.pause_s)
        if error.status == 410:
            return Outcome(job, error=_gone(error.what), gone=True, reason=reason_of(error))
        return Outcome(job, error=str(error), pause=pause, reason=reason_of(error))
    except FeedError as error:
        return Outcome(job, error=str(error), offline=isinstance(error, Offline), reason=reason_of(error))
    except Exception:
        log.exception("refreshing %s failed", without_secrets(job.podcast.url))
        return Outcome(job, error=_bug(), reason=_("Couldn't be processed"))


def _bug() -> str:
    return _("Earmark couldn't process this feed. See the log.")


def _gone(what: str) -> str:
    return _("{what}. Earmark no longer checks it. Look for a new URL on the podcast's website.", what=what)


def read_built_in(job: CheckJob) -> Outcome:
    """Reads the built-in podcast directly, without an event loop or another process."""
    from player.feeds.parsing.parse import read_feed

    fetched = built_in(job.state)
    feed = read_feed(fetched.body, fetched.content_type, WELCOME_URL) if fetched.is_new else None
    return Outcome(job, CheckResult(WELCOME_URL, fetched.state, feed))
