"""Whatever a stranger sends as a transcript, it is read in a bounded time into lines that can be shown."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.text.cleaning import clean_line
from player.transcripts import read_transcript
from player.transcripts.parse import MOST_LINES
from tests.quick import mostly_long

TYPES = ("", "text/vtt", "application/srt", "application/json", "text/html", "text/plain", "application/x-unknown")
CLOCKS = st.sampled_from(("00:01.000", "1:00:00,5", "0:00", "99:99", "1:2:3:4", "xx:01.0", "-1:00", ""))
WORDS = st.text(max_size=12) | st.sampled_from(
    ("Anna:", "<v Ben>", "</v>", "&amp;", "<c>", "-->", ">>", "{\\an8}", "[0:01]")
)
SAID = st.lists(WORDS, max_size=6).map(" ".join)
CAPTIONS = st.lists(st.tuples(CLOCKS, CLOCKS, SAID), max_size=8).map(
    lambda cues: "WEBVTT\n\n" + "\n".join(f"{a} --> {b}\n{cue_text}\n" for a, b, cue_text in cues)
)
PROSE = st.lists(st.tuples(CLOCKS, SAID), max_size=8).map(
    lambda rows: "\n".join(f"[{at}] {cue_text}" for at, cue_text in rows)
)
PAGES = st.lists(
    st.sampled_from(
        ("<p>", "</p>", "<cite>", "</cite>", "<time>", "</time>", "<br>", "<!--", "-->", "<script>", "1:02")
    )
    | SAID,
    max_size=20,
).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ("segments", "body", "text", "start", "end", "startTime", "speaker", "words", "segs", "offsets")
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


def assert_showable(body: bytes, media_type: str) -> None:
    transcript = read_transcript(body, media_type)
    starts = [line.start_ms for line in transcript.lines]
    assert len(starts) <= MOST_LINES
    if transcript.timed:
        times = [start for start in starts if start is not None]
        assert len(times) == len(starts)
        assert all(time >= 0 for time in times)
        assert times == sorted(times)
    for line in transcript.lines:
        assert line.text
        assert line.text == clean_line(line.text, 10_000)
        assert line.speaker == clean_line(line.speaker)
        assert line.end_ms is None or (line.start_ms is not None and line.end_ms > line.start_ms)


@given(st.binary(max_size=400), st.sampled_from(TYPES))
def test_any_bytes(body: bytes, media_type: str) -> None:
    assert_showable(body, media_type)


@given(st.one_of(CAPTIONS, PROSE, PAGES, VALUES.map(json.dumps), st.text(max_size=200)), st.sampled_from(TYPES))
def test_anything_like_a_transcript(text: str, media_type: str) -> None:
    assert_showable(text.encode("utf-8", "surrogatepass"), media_type)


@given(
    st.lists(st.tuples(st.integers(0, 10**7), st.text("abc déß今.?", min_size=1, max_size=30)), min_size=1, max_size=9)
)
def test_captions_lose_no_word(cues: list[tuple[int, str]]) -> None:
    segments = [
        {"startTime": at / 1000, "endTime": at / 1000 + 1, "body": f"x{n} {cue_text}"}
        for n, (at, cue_text) in enumerate(cues)
    ]
    read = read_transcript(json.dumps({"segments": segments}).encode())
    cue_text = "".join(line.text for line in read.lines)
    assert all(f"x{n}" in cue_text for n in range(len(cues)))
    assert sorted("".join(cue_text.split())) == sorted(
        "".join("".join(f"x{n}{one}" for n, (_, one) in enumerate(cues)).split())
    )


@pytest.mark.parametrize(
    "piece",
    [
        "-->\n", "00:00:00 --> 00:00:01\n", "<v a>x", "<v a", "<", "{", "[", '{"text":"a"},', "Anna: b\n", "1:", "\n",
        " ", "[00:01:02] x\n", "Anna 0:03\n", "<!--", "<script>", "<p><cite>a</cite>b", "&amp;", "a\u0301",
        "00:01 --> 00:02\na a a a a a a a a b\n\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("head", mostly_long(["", "1\n00:00:01,000 --> 00:00:02,000\n", "<p><cite>A</cite>"]))
def test_a_long_run_of_anything_takes_time_in_proportion(head: str, piece: str) -> None:
    """Were the time square in the length, each of these would take minutes: the test would be ended."""
    assert_showable((head + piece * (300_000 // len(piece))).encode(), "")
