"""Audio on this computer: a folder or a file as a podcast. Nothing here changes a file."""

from pathlib import Path

from player.feeds.source import Source


def source(cache: Path | None) -> Source:
    from player.sources.local.local_audio import LocalAudio

    return LocalAudio(cache / "folders" if cache else None)
