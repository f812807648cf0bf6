"""Covers for the podcasts in the documentation's pictures: abstract, drawn by code, the same at every run."""

import io
from collections.abc import Callable
from math import cos, pi, sin
from time import time
from zlib import crc32

from PIL import Image, ImageDraw

from player.artwork.cache import CachedCover, CoverCache
from player.feeds.check import decide
from player.library import Library
from player.model.feed import Feed, FeedState
from player.model.podcast import PodcastId
from player.paths import Paths

_SIZE = 384
_OVERSIZE = 2
"""Drawn so much larger, so that edges are smooth."""

_Colours = tuple[str, str, str, str]
_PALETTES: tuple[_Colours, ...] = (
    ("#1d1135", "#ee4c2c", "#f7a072", "#ffe8d6"),
    ("#062b3f", "#1aa7a1", "#8fe3c0", "#f4f1de"),
    ("#2b1055", "#7597de", "#d53a9d", "#ffd6e0"),
    ("#10233d", "#f2b134", "#ed553b", "#fdf6e3"),
    ("#1b3a2f", "#5fad56", "#f2c14e", "#f78154"),
)


def give_covers(library: Library, podcasts: dict[str, PodcastId], paths: Paths) -> None:
    """Each of these podcasts has a cover from now on, which is in the cache: nothing is fetched."""
    cache = CoverCache(paths.covers)
    for number, (title, podcast_id) in enumerate(podcasts.items()):
        address = f"https://covers.example/{number}.jpg"
        library.podcasts.apply(podcast_id, Feed(title=title, image_url=address), FeedState(), decide)
        cache.put(CachedCover(address, _as_jpeg(draw(title, number)), checked=time()))


def draw(title: str, number: int) -> Image.Image:
    """The cover of the podcast with that title, `number` among others: its neighbours look different."""
    cells = _SIZE * _OVERSIZE
    image = Image.new("RGB", (cells, cells))
    _FORMS[number % len(_FORMS)](
        ImageDraw.Draw(image), cells, _PALETTES[number % len(_PALETTES)], crc32(title.encode())
    )
    return image.resize((_SIZE, _SIZE), Image.Resampling.LANCZOS)


def _sunset(pen: ImageDraw.ImageDraw, size: int, colours: _Colours, _seed: int) -> None:
    """A sun that sets into its sea."""
    night, glow, evening, light = (tuple(int(one[at : at + 2], 16) for at in (1, 3, 5)) for one in colours)
    for y in range(size):
        share = min(1.0, y / size / 0.7)
        pen.line((0, y, size, y), fill=tuple(round(a + (b - a) * share) for a, b in zip(night, glow, strict=True)))
    pen.ellipse((size * 0.25, size * 0.2, size * 0.75, size * 0.7), fill=light)
    pen.rectangle((0, size * 0.62, size, size), fill=night)
    pen.rectangle((size * 0.32, size * 0.74, size * 0.68, size * 0.84), fill=evening)


def _waves(pen: ImageDraw.ImageDraw, size: int, colours: _Colours, seed: int) -> None:
    """Waves, one before the other, under a moon."""
    pen.rectangle((0, 0, size, size), fill=colours[0])
    pen.ellipse((size * 0.58, size * 0.12, size * 0.84, size * 0.38), fill=colours[3])
    for step in range(3):
        top, turn = size * (0.46 + 0.18 * step), seed % 7 + 2 * step
        line = [(x, top + sin(x / size * 2 * pi * (1 + step % 2) + turn) * size * 0.07) for x in range(0, size + 8, 8)]
        pen.polygon([(0, size), *line, (size, size)], fill=colours[1:][step])


def _bars(pen: ImageDraw.ImageDraw, size: int, colours: _Colours, seed: int) -> None:
    """Bars as loud as a voice."""
    pen.rectangle((0, 0, size, size), fill=colours[0])
    count = 7
    for bar in range(count):
        height = size * (0.22 + 0.6 * abs(sin(bar * 1.3 + seed % 11)))
        left = size * (0.1 + 0.8 * bar / count)
        place = (left, (size - height) / 2, left + size * 0.075, (size + height) / 2)
        pen.rounded_rectangle(place, size * 0.04, fill=colours[1 + bar % 3])


def _petals(pen: ImageDraw.ImageDraw, size: int, colours: _Colours, seed: int) -> None:
    """A flower of circles."""
    pen.rectangle((0, 0, size, size), fill=colours[0])
    for petal in range(8):
        turn = petal * pi / 4 + seed % 5
        x, y, reach = size / 2 + cos(turn) * size * 0.24, size / 2 + sin(turn) * size * 0.24, size * 0.17
        pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=colours[1 + petal % 2])
    pen.ellipse((size * 0.36, size * 0.36, size * 0.64, size * 0.64), fill=colours[3])


_FORMS: tuple[Callable[[ImageDraw.ImageDraw, int, _Colours, int], None], ...] = (_sunset, _waves, _bars, _petals)


def _as_jpeg(image: Image.Image) -> bytes:
    written = io.BytesIO()
    image.save(written, "JPEG", quality=90)
    return written.getvalue()
