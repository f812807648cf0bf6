"""The images that the cover of a podcast or an episode is made from."""

from msgspec import Struct

IN_AUDIO = "in-audio:"
"""With this prefix, the `file:` address of an audio file is the address of the picture in it. No feed can name such an
address."""


class CoverArt(Struct, frozen=True):
    """`images` are addresses, the best first: the next one is used if it isn't available. `title` and `feed_url` are
    the podcast's: its initials in its own colour are shown without a picture, and until there is one."""

    title: str
    feed_url: str
    images: tuple[str, ...] = ()


def art_of(title: str, feed_url: str, *images: str, audio: str = "") -> CoverArt:
    """Omits images that are missing or named twice. `audio` is the `file:` address of an audio file that may contain a
    picture, for the case that none of the images is available; "" for none."""
    named = (image for image in images if image and not image.startswith(IN_AUDIO))
    inside = (IN_AUDIO + audio,) if audio else ()
    return CoverArt(title, feed_url, (*dict.fromkeys(named), *inside))
