"""YouTube channels and playlists, where yt-dlp is installed: it finds the audio of a video."""

from __future__ import annotations

from typing import TYPE_CHECKING

from player.feeds.source import Means, Shortcut

if TYPE_CHECKING:
    from player.media.protocol import Pages
    from player.net.credentials import Credentials
    from player.net.loop import NetworkLoop


def pages(_network: NetworkLoop, _credentials: Credentials | None) -> Pages:
    from player.sources.youtube.videos import Videos

    return Videos()


def source(_means: Means) -> Shortcut:
    from player.sources.youtube.videos import YouTubeChannels

    return YouTubeChannels()
