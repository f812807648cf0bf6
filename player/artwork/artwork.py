"""All of covers that a player has."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from player.artwork.arts import Arts
from player.artwork.pictures import Pictures
from player.library import Library

if TYPE_CHECKING:
    from player.artwork.maker import CoverMaker


class Artwork:
    """`arts` knows what a cover is made from, `pictures` makes it."""

    def __init__(self, library: Library, maker: "Callable[[], CoverMaker]") -> None:
        self.arts = Arts(library)
        self.pictures = Pictures(maker)
