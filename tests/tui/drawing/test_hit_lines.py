"""A hit of the search, in a few lines."""

import pytest

from player.library.search.query import parse
from player.library.search.spoken_hits import SpokenHit
from tui.drawing.cells import width
from tui.drawing.hit_lines import height_of, hit_lines
from tui.drawing.line_ends import width_of
from tui.look.glyphs import UNICODE

HIT = SpokenHit("We saw walruses on the beach.", "Hello there.", "Then we left.", 0, "", 0, 7)


def drawn(hit: SpokenHit, cells: int = 40, height: int = 4, text: str = "walruses ") -> list[str]:
    lines = hit_lines(hit, parse(text).filter.terms, cells, height, UNICODE)
    assert len(lines) <= height
    assert all(width_of(line) <= cells for line in lines)
    return ["".join(run.text for run in line) for line in lines]


def roles(hit: SpokenHit, text: str) -> dict[str, str]:
    lines = hit_lines(hit, parse(text).filter.terms, 200, 1, UNICODE)
    return {run.text.strip(): run.role for run in lines[0] if run.text.strip()}


def test_the_sentences_around_are_fainter_and_the_words_stand_out() -> None:
    assert drawn(HIT) == ["Hello there. We saw walruses on the", "beach. Then we left."]
    assert roles(HIT._replace(speaker="Ann"), "walruses then ") == {
        "Ann · Hello there.": "muted", "We saw": "title", "walruses": "found", "on the beach.": "title",
        "Then": "found", "we left.": "muted",
    }  # fmt: skip


def test_a_hit_has_as_many_lines_as_it_needs() -> None:
    for cells in range(20, 90):
        lines = drawn(HIT, cells, height_of(HIT, cells, 9))
        assert " ".join(map(str.strip, lines)) == f"{HIT.before} {HIT.text} {HIT.after}"
    assert [height_of(HIT, cells, 4) for cells in (10, 40, 57, 100)] == [4, 2, 1, 1]


def test_what_does_not_fit_is_cut_and_the_sentence_is_whole() -> None:
    long = HIT._replace(before="word " * 40 + "before.", after="After. " + "word " * 40)
    lines = drawn(long)
    assert lines[0].startswith("… word")
    assert lines[-1].endswith("…")
    assert HIT.text in " ".join(lines)
    assert "before. We saw" in " ".join(lines)
    assert "After." in " ".join(lines)


def test_of_a_sentence_that_is_too_long_the_part_with_the_words_is_shown() -> None:
    lines = drawn(HIT._replace(text="word " * 100 + "walruses " + "more " * 100))
    assert any("walruses" in line for line in lines)


@pytest.mark.parametrize("cells", [2, 9, 20, 60])
@pytest.mark.parametrize("height", [1, 2, 4])
@pytest.mark.parametrize(
    "words", ["walruses", "雨の話をしました。風", "👩\u200d💻 🇩🇪 here", "مرحبا بكم في الحلقة", "שלום walruses עולם"]
)
def test_it_fits_whatever_the_script(words: str, cells: int, height: int) -> None:
    drawn(SpokenHit(f"{words}. " * 9, f"{words}. " * 3, words, 0, words, 0, 0), cells, height, "walruses 雨 שלום ")


def test_text_from_right_to_left_is_at_the_right() -> None:
    (line,) = drawn(SpokenHit("مرحبا بكم", "", "", 0, "", 0, 0), 40, 2, "بكم ")
    assert line.startswith(" ")
    assert width(line) == 40
