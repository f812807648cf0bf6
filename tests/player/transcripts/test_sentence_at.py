"""The whole sentence is found for a moment, wherever its lines begin and end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.model.episode import SpokenWord, Transcript, TranscriptLine
from player.transcripts import sentence_at
from player.transcripts.sentences import whole_sentence


def spoken(*lines: str, speakers: str = "") -> Transcript:
    """A line every two seconds, each by the speaker of that letter."""
    names = speakers or " " * len(lines)
    return Transcript(
        tuple(
            TranscriptLine(text, 2000 * number, 2000 * number + 1900, name.strip())
            for number, (text, name) in enumerate(zip(lines, names, strict=True))
        )
    )


def test_a_sentence_over_several_lines_is_whole_at_each_of_its_moments() -> None:
    transcript = spoken("It rains. The pass may", "assume that nothing", "escapes. Then it", "fuses.")
    assert [sentence_at(transcript, ms) for ms in (0, 1_700, 2_500, 4_100)] == [
        "It rains.",
        *["The pass may assume that nothing escapes."] * 3,
    ]
    assert sentence_at(transcript, 5_800) == sentence_at(transcript, 6_500) == "Then it fuses."


def test_of_a_line_with_several_sentences_the_one_that_is_said_is_found_by_its_words() -> None:
    text = "First. Second one. Third."
    words = (SpokenWord(0, 0), SpokenWord(7, 8_000), SpokenWord(14, 8_500), SpokenWord(19, 9_000))
    transcript = Transcript((TranscriptLine(text, 0, 10_000, words=words),))
    assert [sentence_at(transcript, ms) for ms in (7_900, 8_000, 8_900, 9_500)] == [
        "First.",
        "Second one.",
        "Second one.",
        "Third.",
    ]


def test_single_words_become_their_sentence() -> None:
    transcript = spoken("Nothing", "escapes.", "It", "is", "fused", ".", "Really")
    assert sentence_at(transcript, 4_000) == "It is fused."


@pytest.mark.parametrize(
    "said",
    [
        "Dr. Smith paid 3.5 dollars.",
        "Ask J. R. Hartley.",
        "She said “No.” and left.",
        "No more, e.g. none.",
        "你好嗎？",
    ],
)
def test_a_dot_that_ends_no_sentence_ends_none(said: str) -> None:
    assert whole_sentence(["Before it. " + said + " After it."], 0, 13) == said


def test_what_another_speaker_says_is_another_sentence() -> None:
    transcript = spoken("Well", "no, never", "I thought so. Yes.", speakers="ABA")
    assert sentence_at(transcript, 2_500) == "no, never"
    assert sentence_at(transcript, 4_000) == "I thought so."


def test_where_no_sentence_ends_it_is_the_line() -> None:
    transcript = spoken(*(f"line {number} goes on" for number in range(40)))
    assert sentence_at(transcript, 20_500) == "line 10 goes on"
    endless = spoken("It ends.", *(f"line {number} goes on" for number in range(40)), "and ends.")
    assert sentence_at(endless, 40_500) == "line 19 goes on"
    long = spoken("One. " + "x" * 700, "y.")
    assert sentence_at(long, 2_100) == "y."


def test_before_the_first_line_and_long_after_one_nothing_is_said() -> None:
    transcript = Transcript((TranscriptLine("It rains.", 5_000, 6_000),))
    assert sentence_at(transcript, 4_999) == ""
    assert sentence_at(transcript, 21_000) == "It rains."
    assert sentence_at(transcript, 21_001) == ""
    assert sentence_at(Transcript((TranscriptLine("Without times."),)), 5_000) == ""


@given(
    st.lists(st.text(st.sampled_from("aB .!?你。"), min_size=1, max_size=30), min_size=1, max_size=30),
    st.data(),
)
def test_any_sentence_has_what_was_said_there(lines: list[str], data: st.DataObject) -> None:
    row = data.draw(st.integers(0, len(lines) - 1))
    offset = data.draw(st.integers(0, len(lines[row]) - 1))
    found = whole_sentence(lines, row, offset)
    assert lines[row][offset].strip() in found
    assert len(found) <= 600
