"""Filters by title: words and quoted phrases, as listeners type them. Pure."""

import re
from functools import lru_cache

_TERM = re.compile(r'"([^"]*)"?|([^\s"]+)')


def title_passes(title: str, include: str, exclude: str) -> bool:
    """Whether a title has one of the words and phrases to include, if there are any, and none of the ones to
    exclude."""
    if not include and not exclude:
        return True
    from player.library.search.words import words_of

    words = f" {' '.join(words_of(title))} "
    wanted = terms_of(include)
    if wanted and not any(f" {term} " in words for term in wanted):
        return False
    return not any(f" {term} " in words for term in terms_of(exclude))


@lru_cache(32)
def terms_of(text: str) -> tuple[str, ...]:
    """The words, and the phrases in double quotes, of a title filter: folded, one space between words."""
    from player.library.search.words import words_of

    terms = (" ".join(words_of(phrase or word)) for phrase, word in _TERM.findall(text))
    return tuple(term for term in terms if term)
