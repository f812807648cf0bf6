"""What the cover of a podcast or an episode is made from."""

from msgspec import Struct

IN_AUDIO = "in-audio:"
"""Before the `file:` address of an audio file, the address of the picture in it. No feed can name one."""


class CoverArt(Struct, frozen=True):
    """`images` are addresses, the best first: those after it are for when it can't be had. `title` and `feed_url` are
    the podcast's: initials in its own colour are shown without a picture, and until there is one."""

    title: str
    feed_url: str
    images: tuple[str, ...] = ()


def art_of(title: str, feed_url: str, *images: str, audio: str = "") -> CoverArt:
    """Without images that are missing or named twice. `audio` is the `file:` address of a file that the picture may be
    in, if none of the images can be had; "" for none."""
    named = (image for image in images if image and not image.startswith(IN_AUDIO))
    inside = (IN_AUDIO + audio,) if audio else ()
    return CoverArt(title, feed_url, (*dict.fromkeys(named), *inside))
