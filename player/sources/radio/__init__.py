"""Radio streams: a podcast with one live episode."""

from player.feeds.source import Means, Source


def source(_means: Means) -> Source:
    from player.sources.radio.radio_streams import RadioStreams

    return RadioStreams()
