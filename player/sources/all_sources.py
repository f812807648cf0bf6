"""The sources that Earmark comes with."""

from player.feeds.source import Sources
from player.sources.local.local_audio import LocalAudio


def all_sources() -> Sources:
    return Sources((LocalAudio(),))
