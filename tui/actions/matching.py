"""How well a few typed letters fit a title: in linear time, since titles come from feeds."""

import itertools
import re
from collections.abc import Iterator
from functools import lru_cache

_MOST = 500
"""Letters of a title that are looked at; longer words, such as a page that was pasted, fit none."""


IN_TITLE, AMONG_OTHERS, IN_ONE_PIECE = 2_000.0, 1_000.0, 2.0
"""The least scores of a title with words that begin as the typed ones, of one with such words among its others, and of
one with all that was typed in one piece."""
_WORD = re.compile(r"\w+")


def score(query: str, title: str, also: str = "") -> tuple[float, tuple[int, ...]]:
    """How well a title fits (0: not at all), and which of its letters match. `also`: other words for the same thing.

    Words that begin as those of the title come first, then those that begin as one of its other words, then `match`.
    The first of the other words is as good as a title of that word alone.
    """
    wanted = list(dict.fromkeys(query.casefold().split())) if len(query) <= _MOST else []
    if not wanted:
        return 0.0, ()
    fit, letters = match(query, title)
    begun = list(_WORD.finditer(title[:_MOST]))
    hits = {
        at
        for word in wanted
        for one in begun
        if one.group().casefold().startswith(word)
        for at in range(one.start(), min(one.start() + len(word), one.end()))
    }
    others = also.casefold().split()
    if others[:1] == wanted:
        return IN_TITLE + match(query, others[0])[0], tuple(sorted(hits))
    in_title = [any(one.group().casefold().startswith(word) for one in begun) for word in wanted]
    if all(in_title):
        return IN_TITLE + fit, tuple(sorted(hits))
    if all(there or any(one.startswith(word) for one in others) for word, there in zip(wanted, in_title, strict=True)):
        return AMONG_OTHERS + fit, tuple(sorted(hits))
    return fit, letters


def match(query: str, title: str) -> tuple[float, tuple[int, ...]]:
    """A score, 0 for no match, and which letters of the title match. Case doesn't count.

    What has the query in one piece comes first, best at the start, then at the start of a word; then what has all of
    its letters in this order, those at the starts of words and next to each other before those far apart.
    """
    wanted = _lower("".join(query.split())) if len(query) <= _MOST else ""
    looked_at = _lower(title[:_MOST])
    if not wanted:
        return 0.0, ()
    whole = _lower(query.strip())
    matched = list(_found(looked_at, whole))
    if matched:
        at = next((one for one in matched if _begins_word(looked_at, one)), matched[0])
        rank = 4.0 if at == 0 else 3.0 if _begins_word(looked_at, at) else 2.0
        return rank + len(whole) / (len(looked_at) + 1), tuple(range(at, at + len(whole)))
    letters = _by_words(looked_at, wanted) or _in_order(looked_at, wanted)
    if not letters:
        return 0.0, ()
    word_starts = sum(_begins_word(looked_at, at) for at in letters)
    joined = sum(after == before + 1 for before, after in itertools.pairwise(letters))
    return (word_starts + joined) / (2 * len(letters)) + 1 / (2 + letters[-1] - letters[0]), tuple(letters)


@lru_cache(1_000)
def _lower(text: str) -> str:
    """One letter for each letter, so that an index into it is one into the text."""
    return "".join(letter.lower()[:1] or letter for letter in text)


def _begins_word(text: str, at: int) -> bool:
    return text[at].isalnum() and (at == 0 or not text[at - 1].isalnum())


def _found(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _by_words(text: str, wanted: str) -> list[int]:
    """Each letter right after the one before, or at the start of a later word; [] when it can't be had so."""
    letters: list[int] = []
    later = (at for at in range(len(text)) if _begins_word(text, at))
    for letter in wanted:
        if letters and text[letters[-1] + 1 : letters[-1] + 2] == letter:
            letters.append(letters[-1] + 1)
            continue
        after = letters[-1] if letters else -1
        at = next((one for one in later if one > after and text[one] == letter), None)
        if at is None:
            return []
        letters.append(at)
    return letters


def _in_order(text: str, wanted: str) -> list[int]:
    letters: list[int] = []
    at = -1
    for letter in wanted:
        at = text.find(letter, at + 1)
        if at < 0:
            return []
        letters.append(at)
    return letters
