"""Radio streams as podcasts, with `radio:` addresses: each with one live episode, which is never downloaded or
finished.

Icecast and SHOUTcast name a station in `icy-` headers, an M3U in `#EXTINF:-1,Name`, a PLS in `Title1=Name`.
"""

import logging
import re
from datetime import timedelta

from msgspec import Struct

from player.feeds.check import CheckResult
from player.feeds.feed_fetch import Connections, is_endless
from player.feeds.source import NoFeed
from player.links.addresses import RADIO_TYPE, is_radio, radio_address, stream_of
from player.links.urls import host, web_address, without_secrets
from player.media.fetching.broadcast import first_entry, is_playlist
from player.media.fetching.hls import is_hls
from player.model.feed import Feed, FeedEpisode, FeedSchedule, FeedState
from player.model.podcast_settings import NewEpisodeRules, NewEpisodes, PodcastSettings
from player.net.failures import RequestFailed
from player.net.fetch import Fetched, MemoryBudget
from player.text.cleaning import clean_block, clean_line
from player.text.sentences import _

_ENDS = "#EXT-X-ENDLIST"
_NAMED = re.compile(r"^(?:#EXTINF:\s*-?\d+[^,\n]*,|title1\s*=)[ \t]*(\S[^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_DESCRIPTION = 2_000


class Station(Struct, frozen=True):
    """`next` is the address that a playlist names and that is still to be examined; "" for the stream itself."""

    name: str = ""
    description: str = ""
    link: str = ""
    next: str = ""


def station_of(peeked: Fetched) -> Station | None:
    """The station that the beginning of a response describes; its body is empty if the headers alone show that it is a
    radio stream. None if it isn't a stream but a file, or something else."""
    headers = peeked.headers
    if not peeked.body or (_is_audio(peeked) and _has_no_end(peeked)):
        return Station(
            clean_line(_text(headers.get("icy-name", ""))),
            clean_block(_text(headers.get("icy-description", "")), _DESCRIPTION),
            web_address(_text(headers.get("icy-url", ""))),
        )
    text = peeked.body.decode("utf-8", "replace").lstrip("\ufeff \r\n\t")
    if not is_playlist(peeked.content_type, peeked.body[:64]):
        return None
    if is_hls(text):
        return None if _ENDS in text else Station()
    there = first_entry(peeked.url, peeked.content_type, text)
    found = _NAMED.search(text)
    return Station(clean_line(found[1]) if found else "", next=there) if there else None


def otherwise_named(address: str) -> str:
    """The title of a station without a name."""
    return host(address) or clean_line(address, 80)


def _is_audio(peeked: Fetched) -> bool:
    return peeked.content_type.lower().startswith(("audio/", "application/ogg"))


def _has_no_end(peeked: Fetched) -> bool:
    """Unlike a stream, a file has a length, ranges or a version, even if it is sent in chunks."""
    return not any(name in peeked.headers for name in ("Content-Length", "Accept-Ranges", "ETag", "Last-Modified"))


def _text(value: str) -> str:
    """Headers are read as ISO-8859-1; most stations send UTF-8."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


log = logging.getLogger(__name__)

_HOPS = 4
"""The most addresses examined: a playlist may name another playlist."""
_LOOKED_AT = 64 * 1024
"""The most bytes read from an address: a radio stream never ends."""
_TIMEOUT_S = 15.0
_PAUSE = timedelta(days=1)


class RadioStreams:
    """Implements player.feeds.source.Source."""

    def serves(self, url: str) -> bool:
        return is_radio(url)

    def address(self, text: str) -> str:  # noqa: ARG002
        """Always empty: a stream's address can't be told from a feed's, so `behind` examines the response."""
        return ""

    def settings(self) -> PodcastSettings:
        return PodcastSettings(new_episodes=NewEpisodeRules(to=NewEpisodes.NOWHERE))

    async def ask(
        self,
        url: str,
        state: FeedState,
        schedule: FeedSchedule,
        load: MemoryBudget,  # noqa: ARG002
        connections: Connections,  # noqa: ARG002
    ) -> CheckResult:
        """Nothing is ever new, so nothing is fetched."""
        return CheckResult(url, state, fresh=_PAUSE, digest=schedule.digest)

    async def behind(self, there: NoFeed, connections: Connections) -> CheckResult | None:
        """The station at this address, or the station that the playlist there names."""
        if there.page:
            return None
        url = there.url
        named, here = Station(), url
        for _hop in range(_HOPS):
            station = await _station(connections, here)
            if station is None:
                return None
            named = Station(
                named.name or station.name, named.description or station.description, named.link or station.link
            )
            if not station.next:
                return CheckResult(radio_address(url), FeedState(), _feed(url, named), fresh=_PAUSE)
            here = station.next
        log.info("%s names playlists that name playlists", without_secrets(url))
        return None


async def _station(connections: Connections, url: str) -> Station | None:
    try:
        beginning = await connections.request(
            url, _LOOKED_AT, total_s=_TIMEOUT_S, cut=True, accepts=lambda head, _url: not is_endless(head.headers)
        )
    except RequestFailed:
        return None
    return station_of(beginning)


def _feed(url: str, station: Station) -> Feed:
    name = station.name or otherwise_named(stream_of(url))
    episode = FeedEpisode(
        guid=url, title=_("Live"), url=url, media_type=RADIO_TYPE, link=station.link, notes=station.description
    )
    return Feed(title=name, description=station.description, link=station.link, episodes=(episode.signed(),))
