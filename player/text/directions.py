"""Text that is read from right to left, and the marks for that (UAX #9)."""

import re
import unicodedata

RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\u200f\u2067\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
"""A character of a script that is read from right to left: Hebrew, Arabic, Syriac, Thaana, N'Ko and others."""
MARKS = re.compile("([\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069])")
"""Characters that only set the direction in which other characters are read."""
LRI, RLI, FSI, PDI, LRM = "\u2066", "\u2067", "\u2068", "\u2069", "\u200e"
OPENERS = (LRI, RLI, FSI)
_FLAGS = range(0x1F1E6, 0x1F200)


def has_right_to_left(text: str) -> bool:
    return not text.isascii() and RIGHT_TO_LEFT.search(text) is not None


def is_right_to_left(text: str) -> bool:
    """Whether the first character with a direction is read from right to left, and therefore the whole text.

    An isolate counts only if nothing outside it has a direction: a sentence isn't reversed by the title that it begins
    with (rule P2). The letters of a flag, which Unicode reads from left to right, aren't counted.
    """
    if not has_right_to_left(text):
        return False
    parts = _parts(text)
    if direction := _direction("".join(part for part in parts if part[0] not in OPENERS)):
        return direction != "L"
    isolate = next((part for part in parts if part[0] in OPENERS), LRI)
    return isolate[0] == RLI or (isolate[0] == FSI and _direction(without_marks(isolate)) in ("R", "AL"))


def _direction(text: str) -> str:
    """The class of the first character with a direction: L, R or AL; "" if there is none."""
    classes = (unicodedata.bidirectional(one) for one in text if ord(one) not in _FLAGS)
    return next((one for one in classes if one in ("L", "R", "AL")), "")


def _parts(text: str) -> list[str]:
    """The isolates of a text, each from its opener to its closer, and the text between them, without all other
    marks."""
    parts, depth = [""], 0
    for piece in MARKS.split(text):
        if piece in OPENERS:
            if not depth:
                parts.append("")
            depth += 1
        elif piece == PDI:
            depth -= 1
            if depth < 0:
                depth = 0
                continue
        elif MARKS.match(piece):
            continue
        parts[-1] += piece
        if piece == PDI and not depth:
            parts.append("")
    parts[-1] += PDI * depth
    return [part for part in parts if part]


def without_marks(text: str) -> str:
    """The text as its author wrote it, without the marks that were put around it to show it."""
    return text if text.isascii() else MARKS.sub("", text)


def isolated(text: str) -> str:
    """The text as an isolate: the text around it doesn't affect its order. Isolates inside it stay isolates, and spaces
    around it stay outside. A text that is already isolated stays as it is.

    The mark at the end is for terminals that don't know isolates: otherwise they would move the next column, too.
    """
    inner = text.strip(" ")
    start = len(text) - len(text.lstrip(" "))
    opener = RLI if is_right_to_left(inner) else LRI
    parts = _parts(inner)
    if len(parts) == 1 and parts[0][0] in OPENERS:
        parts = [parts[0][1:-1]]
    return f"{text[:start]}{opener}{''.join(parts)}{PDI}{LRM}{text[start + len(inner) :]}"


def field(value: object) -> object:
    """The value of a field of a sentence; text with right-to-left characters is isolated."""
    if isinstance(value, str) and has_right_to_left(value) and value[0] not in OPENERS:
        return f"{FSI}{value}{PDI}"
    return value
