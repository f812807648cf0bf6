"""Lines in the order in which they are read: styles and links go with their letters, columns stay where they are."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from player.text.cleaning import clean_line
from player.text.directions import MARKS, without_marks
from tests.quick import examples
from tui.drawing.bidi import reordered
from tui.drawing.cells import cut, fit, graphemes
from tui.terminal.bidi import Bidi

TEXTS = st.text(
    st.one_of(
        st.sampled_from("אבגשםابت٣ 0129 ()<>,.:%-… abc 漢é🎧\u05b0\u064b\u200d\ufe0f🇩🇪👩"),
        st.characters(exclude_categories=["Cs", "Cc"]),
    ),
    max_size=30,
).map(clean_line)


def shown(text: str, mode: Bidi = Bidi.EARMARK) -> str:
    return "".join(piece for piece, _ in reordered([(text, "")], mode))


@given(TEXTS, st.integers(1, 40))
@settings(max_examples=examples(400), deadline=None)
def test_nothing_is_lost_and_columns_stay_as_wide(text: str, cells: int) -> None:
    column = fit(text, cells)
    drawn = shown(column)
    assert cell_len(drawn) == cells
    mirrored = str.maketrans("()<>[]{}", ")(><][}{")

    def counted(one: str) -> Counter[str]:
        pieces = (min(piece, piece.translate(mirrored)) for piece, _ in graphemes(without_marks(one)))
        return Counter(piece for piece in pieces if cell_len(piece))

    if all(unit.isascii() or not unit.isalpha() or unit in "אבגשםابتabc" for unit in text):
        assert counted(drawn) == counted(column)


@given(TEXTS)
@settings(max_examples=examples(200), deadline=None)
def test_the_columns_beside_it_stay_where_they_are(title: str) -> None:
    line = [(fit(title, 20), "title"), ("  ", ""), ("12 Nov", "date"), ("  10:00 ", "length")]
    drawn = reordered(line, Bidi.EARMARK)
    assert "".join(text for text, _ in drawn).endswith("  12 Nov  10:00 ")
    assert [tag for _, tag in drawn][-2:] == ["date", "length"]


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("שלום", "םולש"),
        ("פרק 12: שלום עולם", "םלוע םולש :12 קרפ"),
        ("שלום (abc) 12!", "!12 (abc) םולש"),
        ("מה זה <Python 3.12>?", "?<Python 3.12> הז המ"),
        ("מחיר: 3.50$ בלבד", "דבלב 3.50$ :ריחמ"),
        ("Episode 3: שלום", "Episode 3: םולש"),
        ("الحلقة ١٢", "١٢ ةقلحلا"),
        ("שָׁלוֹם", "םוֹלשָׁ"),
        ("🇮🇱 שלום 🎧", "🎧 םולש 🇮🇱"),
    ],
)
def test_a_title_is_read_as_its_reader_expects(text: str, drawn: str) -> None:
    assert shown(cut(text, 40)) == drawn


def test_a_title_that_is_too_long_ends_in_an_ellipsis_at_its_end_which_is_at_the_left() -> None:
    assert shown(fit("פרק שנים עשר: שלום", 10)) == " …םינש קרפ"[-10:]
    assert cut("פרק שנים עשר", 6).startswith("\u2067פרק ש")


def test_titles_from_right_to_left_are_at_the_right_of_their_column_others_at_the_left() -> None:
    assert shown(fit("שלום", 8)) == "    םולש"
    assert shown(fit("Hi שלום", 10)) == "Hi םולש   "
    assert fit("3 days", 8) == "3 days  "
    assert shown(fit("12 שעות", 9)) == "  תועש 12"
    assert fit("שלום", 8, "left").endswith("    ")


def test_links_and_styles_go_with_their_letters() -> None:
    line = [("ראו את ", "text"), ("האתר שלנו", "link"), (" עכשיו", "text")]
    whole = [("\u2067" + line[0][0], "text"), line[1], (line[2][0] + "\u2069", "text")]
    assert reordered(whole, Bidi.EARMARK) == [("וישכע ", "text"), ("ונלש רתאה", "link"), (" תא ואר", "text")]


def test_kitty_turns_the_letters_of_a_word_itself() -> None:
    assert shown(cut("שלום עולם (abc)", 40), Bidi.WORDS) == "(abc) עולם שלום"
    assert shown(cut("Episode 3: שלום עולם", 40), Bidi.WORDS) == "Episode 3: עולם שלום"


def test_what_is_between_the_letters_kitty_draws_where_it_is_sent() -> None:
    assert shown(cut("Title (שלום)", 40), Bidi.WORDS) == "Title (שלום)"
    assert shown(cut("כן? 12", 40), Bidi.WORDS) == "12 ?כן"
    assert shown(cut('צה"ל', 40), Bidi.WORDS) == 'ל"צה'


def test_marks_are_not_drawn() -> None:
    assert not MARKS.search(shown(fit("שלום \u200eabc\u200f", 20)))
