"""A number of days as people write it: `at once`, `2 days`, `never`."""

import re

from player.text.sentences import _, plural

_DAYS = re.compile(r"(\d{1,4}) ?(?:d|days?)?", re.ASCII | re.IGNORECASE)
_AT_ONCE, _NEVER = ("at once", "now"), ("never", "")


def parse_days(text: str) -> int | None:
    """0 for at once, None for never. Raises ValueError with a sentence."""
    words = " ".join(text.lower().split())
    if words in _AT_ONCE:
        return 0
    if words in _NEVER:
        return None
    found = _DAYS.fullmatch(words)
    if not found:
        raise ValueError(_("use “at once”, “never”, or a number of days like “2 days”"))
    return int(found[1])


def days_in_words(days: int) -> str:
    return plural(days, "{n:,} day", "{n:,} days")
