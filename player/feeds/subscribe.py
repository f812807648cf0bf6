"""Adds a podcast by any address that a person may have: the feed's, or that of a web page that names feeds."""

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import cast

from msgspec.structs import replace

from player.errors import AlreadySubscribed, BadAddress, FeedError, NoAudio, NotAFeed
from player.feeds.check import CheckResult, FeedChecker, decide
from player.feeds.feed_errors import aborted
from player.feeds.feed_fetch import Connections
from player.feeds.parsing.parser_pool import ParserPool
from player.feeds.schedule import after_success
from player.feeds.source import NO_SOURCES, NoFeed, SeveralPodcasts, Source, Sources
from player.library import Library
from player.links.urls import FEED_SCHEMES, on_same_server, origin, split_login, web_address
from player.model.feed import FeedSchedule, FeedState
from player.model.podcast import WELCOME_URL, Podcast
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.net.credentials import Credentials
from player.net.failures import shown
from player.net.fetch import Fetched, MemoryBudget
from player.processes.threads import CancelToken
from player.text.sentences import _

_TYPES = {
    "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml",
}  # fmt: skip
_PAGE_LIMIT = 2_000_000
_FEED_LIMIT = 10


def feed_links(page: bytes, url: str) -> tuple[str, ...]:
    """Absolute addresses in the order of the page, comments last; `url` is the page's own. At most ten."""
    from lxml import etree

    try:
        parser = etree.HTMLParser(no_network=True, huge_tree=True)
        root = cast("etree._Element | None", etree.fromstring(page[:_PAGE_LIMIT], parser))
    except (etree.XMLSyntaxError, ValueError):
        return ()
    if root is None:  # nothing but white space and comments
        return ()
    base = url
    found: dict[str, bool] = {}
    for element in root.iter("base", "link"):
        href = element.get("href", "")
        if element.tag == "base":
            base = web_address(href, url) or base
            continue
        relations = element.get("rel", "").lower().split()
        kind = element.get("type", "").partition(";")[0].strip().lower()
        address = web_address(href, base)
        if address and address != url and kind in _TYPES and {"alternate", "feed"} & set(relations):
            found.setdefault(address, "comment" in f"{href} {element.get('title', '')}".lower())
    return tuple(sorted(found, key=found.__getitem__))[:_FEED_LIMIT]


class Subscriber:
    """Adds podcasts to a library. May be used from several threads."""

    def __init__(
        self,
        library: Library,
        credentials: Credentials | None = None,
        *,
        storing: Callable[[str], None] = lambda _url: None,
        previews: bool = False,
        sources: Sources = NO_SOURCES,
    ) -> None:
        """`storing` is called with the feed's address just before the library is written. With `previews`, podcasts are
        added as previews, not as subscriptions."""
        self._sources = sources
        self._about_to_store = storing
        self._previews = previews
        self._library = library
        self._credentials = credentials
        self._abort = CancelToken()
        self._storing = threading.Lock()

    def add(self, text: str) -> Podcast:
        """Subscribes to the feed at this address, or to the first feed with audio that the page there names; or to the
        podcast that another source has there, such as a folder or a server.

        When it returns, the podcast and all its episodes are in the library; if it raises, nothing is. A name and
        password in the address are tried, stored with the logins of servers, and never in the library. A preview that
        is there already is brought up to date. Raises FeedError: AlreadySubscribed, BadAddress, Unreachable,
        HttpFailure, NotAFeed, NoAudio, NotThere, TooLarge, SignInNeeded, SeveralPodcasts; LibraryError.
        """
        if meant := self._sources.meant(text):
            return self._add_from(*meant)
        url, login = split_login(feed_address(self._sources.feed_of(text) or text))
        if login and self._library.podcasts.by_url(url):
            self._remember(url, login)
        self._refuse_known(url)
        readers = ParserPool()
        with (
            Connections(credentials=lambda here: self._login(here, url, login)) as connections,
            contextlib.closing(readers),
            ThreadPoolExecutor(1, "earmark-read") as threads,
            self._abort.ending(readers.close),
        ):
            search = _Search(connections, FeedChecker(connections, readers, threads, lambda _: False), self._abort)
            try:
                source, answer = self._find(url, login, search)
            except SeveralPodcasts as several:
                raise self._marked(several) from several
        if answer.url != url:
            self._refuse_known(answer.url)
        if login and source is None:
            self._remember(url, login)
        return self._store(answer, source.settings() if source else AS_ALL)

    def _marked(self, several: SeveralPodcasts) -> SeveralPodcasts:
        """The same, with the subscribed podcasts marked as known."""
        known = self._library.podcasts.by_url
        offered = tuple(replace(one, known=known(one.url) is not None) for one in several.offered)
        return SeveralPodcasts(several.what, several.advice, offered)

    def _add_from(self, source: Source, url: str) -> Podcast:
        self._refuse_known(url)
        with Connections() as connections:
            work = source.ask(url, FeedState(), FeedSchedule(), MemoryBudget(), connections)
            answer = connections.wait(work, url, self._abort)
        return self._store(answer, source.settings())

    def cancel(self) -> None:
        """Cancels fetching. Once it has returned, nothing more is added."""
        self._abort.set()
        with self._storing:  # the write in progress is completed
            pass

    def _login(self, here: str, url: str, login: tuple[str, str] | None) -> tuple[str, str] | None:
        """A login in the address is only used for its own server until it is known to be right."""
        if login and origin(here) == origin(url):
            return login
        return self._credentials.find(here) if self._credentials else None

    def _remember(self, url: str, login: tuple[str, str]) -> None:
        if self._credentials:
            self._credentials.remember(url, *login)

    def _find(self, url: str, login: tuple[str, str] | None, search: "_Search") -> tuple[Source | None, CheckResult]:
        """The feed or podcast at the address, and the source that has it; None for a feed."""
        from player.feeds.parsing.parse import looks_like_page

        try:
            fetched = search.fetch(url)
            if not looks_like_page(fetched.body):
                return None, search.understand(url, fetched)
        except NotAFeed:
            if found := search.behind(NoFeed(url, login=login), self._sources):
                return found
            raise
        links = feed_links(fetched.body, fetched.url)
        if not links:
            login = login if on_same_server(fetched.url, url) else None
            if found := search.behind(NoFeed(fetched.url, fetched.body[:_PAGE_LIMIT], login), self._sources):
                return found
        return None, self._find_in_page(fetched, links, search)

    def _find_in_page(self, page: Fetched, links: tuple[str, ...], search: "_Search") -> CheckResult:
        first_error: FeedError | None = None
        for link in links:
            known = self._library.podcasts.by_url(link)
            if known is not None:
                raise _already(known)
            try:
                return search.understand(link, search.fetch(link))
            except FeedError as error:
                if self._abort.is_set:
                    raise
                first_error = first_error or error
        if first_error is None:
            raise NotAFeed(
                _("The web page {url} has no link to a podcast feed", url=shown(page.url)),
                _("Look for a link called RSS on it, and add that URL."),
            )
        if isinstance(first_error, NoAudio) and len(links) > 1:
            raise NoAudio(
                _(
                    "{url} links to {number} feeds, none with episodes to listen to",
                    url=shown(page.url),
                    number=len(links),
                ),
                _("Look for the podcast's own feed on the page, and add its URL."),
            ) from first_error
        raise first_error

    def _refuse_known(self, url: str) -> None:
        known = self._library.podcasts.by_url(url)
        if known is not None:
            raise _already(known)

    def _store(self, answer: CheckResult, settings: PodcastSettings = AS_ALL) -> Podcast:
        podcasts, feed = self._library.podcasts, answer.feed
        assert feed is not None, "a feed that was never read is read whole"
        with self._storing:
            if self._abort.is_set:
                raise aborted(answer.url)
            self._about_to_store(answer.url)
            add = self._library.previews.add if self._previews else podcasts.add
            with self._library.transaction():
                podcast = add(answer.url, feed.title)
                # Stored before its episodes arrive, because the settings decide where new episodes go.
                if settings != AS_ALL:
                    self._library.podcast_settings.set(podcast.id, settings)
                podcasts.apply(podcast.id, feed, answer.state, decide)
                schedule = after_success(FeedSchedule(), datetime.now(UTC), answer.fresh, feed.extra)
                schedule = replace(schedule, digest=answer.digest, archive=answer.archive, archived=answer.archived)
                self._library.feed_schedules.note(podcast.id, schedule)
            return podcasts.get(podcast.id)


class _Search:
    """Requests one after the other, on the caller's thread; ends when the abort is set."""

    def __init__(self, connections: Connections, checker: FeedChecker, abort: CancelToken) -> None:
        self._connections = connections
        self._asker = checker
        self._abort = abort

    def fetch(self, url: str) -> Fetched:
        return self._connections.fetch(url, abort=self._abort)

    def behind(self, there: NoFeed, sources: Sources) -> tuple[Source, CheckResult] | None:
        return self._connections.wait(sources.behind(there, self._connections), there.url, self._abort)

    def understand(self, url: str, fetched: Fetched) -> CheckResult:
        work = self._asker.understand(url, fetched, FeedSchedule(), MemoryBudget())
        return self._connections.wait(work, url, self._abort)


def feed_address(text: str) -> str:
    """The address that a person means: https if there is no scheme; http for `feed:` and similar schemes, which stand
    for http: a server that has https redirects there. Raises BadAddress."""
    typed = text.strip().strip("<>\"'")
    if typed == WELCOME_URL:
        return typed
    scheme, colon, rest = typed.partition(":")
    if colon and (meant := FEED_SCHEMES.get(scheme.lower())):
        address = rest.removeprefix("//")
        typed = address if address.lower().startswith(("http://", "https://")) else f"{meant}://{address}"
    if not typed.lower().startswith(("http://", "https://")) and "://" not in typed and "." in typed.partition("/")[0]:
        typed = f"https://{typed}"
    address = web_address(typed)
    if not address:
        raise BadAddress(
            _("“{text}” isn't a URL", text=shown(text)),
            _("Enter the URL of a feed or website, e.g. https://example.com/feed.xml."),
        )
    return address


def _already(known: Podcast) -> AlreadySubscribed:
    return AlreadySubscribed(
        _("You are already subscribed to “{title}”", title=known.title),
        _("`earmark refresh` checks for new episodes."),
        known.id,
    )
