"""Text that is read from right to left, and the marks that say so (UAX #9)."""

import re
import unicodedata

RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\u200f\u2067\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
"""A character of a script that is read from right to left: Hebrew, Arabic, Syriac, Thaana, N'Ko and others."""
MARKS = re.compile("([\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069])")
"""Characters that only say in which direction others are read."""
LRI, RLI, FSI, PDI, LRM = "\u2066", "\u2067", "\u2068", "\u2069", "\u200e"
_FLAGS = range(0x1F1E6, 0x1F200)


def has_right_to_left(text: str) -> bool:
    return not text.isascii() and RIGHT_TO_LEFT.search(text) is not None


def is_right_to_left(text: str) -> bool:
    """Whether its first character with a direction is read from right to left, as the whole text is then.

    The letters of a flag aren't counted, which Unicode reads from left to right.
    """
    if not has_right_to_left(text):
        return False
    for character in without_marks(text):
        direction = unicodedata.bidirectional(character)
        if direction in ("L", "R", "AL") and ord(character) not in _FLAGS:
            return direction != "L"
    return False


def without_marks(text: str) -> str:
    """The text as its author wrote it, without the marks that were put around it to show it."""
    return text if text.isascii() else MARKS.sub("", text)


def isolated(text: str) -> str:
    """The text in an order of its own, whatever is beside it.

    The mark at the end is for terminals that know no isolates: otherwise they would move the next column too.
    """
    return f"{RLI if is_right_to_left(text) else LRI}{without_marks(text)}{PDI}{LRM}"
