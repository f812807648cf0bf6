"""YouTube channels and playlists, where yt-dlp is installed: it finds the audio of a video."""

from pathlib import Path

from player.feeds.source import Shortcut


def source(_cache: Path | None) -> Shortcut:
    from player.sources.youtube.videos import YouTubeChannels

    return YouTubeChannels()
