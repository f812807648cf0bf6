"""Transcripts are written for other programs, and what was written is read as the same."""

import json
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from player.model.episode import SpokenWord, Transcript, TranscriptLine
from player.transcripts import read_transcript
from player.transcripts.write import WRITERS, as_json, as_srt, as_vtt

WORDS = (SpokenWord(0, 1_350), SpokenWord(7, 1_900), SpokenWord(11, 2_400))
TALK = Transcript(
    (
        TranscriptLine("Hello, and welcome.", 1_350, 3_000, "Ada & Co", WORDS),
        TranscriptLine("If a < b && c --> d, say <b>so</b>.", 3_600_000, None, "Grace"),
        TranscriptLine("Bye.", 3_605_500, 3_606_000, "Grace"),
    ),
    "en",
    "whisper-cli, ggml-tiny.en",
)


def test_webvtt_has_voices_times_of_words_and_no_marks_of_what_is_said() -> None:
    assert as_vtt(TALK) == (
        "WEBVTT\nLanguage: en\n\n"
        "00:00:01.350 --> 00:00:03.000\n<v Ada &amp; Co>Hello, <00:00:01.900>and <00:00:02.400>welcome.\n\n"
        "01:00:00.000 --> 01:00:05.500\n<v Grace>If a &lt; b &amp;&amp; c --&gt; d, say &lt;b&gt;so&lt;/b&gt;.\n\n"
        "01:00:05.500 --> 01:00:06.000\n<v Grace>Bye.\n"
    )


def test_subrip_has_names_and_escapes_only_what_would_be_mistaken() -> None:
    assert as_srt(TALK) == (
        "1\n00:00:01,350 --> 00:00:03,000\nAda & Co: Hello, and welcome.\n\n"
        "2\n01:00:00,000 --> 01:00:05,500\nGrace: If a < b && c --&#62; d, say &#60;b>so&#60;/b>.\n\n"
        "3\n01:00:05,500 --> 01:00:06,000\nGrace: Bye.\n"
    )


def test_json_is_that_of_the_podcast_namespace_with_words() -> None:
    document = json.loads(as_json(TALK))
    assert {name: document[name] for name in ("version", "language", "made_by")} == {
        "version": "1.0.0", "language": "en", "made_by": "whisper-cli, ggml-tiny.en",
    }  # fmt: skip
    assert document["segments"][0] == {
        "startTime": 1.35, "endTime": 3.0, "speaker": "Ada & Co", "body": "Hello, and welcome.",
        "words": [
            {"word": "Hello,", "start": 1.35}, {"word": "and", "start": 1.9}, {"word": "welcome.", "start": 2.4},
        ],
    }  # fmt: skip
    assert document["segments"][1].keys() == {"startTime", "speaker", "body"}


def test_times_within_a_cue_ascend_and_stay_within_it() -> None:
    words = (SpokenWord(0, 500), SpokenWord(2, 1_000), SpokenWord(4, 1_500), SpokenWord(6, 1_500), SpokenWord(8, 9_000))
    line = TranscriptLine("a b c d e", 1_000, 2_000, words=words)
    assert "\na b <00:00:01.500>c d e\n" in as_vtt(Transcript((line,)))


@pytest.mark.parametrize("write", [as_vtt, as_srt, as_json])
def test_all_of_a_talk_comes_back(write: Callable[[Transcript], str]) -> None:
    back = read_transcript(write(TALK).encode())
    assert [(line.text, line.start_ms, line.speaker) for line in back.lines] == [
        (line.text, line.start_ms, line.speaker) for line in TALK.lines
    ]
    if write is not as_srt:
        assert back.lines[0].words == WORDS
        assert back.language == "en"
    if write is as_json:
        assert back == TALK


_SAID = st.text(st.sampled_from("abcDE 12.,:!?<>&;#{}\\/-–\"'“”éß你é🙂"), min_size=1, max_size=60).map(
    lambda text: " ".join(text.split())
)


@st.composite
def transcripts(draw: st.DrawFn) -> Transcript:
    """As they come from a reader: cleaned, in order, by one speaker or by several with names."""
    names = draw(st.sampled_from([("",), ("Ada",), ("Ada Lovelace", "Grace")]))
    lines, start = list[TranscriptLine](), 0
    for text in draw(st.lists(_SAID.filter(lambda text: any(map(str.isalnum, text))), min_size=1, max_size=12)):
        start += draw(st.integers(0, 5_000))
        end = start + draw(st.integers(2_000, 9_000))
        begins = [0, *(at + 1 for at, letter in enumerate(text) if letter == " ")]
        count = draw(st.integers(0, len(begins)))
        words = tuple(SpokenWord(begin, start + number) for number, begin in enumerate(begins[:count]))
        lines.append(TranscriptLine(text, start, end, draw(st.sampled_from(names)), words))
    return Transcript(tuple(lines), draw(st.sampled_from(["", "en", "pt-BR"])))


@given(transcripts(), st.sampled_from(sorted(WRITERS)))
@example(Transcript((TranscriptLine(r"{\1} and {b} {/I}", 0, 2_000),)), "vtt")
def test_whatever_was_read_comes_back_from_each_format(transcript: Transcript, form: str) -> None:
    first = read_transcript(WRITERS["json"](transcript).encode())
    again = read_transcript(WRITERS[form](first).encode())
    if form == "srt":
        assert "".join(line.text for line in again.lines).replace(" ", "")
    assert [line.text for line in again.lines] == [line.text for line in first.lines]
    assert [(line.start_ms, line.speaker) for line in again.lines] == [
        (line.start_ms, line.speaker) for line in first.lines
    ]
    if form == "json":
        assert again == first
