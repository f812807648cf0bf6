"""The podcasts that an Audiobookshelf server has downloaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from player.feeds.source import Means, Source

if TYPE_CHECKING:
    from player.media.protocol import Pages
    from player.net.credentials import Credentials
    from player.net.loop import NetworkLoop


def pages(network: NetworkLoop, credentials: Credentials | None) -> Pages:
    from player.sources.audiobookshelf.episode_pages import EpisodePages

    return EpisodePages(network, credentials)


def source(means: Means) -> Source:
    from player.sources.audiobookshelf.server_podcasts import ServerPodcasts

    return ServerPodcasts(means.credentials)
