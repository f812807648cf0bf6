"""Radio streams: a podcast with one live episode."""

from pathlib import Path

from player.feeds.source import Source


def source(_cache: Path | None) -> Source:
    from player.sources.radio.radio_streams import RadioStreams

    return RadioStreams()
