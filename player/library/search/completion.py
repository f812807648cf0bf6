"""Completes the last filter of a search that is being typed. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import Self

from msgspec import Struct

from player.library.search.query import FILTERS, SORTS
from player.model.filters import State
from player.model.podcast import Podcast
from player.text.cleaning import fold

_QUOTED = re.compile(r'(?:^|\s)([a-z-]+):"([^"]*)$', re.IGNORECASE)
_BARE = re.compile(r'(?:^|\s)([a-z-]+):([^"\s]*)$', re.IGNORECASE)
_NAME = re.compile(r"(?:^|\s)([a-z-]{3,})$", re.IGNORECASE)
_EXAMPLES = {
    "duration": ("<20m", ">1h"), "age": ("<7d", ">4w"), "limit": ("50",), "longer": ("30m",), "shorter": ("1h",),
}  # fmt: skip
_FIXED = {"is": tuple(map(str, State)), "in": ("transcript",), "sort": tuple(SORTS)}


class Names(Struct, frozen=True):
    """Names that filters may refer to, in the order in which they are suggested."""

    podcasts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @classmethod
    def of(cls, podcasts: Iterable[Podcast], tags: Iterable[Iterable[str]]) -> Self:
        """`tags` are the tags of each podcast."""
        names = {tag for some in tags for tag in some}
        return cls(tuple(one.title for one in podcasts), tuple(sorted(names, key=str.casefold)))


def complete(text: str, names: Names) -> str | None:
    """The text with its last filter completed to the first match; None when there is nothing to add."""
    if found := _QUOTED.search(text):
        name, value = found[1].lower(), found[2]
        rest = next((one[len(value) :] for one in _values(name, names) if _begins(one, value)), None)
        return None if rest is None else f'{text}{rest}"'
    if found := _BARE.search(text):
        name, value = found[1].lower(), found[2]
        for one in _values(name, names):
            if not value and re.search(r"\s", one):
                return f'{text}"{one}"'
            # Part of a podcast's title is enough; a tag has to be complete.
            word = one.split(maxsplit=1)[0] if name == "podcast" and one.strip() else one
            if _begins(word, value) and not re.search(r'[\s"]', word):
                return text + word[len(value) :] if len(word) > len(value) else None
        return None
    if found := _NAME.search(text):
        matching = sorted((name for name in FILTERS if name.startswith(found[1].lower())), key=len)
        return f"{text}{matching[0][len(found[1]) :]}:" if matching else None
    return None


def choices(text: str, names: Names) -> tuple[str, ...]:
    """All completions of the last filter, written out; () if the text ends in no filter, or in a complete one."""
    found = _QUOTED.search(text) or _BARE.search(text)
    if found is None:
        return ()
    name, value = found[1].lower(), found[2]
    matching = [one for one in _values(name, names) if _begins(one, value)]
    if any(fold(one) == fold(value) for one in matching):
        return ()
    return tuple(f'{name}:"{one}"' if re.search(r"\s", one) else f"{name}:{one}" for one in matching)


def _values(name: str, names: Names) -> Iterator[str]:
    match name:
        case "podcast":
            found: tuple[str, ...] = names.podcasts
        case "tag":
            found = names.tags
        case _:
            found = _FIXED.get(name) or _EXAMPLES.get(name, ())
    return (one for one in found if '"' not in one)


def _begins(one: str, value: str) -> bool:
    return fold(one[: len(value)]) == fold(value)
