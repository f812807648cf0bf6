"""Where the episodes of a podcast come from, its feed or another source; and the outcome of a check."""

import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import Protocol

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


class Asks(Protocol):
    """A FeedChecker, or a Source."""

    async def ask(self, url: str, state: FeedState, schedule: FeedSchedule, load: MemoryBudget) -> CheckResult:
        """What is new in the podcast at `url`. Runs on the event loop of the connections. Raises FeedError."""
        ...


class Source(Asks, Protocol):
    """Podcasts that aren't feeds. Their addresses have a scheme that feeds can't use."""

    def serves(self, url: str) -> bool:
        """Whether this source has the podcast at this address."""
        ...

    def address(self, text: str) -> str:
        """The address of the podcast that a person means by typing `text`; "" if this source has no such podcast.

        May read the disk, but not the network. Raises BadAddress.
        """
        ...

    async def behind(self, url: str, connections: Connections) -> CheckResult | None:
        """The podcast at a web address that is neither a feed nor a page; None if this source has no podcast there.

        Runs on the event loop of the connections.
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


class Sources:
    """All sources and shortcuts, in the order in which they are asked."""

    def __init__(self, sources: Iterable[Source] = (), shortcuts: Iterable[Shortcut] = ()) -> None:
        self._sources = tuple(sources)
        self._shortcuts = tuple(shortcuts)

    def feed_of(self, text: str) -> str:
        """The address of the feed that a person means by typing `text`; "" if no shortcut leads there. Raises
        FeedError."""
        return next((found for one in self._shortcuts if (found := one.feed_of(text))), "")

    def of(self, url: str, otherwise: Asks) -> Asks:
        """Which source to ask about the podcast at `url`; `otherwise`, the feed checker, if no source has it."""
        return next((one for one in self._sources if one.serves(url)), otherwise)

    def meant(self, text: str) -> tuple[Source, str] | None:
        """The source and address of the podcast that a person means by typing `text`; None if it is a feed or a page.

        Raises BadAddress.
        """
        return next(((one, found) for one in self._sources if (found := one.address(text))), None)

    async def behind(self, url: str, connections: Connections) -> tuple[Source, CheckResult] | None:
        """The podcast at a web address that is neither a feed nor a page, and its source; None if no source has one
        there."""
        for one in self._sources:
            if found := await one.behind(url, connections):
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
