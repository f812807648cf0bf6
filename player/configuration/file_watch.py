"""Sees that config.toml was saved, by looking at it now and then: one `stat`, no more."""

from collections.abc import Callable
from pathlib import Path

from player.settings import Settings
from player.settings_file import Read, read_settings

State = tuple[int, int, int] | None
"""When it was changed, its size and number; None where there is no such file."""


class FileWatch:
    """From when it is made; `look` is for one thread."""

    def __init__(self, path: Path, state: Callable[[Path], State] | None = None) -> None:
        self._path = path
        self._state = state or state_of
        self._read = self._seen = self._state(path)

    def look(self, before: Settings) -> Read | None:
        """What the file says where it is other than at the last look but one; None where it isn't, or is being written.

        What is mistaken stays as it was `before`.
        """
        now = self._state(self._path)
        last, self._seen = self._seen, now
        # An editor moves the old file away, or writes the new one in parts: it has to be the same twice.
        if now == self._read or now != last:
            return None
        self._read = now
        return read_settings(self._path, before)


def state_of(path: Path) -> State:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
