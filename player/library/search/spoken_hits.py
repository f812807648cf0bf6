"""Where the words of a search are said in an episode: the sentences that have them. Pure."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from player.library.search.transcript_index import Texts
from player.library.search.words import Words, has_word
from player.links.urls import link_at, without_secrets
from player.model.episode import Episode
from player.model.filters import Term
from player.text.cleaning import fold
from player.text.durations import clock

MOST = 100
"""The most hits of an episode."""


class SpokenHit(NamedTuple):
    """A sentence, and those before and after it; "" at the ends of the transcript. `at_ms` is when it begins, None if
    that isn't known. `line` is its number in the transcript, and `begin` the character of its first found word."""

    text: str
    before: str
    after: str
    at_ms: int | None
    speaker: str
    line: int
    begin: int


class _Place(NamedTuple):
    """How many of the terms begin in a line, where the first of them begins, and whether one goes on in the next
    line."""

    terms: int
    begin: int
    goes_on: bool


def spoken_hits(texts: Texts, terms: Sequence[Term], by: Sequence[Term] = (), most: int = MOST) -> list[SpokenHit]:
    """The sentences that have the most of the terms, in order. With speakers (`by`) only theirs count; without terms
    a hit is where one of them begins to speak."""
    lines = texts.transcript.split("\n")
    return [_hit(texts, lines, line, place) for line, place in islice(_places(texts, lines, terms, by), most)]


def link_to(hit: SpokenHit, episode: Episode) -> str:
    """A link to the moment in the episode's page, else in its audio; "" if neither is on the web."""
    return link_at(without_secrets(episode.link or episode.url), hit.at_ms)


def quotation(hit: SpokenHit, episode: Episode) -> str:
    """The sentence, then who says it, where and when, and a link to that moment."""
    time = "" if hit.at_ms is None else clock(hit.at_ms)
    source = ", ".join(filter(None, (hit.speaker, episode.title, episode.podcast, time)))
    return "\n".join(filter(None, (f"“{hit.text}”", f"— {source}", link_to(hit, episode))))


def _hit(texts: Texts, lines: Sequence[str], line: int, place: _Place) -> SpokenHit:
    after = line + 1 + place.goes_on
    return SpokenHit(
        " ".join(lines[line:after]),
        lines[line - 1] if line else "",
        lines[after] if after < len(lines) else "",
        texts.starts_ms[line],
        texts.speakers[line],
        line,
        place.begin,
    )


def _places(
    texts: Texts, lines: Sequence[str], terms: Sequence[Term], by: Sequence[Term]
) -> Iterator[tuple[int, _Place]]:
    wanted = [term for term in terms if not term.left_out]
    wanted = [term for term in wanted if term.said] or wanted
    counted: Collection[int] = _lines_by(texts.speakers, by) if by else range(len(lines))
    if not wanted:
        turns = (line for line in counted if not line or texts.speakers[line] != texts.speakers[line - 1])
        yield from ((line, _Place(0, 0, goes_on=False)) for line in turns if by)
        return
    likely = _likely(texts.transcript, wanted, counted)
    place_at = cache(lambda line: _place(lines, line, wanted, counted))
    for number in range(len(wanted), 0, -1):
        found = False
        for line in likely(number):
            place = place_at(line)
            if place.terms == number:
                found = True
                yield line, place
        if found:
            return


def _lines_by(speakers: Sequence[str], by: Sequence[Term]) -> dict[int, str]:
    names = {name for name in {*speakers} if any(Words(name).have(term) for term in by)}
    return {line: speaker for line, speaker in enumerate(speakers) if speaker in names}


def _likely(transcript: str, terms: Sequence[Term], counted: Collection[int]) -> Callable[[int], Iterable[int]]:
    """A function that returns the lines in which so many of the terms may begin, in order; most lines fail this test,
    which is quick."""
    folded = transcript.lower() if transcript.isascii() else "\n".join(map(fold, transcript.split("\n")))

    def lines_of(term: Term) -> Iterator[int]:
        first, *rest = term.words
        beginning = term.beginning and not rest
        line = start = 0
        while (at := folded.find(first, start)) >= 0:
            line += folded.count("\n", start, at)
            begin, start = folded.rfind("\n", 0, at) + 1, _line_end(folded, at)
            here = folded[begin:start]
            both = folded[begin : _line_end(folded, start + 1)] if rest else here
            if line in counted and has_word(here, first, beginning=beginning) and all(word in both for word in rest):
                yield line

    if len(terms) == 1:
        return lambda _number: lines_of(terms[0])
    counts = Counter(line for term in terms for line in lines_of(term))
    return lambda number: sorted(line for line, count in counts.items() if count >= number)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _place(lines: Sequence[str], line: int, terms: Sequence[Term], counted: Collection[int]) -> _Place:
    long = any(len(term.words) > 1 for term in terms) and line + 1 < len(lines) and line + 1 in counted
    words, length = Words(" ".join(lines[line : line + 1 + long])), len(lines[line])
    found = [span for term in terms if (span := words.first(term)) and span[0] < length]
    return _Place(len(found), min((span[0] for span in found), default=0), any(end > length for _, end in found))
