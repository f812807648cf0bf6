"""Parses what a person types into a search, of episodes or podcasts, completes its last filter, and writes a filter as
such text. Pure.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from player.library.search.words import Words, words_of
from player.model.filters import EVERYTHING, EpisodeFilter, Order, State, Term
from player.model.podcast import Podcast, PodcastId
from player.text.cleaning import fold
from player.text.durations import parse_time, units
from player.text.sentences import _

_SHORTEST_BEGINNING = 2
"""Fewest letters of an incomplete word: with one letter, a tenth of all words would have to be read."""

LONGEST = 2_000
"""Characters of a search that are read: more than anybody types."""

_MOST_SIDE_BY_SIDE = 32
"""The most words of a phrase that are read: for each of them the index looks up where the other words are."""

_TRANSCRIPT = "transcript"
FILTERS = (
    "podcast-id", "podcast", "title", "said", "speaker", "tag", "after", "before", "age", "longer", "shorter",
    "duration", "is", "in", "sort", "limit",
)  # fmt: skip
SORTS = {str(order): order for order in (Order.NEWEST, Order.OLDEST, Order.LONGEST, Order.SHORTEST)}
_COMPARED = re.compile(r"([<>])\s*(.+)", re.DOTALL)
_AGE = re.compile(r"(\d{1,4})([dwmy])", re.ASCII | re.IGNORECASE)
_DAYS_OF = {"d": 1, "w": 7, "m": 30, "y": 365}
_LIMIT = re.compile(r"[1-9]\d{0,5}", re.ASCII)
PIECE = re.compile(rf'(-?)(?:({"|".join(FILTERS)}):)?(?:"([^"]*)("?)|(\S+))', re.IGNORECASE)
"""A piece of a search: a minus, the name of a filter, a phrase and the quotation mark after it, or a word."""
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$")
_ID = re.compile(r"\d{1,15}", re.ASCII)


class Query(Struct, frozen=True):
    """A parsed search. `problems` are sentences about parts that weren't understood and are left out of the filter.

    `order` and `limit` (how many of them, from the top of that order) are None if the text doesn't give them.
    """

    filter: EpisodeFilter = EVERYTHING
    problems: tuple[str, ...] = ()
    order: Order | None = None
    limit: int | None = None


@dataclass(slots=True)
class _Parts:
    """The combined result of the parts of a text."""

    today: date
    terms: list[Term] = field(default_factory=list)
    speakers: list[Term] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    podcasts: set[PodcastId] = field(default_factory=set)
    podcast_titles: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    order: Order | None = None
    limit: int | None = None
    days: dict[str, date] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    states: set[State] = field(default_factory=set)
    in_transcripts: bool = False
    problems: list[str] = field(default_factory=list)


def parse(text: str, today: date | None = None) -> Query:
    """Parses a search. All words must occur, in any order, regardless of case and accents; the last may be incomplete.

    `"quoted words"` must be next to each other, `word*` matches words that begin with it, `-word` must not occur.
    `said:word` must occur in a transcript; with `in:transcript` all words must. Ages are counted in days before `today`
    (UTC): an age of less than a day means published today.
    """
    parts = _Parts(today or datetime.now(UTC).date())
    text = text[:LONGEST]
    for found in PIECE.finditer(text):
        minus, name, phrase, closing, word = found.groups()
        value = phrase if phrase is not None else word
        last = found.end() == len(text) and not closing
        if not name:
            if term := term_of(value, last=last, left_out=bool(minus)):
                parts.terms.append(term)
        elif minus:
            parts.problems.append(_("Only words can be left out, not “{filter}”.", filter=f"{name}:{value}"))
        else:
            _read_filter(parts, name.lower(), value.strip(), last=last)
    if {State.PLAYED, State.UNPLAYED} <= parts.states:
        parts.problems.append(_("Nothing is both played and unplayed."))
    terms = list(dict.fromkeys(replace(term, said=term.said or parts.in_transcripts) for term in parts.terms))
    required = [term for term in terms if not term.left_out]
    left_out = [term for term in terms if term.left_out]
    if left_out and not required:
        parts.problems.append(_("Enter words to search for, not only words to leave out."))
        left_out = []
    chosen = EpisodeFilter(
        terms=(*required, *left_out),
        speakers=tuple(dict.fromkeys(parts.speakers)),
        title=" ".join(parts.titles),
        podcasts=frozenset(parts.podcasts),
        podcast_titles=tuple(parts.podcast_titles),
        tags=tuple(dict.fromkeys(parts.tags)),
        after=parts.days.get("after"),
        before=parts.days.get("before"),
        states=frozenset(parts.states),
        at_least_ms=parts.lengths.get("longer"),
        under_ms=parts.lengths.get("shorter"),
        in_transcripts=parts.in_transcripts,
    )
    return Query(chosen, tuple(parts.problems), parts.order, parts.limit)


def without_words(text: str) -> EpisodeFilter:
    """The filter of a search without its words: the episodes in which it looks for them."""
    return parse(text).filter.without_words


def words_alone(text: str) -> str:
    """The words of a search that has only words, folded; "" for any other search."""
    query = parse(text)
    if query.problems or any(term.left_out or term.said for term in query.filter.terms):
        return ""
    if query != Query(EpisodeFilter(terms=query.filter.terms)):
        return ""
    return " ".join(word for term in query.filter.terms for word in term.words)


def term_of(text: str, *, last: bool, left_out: bool = False) -> Term | None:
    """The words of a piece, of which the `last` may be incomplete; None if it has none."""
    starred = text.endswith("*")
    words = tuple(words_of(text))
    if not words:
        return None
    if len(words) > _MOST_SIDE_BY_SIDE:
        return Term(words[:_MOST_SIDE_BY_SIDE], left_out=left_out)
    return Term(words, (starred or last) and len(words[-1]) >= _SHORTEST_BEGINNING, left_out)


def _read_filter(parts: _Parts, name: str, value: str, *, last: bool) -> None:
    """Reads `name:value`. The `last` filter of a text may still be incomplete, which is no problem."""
    problem = ""
    plain = fold(value)  # normalised like in the completion: a keyboard may type wide letters and digits
    match name:
        case "said":
            term = term_of(value, last=last)
            parts.terms += [replace(term, said=True)] if term else []
        case "speaker":
            term = term_of(value, last=last)
            parts.speakers += [term] if term else []
        case "podcast":
            parts.podcast_titles += [value] if value else []
        case "title":
            parts.titles += value.split()
        case "tag":
            parts.tags += [value] if value else []
        case "podcast-id":
            if _ID.fullmatch(plain):
                parts.podcasts.add(PodcastId(int(plain)))
            else:
                problem = _("Invalid ID “{filter}”. See `earmark podcasts`.", filter=f"{name}:{value}")
        case "is":
            state_name = plain.replace("_", "-")
            if state_name in set(State):
                parts.states.add(State(state_name))
            elif not any(state.startswith(state_name) for state in State) or not last:
                words = {"filter": f"is:{value}", "known": ", ".join(f"is:{state}" for state in State)}
                parts.problems.append(_("Unknown filter “{filter}”. Available: {known}.", **words))
        case "in":
            if plain in (_TRANSCRIPT, f"{_TRANSCRIPT}s"):
                parts.in_transcripts = True
            elif not (last and _TRANSCRIPT.startswith(plain)):
                words = {"filter": f"in:{value}", "known": f"in:{_TRANSCRIPT}"}
                parts.problems.append(_("Unknown filter “{filter}”. Available: {known}.", **words))
        case "sort":
            if plain in SORTS:
                parts.order = SORTS[plain]
            elif not (last and any(known.startswith(plain) for known in SORTS)):
                words = {"filter": f"sort:{value}", "known": ", ".join(f"sort:{known}" for known in SORTS)}
                parts.problems.append(_("Unknown order “{filter}”. Available: {known}.", **words))
        case "limit":
            if _LIMIT.fullmatch(plain):
                parts.limit = int(plain)
            else:
                problem = _("Invalid number “{filter}”. Use limit:50 for the first 50.", filter=f"limit:{value}")
        case "duration":
            try:
                parts.lengths.update(_compared_length(plain))
            except ValueError:
                problem = _(
                    "Invalid length “{length}”. Use duration:<20m or duration:>1h30m.", length=f"duration:{value}"
                )
        case "age":
            if not _read_age(parts, plain):
                problem = _(
                    "Invalid age “{age}”. Use age:<7d or age:>2w, in days (d), weeks (w), months (m) or years (y).",
                    age=f"age:{value}",
                )
        case "longer" | "shorter":
            try:
                parts.lengths[name] = parse_time(plain)
            except ValueError:
                problem = _("Invalid length “{length}”. Use 45m, 1h30m or 1:30:00.", length=f"{name}:{value}")
        case _:
            if day := _first_day(plain):
                _set_day(parts, name, day)
            else:
                problem = _("Invalid date “{date}”. Use 2026, 2026-03 or 2026-03-14.", date=f"{name}:{value}")
    if problem and not last:
        parts.problems.append(problem)


def _compared_length(value: str) -> dict[str, int]:
    """The duration in `<20m` or `>1h`. Raises ValueError."""
    if not (found := _COMPARED.fullmatch(value)):
        raise ValueError(value)
    return {"shorter" if found[1] == "<" else "longer": parse_time(found[2])}


def _read_age(parts: _Parts, value: str) -> bool:
    """Reads `<7d` or `>2w`; False if it is neither."""
    compared = _COMPARED.fullmatch(value)
    age = _AGE.fullmatch(compared[2].strip()) if compared else None
    if compared is None or age is None:
        return False
    days = int(age[1]) * _DAYS_OF[age[2].lower()]
    if compared[1] == "<":
        _set_day(parts, "after", _back(parts.today, days - 1))
    else:
        _set_day(parts, "before", _back(parts.today, days))
    return True


def _set_day(parts: _Parts, name: str, day: date) -> None:
    """Sets a date limit; of several, the narrowest applies."""
    known = parts.days.get(name, day)
    parts.days[name] = max(known, day) if name == "after" else min(known, day)


def _back(today: date, days: int) -> date:
    try:
        return today - timedelta(days=days)
    except OverflowError:
        return date.min


def _first_day(text: str) -> date | None:
    """The first day of a year, a month or a day."""
    if not (found := _DAY.match(text)):
        return None
    try:
        return date(*(int(part or 1) for part in found.groups()))
    except ValueError:
        return None


def titled(text: str) -> tuple[tuple[Term, ...], tuple[str, ...]]:
    """What a title filter looks up in the index (beginnings of words), and what the titles themselves must contain.

    `news c++` looks up words that begin with “news” in the index, and “c++” in the titles found.
    """
    terms: list[Term] = []
    parts: list[str] = []
    for part in text[:LONGEST].split():
        words = tuple(words_of(part))
        if sum(map(len, words)) >= _SHORTEST_BEGINNING:
            terms.append(Term(words[:_MOST_SIDE_BY_SIDE], len(words[-1]) >= _SHORTEST_BEGINNING))
        else:
            parts.append(fold(part))
    return tuple(dict.fromkeys(terms)), tuple(dict.fromkeys(parts))


# -- a filter as text -------------------------------------------------------------------------------------------------


def to_text(chosen: EpisodeFilter) -> str:
    """The text that `parse` understands as this filter.

    Raises ValueError if it would be longer than what `parse` reads.

    A quotation mark can't be written in a value that begins with one or that has spaces too: there it becomes a space.
    """
    pieces = [_written(term, "" if chosen.in_transcripts or not term.said else "said:") for term in chosen.terms]
    pieces += [_written(speaker, "speaker:") for speaker in chosen.speakers]
    pieces += [f"title:{_quoted(part)}" for part in _titles(chosen.title)]
    pieces += [f"podcast:{_quoted(part)}" for part in chosen.podcast_titles]
    pieces += [f"tag:{_quoted(tag)}" for tag in chosen.tags]
    pieces += [f"podcast-id:{one}" for one in sorted(chosen.podcasts)]
    for name, day in (("after", chosen.after), ("before", chosen.before)):
        pieces += [] if day is None else [f"{name}:{day.isoformat()}"]
    for name, length in (("longer", chosen.at_least_ms), ("shorter", chosen.under_ms)):
        pieces += [] if length is None else [f"{name}:{units(length)}"]
    pieces += [f"is:{state}" for state in sorted(chosen.states)]
    pieces += [f"in:{_TRANSCRIPT}"] if chosen.in_transcripts else []
    text = " ".join(pieces)
    if len(text) > LONGEST:
        raise ValueError(f"a filter of {len(text)} characters")
    return text


def _written(term: Term, name: str) -> str:
    """Always in quotation marks: a bare word at the end would be taken for an incomplete one."""
    return f'{"-" if term.left_out else ""}{name}"{" ".join(term.words)}{"*" if term.beginning else ""}"'


def _titles(title: str) -> Iterable[str]:
    return title.split() if '"' in title else [" ".join(title.split())] if title.strip() else []


def _quoted(value: str) -> str:
    if '"' not in value:
        return f'"{value}"'
    bare = not value.startswith('"') and not re.search(r"\s", value)
    return value if bare else _quoted(value.replace('"', " ").strip())


class PodcastState(StrEnum):
    """The values of `is:` in a search of podcasts."""

    UNPLAYED = "unplayed"
    """It has unplayed episodes."""
    PINNED = "pinned"
    ERROR = "error"
    """Its last refresh failed."""


class PodcastQuery(Struct, frozen=True):
    """A podcast must fulfil all conditions. `terms` occur in the titles (the listener's and the feed's) or the author's
    name, each of `titles` in one of the titles; the podcast has one of `tags`, without regard to case."""

    terms: tuple[Term, ...] = ()
    titles: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    states: frozenset[PodcastState] = frozenset()
    problems: tuple[str, ...] = ()

    def fits(self, podcast: Podcast) -> bool:
        titles = fold(f"{podcast.title}\n{podcast.feed_title}")
        words = Words(f"{podcast.title}\n{podcast.feed_title}\n{podcast.author}")
        return (
            all(words.have(term) is not term.left_out for term in self.terms)
            and all(fold(part) in titles for part in self.titles)
            and (not self.tags or bool({*map(fold, self.tags)} & {*map(fold, podcast.tags)}))
            and all(_is(podcast, state) for state in self.states)
        )


def _is(podcast: Podcast, state: PodcastState) -> bool:
    match state:
        case PodcastState.UNPLAYED:
            return podcast.unplayed_count > 0
        case PodcastState.PINNED:
            return podcast.pinned
        case PodcastState.ERROR:
            return podcast.error is not None


def parse_podcasts(text: str) -> PodcastQuery:
    """Words, phrases, `word*`, `-word`, `title:`, `tag:` and `is:`. The other filters are about episodes."""
    terms: list[Term] = []
    titles: list[str] = []
    tags: list[str] = []
    states: set[PodcastState] = set()
    problems: list[str] = []
    for found in PIECE.finditer(text[:LONGEST]):
        minus, name, phrase, _closing, word = found.groups()
        value = (phrase if phrase is not None else word).strip()
        written = f"{name}:{value}"
        match (name or "").lower():
            case "":
                if term := term_of(value, last=False, left_out=bool(minus)):
                    terms.append(term)
            case _ if minus:
                problems.append(_("Only words can be left out, not “{filter}”.", filter=written))
            case "title":
                titles += value.split()
            case "tag":
                tags += [value] if value else []
            case "is" if value.lower() in set(PodcastState):
                states.add(PodcastState(value.lower()))
            case "is":
                known = ", ".join(f"is:{state}" for state in PodcastState)
                problems.append(_("Unknown filter “{filter}”. Available: {known}.", filter=written, known=known))
            case other:
                problems.append(
                    _("“{filter}” is about episodes. Of podcasts: words, title:, tag: and is:.", filter=f"{other}:")
                )
    return PodcastQuery(tuple(terms), tuple(titles), tuple(tags), frozenset(states), tuple(problems))


_QUOTED = re.compile(r'(?:^|\s)([a-z-]+):"([^"]*)$', re.IGNORECASE)
_BARE = re.compile(r'(?:^|\s)([a-z-]+):([^"\s]*)$', re.IGNORECASE)
_NAME = re.compile(r"(?:^|\s)([a-z-]{2,})$", re.IGNORECASE)
_EXAMPLES = {
    "duration": ("<20m", ">1h"), "age": ("<7d", ">4w"), "limit": ("50",), "longer": ("30m",), "shorter": ("1h",),
}  # fmt: skip
_FIXED = {"is": tuple(map(str, State)), "in": ("transcript",), "sort": tuple(SORTS)}


class Names(Struct, frozen=True):
    """Names that filters may refer to, in the order in which they are suggested."""

    podcasts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()

    @classmethod
    def of(cls, podcasts: Iterable[Podcast], tags: Iterable[Iterable[str]], speakers: Iterable[str] = ()) -> Self:
        """`tags` are the tags of each podcast."""
        names = {tag for some in tags for tag in some}
        return cls(tuple(one.title for one in podcasts), tuple(sorted(names, key=str.casefold)), tuple(speakers))


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
            # Part of a podcast's title or of a speaker's name is enough; a tag has to be complete.
            word = one.split(maxsplit=1)[0] if name in ("podcast", "speaker") and one.strip() else one
            if _begins(word, value) and not re.search(r'[\s"]', word):
                return text + word[len(value) :] if len(word) > len(value) else None
        return None
    if found := _NAME.search(text):
        names_of_filters = filters_named(text)
        return f"{text}{names_of_filters[0][len(found[1]) :]}" if names_of_filters else None
    return None


def filters_named(text: str) -> tuple[str, ...]:
    """The filters, as `tag:`, whose names begin with the last word; the shortest first."""
    found = _NAME.search(text)
    matching = (f"{name}:" for name in FILTERS if found and name.startswith(found[1].lower()))
    return tuple(sorted(matching, key=len))


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
        case "speaker":
            found = names.speakers
        case _:
            found = _FIXED.get(name) or _EXAMPLES.get(name, ())
    return (one for one in found if '"' not in one)


def _begins(one: str, value: str) -> bool:
    return fold(one[: len(value)]) == fold(value)
