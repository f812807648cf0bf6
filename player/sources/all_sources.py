"""The sources that Earmark comes with."""

from pathlib import Path

from player.feeds.source import Sources
from player.sources.local.local_audio import LocalAudio
from player.sources.radio.radio_streams import RadioStreams
from player.sources.youtube.channels import YouTubeChannels


def all_sources(cache: Path | None = None) -> Sources:
    """`cache` is the cache folder; None: nothing is kept there."""
    return Sources((LocalAudio(cache / "folders" if cache else None), RadioStreams()), (YouTubeChannels(),))
