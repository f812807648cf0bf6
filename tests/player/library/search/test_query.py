"""What a search is understood to mean."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.library.lists.compiler import expression
from player.library.search.query import parse, titled, to_text, words_alone
from player.library.search.words import excerpt, hits
from player.model.filters import EVERYTHING, EpisodeFilter, Order, State, Term
from player.model.podcast import PodcastId
from player.text.durations import units

TODAY = date(2026, 3, 10)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("graphs ", [Term(("graphs",))]),
        ("graphs", [Term(("graphs",), beginning=True)]),
        ("two words ", [Term(("two",)), Term(("words",))]),
        ('"quick brown" ', [Term(("quick", "brown"))]),
        ('"quick bro', [Term(("quick", "bro"), beginning=True)]),
        ("comp* graph ", [Term(("comp",), beginning=True), Term(("graph",))]),
        ("-ads quick ", [Term(("quick",)), Term(("ads",), left_out=True)]),
        ("CAFÉ Straße ", [Term(("cafe",)), Term(("strasse",))]),
        ("c++ 100% ", [Term(("c",)), Term(("100",))]),
        ("post-grad ", [Term(("post", "grad"))]),
        ("東京 ", [Term(("東", "京"))]),
        ("x", [Term(("x",))]),
        ("% - * \"\" ''", []),
    ],
)
def test_words_phrases_and_beginnings(text: str, terms: list[Term]) -> None:
    assert list(parse(text).filter.terms) == terms


@pytest.mark.parametrize(
    ("text", "terms", "parts"),
    [
        ("Comp auto", (Term(("comp",), beginning=True), Term(("auto",), beginning=True)), ()),
        ("ai", (Term(("ai",), beginning=True),), ()),
        ("it's", (Term(("it", "s")),), ()),
        ("e-mai", (Term(("e", "mai"), beginning=True),), ()),
        ("東京", (Term(("東", "京")),), ()),
        ("News C++", (Term(("news",), beginning=True),), ("c++",)),
        ("x 5 %", (), ("x", "5", "%")),
    ],
)
def test_what_a_filter_looks_for_in_the_index_and_in_the_titles(
    text: str, terms: tuple[Term, ...], parts: tuple[str, ...]
) -> None:
    assert titled(text) == (terms, parts)


def test_what_is_said_may_be_all_that_counts() -> None:
    said = Term(("news",), said=True)
    assert parse("in:transcript news ").filter == EpisodeFilter((said,), in_transcripts=True)
    assert parse("in:Transcripts").filter == EpisodeFilter(in_transcripts=True)
    assert not parse("transcript news").filter.in_transcripts
    assert parse("said:news x ").filter.terms == (said, Term(("x",)))
    assert parse('SAID:"No, Café*" ').filter.terms == (Term(("no", "cafe"), beginning=True, said=True),)
    assert parse('news said:"the ne').filter.terms[1] == Term(("the", "ne"), beginning=True, said=True), "being typed"
    assert words_alone("said:news") == ""


def test_who_says_it() -> None:
    named = parse('speaker:"Ann Lee" speaker:bob news ').filter
    assert named == EpisodeFilter((Term(("news",)),), (Term(("ann", "lee")), Term(("bob",))))
    assert parse("news speaker:an").filter.speakers == (Term(("an",), beginning=True),), "being typed"
    assert named.without_words == EVERYTHING
    assert named.needs_words


def test_filters() -> None:
    query = parse(
        'after:2026 before:2026-03 podcast:"Talk Python" podcast:Écho is:unplayed is:starred news'
        ' title:"c++ ai" title:x'
        " longer:30m shorter:1:30:00 podcast-id:7 "
    )
    assert query.problems == ()
    assert (query.order, query.limit) == (None, None)
    assert query.filter == EpisodeFilter(
        terms=(Term(("news",)),),
        title="c++ ai x",
        podcasts=frozenset({PodcastId(7)}),
        podcast_titles=("Talk Python", "Écho"),
        after=date(2026, 1, 1),
        before=date(2026, 3, 1),
        states=frozenset({State.UNPLAYED, State.STARRED}),
        at_least_ms=1_800_000,
        under_ms=5_400_000,
    )


def test_a_smart_list_has_an_order_and_a_limit_too() -> None:
    query = parse(
        'is:unplayed is:new duration:<20m age:<7d tag:work tag:"day job" tag:work SORT:oldest limit:50', TODAY
    )
    assert query.problems == ()
    assert (query.order, query.limit) == (Order.OLDEST, 50)
    assert query.filter == EpisodeFilter(
        tags=("work", "day job"),
        after=date(2026, 3, 4),
        states=frozenset({State.UNPLAYED, State.NEW}),
        under_ms=1_200_000,
    )


@pytest.mark.parametrize(
    ("text", "after", "before"),
    [
        ("age:<1d", date(2026, 3, 10), None),
        ("age:<2w", date(2026, 2, 25), None),
        ("age:>1d", None, date(2026, 3, 9)),
        ("age:<7d age:>2D", date(2026, 3, 4), date(2026, 3, 8)),
        ("age:>1M", None, date(2026, 2, 8)),
        ("age:<1y after:2026", date(2026, 1, 1), None),
        ("age:<7d after:2026", date(2026, 3, 4), None),
        ("age:<9999y", date.min, None),
    ],
)
def test_ages_are_days_before_today(text: str, after: date | None, before: date | None) -> None:
    query = parse(text, TODAY)
    assert query.problems == ()
    assert (query.filter.after, query.filter.before) == (after, before)


@pytest.mark.parametrize(
    ("text", "longest", "shortest"),
    [
        ("duration:<20m", 1_200_000, None),
        ("duration:>1h", None, 3_600_000),
        ("duration:>1h shorter:2h", 7_200_000, 3_600_000),
    ],
)
def test_durations(text: str, longest: int | None, shortest: int | None) -> None:
    chosen = parse(text).filter
    assert (chosen.under_ms, chosen.at_least_ms) == (longest, shortest)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "sort:random x",
            "Unknown order “sort:random”. Available: sort:newest, sort:oldest, sort:longest, sort:shortest.",
        ),
        ("limit:many x", "Invalid number “limit:many”. Use limit:50 for the first 50."),
        ("limit:0 x", "Invalid number “limit:0”."),
        ("duration:20m x", "Invalid length “duration:20m”. Use duration:<20m or duration:>1h30m."),
        ("age:7d x", "Invalid age “age:7d”. Use age:<7d or age:>2w"),
        ("age:<7 x", "Invalid age “age:<7”."),
        ("-tag:work x", "Only words can be left out, not “tag:work”."),
        ("is:nonsense x", "Unknown filter “is:nonsense”"),
        ("after:yesterday x", "Invalid date “after:yesterday”"),
        ("before:2026-13 x", "Invalid date"),
        ("before:2026-02-30 x", "Invalid date"),
        ("-only ", "Enter words to search for"),
        ("is:played is:unplayed ", "both played and unplayed"),
        ("longer:long x", "Invalid length “longer:long”. Use 45m, 1h30m or 1:30:00."),
        ("podcast-id:talk x", "Invalid ID “podcast-id:talk”."),
        ("-podcast:talk x", "Only words can be left out, not “podcast:talk”."),
        ("in:notes x", "Unknown filter “in:notes”. Available: in:transcript."),
        ("-said:news x", "Only words can be left out, not “said:news”."),
    ],
)
def test_what_is_not_understood_is_told(text: str, problem: str) -> None:
    assert problem in " ".join(parse(text).problems)


@pytest.mark.parametrize(
    "text",
    [
        "is:",
        "is:un",
        "after:20",
        "before:2026-1",
        "podcast:",
        "is:in-pro",
        "in:tran",
        "said:",
        'said:"',
        "speaker:",
        "longer:",
        "podcast-id:",
        "title:",
        "tag:",
        "sort:",
        "sort:old",
        "limit:",
        "duration:",
        "duration:<",
        "age:<7",
    ],
)
def test_what_is_still_being_typed_is_no_problem(text: str) -> None:
    assert parse(f"news {text}").problems == ()


def test_where_the_words_stand() -> None:
    text = "Über CUDA-graphs: the graph of graphs"
    assert [text[a:b] for a, b in hits(text, parse("uber graph ").filter.terms)] == ["Über", "graph"]
    assert [text[a:b] for a, b in hits(text, parse("graph").filter.terms)] == ["graphs", "graph", "graphs"]
    assert [text[a:b] for a, b in hits(text, parse('"cuda graphs" ').filter.terms)] == ["CUDA", "graphs"]
    assert hits("東京の話", parse("京").filter.terms) == [(1, 2)]


def test_an_excerpt_surrounds_the_first_hit() -> None:
    text = "word " * 100 + "needle " + "more " * 100
    cut = excerpt(text, parse("needle ").filter.terms, 60)
    assert cut.startswith("…word")
    assert "needle" in cut
    assert len(cut) <= 62
    assert excerpt("Short.", parse("needle ").filter.terms, 60) == "Short."


@given(st.text())
def test_any_text_is_understood(text: str) -> None:
    terms = parse(text).filter.terms
    assert expression(terms).count('"') % 2 == 0
    assert hits(text, terms) == sorted(hits(text, terms))


# -- a filter as text -------------------------------------------------------------------------------------------------


def test_a_filter_is_written_as_a_listener_would() -> None:
    assert to_text(EVERYTHING) == ""
    text = '"cuda graphs" "comp*" -"ads" title:"c++ ai" podcast:"Talk Python" tag:"work" podcast-id:7 after:2026-01-01'
    text += " longer:30m shorter:1h30m0.5s is:starred is:unplayed in:transcript"
    assert to_text(parse(text).filter) == text
    text = '"typing" said:"cuda graphs" said:"comp*" -"ads" speaker:"ann lee"'
    assert to_text(parse(text).filter) == text
    assert to_text(EpisodeFilter(title='5" "x a"b')) == 'title:5" title:"x" title:a"b'


PIECES = st.one_of(
    st.text(),
    st.sampled_from(
        [
            "duration:<20m",
            "age:<7d",
            "age:>2w",
            "tag:work",
            "sort:oldest",
            "limit:5",
            "is:starred",
            "is:played",
            "is:in-progress",
            "in:transcript",
            'said:"red green"',
            "speaker:ann",
            "½",
            "𝐀",
            "ｶｷ",
            "东京",
            "ßß",
            '"',
            "-",
        ]
    ),
    st.builds(
        "{}{}:{}{}{}".format,
        st.sampled_from(["", "-"]),
        st.sampled_from(
            [
                "podcast",
                "title",
                "said",
                "speaker",
                "tag",
                "after",
                "age",
                "longer",
                "shorter",
                "duration",
                "sort",
                "podcast-id",
                "IS",
            ]
        ),
        st.sampled_from(["", '"']),
        st.one_of(st.text(), st.integers(0, 10**7).map(str), st.dates().map(str), st.integers(0, 10**9).map(units)),
        st.sampled_from(["", '"']),
    ),
)


def test_a_filter_that_would_not_be_read_to_its_end_is_not_written() -> None:
    many = " ".join(f"word{at}" for at in range(250))
    with pytest.raises(ValueError, match="a filter of"):
        to_text(parse(many).filter)


@given(st.lists(PIECES).map(" ".join))
def test_what_is_written_is_understood_as_the_same_filter(text: str) -> None:
    chosen = parse(text).filter
    assert parse(to_text(chosen)) == parse(to_text(chosen) + " ")
    assert parse(to_text(chosen)).filter == chosen


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Chang", "chang"), ('"Façade, the" x', "facade the x"), ("a -b", ""), ("x is:unplayed", ""), ("podcast:x", ""),
        ("x sort:oldest", ""), ("x limit:5", ""), ("x is:wet y", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_search_that_is_nothing_but_words_can_be_a_name(text: str, words: str) -> None:
    assert words_alone(text) == words
