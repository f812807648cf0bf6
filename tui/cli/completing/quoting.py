"""Words of a shell: what one that is being typed says, and how a name is written so that it says just that."""

from typing import NamedTuple

_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,+%")
_IN_DOUBLE = frozenset('"$`\\')


class Typed(NamedTuple):
    """The text of a word as far as it is typed, and the quotation mark that is still open; "" for none."""

    text: str
    quote: str = ""


def typed(word: str) -> Typed | None:
    """What a word on the command line of bash or fish says. None for one that only the shell can read, or whose
    quotation mark opens in its middle: nothing can be put in there."""
    text, quote, opened_at = "", "", 0
    at = 0
    while at < len(word):
        letter = word[at]
        if quote == "'":
            if letter == "'":
                quote = ""
            else:
                text += letter
        elif letter == "\\":
            at += 1
            after = word[at : at + 1]
            text += after if not quote or after in _IN_DOUBLE else f"\\{after}"
        elif quote == '"':
            if letter == '"':
                quote = ""
            elif letter in "$`":
                return None
            else:
                text += letter
        elif letter in "'\"":
            quote, opened_at = letter, at
        elif letter in "$`":
            return None
        else:
            text += letter
        at += 1
    if quote and opened_at:
        return None
    return Typed(text, quote)


def in_bash(name: str, quote: str) -> str:
    """What is put after an open quotation mark, or as a word of its own. Readline closes the quotation unless its mark
    stands at the end already."""
    if quote == "'":
        text = name.replace("'", "'\\''")
    elif quote:
        # The history is looked up within these, too, and a backslash before its sign would stay.
        escaped = "".join(f"\\{letter}" if letter in _IN_DOUBLE else letter for letter in name)
        text = escaped.replace("!", '"\\!"')
    else:
        return "".join(letter if letter in _SAFE or not letter.isascii() else f"\\{letter}" for letter in name)
    return f"{text}{quote}" if text.endswith(quote) else text
