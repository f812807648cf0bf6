"""Podcasts of Audiobookshelf servers, with `audiobookshelf:` addresses: listed, read as they are there, and signed in
for.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from player.audiobookshelf.answers import Item, ItemEpisode
from player.audiobookshelf.client import Audiobookshelf, AudiobookshelfError, SignInWanted, server_address
from player.errors import FeedError, HttpFailure, NoAudio, Offline, SignInNeeded, TooLarge, Unreachable
from player.feeds.check import CheckResult
from player.feeds.feed_fetch import Connections
from player.feeds.source import NoFeed, Offered, SeveralPodcasts
from player.links.addresses import (
    audiobookshelf_address,
    audiobookshelf_chapters,
    audiobookshelf_episode,
    audiobookshelf_podcast,
    is_audiobookshelf,
)
from player.links.urls import host, web_address
from player.model.feed import Feed, FeedEpisode, FeedSchedule, FeedState
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.net.credentials import Credentials
from player.net.failures import FailureReason as R
from player.net.fetch import MemoryBudget
from player.processes.threads import CancelToken, on_own_thread
from player.text.cleaning import clean_block, clean_line
from player.text.sentences import _, plural

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop

T = TypeVar("T")

_MARK = b"audiobookshelf"
"""In every page of the server's web site."""
_ITEM = re.compile(r"/item/([A-Za-z0-9_-]{1,64})/?(?:[?#].*)?$")
_LONGEST_GUID = 2_000
_NO_NETWORK = frozenset({R.OFFLINE, R.NO_NAME_SERVER, R.UNREACHABLE})


class ServerPodcasts:
    """Implements player.feeds.source.Source and SignsIn."""

    def __init__(self, credentials: Credentials | None) -> None:
        self._credentials = credentials

    def serves(self, url: str) -> bool:
        return is_audiobookshelf(url)

    def address(self, text: str) -> str:
        found = audiobookshelf_address(text.strip())
        return audiobookshelf_podcast(found.server, found.item) if found and not found.episode else ""

    def settings(self) -> PodcastSettings:
        return AS_ALL

    async def ask(
        self, url: str, state: FeedState, schedule: FeedSchedule, load: MemoryBudget, connections: Connections
    ) -> CheckResult:
        found = audiobookshelf_address(url)
        if found is None:
            raise FeedError(_("The address of this podcast can't be read"), _("Add it again from its server."))
        answered = await self._asked(found.server, connections.network, lambda api: api.item(found.item, state, load))
        if answered.item is None:
            return CheckResult(url, answered.state, digest=schedule.digest)
        return CheckResult(url, answered.state, feed_of(found.server, answered.item), digest=schedule.digest)

    async def behind(self, there: NoFeed, connections: Connections) -> CheckResult | None:
        """The podcast whose page this is, or the server's only podcast; None if it isn't an Audiobookshelf server."""
        server = server_address(there.url)
        if not server or _MARK not in there.page.lower():
            return None
        try:
            await self._asked(server, connections.network, lambda api: api.status())
        except FeedError as error:
            if isinstance(error.__cause__, AudiobookshelfError) and error.__cause__.reason is R.NOT_FOUND:
                return None  # a page that only mentions Audiobookshelf
            raise
        try:
            if there.login is not None:
                name, secret = there.login
                await self._asked(server, connections.network, lambda api: api.sign_in(name, secret))
            url = await self._meant(server, there.url, connections)
            return await self.ask(url, FeedState(), FeedSchedule(), MemoryBudget(), connections)
        except SignInNeeded as error:
            error.server = there.url  # after signing in, the same page is opened again
            raise

    async def _meant(self, server: str, page: str, connections: Connections) -> str:
        """The address of the podcast whose page it is, or of the server's only podcast. Raises SeveralPodcasts."""
        if found := _ITEM.search(page):
            return audiobookshelf_podcast(server, found[1])
        offered = await self._asked(server, connections.network, _offered)
        if len(offered) > 1:
            count = plural(len(offered), "{n:,} podcast", "{n:,} podcasts")
            raise SeveralPodcasts(
                _("{host} has {podcasts}", host=host(server), podcasts=count), _("Choose some."), offered
            )
        return offered[0].url

    def server(self, url: str) -> str:
        found = audiobookshelf_address(url)
        return found.server if found else ""

    def sign_in(self, server: str, name: str, secret: str, network: NetworkLoop) -> None:
        try:
            self._api(server, network, CancelToken()).sign_in(name, secret)
        except AudiobookshelfError as error:
            raise _feed_error(error, server) from error

    def _api(self, server: str, network: NetworkLoop, cancel: CancelToken) -> Audiobookshelf:
        if self._credentials is None:
            raise SignInNeeded(_("{host} requires a login", host=host(server)), server=server)
        return Audiobookshelf(server, network, self._credentials, cancel)

    async def _asked(self, server: str, network: NetworkLoop, ask: Callable[[Audiobookshelf], T]) -> T:
        """Calls `ask` on another thread, because it blocks and the requests run on the event loop. Raises FeedError."""
        cancel = CancelToken()
        api = self._api(server, network, cancel)
        try:
            return await asyncio.wrap_future(on_own_thread(lambda: ask(api), "earmark-audiobookshelf"))
        except AudiobookshelfError as error:
            raise _feed_error(error, server) from error
        finally:
            cancel.set()


def _offered(api: Audiobookshelf) -> tuple[Offered, ...]:
    """The server's podcasts, to choose from. Raises AudiobookshelfError, NoAudio."""
    libraries = api.libraries()
    offered = tuple(
        Offered(
            audiobookshelf_podcast(api.address, one.id),
            clean_line(one.title) or _("Untitled podcast"),
            clean_line(one.author, 200),
            one.episodes,
            clean_line(library.name, 80) if len(libraries) > 1 else "",
        )
        for library in libraries
        for one in api.podcasts(library.id)
    )
    if not offered:
        raise NoAudio(
            _("Your account on {host} has no podcasts", host=host(api.address)),
            _("Add podcasts on the server first; Earmark can't play its audiobooks."),
        )
    return offered


def feed_of(server: str, item: Item) -> Feed:
    """The podcast as a feed. It has the guids of the feed from which the server got it, and that feed's enclosures as
    alternatives, so that the same episode in the feed is recognised."""
    address = f"{server}/item/{item.id}"
    return Feed(
        title=clean_line(item.title) or host(server),
        author=clean_line(item.author, 200),
        description=clean_block(item.description),
        link=address,
        image_url=f"{server}/api/items/{item.id}/cover?width=800&format=jpeg" if item.has_cover else "",
        language=clean_line(item.language, 40),
        episodes=tuple(_episode(server, item.id, one) for one in item.episodes),
        is_whole=item.is_whole,
    )


def _episode(server: str, item: str, one: ItemEpisode) -> FeedEpisode:
    url = audiobookshelf_episode(server, item, one.id)
    enclosure = web_address(one.enclosure)
    season = one.season.strip()
    return FeedEpisode(
        guid=clean_line(one.guid, _LONGEST_GUID),
        title=clean_line(one.title) or _("Untitled episode"),
        url=url,
        media_type=clean_line(one.media_type, 100).lower(),
        size=one.size,
        published=one.published,
        duration_ms=one.duration_ms,
        notes=clean_block(one.notes or one.subtitle),
        season=int(season) if season.isascii() and season.isdecimal() and len(season) < 6 else None,
        number=clean_line(one.number, 40),
        chapters_url=audiobookshelf_chapters(url) if one.chapters else "",
        extra=json.dumps({"enclosures": [{"url": enclosure, "type": "", "length": 0}]}) if enclosure else "",
    ).signed()


def _feed_error(error: AudiobookshelfError, server: str) -> FeedError:
    if isinstance(error, SignInWanted):
        return SignInNeeded(error.what, error.advice, server)
    if error.status in (404, 410):
        advice = _("It may have been deleted there. Unsubscribe, or add it again from its server.")
        return HttpFailure(error.what, advice, 404)
    if error.status:
        return HttpFailure(error.what, error.advice, error.status, error.pause_s or None)
    kind = Offline if error.reason in _NO_NETWORK else TooLarge if error.reason is R.TOO_LARGE else Unreachable
    return kind(error.what, error.advice)
