"""Radio streams as podcasts, with `radio:` addresses: one live episode each, that is never downloaded or finished."""

import logging
from datetime import timedelta

from player.feeds.check import CheckResult
from player.feeds.fetch import Connections, is_endless
from player.links.addresses import is_radio, radio_address, stream_of
from player.links.urls import without_secrets
from player.media.fetching.live_streams import RADIO_TYPE
from player.model.feed import Feed, FeedEpisode, FeedSchedule, FeedState
from player.model.podcast_settings import NewEpisodeRules, NewEpisodes, PodcastSettings
from player.net.failures import RequestFailed
from player.net.fetch import MemoryBudget
from player.sources.radio.station import Station, otherwise_named, station_of
from player.text.sentences import _

log = logging.getLogger(__name__)

_HOPS = 4
"""A playlist may name another one."""
_LOOKED_AT = 64 * 1024
"""Bytes: a radio stream has no end that could be waited for."""
_TIMEOUT_S = 15.0
_PAUSE = timedelta(days=1)


class RadioStreams:
    """Implements player.feeds.source.Source."""

    def serves(self, url: str) -> bool:
        return is_radio(url)

    def address(self, text: str) -> str:  # noqa: ARG002
        """None can be told from the address of a feed: `behind` looks."""
        return ""

    def settings(self) -> PodcastSettings:
        return PodcastSettings(new_episodes=NewEpisodeRules(to=NewEpisodes.NOWHERE))

    async def ask(self, url: str, state: FeedState, schedule: FeedSchedule, load: MemoryBudget) -> CheckResult:  # noqa: ARG002
        """Nothing is ever new, so nothing is fetched."""
        return CheckResult(url, state, fresh=_PAUSE, digest=schedule.digest)

    async def behind(self, url: str, connections: Connections) -> CheckResult | None:
        """The station at this address, or the one that the playlist there names."""
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
