"""Transcripts as sentences, however their lines are broken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.model.episode import SpokenWord, TranscriptLine
from player.transcripts import sentences


def lines(*texts: str, speakers: str = "") -> list[TranscriptLine]:
    """A line every second, each by the speaker with that letter."""
    names = speakers.ljust(len(texts))
    return [TranscriptLine(text, 1000 * at, 1000 * at + 900, names[at].strip()) for at, text in enumerate(texts)]


def texts(*captions: str, speakers: str = "") -> list[str]:
    return [one.text for one in sentences(lines(*captions, speakers=speakers))]


@pytest.mark.parametrize(
    ("captions", "expected"),
    [
        (("We saw walruses", "on the beach. Not", "seals."), ["We saw walruses on the beach.", "Not seals."]),
        (("One. Two! Three? Four… Five",), ["One.", "Two!", "Three?", "Four…", "Five"]),
        (
            ("“Stop.” She left (at 5.30 p.m.) with e.g. nothing.",),
            ["“Stop.”", "She left (at 5.30 p.m.) with e.g. nothing."],
        ),
        (("雨だ。風も", "吹く。"), ["雨だ。", "風も吹く。"]),
        (("مرحبا. كيف", "الحال؟ بخير."), ["مرحبا.", "كيف الحال؟", "بخير."]),
        ((), []),
    ],
)
def test_a_sentence_ends_where_its_punctuation_says(captions: tuple[str, ...], expected: list[str]) -> None:
    assert texts(*captions) == expected


def test_another_speaker_begins_another_sentence() -> None:
    assert texts("I saw", "what", "walruses.", speakers="aab") == ["I saw what", "walruses."]


def test_without_punctuation_the_lines_stay() -> None:
    captions = [f"so line {at} goes on and on without an end" for at in range(20)]
    assert texts(*captions)[:7] == captions[:7]


def test_the_moments_of_words_and_of_lines_are_kept() -> None:
    first = TranscriptLine(
        "Hi. We saw", 1000, 3000, "", (SpokenWord(0, 1100), SpokenWord(4, 1800), SpokenWord(7, 2000))
    )
    hi, seen = sentences([first, TranscriptLine("walruses there.", 3000, 4000)])
    assert (hi.text, hi.start_ms, hi.words) == ("Hi.", 1100, (SpokenWord(0, 1100),))
    assert (seen.text, seen.start_ms, seen.end_ms) == ("We saw walruses there.", 1800, 4000)
    assert [seen.said_at(seen.text.index(word)) for word in ("We", "saw", "walruses", "there")] == [
        1800, 2000, 3000, 3000,
    ]  # fmt: skip
    assert sentences([TranscriptLine("No times. At all.")]) == [TranscriptLine("No times."), TranscriptLine("At all.")]


@given(st.lists(st.text(st.sampled_from('ab .!?…。"”雨\u0301'), min_size=1).map(str.strip).filter(bool)))
def test_nothing_is_lost_or_added(captions: list[str]) -> None:
    found = sentences(lines(*captions))
    assert "".join("".join(one.text for one in found).split()) == "".join("".join(captions).split())
    starts = [one.start_ms or 0 for one in found]
    assert starts == sorted(starts)
    for one in found:
        assert one.text == one.text.strip() != ""
        assert all(0 <= word.begin < len(one.text) for word in one.words)
