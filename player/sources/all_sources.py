"""The sources that Earmark comes with."""

from player.feeds.source import Sources
from player.sources.local.local_audio import LocalAudio
from player.sources.radio.radio_streams import RadioStreams
from player.sources.youtube.channels import YouTubeChannels


def all_sources() -> Sources:
    return Sources((LocalAudio(), RadioStreams()), (YouTubeChannels(),))
