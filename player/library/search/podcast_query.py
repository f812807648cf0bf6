"""Parses what narrows a list of podcasts, in the language of searches, and says which podcasts fit. Pure."""

from enum import StrEnum

from msgspec import Struct

from player.library.search.query import LONGEST, PIECE, term_of
from player.library.search.words import Words
from player.model.filters import Term
from player.model.podcast import Podcast
from player.text.cleaning import fold
from player.text.sentences import _


class PodcastState(StrEnum):
    """What `is:` takes where podcasts are listed."""

    UNPLAYED = "unplayed"
    """It has unplayed episodes."""
    PINNED = "pinned"
    ERROR = "error"
    """Its last refresh failed."""


class PodcastQuery(Struct, frozen=True):
    """All of it must hold. `terms` occur in the titles (the listener's and the feed's) or the author's name, each of
    `titles` in one of the titles; any of `tags` is the podcast's, without regard to case."""

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
