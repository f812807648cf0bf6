"""What a person types into a search, understood: words, phrases, and filters like `podcast:` or `is:unplayed`. Pure."""

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache

from player.text.cleaning import fold
from player.text.sentences import _

MARKS = ("unplayed", "played", "starred", "in-progress", "downloaded")
"""What `is:` may say."""

FILTERS = ("podcast:", "after:", "before:", "is:", "in:")

_SHORTEST_BEGINNING = 2
"""Letters of a word that may be a beginning: with one letter, a tenth of all words would have to be read."""

_LONGEST = 2_000
"""Characters of a search that are read: more than anybody types."""

_TRANSCRIPT = "transcript"
_PIECE = re.compile(r'(-?)(?:(podcast|after|before|is|in):)?(?:"([^"]*)("?)|(\S+))', re.IGNORECASE)
_WORD = re.compile(r"\w+")
# Scripts written without spaces: each of their letters is a word of its own in the index, and a run of them a phrase.
_UNSPACED_LETTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNSPACED = re.compile(f"[{_UNSPACED_LETTERS}]+")
_MOMENT = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$")


@dataclass(frozen=True, slots=True)
class Term:
    """Words that stand side by side. `beginning`: the last one may go on. `left_out`: it must not be there."""

    words: tuple[str, ...]
    beginning: bool = False
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """`podcasts` are parts of titles, one of which must fit; `after` counts, `before` doesn't. `spoken`: only what is
    said counts, not titles and notes.

    `problems` are sentences on what was not understood, and is left out.
    """

    terms: tuple[Term, ...] = ()
    podcasts: tuple[str, ...] = ()
    after: datetime | None = None
    before: datetime | None = None
    marks: frozenset[str] = field(default_factory=frozenset)
    spoken: bool = False
    problems: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.terms or self.podcasts or self.after or self.before or self.marks or self.spoken)


def understand(text: str) -> Search:
    """All words must be there, in any order, without regard to case and accents; the last may still be in the typing.

    `"quoted words"` stand side by side, `word*` is a beginning, `-word` must not be there.
    """
    terms: list[Term] = []
    podcasts: list[str] = []
    marks: set[str] = set()
    bounds: dict[str, datetime] = {}
    problems: list[str] = []
    spoken = False
    text = text[:_LONGEST]
    for found in _PIECE.finditer(text):
        minus, name, phrase, closing, word = found.groups()
        value = phrase if phrase is not None else word
        last = found.end() == len(text) and not closing
        match (name or "").lower():
            case "":
                if term := _term(value, last=last, left_out=bool(minus)):
                    terms.append(term)
            case "podcast":
                podcasts += [fold(value.strip())] if value.strip() else []
            case "is":
                known = [mark for mark in MARKS if mark.startswith(value.lower().replace("_", "-"))]
                if value.lower() in MARKS:
                    marks.add(value.lower())
                elif not (last and known):
                    problems.append(
                        _(
                            "Unknown filter “{filter}”. Available: {known}.",
                            filter=f"is:{value}",
                            known=", ".join(f"is:{one}" for one in MARKS),
                        )
                    )
            case "in":
                if value.lower() in (_TRANSCRIPT, f"{_TRANSCRIPT}s"):
                    spoken = True
                elif not (last and _TRANSCRIPT.startswith(value.lower())):
                    filters = {"filter": f"in:{value}", "known": f"in:{_TRANSCRIPT}"}
                    problems.append(_("Unknown filter “{filter}”. Available: {known}.", **filters))
            case bound:
                if span := _span(value):
                    bounds[bound] = span[0]
                elif not last:
                    problems.append(
                        _("Invalid date “{date}”. Use 2026, 2026-03 or 2026-03-14.", date=f"{bound}:{value}")
                    )
    if {"played", "unplayed"} <= marks:
        problems.append(_("Nothing is both played and unplayed."))
    kept = tuple(term for term in terms if not term.left_out)
    left_out = tuple(term for term in terms if term.left_out)
    if left_out and not kept:
        problems.append(_("Enter words to search for, not only words to leave out."))
        left_out = ()
    return Search(
        kept + left_out,
        tuple(podcasts),
        bounds.get("after"),
        bounds.get("before"),
        frozenset(marks),
        spoken,
        tuple(problems),
    )


def _term(text: str, *, last: bool, left_out: bool) -> Term | None:
    starred = text.endswith("*")
    words = tuple(words_of(text))
    if not words:
        return None
    return Term(words, (starred or last) and len(words[-1]) >= _SHORTEST_BEGINNING, left_out)


def _span(text: str) -> tuple[datetime, datetime] | None:
    """The first moment of a year, a month or a day, and the last one."""
    if not (found := _MOMENT.match(text.strip())):
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    try:
        start = datetime(year or 0, month or 1, day or 1, tzinfo=UTC)
    except ValueError:
        return None
    days = 1 if day else monthrange(start.year, start.month)[1] if month else 365
    return start, start + timedelta(days=days)


def titled(text: str) -> tuple[tuple[Term, ...], tuple[str, ...]]:
    """What a filter of titles looks for in the index, words that begin so, and what the titles themselves must tell.

    `news c++` looks for what begins with “news” in the index, and in those titles for “c++”.
    """
    terms: list[Term] = []
    parts: list[str] = []
    for part in text[:_LONGEST].split():
        words = tuple(words_of(part))
        if sum(map(len, words)) >= _SHORTEST_BEGINNING:
            terms.append(Term(words, len(words[-1]) >= _SHORTEST_BEGINNING))
        else:
            parts.append(fold(part))
    return tuple(terms), tuple(parts)


# -- words, the same in the index and in a search -------------------------------------------------------------


def spaced(text: str) -> str:
    """`text` for the index: what its tokenizer doesn't do by itself."""
    if text.isascii():
        return text
    text = text.replace("ß", "ss")
    return _UNSPACED.sub(lambda run: f" {' '.join(run[0])} ", text)


def words_of(text: str) -> list[str]:
    """The words of a text, folded."""
    return [fold(word) for word in _WORD.findall(spaced(text).replace("_", " "))]


def expression(terms: Sequence[Term], columns: str = "title notes") -> str:
    """The terms in the language of FTS5; "" when there are none."""
    wanted = [_in_fts(term) for term in terms if not term.left_out]
    if not wanted:
        return ""
    left_out = "".join(f" NOT {_in_fts(term)}" for term in terms if term.left_out)
    return f"{{{columns}}} : (({' AND '.join(wanted)}){left_out})"


def in_titles(terms: Sequence[Term]) -> str:
    """Any of the terms, in a title."""
    return f"title : ({' OR '.join(_in_fts(term) for term in terms if not term.left_out)})"


def _in_fts(term: Term) -> str:
    return f'"{" ".join(term.words)}"{"*" if term.beginning else ""}'


def hits(text: str, terms: Sequence[Term]) -> list[tuple[int, int]]:
    """Where the words of a search stand in a text: (from, to), in order. A phrase counts where all of it stands."""
    folded = cache(lambda token: fold(token).replace("ß", "ss"))
    tokens: list[str] = []
    spans: list[tuple[int, int]] = []
    for found in _TOKEN.finditer(text):
        tokens.append(folded(found[0]))
        spans.append(found.span())
    marked: set[int] = set()
    for term in terms:
        if not term.left_out:
            for at in _places(tokens, term):
                marked.update(range(at, at + len(term.words)))
    return [spans[at] for at in sorted(marked)]


_TOKEN = re.compile(rf"[{_UNSPACED_LETTERS}]|[^\W_{_UNSPACED_LETTERS}]+")


def _places(tokens: Sequence[str], term: Term) -> Iterator[int]:
    """Where a term begins among the tokens of a text."""
    *head, last = term.words
    for at in range(len(tokens) - len(head)):
        if head and (tokens[at] != head[0] or tokens[at : at + len(head)] != head):
            continue
        token = tokens[at + len(head)]
        if token.startswith(last) if term.beginning else token == last:
            yield at


LOOKED_AT = 200_000
"""Characters of notes in which words are looked for that an excerpt shows, in 0.1 s at most."""


def excerpt(text: str, terms: Sequence[Term], width: int) -> str:
    """About `width` characters of a text around the first hit; its beginning where there is none."""
    found = hits(text[:LOOKED_AT], terms)
    start = max(0, found[0][0] - width // 4) if found else 0
    if start:
        start = text.find(" ", start) + 1 or start
    cut = " ".join(text[start : start + width].split())
    return ("…" if start else "") + cut + ("…" if start + width < len(text) else "")
