"""Whatever a filter asks, SQL finds the episodes that plain Python finds, wherever the filter is used."""

import random
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from player.library import Attachment, AttachmentKind, Library
from player.library.lists import compiler
from player.library.lists import listing as first_rows
from player.library.lists import listing as listings
from player.library.search.query import SORTS, parse, to_text
from player.model.episode import EpisodeId
from player.model.filters import EVERYTHING, EpisodeFilter, Order, State, Term, View
from player.model.podcast import PodcastId
from player.text.cleaning import fold
from tests.player.library.helpers import NEWEST, apply_feed, episode
from tests.quick import examples

WORDS = ("red", "green", "reed", "blue", "café")
TAGS = {"Red Show": ("Work",), "Éclair": ("work", "Café")}
SHOWS = ("Red Show", "The other show", "Éclair")
EPISODES = 25
SPEAKERS = ("Ann Lee", "Bo")
LENGTHS = (None, 1_800_000, 2_000_000)


class Facts(Struct, frozen=True):
    """All that a filter may ask of an episode."""

    id: EpisodeId
    podcast_id: PodcastId
    podcast: str
    title: str
    notes: str
    spoken: tuple[tuple[str, str], ...] | None
    """The lines of its transcript, each with its speaker."""
    published: datetime
    length_ms: int | None
    states: frozenset[State]
    heard_at: datetime | None
    rank: int | None = None
    """In the queue."""


Stock = tuple[Library, list[Facts]]


@pytest.fixture
def stock(library: Library) -> Stock:
    """Three shows, with titles, notes and transcripts of few words, and marks at random."""
    dice = random.Random(1)
    facts: list[Facts] = []
    for name in SHOWS:
        podcast = library.podcasts.add(f"https://{fold(name.split()[0])}.example", name)
        library.shelf.set_tags(podcast.id, TAGS.get(name, ()))
        texts = [tuple(" ".join(dice.choices(WORDS, k=3)) for _ in range(2)) for _ in range(EPISODES)]
        moments = [NEWEST - timedelta(days=dice.randrange(12), seconds=dice.randrange(2)) for _ in range(EPISODES)]
        items = [
            episode(
                at, title=title, notes=f"<p>{notes}</p>", published=moments[at], duration_ms=LENGTHS[at % len(LENGTHS)]
            )
            for at, (title, notes) in enumerate(texts)
        ]
        ids = apply_feed(library, podcast, *items, title=name).new
        for at, (one, (title, notes)) in enumerate(zip(ids, texts, strict=True)):
            states, heard_at = _mark(library, one, dice)
            spoken = _say(library, one, dice) if dice.random() < 0.3 else None
            length = LENGTHS[at % len(LENGTHS)]
            facts.append(Facts(one, podcast.id, name, title, notes, spoken, moments[at], length, states, heard_at))
    queued = dice.sample(facts, 20)
    library.queue.add_last([one.id for one in queued])
    new = dice.sample(facts, 20)
    library.inbox.remove([one.id for one in facts])  # the latest of each podcast came by itself
    library.inbox.add([one.id for one in new])
    for at, fact in enumerate(facts):
        rank = queued.index(fact) if fact in queued else None
        more = {State.QUEUED: fact in queued, State.NEW: fact in new}
        facts[at] = replace(fact, rank=rank, states=fact.states | {state for state, on in more.items() if on})
    assert library.search.catch_up()
    library.podcasts.remove(library.podcasts.find("Welcome").id)
    return library, facts


def _mark(library: Library, one: EpisodeId, dice: random.Random) -> tuple[frozenset[State], datetime | None]:
    states = {State.PLAYED if dice.random() < 0.4 else State.UNPLAYED}
    library.episodes.set_played([one], State.PLAYED in states)
    if dice.random() < 0.3:
        library.episodes.set_starred([one], True)
        states.add(State.STARRED)
    if dice.random() < 0.3:
        library.downloads.put(one, Path("/somewhere"))
        states.add(State.DOWNLOADED)
    if dice.random() < 0.6:
        return frozenset(states), None
    position_ms, heard_at = dice.choice([0, 5000]), NEWEST + timedelta(minutes=dice.randrange(20))
    library.progress.save(one, position_ms, None, heard_at)
    if position_ms and State.UNPLAYED in states:
        states.add(State.IN_PROGRESS)
    return frozenset(states), heard_at


def _say(library: Library, one: EpisodeId, dice: random.Random) -> tuple[tuple[str, str], ...]:
    lines = [(dice.choice(SPEAKERS), " ".join(dice.choices(WORDS, k=2))) for _ in range(3)]
    cues = [f"00:0{at}.000 --> 00:0{at + 1}.000\n<v {name}>{words}\n" for at, (name, words) in enumerate(lines)]
    body = "\n".join(["WEBVTT\n", *cues]).encode()
    attachment = Attachment(AttachmentKind.TRANSCRIPT, "https://x.example/t", body, "text/vtt")
    library.attachments.put(one, attachment, datetime.now(UTC))
    return tuple(lines)


# -- the same in Python -----------------------------------------------------------------------------------------------


def fits(chosen: EpisodeFilter, one: Facts) -> bool:
    titles = [fold(part) for part in chosen.podcast_titles]
    return (
        _words_fit(chosen, one)
        and all(part in fold(one.title) for part in fold(chosen.title).split())
        and all(part in fold(one.title) or part in fold(one.podcast) for part in fold(chosen.names).split())
        and (not chosen.podcasts or one.podcast_id in chosen.podcasts)
        and (not titles or any(part in fold(one.podcast) for part in titles))
        and (not chosen.tags or bool({*map(fold, chosen.tags)} & {*map(fold, TAGS.get(one.podcast, ()))}))
        and (chosen.after is None or one.published.date() >= chosen.after)
        and (chosen.before is None or one.published.date() < chosen.before)
        and chosen.states <= one.states
        and (chosen.at_least_ms is None or (one.length_ms is not None and one.length_ms >= chosen.at_least_ms))
        and (chosen.under_ms is None or (one.length_ms is not None and one.length_ms < chosen.under_ms))
        and (chosen.here is None or State.DOWNLOADED in one.states or one.id in chosen.here)
    )


def _words_fit(chosen: EpisodeFilter, one: Facts) -> bool:
    if chosen.speakers:
        return any(_says(chosen, name, one.spoken or ()) for name in SPEAKERS)
    written = one.title, one.notes
    if one.spoken is not None and _all_in(chosen.terms, written, (" ".join(words for _name, words in one.spoken),)):
        return True
    return not chosen.in_transcripts and _all_in(chosen.terms, written, ())


def _says(chosen: EpisodeFilter, name: str, spoken: tuple[tuple[str, str], ...]) -> bool:
    """Lines of one speaker that follow each other are one text."""
    turns = [" ".join(words for _name, words in lines) for who, lines in groupby(spoken, itemgetter(0)) if who == name]
    named = any(_stands_in(speaker, name) for speaker in chosen.speakers)
    return bool(turns) and named and _all_in(chosen.terms, tuple(turns), tuple(turns))


def _all_in(terms: tuple[Term, ...], written: tuple[str, ...], said: tuple[str, ...]) -> bool:
    def is_in(term: Term) -> bool:
        return any(_stands_in(term, text) for text in (said if term.said else written + said))

    return all(is_in(term) is not term.left_out for term in terms)


def _stands_in(term: Term, text: str) -> bool:
    words = fold(text).split()
    size = len(term.words)
    runs = (words[at : at + size] for at in range(len(words) - size + 1))
    *head, last = term.words
    return any(run[:-1] == head and (run[-1].startswith(last) if term.beginning else run[-1] == last) for run in runs)


def _length(one: Facts) -> int:
    return one.length_ms or 0


def in_order(facts: list[Facts], order: Order) -> list[EpisodeId]:
    never = datetime.min.replace(tzinfo=UTC)
    facts = sorted(facts, key=lambda one: one.id)
    if order is Order.QUEUE:
        return [one.id for one in sorted(facts, key=lambda one: (one.rank is None, one.rank))]
    if order is Order.OLDEST:
        return in_order(facts, Order.NEWEST)[::-1]
    if order in (Order.LONGEST, Order.SHORTEST):
        newest = sorted(facts, key=lambda one: one.published, reverse=True)
        known = [one for one in newest if one.length_ms is not None]
        unknown = [one.id for one in newest if one.length_ms is None]
        return [one.id for one in sorted(known, key=_length, reverse=order is Order.LONGEST)] + unknown
    by = (lambda one: one.heard_at or never) if order is Order.LAST_HEARD else (lambda one: one.published)
    return [one.id for one in sorted(facts, key=by, reverse=True)]


# -- filters ----------------------------------------------------------------------------------------------------------

BARE = st.sampled_from([fold(word) for word in WORDS])
TERM = st.one_of(
    st.builds(Term, st.lists(BARE, min_size=1, max_size=2).map(tuple), left_out=st.booleans(), said=st.booleans()),
    st.builds(Term, st.sampled_from([("re",), ("red", "gre"), ("ca",)]), st.just(True), st.booleans(), st.booleans()),
)
SPEAKER = st.sampled_from([Term(("ann",)), Term(("ann", "le"), beginning=True), Term(("bo",)), Term(("nobody",))])


def _with_one_to_find(terms: list[Term]) -> tuple[Term, ...]:
    """Only what is left out is no search."""
    return tuple(sorted(terms, key=lambda term: term.left_out)) if any(not one.left_out for one in terms) else ()


def _as_typed(chosen: EpisodeFilter) -> EpisodeFilter:
    """`in:transcript` is about all words, and `said:` can't be left out."""
    said = chosen.in_transcripts
    terms = [replace(term, said=said or (term.said and not term.left_out)) for term in chosen.terms]
    return replace(chosen, terms=tuple(dict.fromkeys(terms)))


DAYS = st.none() | st.dates(date(2026, 2, 16), date(2026, 3, 3))
FILTERS = st.builds(
    EpisodeFilter,
    terms=st.just(()) | st.lists(TERM, max_size=3, unique=True).map(_with_one_to_find),
    speakers=st.just(()) | st.lists(SPEAKER, max_size=2, unique=True).map(tuple),
    title=st.sampled_from(["", "", "re", "RED ee", "é", "%", "_"]),
    podcasts=st.just(frozenset()) | st.frozensets(st.sampled_from([3, 4, 5, 99]).map(PodcastId), max_size=3),
    podcast_titles=st.sampled_from([(), (), ("ecl",), ("SHOW",), ("red", "écl"), ("nobody",)]),
    tags=st.sampled_from([(), (), ("work",), ("WORK", "cafe"), ("cafe",), ("nobody",)]),
    after=DAYS,
    before=DAYS,
    states=st.frozensets(st.sampled_from(State), max_size=2),
    at_least_ms=st.sampled_from([None, None, 0, 1_800_000, 1_800_001]),
    under_ms=st.sampled_from([None, None, 1_800_000, 2_000_001]),
    in_transcripts=st.sampled_from([False, False, True]),
).map(_as_typed)
#: Most filters at random find nothing: these ask for little at a time.
NARROW = st.sampled_from(
    ["terms", "title", "podcasts", "podcast_titles", "tags", "after", "before", "states", "at_least_ms"]
)
SOME = st.builds(
    lambda chosen, names: _as_typed(replace(EVERYTHING, **{name: getattr(chosen, name) for name in names})),
    FILTERS,
    st.sets(NARROW | st.sampled_from(["under_ms", "in_transcripts", "speakers"]), max_size=3),
)
ONCE = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@ONCE
@given(
    chosen=SOME | FILTERS,
    names=st.sampled_from(["", "", "re", "red ECL", "é", "show", "nobody"]),
    here=st.none() | st.frozensets(st.integers(1, 3 * EPISODES).map(EpisodeId), max_size=9),
    order=st.sampled_from(Order),
    limit=st.none() | st.integers(1, 9),
)
@example(EpisodeFilter(states=frozenset({State.NEW, State.UNPLAYED})), "", None, Order.NEWEST, None)
def test_a_list_has_what_the_filter_lets_through_in_its_order(
    stock: Stock, chosen: EpisodeFilter, names: str, here: frozenset[EpisodeId] | None, order: Order, limit: int | None
) -> None:
    library, facts = stock
    chosen = replace(chosen, names=names, here=here)
    expected = in_order([one for one in facts if fits(chosen, one)], order)
    event("finds some" if expected else "finds none")
    view = View(filter=chosen, order=order)
    if chosen.needs_words:
        assert library.listing(view).page(0, 999).tolist() == expected
        return
    assert library.episodes.ids(view, limit).tolist() == expected[:limit]
    listing = library.episodes.listing(view)
    assert len(listing) == len(expected)
    assert listing.page(0, 999).tolist() == expected
    assert [listing.rank(one) for one in expected] == [*range(len(expected))]


@ONCE
@given(chosen=SOME | FILTERS, best=st.booleans(), newest=st.sampled_from([1, 9, 40, 20_000]), limit=st.integers(1, 9))
@example(EpisodeFilter(in_transcripts=True, states=frozenset({State.DOWNLOADED})), False, 9, 9)
@example(EpisodeFilter(in_transcripts=True, podcast_titles=("show",)), False, 9, 9)
@example(EpisodeFilter((Term(("red", "green"), said=True), Term(("re",), beginning=True))), True, 9, 9)
@example(EpisodeFilter((Term(("red", "green")),), (Term(("ann", "lee")),)), False, 9, 9)
@example(EpisodeFilter(speakers=(Term(("bo",)), Term(("ann",))), states=frozenset({State.DOWNLOADED})), False, 9, 9)
@example(EpisodeFilter((Term(("red",)), Term(("red", "gre"), beginning=True, left_out=True))), True, 9, 9)
@example(EpisodeFilter(states=frozenset({State.PLAYED}), after=date(2026, 2, 25)), False, 9, 9)
@example(EpisodeFilter(states=frozenset({State.NEW, State.UNPLAYED})), False, 1, 1)
def test_a_search_finds_the_same_and_so_does_the_filter_as_text(
    stock: Stock, chosen: EpisodeFilter, best: bool, newest: int, limit: int
) -> None:
    """However many of the newest are looked at first, and however few are asked for."""
    library, facts = stock
    expected = {one.id: one.published for one in facts if fits(chosen, one)}
    event("finds some" if expected else "finds none")
    found = library.search.ids(chosen, 999, best=best).tolist()
    assert sorted(found) == sorted(expected)
    moments = [expected[EpisodeId(one)] for one in found]
    assert best or moments == sorted(moments, reverse=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_rows, "_NEWEST_FIRST", newest)
        assert library.search.ids(chosen, limit, best=best).tolist() == found[:limit]
        assert sorted(library.search.ids(chosen, 999, best=best)) == sorted(expected)
    assert parse(to_text(chosen)).filter == chosen
    if chosen != EVERYTHING:
        assert library.search.find(to_text(chosen), 999, best=best).ids.tolist() == found


@ONCE
@given(chosen=SOME | FILTERS, order=st.sampled_from(list(SORTS.values())), limit=st.integers(1, 30))
@example(EpisodeFilter(states=frozenset({State.NEW, State.UNPLAYED})), Order.NEWEST, 1)
def test_a_query_sorts_and_limits_what_its_filter_finds(
    stock: Stock, chosen: EpisodeFilter, order: Order, limit: int
) -> None:
    library, facts = stock
    expected = in_order([one for one in facts if fits(chosen, one)], order)
    event("finds some" if expected else "finds none")
    text = f"{to_text(chosen)} sort:{order}"
    every = library.search.find(text, 999).ids.tolist()
    if order is Order.NEWEST:  # of one moment the index of words has the last first
        moments = {one.id: one.published for one in facts}
        assert sorted(every, key=lambda one: moments[EpisodeId(one)], reverse=True) == every
        assert sorted(every) == sorted(expected)
    else:
        assert every == expected
    found = library.search.find(f"{text} limit:{limit}", 999)
    assert (found.ids.tolist(), found.more) == (every[:limit], False)


@ONCE
@given(chosen=SOME | FILTERS, order=st.sampled_from(Order), seed=st.integers(0, 9))
@example(EpisodeFilter(states=frozenset({State.IN_PROGRESS})), Order.NEWEST, 1)
def test_of_some_episodes_a_filter_lets_through_the_same(
    stock: Stock, chosen: EpisodeFilter, order: Order, seed: int
) -> None:
    library, facts = stock
    dice = random.Random(seed)
    chosen = chosen.without_words
    some = [one for one in facts if dice.random() < 0.5]
    expected = in_order([one for one in some if fits(chosen, one)], order)
    ids = [one.id for one in some] * 2
    assert library.episodes.among(ids, View(filter=chosen, order=order)).ids.tolist() == expected


@ONCE
@given(chosen=SOME, order=st.sampled_from(compiler.BY_DATE))
def test_what_is_counted_without_reading_is_what_is_there(stock: Stock, chosen: EpisodeFilter, order: Order) -> None:
    """Small pages and strides: marks of rows are laid and used."""
    library, facts = stock
    if not compiler.is_indexed(chosen):
        chosen = EpisodeFilter(podcasts=frozenset(list(chosen.podcasts)[:1]), states=chosen.states & {State.UNPLAYED})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listings, "_STRIDE", 7)
        patch.setattr(listings, "PAGE", 5)
        listing = library.episodes.listing(View(filter=chosen, order=order))
        assert isinstance(listing, listings.IndexedList if order is Order.NEWEST else listings.Reversed)
        expected = in_order([one for one in facts if fits(chosen, one)], order)
        assert listing.page(0, 999).tolist() == expected
        assert [listing.rank(one) for one in expected] == [*range(len(listing))]
