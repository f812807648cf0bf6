"""Audio on this computer: a folder or a file as a podcast. Nothing here changes a file."""

from player.feeds.source import Means, Source


def source(means: Means) -> Source:
    from player.sources.local.local_audio import LocalAudio

    return LocalAudio(means.cache / "folders" if means.cache else None)
