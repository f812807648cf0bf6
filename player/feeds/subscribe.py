"""Adding a podcast by any address a person may have: the feed's, or that of a page that names it."""

import threading
from dataclasses import dataclass

from player.addresses import web_address
from player.errors import AlreadySubscribed, BadAddress, FeedError, NoAudio, NotAFeed
from player.feeds.abort import Abort
from player.feeds.discover import feed_links
from player.feeds.failures import aborted, shown
from player.feeds.fetch import Connections, Fetched
from player.feeds.library import FeedLibrary
from player.feeds.merge import decide
from player.feeds.reader import looks_like_page, read_feed
from player.model import WELCOME_URL, Feed, FeedState, Podcast

_FEED_SCHEMES = ("feed", "pcast", "podcast", "itpc", "rss")


@dataclass(frozen=True, slots=True)
class _Found:
    url: str
    feed: Feed
    state: FeedState


class Subscriber:
    """Adds podcasts to a library. May be used from several threads."""

    def __init__(self, library: FeedLibrary) -> None:
        self._library = library
        self._abort = Abort()
        self._storing = threading.Lock()

    def add(self, text: str) -> Podcast:
        """Subscribes to the feed at this address, or to the first one with audio that the page there names.

        The podcast and its episodes are in the library when it returns, or nothing is. Raises FeedError:
        AlreadySubscribed, BadAddress, Unreachable, HttpFailure, NotAFeed, NoAudio, TooLarge; and LibraryError.
        """
        url = feed_address(text)
        self._refuse_known(url)
        with Connections() as connections:
            found = self._find(url, connections)
        if found.url != url:
            self._refuse_known(found.url)
        return self._store(found)

    def cancel(self) -> None:
        """Lets go of what is being fetched. After it has returned, nothing more is added."""
        self._abort.set()
        with self._storing:  # what is being stored now is stored whole
            pass

    def _find(self, url: str, connections: Connections) -> _Found:
        fetched = connections.fetch(url, abort=self._abort)
        if looks_like_page(fetched.body):
            return self._find_in_page(fetched, connections)
        return _read(url, fetched)

    def _find_in_page(self, page: Fetched, connections: Connections) -> _Found:
        links = feed_links(page.body, page.url)
        first_error: FeedError | None = None
        for link in links:
            known = self._library.podcasts.by_url(link)
            if known is not None:
                raise _already(known)
            try:
                return _read(link, connections.fetch(link, abort=self._abort))
            except FeedError as error:
                if self._abort.is_set:
                    raise
                first_error = first_error or error
        if first_error is None:
            raise NotAFeed(
                f"{shown(page.url)} is a web page that names no podcast feed",
                "Look on it for a link called RSS, and add that address.",
            )
        if isinstance(first_error, NoAudio) and len(links) > 1:
            raise NoAudio(
                f"{shown(page.url)} names {len(links)} feeds, none with episodes to listen to",
                "Look on the page for the podcast's own feed, and add that address.",
            ) from first_error
        raise first_error

    def _refuse_known(self, url: str) -> None:
        known = self._library.podcasts.by_url(url)
        if known is not None:
            raise _already(known)

    def _store(self, found: _Found) -> Podcast:
        podcasts = self._library.podcasts
        with self._storing:
            if self._abort.is_set:
                raise aborted(found.url)
            podcast = podcasts.add(found.url, found.feed.title)
            try:
                podcasts.apply(podcast.id, found.feed, found.state, decide)
            except BaseException:
                podcasts.remove(podcast.id)
                raise
            return podcasts.get(podcast.id)


def feed_address(text: str) -> str:
    """The address a person means: https where they name no scheme, and for `feed:` and its like. Raises BadAddress."""
    typed = text.strip().strip("<>\"'")
    if typed == WELCOME_URL:
        return typed
    scheme, colon, rest = typed.partition(":")
    if colon and scheme.lower() in _FEED_SCHEMES:
        typed = rest.removeprefix("//")
    if not typed.lower().startswith(("http://", "https://")) and "://" not in typed and "." in typed.partition("/")[0]:
        typed = f"https://{typed}"
    address = web_address(typed)
    if not address:
        raise BadAddress(
            f"“{shown(text)}” is no web address",
            "Give the address of a podcast's feed or website, such as https://example.com/feed.xml.",
        )
    return address


def _read(url: str, fetched: Fetched) -> _Found:
    """A new subscription goes to where its address has moved to for good."""
    feed = read_feed(fetched.body, fetched.content_type, fetched.url)
    return _Found(fetched.permanent_url or url, feed, fetched.state)


def _already(known: Podcast) -> AlreadySubscribed:
    return AlreadySubscribed(
        f"“{known.title or shown(known.url)}” is in the library already", "`earmark refresh` looks for new episodes."
    )
