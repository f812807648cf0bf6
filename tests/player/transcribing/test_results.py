"""What engines write, made into transcripts that can be true of their pieces."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.model.episode import SpokenWord, Transcript, TranscriptLine
from player.text.cleaning import clean_line
from player.transcribing.results import plausible, read_result, shortened


def texts(body: bytes, length_ms: int = 60_000) -> list[str]:
    found = read_result(body, length_ms)
    assert found is not None
    return [line.text for line in found.lines]


def times(*lines: tuple[float, float, str], length_ms: int = 60_000) -> list[tuple[int | None, int | None, str]]:
    segments = [{"start": start, "end": end, "text": text} for start, end, text in lines]
    found = read_result(json.dumps({"segments": segments}).encode(), length_ms)
    assert found is not None
    return [(line.start_ms, line.end_ms, line.text) for line in found.lines]


# -- is it a transcript ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"", b" \n", b"WEBVTT\n\n", b"[]", b'{"text": ""}', b'{"segments": []}', b'{"transcription": []}',
        b"[BLANK_AUDIO]", b"(music)\n", b"[Music] (applause)", "♪♪♪".encode(), b"...", b"*sighs*",
        b"WEBVTT\n\n00:01.000 --> 00:02.000\n[ Silence ]\n",
    ],
)  # fmt: skip
def test_silence_and_sounds_are_a_transcript_without_lines(body: bytes) -> None:
    assert texts(body) == []


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Sign in</html>", b"\x00\x01\x02\x03" * 50, b'{"segments": [{"start": 1, "text": "Half a',
        b'{"error": "no such model"}', b'{"a": 1}', b"[[" * 5000, b"%PDF-1.4\n", b"{" * 200_000,
    ],
)  # fmt: skip
def test_what_is_no_transcript_is_none(body: bytes) -> None:
    assert read_result(body, 60_000) is None


@pytest.mark.parametrize(
    ("document", "language"),
    [
        ({"language": "german", "text": "Ja."}, "de"),
        ({"language": "pt-BR", "text": "Sim."}, "pt-BR"),
        ({"result": {"language": "fr"}, "text": "Oui."}, "fr"),
        ({"language": "klingonese", "text": "HIja'."}, ""),
        ({"language": 7, "text": "Yes."}, ""),
    ],
)
def test_the_language_is_a_tag_whatever_it_is_called(document: object, language: str) -> None:
    found = read_result(json.dumps(document).encode(), 60_000)
    assert found is not None
    assert (found.language, len(found.lines)) == (language, 1)


# -- times ----------------------------------------------------------------------------------------------------


def test_times_that_run_backward_are_put_in_order_and_those_past_the_end_end_with_it() -> None:
    assert times((5, 7, "b"), (1, 3, "a"), (50, 90, "c"), (70, 80, "invented")) == [
        (1000, 3000, "a"),
        (5000, 7000, "b"),
        (50_000, 60_000, "c"),
    ]


def test_an_end_before_its_start_is_where_the_next_line_begins() -> None:
    assert times((1, 0, "Not so."), (4, 4, "So it is.")) == [(1000, 4000, "Not so."), (4000, 60_000, "So it is.")]


def test_without_times_or_with_those_of_another_unit_lines_last_as_long_as_they_are() -> None:
    assert times((100, 200, "aaaa"), (200, 300, "bb"), (300, 400, "cc"), length_ms=8000) == [
        (0, 4000, "aaaa"),
        (4000, 6000, "bb"),
        (6000, 8000, "cc"),
    ]


def test_words_that_run_backward_or_past_the_end_have_no_time() -> None:
    words = (SpokenWord(0, 100), SpokenWord(2, 90), SpokenWord(4, 300), SpokenWord(6, 1001))
    (line,) = plausible(Transcript((TranscriptLine("a b c d", 0, 900, words=words),)), 1000).lines
    assert line.words == (SpokenWord(0, 100), SpokenWord(4, 300))


# -- repetitions ----------------------------------------------------------------------------------------------


def test_a_line_that_is_repeated_for_ever_is_kept_three_times() -> None:
    lines = [(one, one + 1, "Thank you." if one % 2 else "thank you") for one in range(1, 40)]
    assert [line[0] for line in times((0, 1, "Well."), *lines, (45, 46, "Bye."))] == [0, 1000, 2000, 3000, 45_000]


def test_lines_that_are_repeated_in_turn_are_kept_a_few_times() -> None:
    lines = [(one, one + 1, ("Yes.", "No.", "Why?")[one % 3]) for one in range(50)]
    assert len(times(*lines)) < 12


def test_a_line_that_comes_again_and_again_between_others_stays() -> None:
    lines = [(one, one + 1, "Right." if one % 2 else f"That is point {one}.") for one in range(20)]
    assert len(times(*lines)) == 20


def test_words_that_are_repeated_within_a_line_are_said_three_times_and_the_others_keep_their_times() -> None:
    text = "I know. " + "I'm sorry. " * 30 + "Bye."
    begins = [0, 2, *range(8, len(text) - 4, 11), len(text) - 4]
    line = TranscriptLine(text, 0, 1000, words=tuple(SpokenWord(begin, begin) for begin in begins))
    short = shortened(line)
    assert short.text == "I know. I'm sorry. I'm sorry. I'm sorry. Bye."
    assert [short.text[word.begin :].split()[0] for word in short.words] == ["I", "know.", "I'm", "I'm", "I'm", "Bye."]
    assert short.words[-1].start_ms == len(text) - 4


@pytest.mark.parametrize(
    "text",
    [
        "No, no, no, no, no!",
        "It cost 10000000 euros.",
        "Ha ha ha ha ha",
        "WWWWWWWWWWWW",
        "very very very very very good",
    ],
)
def test_what_people_say_stays(text: str) -> None:
    assert shortened(TranscriptLine(text)).text == text


def test_repetitions_in_scripts_without_spaces_are_found_too() -> None:
    assert shortened(TranscriptLine("はい。" + "ありがとう" * 40)).text == "はい。ありがとうありがとうありがとう"


# -- sizes and anything else ----------------------------------------------------------------------------------


def test_more_than_can_be_said_in_the_time_is_left_out() -> None:
    lines = [(one / 100, one / 100 + 0.01, f"This is sentence number {one} of far too many.") for one in range(1000)]
    kept = times(*lines, length_ms=10_000)
    assert 0 < sum(len(text) for _start, _end, text in kept) <= 1100


def test_megabytes_of_anything_are_read_at_once() -> None:
    assert read_result(b"a" * 3_000_000, 1000) is not None
    assert read_result(b"a a b " * 1_000_000, 1000) is not None
    assert read_result(b'{"text":"' + b"na " * 1_000_000 + b'"}', 1000) is not None


_ms = st.none() | st.integers(-10_000, 200_000)
_text = st.text(min_size=1, max_size=60).map(clean_line).filter(bool) | st.sampled_from(["Yes.", "No.", "a b " * 20])
_words = st.lists(st.builds(SpokenWord, st.integers(0, 60), st.integers(-10, 200_000)), max_size=4).map(
    lambda words: tuple(sorted(words))
)
_lines = st.lists(st.builds(TranscriptLine, _text, _ms, _ms, words=_words), max_size=40)


@given(_lines, st.integers(1, 120_000))
def test_lines_are_in_order_and_within_the_piece_whatever_an_engine_says(
    lines: list[TranscriptLine], length_ms: int
) -> None:
    found = plausible(Transcript(tuple(lines)), length_ms).lines
    spans = [(line.start_ms, line.end_ms) for line in found]
    assert all(start is not None and end is not None and 0 <= start <= end <= length_ms for start, end in spans)
    assert all(before.start_ms <= after.start_ms for before, after in pairwise(found))  # type: ignore[operator]
    for line in found:
        moments = [word.start_ms for word in line.words]
        assert moments == sorted(moments)
        assert all(0 <= ms < length_ms for ms in moments)
        assert all(word.begin < len(line.text) for word in line.words)


@given(st.binary(max_size=400) | st.text(max_size=400).map(str.encode), st.integers(1, 120_000))
def test_any_bytes_are_read_or_refused(body: bytes, length_ms: int) -> None:
    found = read_result(body, length_ms)
    assert found is None or all(clean_line(line.text, 2000) == line.text for line in found.lines)


_json = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["segments", "words", "text", "start", "end", "word", "language"]), inner)
    ),
    max_leaves=20,
)


@given(_json)
def test_any_json_is_read_or_refused(document: object) -> None:
    read_result(json.dumps(document).encode(), 10_000)
