"""Checks one feed: which items are new, which are known episodes, and which of those have changed; its address from
now on, and the pages of its archive.

Sources: RFC 9110 (permanent redirects), Apple's itunes:new-feed-url, RFC 5005 (paged and archived feeds).
`player.model.matching` says which item is which episode.
"""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from player.errors import FeedError
from player.feeds.feed_fetch import Connections
from player.feeds.parsing.parser_pool import ParserPool
from player.feeds.schedule import fresh_for
from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedEpisode, FeedSchedule, FeedState, KnownEpisode, Merge
from player.model.matching import distinct, matches
from player.model.podcast import MOST_EPISODES
from player.net.failures import shown
from player.net.fetch import Fetched, MemoryBudget

log = logging.getLogger(__name__)

_READING = "5"
"""Increased when the parsers learn to read more: then unchanged bodies are parsed again."""
_MOVES = 3
_PAGES = 100


class CheckResult(Struct, frozen=True):
    """`feed` is None when nothing is new. `url` is the feed's address from now on. `archive` is the archive page to
    read next time; `archived`: no page is left. `known_as`: the feed has moved permanently to an address that already
    belongs to another podcast."""

    url: str
    state: FeedState
    feed: Feed | None = None
    fresh: timedelta | None = None
    digest: str = ""
    archive: str = ""
    archived: bool = False
    known_as: str = ""


class FeedChecker:
    """`is_known(url)`: whether the library has a podcast at an address."""

    def __init__(
        self,
        connections: Connections,
        readers: ParserPool,
        threads: ThreadPoolExecutor,
        is_known: Callable[[str], bool],
    ) -> None:
        self._connections = connections
        self._readers = readers
        self._threads = threads
        self._is_known = is_known

    async def ask(self, url: str, state: FeedState, schedule: FeedSchedule, load: MemoryBudget) -> CheckResult:
        """Runs on the event loop of the connections. Raises FeedError."""
        fetched = await self._connections.get(url, state, load=load)
        return await self.understand(url, fetched, schedule, load)

    async def understand(self, url: str, fetched: Fetched, schedule: FeedSchedule, load: MemoryBudget) -> CheckResult:
        """Interprets a response from `url`. Raises FeedError."""
        here = self._moved(url, fetched.permanent_url)
        feed, digest = None, schedule.digest
        if fetched.is_new:
            digest = _digest(fetched.body)
            if digest != schedule.digest:
                feed = await self.read(fetched)
        answer = CheckResult(here, fetched.state, feed, _fresh(fetched), digest, schedule.archive, schedule.archived)
        if here == url and fetched.permanent_url not in ("", url) and self._is_known(fetched.permanent_url):
            answer = replace(answer, known_as=fetched.permanent_url)
        if feed is not None:
            answer = await self._at_its_new_place(answer, load)
            answer = await self._with_archive(answer, load)
        elif schedule.archive:
            answer = await self._with_archive(answer, load)
        return answer

    async def read(self, fetched: Fetched) -> Feed:
        """Parses the body; in another process if it is long."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._threads, self._readers.read, fetched.body, fetched.content_type, fetched.url
        )

    # -- its address --------------------------------------------------------------------------------------

    async def _at_its_new_place(self, answer: CheckResult, load: MemoryBudget) -> CheckResult:
        """Follows itunes:new-feed-url while each address has a feed and doesn't lead back."""
        seen = {answer.url}
        for _move in range(_MOVES):
            there = answer.feed.new_url if answer.feed else ""
            if not there or there in seen or _same(there, answer.url) or self._is_known(there):
                return answer
            seen.add(there)
            try:
                fetched = await self._connections.get(there, load=load)
                feed = await self.read(fetched)
            except FeedError as error:
                log.info("%s names a new address that can't be read: %s", shown(answer.url), error)
                return answer
            if feed.new_url and any(_same(feed.new_url, one) for one in seen - {there}):
                log.info("%s and %s name each other as the new address", shown(answer.url), shown(there))
                return answer
            url = self._moved(there, fetched.permanent_url)
            answer = replace(
                answer, url=url, feed=feed, state=fetched.state, fresh=_fresh(fetched), digest=_digest(fetched.body)
            )
        return answer

    def _moved(self, url: str, permanent: str) -> str:
        """The address from now on: never one that belongs to another podcast, and never one without its login."""
        if not permanent or permanent == url or self._is_known(permanent):
            return url
        keeps_login = "@" not in urlsplit(url).netloc or "@" in urlsplit(permanent).netloc
        return permanent if keeps_login else url

    # -- the archive ------------------------------------------------------------------------------------------

    async def _with_archive(self, answer: CheckResult, load: MemoryBudget) -> CheckResult:
        """Adds the episodes of further archive pages. A page that fails is read next time."""
        feed, page, pages = answer.feed, answer.archive, 0
        if feed is not None and not page and not answer.archived:
            page = feed.next_page
        seen = {answer.url}
        while page and page not in seen and pages < _PAGES and (feed is None or len(feed.episodes) < MOST_EPISODES):
            seen.add(page)
            pages += 1
            try:
                older = await self.read(await self._connections.get(page, load=load))
            except FeedError as error:
                log.info("a page of the archive of %s can't be read: %s", shown(answer.url), error)
                return replace(answer, feed=feed, archive=page)
            feed = older if feed is None else replace(feed, episodes=feed.episodes + older.episodes)
            page = older.next_page
        return replace(answer, feed=feed, archive="", archived=answer.archived or bool(feed) or bool(pages))


def _fresh(fetched: Fetched) -> timedelta | None:
    return fresh_for(fetched.headers, datetime.now(UTC))


def _digest(body: bytes) -> str:
    return _READING + hashlib.blake2b(body, digest_size=12).hexdigest()


def _same(one: str, other: str) -> bool:
    return one.partition("://")[2].rstrip("/") == other.partition("://")[2].rstrip("/")


def decide(known: Sequence[KnownEpisode], feed: Feed) -> Merge:
    """What to write so that the library matches the feed."""
    items = distinct(feed.episodes)
    if not known:
        return Merge(tuple(items))
    same = matches(known, items)
    new: list[FeedEpisode] = []
    changed: list[tuple[EpisodeId, FeedEpisode]] = []
    unchanged = 0
    for index, item in enumerate(items):
        if (at := same.get(index)) is None:
            new.append(item)
            continue
        episode = known[at]
        # A feed that has lost its guids doesn't make the library lose them.
        item = item if item.guid or not episode.guid else item._replace(guid=episode.guid).signed()
        if item.fingerprint == episode.fingerprint:
            unchanged += 1
        else:
            changed.append((episode.id, item))
    found = set(same.values())
    gone = tuple(one.id for at, one in enumerate(known) if at not in found) if feed.is_whole else ()
    return Merge(tuple(new), tuple(changed), unchanged, gone)
