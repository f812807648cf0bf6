"""The images that the cover of a podcast or an episode is made from, and a picture of one as a terminal shows it: its
requested shape, and its bytes.
"""

from enum import Enum

from msgspec import Struct

from player.model.podcast import PodcastId

LARGEST = 10 * 1024 * 1024
"""Most bytes of an image."""


class Form(Enum):
    BLOCKS = "blocks"
    SIXEL = "sixel"
    KITTY = "kitty"


class Shape(Struct, frozen=True):
    """`columns` by `rows` cells, of `cell_width` by `cell_height` pixels each, which don't matter for BLOCKS.
    `colours`: the most colours of a sixel image."""

    columns: int
    rows: int
    form: Form = Form.BLOCKS
    cell_width: int = 0
    cell_height: int = 0
    colours: int = 0

    @property
    def pixels(self) -> tuple[int, int]:
        return self.columns * self.cell_width, self.rows * self.cell_height


class Picture(Struct, frozen=True):
    """`quarters`: four pixels for each cell, 2 by 2, in RGB of 3 bytes each; line by line over the whole picture.
    `sixels`: a sixel image for each row of cells. `png`: a PNG file with the shape's pixels."""

    shape: Shape
    quarters: bytes
    sixels: tuple[str, ...] = ()
    png: bytes = b""

    @property
    def size(self) -> int:
        """Roughly the number of bytes that it takes in memory."""
        return len(self.quarters) + sum(map(len, self.sixels)) + len(self.png) + 500


class Order(Struct, frozen=True):
    """A task for the process that scales: an `image`, or in `audio` the `file:` address of an audio file that contains
    one. `keep`: whether to return the image as well, in a size that suits all shapes."""

    image: bytes
    shape: Shape
    keep: bool = False
    audio: str = ""


class Scaled(Struct, frozen=True):
    """The answer of the process that scales. `kept` is the image to cache, a JPEG. `problem`: why there is no picture,
    for the log; "" for none."""

    picture: Picture | None = None
    kept: bytes = b""
    problem: str = ""


IN_AUDIO = "in-audio:"
"""With this prefix, the `file:` address of an audio file is the address of the picture in it. No feed can name such an
address."""


class CoverArt(Struct, frozen=True):
    """`images` are addresses, the best first: the next one is used if it isn't available. The others are the podcast's:
    its initials in its own colour are shown without a picture, and until there is one."""

    podcast_id: PodcastId
    title: str
    feed_url: str
    images: tuple[str, ...] = ()


def art_of(podcast_id: PodcastId, title: str, feed_url: str, *images: str, audio: str = "") -> CoverArt:
    """Omits images that are missing or named twice. `audio` is the `file:` address of an audio file that may contain a
    picture, for the case that none of the images is available; "" for none."""
    named = (image for image in images if image and not image.startswith(IN_AUDIO))
    inside = (IN_AUDIO + audio,) if audio else ()
    return CoverArt(podcast_id, title, feed_url, (*dict.fromkeys(named), *inside))
