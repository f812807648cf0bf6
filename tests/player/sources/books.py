"""Audio files with tags, as a listener has them on disk."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mutagen.id3
import mutagen.mp4

from tests.player.chapters.audio import encoded

# Mutagen's classes have types, their methods haven't.
id3: Any = mutagen.id3
mp4: Any = mutagen.mp4

SECONDS = 10


def mp3(path: Path | bytes, sound: str = "", **tags: str) -> Path:
    """Ten seconds. `sound` makes its bytes differ from those of another; without one they differ by name. `tags` are
    title, album, artist, track, disc, comment."""
    file = Path(os.fsdecode(path))
    file.parent.mkdir(parents=True, exist_ok=True)
    # The sound is silence: what tells two of them apart stands behind it, where decoders look for the next frame.
    file.write_bytes(encoded("mp3", "Whole") + (sound or file.name).encode(errors="surrogateescape").ljust(64, b"-"))
    if tags:
        tag(file, tags)
    return file


def tag(file: Path, tags: Mapping[str, str], cover: bytes = b"") -> None:
    """Adds to the tags of an MP3."""
    found = id3.ID3(file)
    frames = {"title": id3.TIT2, "album": id3.TALB, "artist": id3.TPE1, "track": id3.TRCK, "disc": id3.TPOS}
    for name, text in tags.items():
        if name == "comment":
            found.add(id3.COMM(encoding=3, lang="eng", desc="", text=text))
        else:
            found.add(frames[name](encoding=3, text=text))
    if cover:
        found.add(id3.APIC(encoding=3, mime="image/jpeg", type=3, desc="", data=cover))
    found.save(file)


def m4b(file: Path, *chapters: str, title: str = "", album: str = "", artist: str = "") -> Path:
    """Ten seconds, cut into these chapters."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(encoded("m4a", *chapters))
    found = mp4.MP4(file)
    for name, text in (("\xa9nam", title), ("\xa9alb", album), ("\xa9ART", artist)):
        if text:
            found[name] = [text]
    found.save()
    return file
