"""Names that people type: tags, and suggestions for a name that doesn't exist."""

import re
from collections.abc import Iterable, Sequence

from player.text.cleaning import clean_line, fold
from player.text.sentences import _

MOST_LETTERS = 80
"""The most characters of a tag."""
MOST_TAGS = 50
"""The most tags of a podcast."""
_ENDS = re.compile(r"^[\s/]+|[\s/]+$")


def clean_tag(text: str) -> str:
    """One tag: a line without the separators of tags (commas), of folders (slashes at its ends) and of quoted words in
    a search (double quotes). "" if nothing is left."""
    tag = _ENDS.sub("", clean_line(text.replace(",", " ").replace('"', "'"), MOST_LETTERS))
    return tag if fold(tag) else ""


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Each tag once, without regard to case and accents, in its first spelling."""
    found: dict[str, str] = {}
    for tag in filter(None, map(clean_tag, tags)):
        found.setdefault(fold(tag), tag)
        if len(found) == MOST_TAGS:
            break
    return tuple(found.values())


def tags_in(text: str) -> tuple[str, ...]:
    """The tags in a text, separated by commas."""
    return clean_tags(text.split(","))


def offered(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """Completions of the last tag in a text: first the `known` tags that begin with it, then those that contain it,
    without the tags already in the text."""
    *whole, last = text.split(",")
    prefix, taken = fold(last.strip()), {fold(clean_tag(tag)) for tag in (*whole, last)}
    found = [tag for tag in known if prefix in fold(tag) and fold(tag) not in taken]
    return tuple(sorted(found, key=lambda tag: not fold(tag).startswith(prefix)))


def completed(text: str, tag: str) -> str:
    """The text with `tag` as its last tag, ready for another tag."""
    before, comma, _last = text.rpartition(",")
    return f"{before}{comma}{' ' if comma else ''}{tag}, "


def near_names(name: str, known: Iterable[str], most: int) -> list[str]:
    """The known names that are similar, the most similar first."""
    from difflib import get_close_matches  # only needed after a mistake

    return get_close_matches(name, list(known), most)


def suggestion(name: str, known: Iterable[str]) -> str:
    """` Did you mean “pause”?` if a known name is similar, else ""."""
    near = near_names(name, known, 1)
    return _(" Did you mean “{name}”?", name=near[0]) if near else ""
