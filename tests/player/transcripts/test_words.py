"""When each word is said: read from the formats that tell."""

import json

import pytest

from player.model.episode import TranscriptLine
from player.transcripts import read_transcript

_SEGMENTS = [{"start": 0.0, "end": 2.0, "text": " Hello there, world."}, {"start": 2.0, "end": 4.0, "text": " Bye."}]
_WORDS = [
    {"word": "Hello", "start": 0.1, "end": 0.4}, {"word": "there", "start": 0.5, "end": 0.8},
    {"word": "world", "start": 1.0, "end": 1.5}, {"word": "Bye", "start": 1.99, "end": 2.3},
]  # fmt: skip
OPENAI = {"task": "transcribe", "segments": _SEGMENTS, "words": _WORDS}
FASTER_WHISPER = {"segments": [_SEGMENTS[0] | {"words": _WORDS[:3]}, _SEGMENTS[1] | {"words": _WORDS[3:]}]}
WHISPER_CPP = {
    "transcription": [
        {
            "offsets": {"from": 0, "to": 2000},
            "text": " Hello there, world.",
            "tokens": [
                {"text": "[_BEG_]", "offsets": {"from": 0, "to": 0}},
                {"text": " Hel", "offsets": {"from": 100, "to": 200}},
                {"text": "lo", "offsets": {"from": 200, "to": 400}},
                {"text": " there", "offsets": {"from": 500, "to": 800}},
                {"text": ",", "offsets": {"from": 800, "to": 800}},
                {"text": " world", "offsets": {"from": 1000, "to": 1500}},
            ],
        },
        {"offsets": {"from": 1990, "to": 4000}, "text": " Bye."},
    ]
}
VTT = (
    "WEBVTT\n\n00:00.100 --> 00:02.000\nHello <00:00:00.500>there, <00:00:01.000><c>world.</c>\n\n"
    "00:01.990 --> 00:04.000\nBye.\n"
)


@pytest.mark.parametrize("body", [json.dumps(OPENAI), json.dumps(FASTER_WHISPER), json.dumps(WHISPER_CPP), VTT])
def test_words_and_their_times_are_read(body: str) -> None:
    first, last = read_transcript(body.encode()).lines
    said = [(first.text[word.begin :].split()[0], word.start_ms) for word in first.words]
    assert said == [("Hello", 100), ("there,", 500), ("world.", 1000)]
    assert last.text == "Bye."


def test_words_of_a_file_of_single_words_keep_their_times_when_they_are_joined() -> None:
    words = ["This", "is", "one.", "And", "this", "is", "another,", "you", "know."]
    body = json.dumps([{"word": word, "start": at / 2, "end": at / 2 + 0.4} for at, word in enumerate(words)])
    first, second = read_transcript(body.encode()).lines
    assert [(second.text[word.begin :].split()[0], word.start_ms) for word in second.words] == [
        ("And", 1500), ("this", 2000), ("is", 2500), ("another,", 3000), ("you", 3500), ("know.", 4000),
    ]  # fmt: skip
    assert first.words[-1].start_ms == 1000


def test_a_word_is_found_by_its_moment_and_a_moment_by_its_place() -> None:
    line: TranscriptLine = read_transcript(json.dumps(OPENAI).encode()).lines[0]
    assert line.word_at(50) is None
    assert [line.text[slice(*line.word_at(ms))] for ms in (100, 499, 500, 3000)] == [  # type: ignore[misc]
        "Hello", "Hello", "there,", "world.",
    ]  # fmt: skip
    assert line.said_at(line.text.index("world")) == 1000
    assert TranscriptLine("No words", 700).said_at(3) == 700


def test_words_that_aren_t_in_the_text_or_go_back_in_time_are_left_out() -> None:
    words = [{"word": "Elsewhere", "start": 0.1}, {"word": "there", "start": 0.9}, {"word": "world", "start": 0.5}]
    (line,) = read_transcript(json.dumps({"segments": [_SEGMENTS[0] | {"words": words}]}).encode()).lines
    assert [(word.begin, word.start_ms) for word in line.words] == [(6, 900)]
