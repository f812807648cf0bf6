"""One conversation in every format reads as the same lines; and what is broken gives what is whole."""

import json

import pytest
from msgspec.structs import replace

from player.model.episode import TranscriptLine
from player.transcripts import read_transcript

TALK = (
    TranscriptLine("Welcome back to the show.", 1000, 3500, "Anna"),
    TranscriptLine("Thanks, it's good to be here & talk.", 3500, 6250, "Ben"),
    TranscriptLine("Where did we stop last time?", 7000, 9000, "Anna"),
    TranscriptLine("At garbage collection.", 3_661_000, 3_663_000, "Ben"),
)
CLOCKS = ("0:01", "0:03.5", "0:07", "1:01:01")
VTT = """WEBVTT - a talk
Language: en-GB

STYLE
::cue { color: red }

NOTE made by hand
and so on

REGION
id:bottom

1
00:00:01.000 --> 00:00:03.500 align:start position:10%
<v Anna>Welcome <i>back</i> to the show.</v>

two
00:03.500 --> 00:06.250
<v.loud Ben>Thanks, it's good
to be here &amp; talk.

00:00:07.000 --> 00:00:09.000
<v Anna>Where did <00:00:07.500><c.red>we stop</c> last time?

NOTE at last
01:01:01.000 --> 01:01:03.000
<v Ben>At garbage collection.
"""
SRT = """1
00:00:01,000 --> 00:00:03,500
Anna: Welcome <b>back</b> to the show.

2
00:00:03,500 --> 00:00:06,250
Ben: Thanks, it's good
to be here & talk.

3
00:00:07,000 --> 00:00:09,000
{\\an8}Anna: Where did we stop last time?

4
01:01:01,000 --> 01:01:03,000
Ben: At garbage collection.
"""
SLOPPY_SRT = """00:00:01,0 -> 0:0:3,5
Anna: Welcome back to the show.
2
0:00:03.5-->0:00:06.25
Ben: Thanks, it's good to be here & talk.
3
00:07 --> 00:09


>> Anna: Where did we stop last time?


4
1:01:01,000 --> 1:01:03,000
Ben: At garbage collection."""
HTML = """<!DOCTYPE html><html><head><title>A talk</title><style>p { color: red }</style></head><body>
<cite>Anna:</cite><time>0:01</time><p>Welcome <em>back</em> to
  the show.</p>
<!-- <cite>Nobody:</cite> --><cite>Ben:</cite>
<time>00:03.5</time>
<p>Thanks, it&rsquo;s good<br>to be here &amp; talk.</p>
<p><cite>Anna</cite> <time>0:07</time> Where did we stop last time?</p>
<cite>Ben:</cite> <time>1:01:01</time> <p>At garbage collection.</p><script>track()</script>
</body></html>"""


def segments() -> list[dict[str, object]]:
    return [
        {"speaker": one.speaker, "startTime": (one.start_ms or 0) / 1000, "endTime": (one.end_ms or 0) / 1000,
         "body": one.text}
        for one in TALK
    ]  # fmt: skip


def lines(body: str | bytes, media_type: str = "") -> tuple[TranscriptLine, ...]:
    """Without the times of words, which `test_words.py` reads."""
    found = read_transcript(body.encode() if isinstance(body, str) else body, media_type).lines
    return tuple(replace(line, words=()) for line in found)


def texts(body: str | bytes, media_type: str = "") -> list[str]:
    return [line.text for line in lines(body, media_type)]


def without_ends(spoken: tuple[TranscriptLine, ...]) -> list[tuple[str, int | None, str]]:
    return [(line.text.replace("’", "'"), line.start_ms, line.speaker) for line in spoken]


# -- the same in all ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (VTT, "text/vtt"),
        (VTT.replace("\n", "\r\n"), "text/vtt; charset=utf-8"),
        ("\ufeff" + VTT, "text/vtt"),
        (VTT.partition("\n\n")[2], "text/vtt"),
        (VTT, "text/plain"),
        (VTT, "application/octet-stream"),
        (SRT, "application/x-subrip"),
        (SRT, "application/srt"),
        (SRT, "text/vtt"),
        (SRT.replace("\n", "\r"), ""),
        (SLOPPY_SRT, "application/srt"),
        (json.dumps({"version": "1.0.0", "segments": segments()}), "application/json"),
        (json.dumps({"version": "1.0.0", "segments": segments()}), "text/plain"),
        (json.dumps(segments(), indent=2), ""),
    ],
)
def test_a_talk_with_times_and_speakers(body: str, media_type: str) -> None:
    assert lines(body, media_type) == TALK


def test_html_says_the_same_but_for_ends() -> None:
    assert without_ends(lines(HTML, "text/html")) == without_ends(TALK)
    assert lines(HTML) == lines(HTML, "text/html")


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"[{at}] {one.speaker}: {one.text}\n" for at, one in zip(CLOCKS, TALK, strict=True)),
        "".join(f"{one.speaker} ({at}):\n{one.text}\n\n" for at, one in zip(CLOCKS, TALK, strict=True)),
        "".join(f"{at}\n\n{one.speaker}: {one.text}\n\n" for at, one in zip(CLOCKS, TALK, strict=True)),
        "".join(f"{one.speaker}  {at}\n{one.text}\n\n" for at, one in zip(CLOCKS, TALK, strict=True)),
        "".join(f"{at} - {one.speaker}: {one.text}\n" for at, one in zip(CLOCKS, TALK, strict=True)),
        "<p>" + "</p><p>".join(
            f"<b>{one.speaker}:</b> [{at}]<br>{one.text}" for at, one in zip(CLOCKS, TALK, strict=True)
        ),
    ],
    ids=["bracketed", "name (time):", "time alone", "name time", "bare", "html paragraphs"],
)  # fmt: skip
def test_plain_text_with_times_says_the_same_but_for_ends(body: str) -> None:
    assert without_ends(lines(body)) == without_ends(TALK)


def test_plain_text_without_times_keeps_paragraphs_and_names() -> None:
    talk = "Anna: Welcome back.\n\nIt's good to\nbe here.\n\nBen: Thanks.\n\nAnna: Where did\nwe stop?\n"
    assert lines(talk, "text/plain") == (
        TranscriptLine("Welcome back.", speaker="Anna"),
        TranscriptLine("It's good to be here.", speaker="Anna"),
        TranscriptLine("Thanks.", speaker="Ben"),
        TranscriptLine("Where did we stop?", speaker="Anna"),
    )


def test_html_without_marks_is_read_as_prose() -> None:
    page = "<h1>A talk</h1><p><strong>Anna:</strong> Hello there.</p><p><strong>Ben:</strong> Hi.</p><p>Anna: So.</p>"
    assert [(line.speaker, line.text) for line in lines(page, "text/html")] == [
        ("", "A talk"), ("Anna", "Hello there."), ("Ben", "Hi."), ("Anna", "So."),
    ]  # fmt: skip


def test_a_cite_within_a_sentence_is_a_book() -> None:
    assert texts("<cite>Ben:</cite><p>I read <cite>Moby Dick</cite> at <time>9:00</time>.</p>") == [
        "I read Moby Dick at 9:00."
    ]


def test_the_language_is_the_files_own_unless_told() -> None:
    assert read_transcript(VTT.encode(), "text/vtt").language == "en-GB"
    assert read_transcript(VTT.encode(), "text/vtt", "de").language == "de"
    assert read_transcript(b'{"language": "fr", "segments": [{"text": "Bonjour"}]}').language == "fr"
    assert read_transcript(b'{"language": "<b>", "segments": [{"text": "Bonjour"}]}').language == ""


# -- JSON of other houses -------------------------------------------------------------------------------------


SPOKEN = [("Hello there.", 500, 2000), ("Good to hear you.", 2000, 4500)]


@pytest.mark.parametrize(
    "document",
    [
        {"text": "all of it", "segments": [{"id": n, "seek": 0, "start": a / 1000, "end": b / 1000, "text": f" {t}",
         "words": [{"word": " Hello", "start": 0.5, "end": 1.0}]} for n, (t, a, b) in enumerate(SPOKEN)]},
        {"transcription": [{"timestamps": {"from": "00:00:00,500", "to": "00:00:02,000"},
         "offsets": {"from": a, "to": b}, "text": f" {t}"} for t, a, b in SPOKEN]},
        {"transcripts": [{"start": "0:00:00.500", "start_ms": a, "end_ms": b, "text": t} for t, a, b in SPOKEN]},
        {"utterances": [{"start": a, "end": b, "text": t} for t, a, b in SPOKEN], "text": "all of it"},
        {"results": {"utterances": [{"start": a / 1000, "end": b / 1000, "transcript": t} for t, a, b in SPOKEN]}},
        {"results": {"audio_segments": [{"start_time": str(a / 1000), "end_time": str(b / 1000), "transcript": t}
         for t, a, b in SPOKEN], "transcripts": [{"transcript": ""}]}},
        {"monologues": [{"elements": [{"type": "text", "value": w, "ts": a / 1000, "end_ts": b / 1000}
         for w in t.replace(" ", "| |").split("|")]} for t, a, b in SPOKEN]},
        {"events": [{"tStartMs": a, "dDurationMs": b - a, "segs": [{"utf8": t[:5]}, {"utf8": t[5:] + " "}]}
         for t, a, b in SPOKEN]},
    ],
    ids=["whisper", "whisper.cpp", "podlove", "assemblyai", "deepgram", "amazon", "rev", "youtube"],
)  # fmt: skip
def test_what_programs_write_down(document: object) -> None:
    assert [(one.text, one.start_ms, one.end_ms) for one in lines(json.dumps(document))] == SPOKEN


def test_speakers_may_be_numbers_or_objects() -> None:
    document = {"segments": [{"speaker": 1, "body": "One."}, {"speaker": {"name": "Ben"}, "body": "Two."}]}
    assert [line.speaker for line in lines(json.dumps(document))] == ["Speaker 1", "Ben"]


def test_words_become_sentences_of_one_speaker_or_six_seconds() -> None:
    cue_texts = ["Well", "hello", "there", ".", "This", "goes", "on", "and", "on", "and", "on"]
    words = [
        {"speaker": "Anna", "startTime": n * 1.0, "endTime": n + 0.9, "body": word} for n, word in enumerate(cue_texts)
    ] + [{"speaker": "Ben", "startTime": 12, "endTime": 12.5, "body": "Yes"}]
    assert lines(json.dumps({"segments": words})) == (
        TranscriptLine("Well hello there.", 0, 3900, "Anna"),
        TranscriptLine("This goes on and on and", 4000, 9900, "Anna"),
        TranscriptLine("on", 10_000, 10_900, "Anna"),
        TranscriptLine("Yes", 12_000, 12_500, "Ben"),
    )


def test_words_that_bring_their_blanks_get_no_others() -> None:
    pieces = [" Un", "believ", "able", ",", " but", " true", "."]
    words = [{"start": n / 10, "end": n / 10 + 0.1, "text": piece} for n, piece in enumerate(pieces)]
    assert texts(json.dumps({"segments": words})) == ["Unbelievable, but true."]


def test_scripts_without_blanks_get_none() -> None:
    words = [{"start": n / 10, "end": n / 10 + 0.1, "text": piece} for n, piece in enumerate("今日は。さようなら")]
    assert texts(json.dumps({"segments": words})) == ["今日は。", "さようなら"]


# -- captions that roll ---------------------------------------------------------------------------------------


def test_rolling_captions_say_each_word_once() -> None:
    rolling = "WEBVTT\nKind: captions\nLanguage: en\n\n" + "\n".join(
        f"00:00:0{at}.000 --> 00:00:0{at + 1}.990\n{before}\n{now.replace(' ', f'<00:00:0{at}.500><c> ')}</c>\n\n"
        f"00:00:0{at + 1}.990 --> 00:00:0{at + 2}.000\n{now}\n \n"
        for at, before, now in [(0, " ", "so hello and welcome"), (2, "so hello and welcome", "to all of you"),
                                (4, "to all of you", "who listen"), (6, "who listen", "who listen to us")]
    )  # fmt: skip
    assert [(line.text, line.start_ms, line.end_ms) for line in lines(rolling)] == [
        ("so hello and welcome", 0, 2000), ("to all of you", 2000, 4000), ("who listen", 4000, 6000),
        ("who listen to us", 6000, 8000),
    ]  # fmt: skip


def test_captions_that_grow_say_each_word_once() -> None:
    words = ["we", "talk", "about", "memory", "today", "and", "about", "more"]
    growing = "\n".join(f"00:0{n}.000 --> 00:0{n + 1}.000\n{' '.join(words[: n + 1])}\n" for n in range(len(words)))
    assert " ".join(texts(growing)) == " ".join(words)


def test_who_says_something_twice_has_said_it_twice() -> None:
    captions = "\n".join(
        f"00:0{n}.000 --> 00:0{n + 1}.000\n{cue_texts}\n"
        for n, cue_texts in enumerate(
            ["No, no, no.", "No, no, no.", "That is not it.", "Is it so?", "Yes.", "It's another."]
        )
    )
    assert texts(captions) == ["No, no, no.", "No, no, no.", "That is not it.", "Is it so?", "Yes.", "It's another."]


# -- names ----------------------------------------------------------------------------------------------------


def test_a_colon_makes_no_speaker() -> None:
    cue_texts = [
        "Note: this is a test.",
        "The rule is this: be kind.",
        "It is 12:30 now.",
        "See https://example.com",
        "Bye.",
    ]
    assert lines("\n\n".join(cue_texts)) == tuple(TranscriptLine(one) for one in cue_texts)


def test_a_voice_goes_on_until_the_next_however_that_is_named() -> None:
    cue_texts = [
        "<v Travis> When you first\nget started", "you make mistakes.", "[Music]", "Gilon: So is there a length?",
        "Nope.", "Gilon: None at all.", "<v Travis>Good.",
    ]  # fmt: skip
    vtt = "".join(f"00:0{at}.000 --> 00:0{at + 1}.000\n{one}\n\n" for at, one in enumerate(cue_texts))
    assert [(line.speaker, line.text) for line in lines(vtt)] == [
        ("Travis", "When you first get started"), ("Travis", "you make mistakes."), ("", "[Music]"),
        ("Gilon", "So is there a length?"), ("Gilon", "Nope."), ("Gilon", "None at all."), ("Travis", "Good."),
    ]  # fmt: skip


def test_in_json_one_without_a_speaker_is_by_nobody() -> None:
    document = {"segments": [{"speaker": "Anna", "body": "Hi."}, {"body": "Applause all around."}]}
    assert [line.speaker for line in lines(json.dumps(document))] == ["Anna", ""]


def test_a_number_is_not_said_where_its_cue_is_empty() -> None:
    srt = "1\n00:01,000 --> 00:02,000\nthe\n\n2\n00:02,000 --> 00:03,000\n3\n00:03,000 --> 00:04,000\ntower\n"
    assert "".join(texts(srt)) == "the tower"


def test_two_voices_in_a_cue_are_two_lines() -> None:
    vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>Hi.</v> <v Ben &amp; Co>Hello.</v>\n"
    srt = "1\n00:01,000 --> 00:02,000\nAnna: Hi.\nBen & Co: Hello.\n"
    both = (TranscriptLine("Hi.", 1000, 2000, "Anna"), TranscriptLine("Hello.", 1000, 2000, "Ben & Co"))
    assert lines(vtt) == lines(srt) == both


# -- times ----------------------------------------------------------------------------------------------------


def test_overlapping_and_disordered_cues_are_put_in_order() -> None:
    vtt = (
        "WEBVTT\n\n00:09.000 --> 00:12.000\nthird of them\n\n00:01.000 --> 00:08.000\nfirst of them\n\n"
        "00:02.000 --> 00:01.000\nsecond of them\n"
    )
    assert [(line.text, line.start_ms, line.end_ms) for line in lines(vtt)] == [
        ("first of them", 1000, 8000), ("second of them", 2000, None), ("third of them", 9000, 12_000),
    ]  # fmt: skip


def test_a_line_without_a_time_stands_between_its_neighbours() -> None:
    srt = "1\n00:00:10,000 --> 00:00:12,000\nhalf of it\n\n2\n00:00:xx,000 --> 00:00:14,000\nthe others\n\n"
    assert [line.start_ms for line in lines(srt + "3\n00:00:14,000 --> 00:00:15,000\nthe end\n")] == [
        10000,
        12000,
        14000,
    ]


def test_a_single_time_among_paragraphs_is_no_timing() -> None:
    assert not read_transcript(b"[00:00:00] Start of it.\n\nMore of it.\n\nThe rest.\n").timed


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), 1e300, "x", "1:2:3:4:5", None, True, {}])
def test_a_time_that_no_episode_has_is_none(odd: object) -> None:
    segments = [
        {"startTime": 1.0, "body": "A word."},
        {"startTime": odd, "body": "More."},
        {"startTime": 8, "body": "-"},
    ]
    assert [line.start_ms for line in lines(json.dumps({"segments": segments}))] == [1000, 2876, 8000]


def test_before_the_beginning_is_the_beginning() -> None:
    assert lines('{"segments": [{"startTime": -5, "body": "A word."}]}')[0].start_ms == 0


# -- bytes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252"]
)
def test_any_encoding_of_the_usual(encoding: str) -> None:
    srt = "1\n00:00:01,000 --> 00:00:02,000\nGrüße aus Köln, s’il vous plaît.\n".replace("’", "'")
    assert texts(srt.encode(encoding)) == ["Grüße aus Köln, s'il vous plaît."]


def test_one_wrong_byte_garbles_one_letter() -> None:
    srt = f"1\n00:00:01,000 --> 00:00:02,000\n{'Grüße ' * 10}".encode()
    assert texts(srt + b"\xff.") == ["Grüße " * 10 + "\ufffd."]


def test_control_characters_are_cleaned_away() -> None:
    vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v An\x1b[31mna>Hi \x1b]0;x\x07the\u202ere&#27;[2J\n"
    assert lines(vtt) == (TranscriptLine("Hi ]0;xthere[2J", 1000, 2000, "An[31mna"),)


def test_long_texts_are_broken_at_sentences_and_lose_no_word() -> None:
    text = "This is a sentence of some words. " * 200
    found = texts(text)
    assert len(found) > 5
    assert all(len(line) <= 1000 and line.endswith(".") for line in found)
    assert " ".join(found) == text.strip()


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (b"", "text/vtt"),
        (b"WEBVTT\n\n", "text/vtt"),
        (b"\x00\x01\x02\xff\xfe\x00binary", "text/vtt"),
        (b"%PDF-1.7 and so on", "text/plain"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ""),
        (b"<html><body><h1>Sign in</h1></body></html>", "text/vtt"),
        (b"<html><body><h1>Sign in</h1></body></html>", "application/json"),
        (b"Not Found", "application/srt"),
        (b"{}", "application/json"),
        (b"[[[[[[", "application/json"),
        (b"[" * 100_000, "application/json"),
        (b'{"segments": [1, null, "x", {"body": 5}, {"body": " "}]}', "application/json"),
        (b'{"version": "1.0.0", "segments": {}}', "application/json"),
    ],
)
def test_what_holds_no_words_has_no_lines(body: bytes, media_type: str) -> None:
    assert not read_transcript(body, media_type).lines


def test_of_a_file_cut_short_what_came_is_read() -> None:
    document = json.dumps({"version": "1.0.0", "segments": segments()})
    assert lines(document[: document.rindex("{") + 20], "application/json") == TALK[:3]
    assert lines(SRT[: SRT.index("4\n01")], "application/srt") == TALK[:3]
