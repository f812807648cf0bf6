"""Podlove Simple Chapters (podlove.org/simple-chapters), which are in the feed itself."""

import json

from player.model.chapters import Chapter


def read_podlove_chapters(extra: str) -> tuple[Chapter, ...]:
    """From `EpisodeDetails.extra`, where they are clean already."""
    listed = json.loads(extra).get("chapters", ()) if extra else ()
    return tuple(
        Chapter(one["start_ms"], one["title"], url=one.get("href", ""), image_url=one.get("image", ""))
        for one in listed
    )
