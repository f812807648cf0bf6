"""Text from outside, made fit for a terminal."""

import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.text.cleaning import LINE_LIMIT, _marked, clean_block, clean_line, fold, is_mark, unescape

OVERRIDES = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
HOSTILE = st.text(
    st.characters() | st.sampled_from("\x00\x07\x1b\x9b\x7f\r\n\t\v\f\x85\u2028\u2029\u200b\ufeff\u0301 a" + OVERRIDES)
)


@given(HOSTILE)
def test_a_line_is_one_line_without_control_characters(text: str) -> None:
    line = clean_line(text)
    assert not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in line)
    assert not set(line) & set(OVERRIDES)
    assert "  " not in line
    assert line == line.strip()


@given(HOSTILE)
def test_a_block_keeps_its_lines_and_nothing_else_that_moves_the_cursor(text: str) -> None:
    block = clean_block(text)
    controls = {character for character in block if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")}
    assert controls <= {"\n", "\t"}
    assert not set(block) & set(OVERRIDES)


@given(HOSTILE)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean_line(clean_line(text)) == clean_line(text)
    assert clean_block(clean_block(text)) == clean_block(text)


@given(st.text(max_size=80), st.integers(1, 60))
def test_a_line_is_no_longer_than_its_limit(text: str, limit: int) -> None:
    assert len(clean_line(text, limit)) <= limit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "[31mred[0m"), ("two\nlines", "two lines"), ("a\r\n\tb", "a b"), ("a\u2028b", "a b"),
        ("evil\u202egnp.exe", "evilgnp.exe"), ("a \u200b b", "a b"), ("co\u00adop", "coop"), ("\ufefftitle", "title"),
        ("👩‍💻 at work", "👩‍💻 at work"), ("שלום עולם", "שלום עולם"), ("日本語　番組", "日本語　番組"), ("", ""),
        ("\x07", ""), ("e\u0301", "e\u0301"),
        ("Men\x92s \x93quoted\x94\x85", "Men’s “quoted”…"), ("\x9d\x90x\x9b", "x›"),
    ],
)  # fmt: skip
def test_lines_of_strangers(text: str, expected: str) -> None:
    assert clean_line(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("caf&eacute; &amp;amp; &#8220;q&#148;", "café &amp; “q”"), ("&#x9d;52;c&#144;", "52;c"),
        ("a&#13;&#10;b", "a\nb"),
        ("&#x202e;x&ShY;y&#8294;", "x&ShY;y"), ("co&shy;op", "coop"), ("e" + "&#769;" * 9, "e" + "\u0301" * 4),
        ("&", "&"), ("AT&T", "AT&T"),
    ],
)  # fmt: skip
def test_references_are_resolved_and_what_they_stand_for_is_cleaned(text: str, expected: str) -> None:
    assert unescape(text) == expected


def test_a_reference_to_a_number_without_end_stands_for_no_character() -> None:
    for digits in ("9" * 5000, "9" * 2_000_000, "0" * 5000 + "65"):
        assert unescape(f"a&#{digits};b") == "a\ufffdb"


def test_what_stands_where_windows_has_its_quotes_is_read_as_those() -> None:
    assert clean_block("Men\x92s\r\n\x93quoted\x94 \x96 \x85\x81") == "Men’s\n“quoted” – …"


def test_a_long_line_ends_in_an_ellipsis() -> None:
    assert clean_line("a" * 600) == "a" * (LINE_LIMIT - 1) + "…"


def test_a_heap_of_marks_is_cut_to_four() -> None:
    assert clean_line("Z" + "\u0301" * 50 + "algo" + "\u20dd" * 9) == "Z" + "\u0301" * 4 + "algo" + "\u20dd" * 4
    assert clean_block("Z" + "\u0301" * 50) == "Z" + "\u0301" * 4


def test_every_mark_there_is_is_seen_by_the_quick_look() -> None:
    marks = [character for character in map(chr, range(sys.maxunicode + 1)) if is_mark(character)]
    assert all(map(_marked().match, marks))
    assert not any(mark.isalnum() for mark in marks)


@pytest.mark.parametrize("character", ["a", "é", "\u0301", "\x1b", " ", "\n", "日"])
def test_a_title_of_ten_megabytes_is_no_hurry(character: str) -> None:
    text = character * 10_000_000
    start = time.process_time()
    clean_line(text)
    assert time.process_time() - start < 0.2


def test_a_block_of_a_megabyte_is_cleaned_in_no_time() -> None:
    text = "Words — with an ünusual letter.\n" * 32_000
    start = time.process_time()
    assert clean_block(text) == text
    assert time.process_time() - start < 0.5


def test_folding_forgets_case_and_accents() -> None:
    assert fold("Ünïcode STRASSE Straße") == "unicode strasse strasse"
    assert fold("ASCII") == "ascii"


@given(st.text())
def test_folding_never_fails(text: str) -> None:
    fold(text)
