"""Where it is said: the sentences of a transcript that a search finds, and how one is quoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from player.library.search.query import parse
from player.library.search.spoken_hits import SpokenHit, quotation, spoken_hits
from player.library.search.transcript_index import Texts
from player.library.search.words import Words, words_of
from player.model.episode import Episode, EpisodeId
from player.model.filters import Term
from player.model.podcast import PodcastId
from player.text.cleaning import clean_line


def hits(text: str, *lines: str, speakers: str = "", most: int = 100) -> list[SpokenHit]:
    """Of a transcript with a line every second, each by the speaker with that letter."""
    starts: list[int | None] = [1000 * at for at in range(len(lines))]
    texts = Texts("", "", "", starts, [*speakers.ljust(len(lines))], "\n".join(lines))
    chosen = parse(text).filter
    return spoken_hits(texts, chosen.terms, chosen.speakers, most)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("red ", [0, 2, 4]),
        ("RÉD ", [0, 2, 4]),
        ("re", [0, 1, 2, 4]),
        ("red green ", [2]),
        ("blue green ", [1, 2, 3]),
        ("blue red -green ", [0, 2, 3, 4]),
        ('"green red" ', [2]),
        ('"blue red" ', [3]),
        ('"red blue" ', []),
        ("said:blue red ", [3]),
        ("yellow ", []),
        ("speaker:a red ", [0, 4]),
        ("speaker:b ", [2]),
        ("speaker:a ", [0, 4]),
        ('speaker:b "blue red" ', []),
    ],
)
def test_hits_are_the_lines_with_the_most_of_the_words(text: str, found: list[int]) -> None:
    lines = ("It is red.", "A reed, green.", "Green, red.", "It is blue", "red.")
    assert [hit.line for hit in hits(text, *lines, speakers="aabba")] == found


def test_a_phrase_may_go_on_in_the_next_line() -> None:
    (hit,) = hits('"blue red" ', "A.", "It is blue", "red, here.", "Z.")
    assert (hit.before, hit.text, hit.after) == ("A.", "It is blue red, here.", "Z.")
    assert (hit.line, hit.begin, hit.at_ms) == (1, 6, 1000)


def test_no_more_are_looked_for_than_are_wanted() -> None:
    assert [hit.line for hit in hits("red ", *["red"] * 9, most=2)] == [0, 1]
    assert len(hits("red ", *["red"] * 200)) == 100


def test_scripts_without_spaces() -> None:
    (hit,) = hits("雨 ", "風だ。", "今日は雨だ。")
    assert (hit.text[hit.begin], hit.before) == ("雨", "風だ。")


@given(st.text(st.sampled_from("abéßİΣς½雨ｶ한_. '𝐀"), max_size=12), st.booleans())
def test_no_word_is_overlooked(text: str, beginning: bool) -> None:
    line = clean_line(text)
    for token in {one.lower() for one in (line, *line.split(), "a", "b", "雨")}:
        for word in words_of(token):
            term = Term((word,), beginning=beginning)
            found = spoken_hits(Texts("", "", "", [0], [""], line), (term,))
            assert bool(found) is Words(line).have(term)


EPISODE = Episode(
    EpisodeId(1), PodcastId(1), "A show", "An episode", "guid", "https://user:secret@example.org/1.mp3",
    link="https://example.org/1",
)  # fmt: skip
HIT = SpokenHit("We saw walruses.", "Hello.", "Bye.", 61_500, "Ann", 1, 7)


def test_a_quotation_says_who_where_and_when_with_a_link_to_the_moment() -> None:
    assert quotation(HIT, EPISODE) == (
        "“We saw walruses.”\n— Ann, An episode, A show, 1:01\nhttps://example.org/1#t=61"
    )
    on_its_own = HIT._replace(at_ms=None, speaker="")
    assert quotation(on_its_own, EPISODE) == "“We saw walruses.”\n— An episode, A show\nhttps://example.org/1"
    no_page = replace(EPISODE, link="")
    assert quotation(HIT, no_page).endswith("\nhttps://example.org/1.mp3#t=61"), "without the name and password"
    assert quotation(HIT, replace(no_page, url="file:///1.mp3")).endswith("— Ann, An episode, A show, 1:01")
