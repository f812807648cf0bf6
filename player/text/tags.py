"""Tags as people write them: separated by commas, several words to a tag."""

import re
from collections.abc import Iterable

from player.text.cleaning import clean_line, fold

MOST_LETTERS = 80
"""Of a tag."""
MOST_TAGS = 50
"""Of a podcast."""
_ENDS = re.compile(r"^[\s/]+|[\s/]+$")


def clean_tag(text: str) -> str:
    """One tag: a line without what separates tags (commas), folders (slashes at its ends) and words that are quoted in
    a search (double quotes). "" for nothing."""
    tag = _ENDS.sub("", clean_line(text.replace(",", " ").replace('"', "'"), MOST_LETTERS))
    return tag if fold(tag) else ""


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Each of them once, without regard to case and accents, as it is written first."""
    found: dict[str, str] = {}
    for tag in filter(None, map(clean_tag, tags)):
        found.setdefault(fold(tag), tag)
        if len(found) == MOST_TAGS:
            break
    return tuple(found.values())


def tags_in(text: str) -> tuple[str, ...]:
    """Those of a text in which they are separated by commas."""
    return clean_tags(text.split(","))
