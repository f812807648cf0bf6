"""What is read from a library is of the kind that was written there. SQLite gives back whatever stands in the file."""

from collections.abc import Iterable


def check_kinds(texts: Iterable[object], numbers: Iterable[object] = ()) -> None:
    """Raises TypeError where one is something else, which `Connections` takes for a sign of damage.

    A number may be missing (None). 1 to 2 µs for nine values.
    """
    for text in texts:
        if text.__class__ is not str:
            raise TypeError(f"{type(text).__name__} instead of a text")
    for number in numbers:
        if number.__class__ is not int and number is not None:
            raise TypeError(f"{type(number).__name__} instead of a whole number")
