"""The cover of the current episode as an image file, for other programs."""

import hashlib
import logging
from contextlib import suppress
from pathlib import Path

from player import regular_file
from player.artwork.artwork import Arts
from player.artwork.cache import CoverCache
from player.model.episode import Episode

log = logging.getLogger(__name__)

_SUFFIX = ".jpg"


class CoverFile:
    """One thread. The folder has one file at a time, named by a hash of its bytes; nothing is fetched for it."""

    def __init__(self, folder: Path, covers: CoverCache, arts: Arts) -> None:
        self._folder = folder
        self._covers = covers
        self._arts = arts

    def address(self, episode: Episode) -> str:
        """The `file:` address of the episode's cover, or its podcast's; "" if none is cached, or it can't be
        written."""
        art = self._arts.read(episode)
        for url in art.images if art is not None else ():
            if (cached := self._covers.get(url)) is not None:
                return self._written(cached.image)
        return ""

    def _written(self, image: bytes) -> str:
        path = self._folder / (hashlib.blake2b(image, digest_size=12).hexdigest() + _SUFFIX)
        try:
            if not path.exists():
                regular_file.private_folder(self._folder)
                new = path.with_suffix(".new")
                new.touch(0o600)
                new.write_bytes(image)
                for old in self._folder.glob(f"*{_SUFFIX}"):
                    with suppress(OSError):
                        old.unlink()
                new.replace(path)
        except OSError as error:
            log.info("the cover can't be shown on the desktop: %s", error)
            return ""
        return path.as_uri()
