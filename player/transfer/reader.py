"""What a reader of another app's file has to do."""

from pathlib import Path
from typing import Protocol

from player.model.foreign import ForeignLibrary

START_BYTES = 64 * 1024
"""How much of a file `recognises` gets."""


class Reader(Protocol):
    """Reads the files of one app. Made for a single file, without state; runs on any thread but the screen's.

    A reader may take texts, numbers and moments as the file has them, if only their types are right
    (`player.text.untrusted_json`): `load` cleans all of them. It bounds what it reads itself: bytes, rows, time.
    """

    def recognises(self, path: Path, start: bytes) -> bool:
        """Whether the file is one of this app's, from its name and its first `START_BYTES`. Never raises."""
        ...

    def read(self, path: Path) -> ForeignLibrary:
        """Everything that can be had. Of what is damaged, or of a version that isn't known, what can be read is read,
        and `left_out` says what is missing. Raises TransferError, with a plain sentence, if there is nothing."""
        ...
