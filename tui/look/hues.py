"""A podcast's own colour: one of the theme's eight hues, the same one on every screen and at every start."""

from zlib import crc32

HUES = 8
"""How many hues each theme has: `$hue-0` to `$hue-7` in style sheets."""


def hue_of(feed_url: str) -> int:
    """The number of the hue of the podcast with this feed address, from 0 to HUES - 1."""
    return crc32(feed_url.encode("utf-8", "replace")) % HUES
