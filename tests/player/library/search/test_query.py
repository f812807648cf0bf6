"""What a search is understood to mean."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.library.search.query import Term, excerpt, expression, hits, titled, understand


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
    assert list(understand(text).terms) == terms


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
    assert understand("in:transcript news ").spoken
    assert understand("in:Transcripts").terms == ()
    assert not understand("in:transcript").empty
    assert not understand("transcript news").spoken


def test_filters() -> None:
    search = understand('after:2026 before:2026-03 podcast:"Talk Python" podcast:Écho is:unplayed is:starred news ')
    assert search.after == datetime(2026, 1, 1, tzinfo=UTC)
    assert search.before == datetime(2026, 3, 1, tzinfo=UTC)
    assert search.podcasts == ("talk python", "echo")
    assert search.marks == {"unplayed", "starred"}
    assert search.terms == (Term(("news",)),)
    assert search.problems == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("is:nonsense x", "Unknown filter “is:nonsense”"),
        ("after:yesterday x", "Invalid date “after:yesterday”"),
        ("before:2026-13 x", "Invalid date"),
        ("before:2026-02-30 x", "Invalid date"),
        ("-only ", "Enter words to search for"),
        ("is:played is:unplayed ", "both played and unplayed"),
        ("in:notes x", "Unknown filter “in:notes”. Available: in:transcript."),
    ],
)
def test_what_is_not_understood_is_told(text: str, problem: str) -> None:
    assert problem in " ".join(understand(text).problems)


@pytest.mark.parametrize("text", ["is:", "is:un", "after:20", "before:2026-1", "podcast:", "is:in-pro", "in:tran"])
def test_what_is_still_being_typed_is_no_problem(text: str) -> None:
    assert understand(f"news {text}").problems == ()


def test_where_the_words_stand() -> None:
    text = "Über CUDA-graphs: the graph of graphs"
    assert [text[a:b] for a, b in hits(text, understand("uber graph ").terms)] == ["Über", "graph"]
    assert [text[a:b] for a, b in hits(text, understand("graph").terms)] == ["graphs", "graph", "graphs"]
    assert [text[a:b] for a, b in hits(text, understand('"cuda graphs" ').terms)] == ["CUDA", "graphs"]
    assert hits("東京の話", understand("京").terms) == [(1, 2)]


def test_an_excerpt_surrounds_the_first_hit() -> None:
    text = "word " * 100 + "needle " + "more " * 100
    cut = excerpt(text, understand("needle ").terms, 60)
    assert cut.startswith("…word")
    assert "needle" in cut
    assert len(cut) <= 62
    assert excerpt("Short.", understand("needle ").terms, 60) == "Short."


@given(st.text())
def test_any_text_is_understood(text: str) -> None:
    search = understand(text)
    assert expression(search.terms).count('"') % 2 == 0
    assert hits(text, search.terms) == sorted(hits(text, search.terms))
