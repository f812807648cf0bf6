"""Checks that values read from a library have the types that were written.

SQLite returns whatever the file contains.
"""

from collections.abc import Iterable


def check_kinds(texts: Iterable[object], numbers: Iterable[object] = ()) -> None:
    """Raises TypeError for a value of another type, which `Connections` takes as a sign of damage.

    A number may be missing (None). Takes 1 to 2 µs for nine values.
    """
    for text in texts:
        if text.__class__ is not str:
            raise TypeError(f"{type(text).__name__} instead of a text")
    for number in numbers:
        if number.__class__ is not int and number is not None:
            raise TypeError(f"{type(number).__name__} instead of a whole number")
