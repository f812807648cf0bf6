"""Splits text into words, the same way in the index and in a search, and finds where they are. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

from player.model.filters import Term
from player.text.cleaning import fold

_WORD = re.compile(r"\w+")
# Scripts written without spaces: in the index each letter is a word, and a run of them a phrase.
_UNSPACED_LETTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNSPACED = re.compile(f"[{_UNSPACED_LETTERS}]+")
_TOKEN = re.compile(rf"[{_UNSPACED_LETTERS}]|[^\W_{_UNSPACED_LETTERS}]+")

LOOKED_AT = 200_000
"""Characters of notes that are searched for the words to show in an excerpt: 0.1 s at most."""


def spaced(text: str) -> str:
    """`text` for the index, prepared for what its tokenizer doesn't do."""
    if text.isascii():
        return text
    text = text.replace("ß", "ss")
    return _UNSPACED.sub(lambda run: f" {' '.join(run[0])} ", text)


def words_of(text: str) -> list[str]:
    """The words of a text, folded; folding them again changes nothing."""
    folded = text
    for _ in range(1 if text.isascii() else 3):  # “½” folds to “1⁄2”, two words; “𝐀” to “A”
        folded = " ".join(fold(word) for word in _WORD.findall(spaced(folded).replace("_", " ")))
    return folded.split()


def hits(text: str, terms: Sequence[Term]) -> list[tuple[int, int]]:
    """The matches of a search in a text: (start, end), in order. A phrase only matches as a whole."""
    return Words(text).spans(terms)


def has_word(folded: str, word: str, *, beginning: bool) -> bool:
    """Whether a word, or the beginning of one, is in folded text; a quick test before `Words`, which is exact."""
    at = folded.find(word)
    if _UNSPACED.match(word):
        return at >= 0
    while at >= 0:
        if not (at and _goes_on(folded[at - 1])) and (beginning or not _goes_on(folded[at + len(word) :][:1])):
            return True
        at = folded.find(word, at + 1)
    return False


def _goes_on(letter: str) -> bool:
    """Whether the letter beside a word is part of a longer one."""
    return letter.isalnum() and not _UNSPACED.match(letter)


class Words:
    """The words of a text, split once for any number of terms."""

    def __init__(self, text: str) -> None:
        folded = cache(lambda token: fold(token).replace("ß", "ss"))
        self._tokens: list[str] = []
        self._spans: list[tuple[int, int]] = []
        self._found_at = defaultdict[str, list[int]](list)
        for at, found in enumerate(_TOKEN.finditer(text)):
            self._tokens.append(token := folded(found[0]))
            self._spans.append(found.span())
            self._found_at[token].append(at)

    def spans(self, terms: Sequence[Term]) -> list[tuple[int, int]]:
        """The matches of the terms: (start, end), in order."""
        marked: set[int] = set()
        for term in terms:
            if not term.left_out:
                for at in self._of(term):
                    marked.update(range(at, at + len(term.words)))
        return [self._spans[at] for at in sorted(marked)]

    def have(self, term: Term) -> bool:
        return next(self._of(term), None) is not None

    def first(self, term: Term) -> tuple[int, int] | None:
        """Where the term begins and ends for the first time; None if it isn't there."""
        at = min(self._of(term), default=None)
        return None if at is None else (self._spans[at][0], self._spans[at + len(term.words) - 1][1])

    def _of(self, term: Term) -> Iterator[int]:
        """The words at which a term matches."""
        *head, last = term.words
        if not head:
            for token in self._fitting(last, beginning=term.beginning):
                yield from self._found_at[token]
            return
        for at in self._found_at.get(head[0], ()):
            end = at + len(head)
            if end < len(self._tokens) and self._tokens[at:end] == head:
                token = self._tokens[end]
                if token.startswith(last) if term.beginning else token == last:
                    yield at

    def _fitting(self, word: str, *, beginning: bool) -> list[str]:
        if beginning:
            return [token for token in self._found_at if token.startswith(word)]
        return [word] if word in self._found_at else []


def excerpt(text: str, terms: Sequence[Term], width: int) -> str:
    """About `width` characters of a text around the first match; its beginning if there is none."""
    found = hits(text[:LOOKED_AT], terms)
    start = max(0, found[0][0] - width // 4) if found else 0
    if start:
        start = text.find(" ", start) + 1 or start
    cut = " ".join(text[start : start + width].split())
    return ("…" if start else "") + cut + ("…" if start + width < len(text) else "")
