"""`transcript`."""

import io
import sys
from pathlib import Path

import pytest

from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed

pytestmark = pytest.mark.usefixtures("library")

VTT = (
    "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>Hello there.\n\n00:02.000 --> 00:03.000\n<v Anna>Is it on?\n\n"
    "01:00:03.000 --> 01:00:04.000\n<v Ben>It is.\n"
)
PRINTED = "   0:01  Anna: Hello there.\n   0:02  Is it on?\n1:00:03  Ben: It is.\n"


@pytest.fixture(autouse=True)
def slow_radio(earmark: Earmark, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """“Rain” has transcripts in two languages, “Wind” one that isn't there, “Hail” none."""
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    said = {
        "Rain": f'<podcast:transcript url="{server.page("/rain.vtt", VTT.encode(), "text/vtt")}" type="text/vtt"'
        ' language="en"/>'
        f'<podcast:transcript url="{server.page("/regen.txt", b"Der Regen.", "text/plain")}" type="text/plain"'
        ' language="de"/>',
        "Wind": f'<podcast:transcript url="{server.url}/gone.vtt" type="text/vtt"/>',
    }
    body = feed("Slow Radio", "Rain", "Wind", "Hail").decode()
    for title, tags in said.items():
        body = body.replace(f"<item><title>{title}</title>", f"<item><title>{title}</title>{tags}")
    body = body.replace("<rss ", '<rss xmlns:podcast="https://podcastindex.org/namespace/1.0" ')
    assert earmark("add", server.page("/feed", body.encode())).code == 0


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.srt"
    path.write_text("1\n00:00:05,000 --> 00:00:06,000\nMy own words.\n")
    return path


# -- shown ----------------------------------------------------------------------------------------------------


def test_it_is_fetched_and_printed_with_times_and_speakers(earmark: Earmark, server: LoopbackServer) -> None:
    assert earmark("transcript", "rain").out == PRINTED
    server.answers.clear()
    assert earmark("transcript", "rain").out == PRINTED


def test_json_has_all_of_it(earmark: Earmark) -> None:
    said = earmark("transcript", "rain", "--json").json
    assert (said["title"], said["language"], sorted(said["languages"])) == ("Rain", "en", ["de", "en"])
    assert said["lines"][2] == {"start_ms": 3_603_000, "end_ms": 3_604_000, "speaker": "Ben", "text": "It is."}


def test_another_language_may_be_asked_for(earmark: Earmark) -> None:
    assert earmark("transcript", "rain", "--language", "de-AT").out == "Der Regen.\n"
    ended = earmark("transcript", "rain", "--language", "fr")
    assert ended.code == 1
    assert ended.err == "earmark: “Rain” has no transcript in fr. Available: en, de.\n"
    assert earmark("transcript", "rain", "--language", "German").code == 2


def test_one_that_cannot_be_had_is_a_sentence(earmark: Earmark) -> None:
    ended = earmark("transcript", "wind")
    assert ended.code == 1
    assert ended.err.startswith("earmark: 127.0.0.1 no longer has the transcript (404).")
    ended = earmark("transcript", "hail")
    assert ended.code == 1
    assert "“Hail” has no transcript. Attach your own: earmark transcript" in ended.err


def test_the_built_in_show_has_transcripts(earmark: Earmark) -> None:
    assert "0:01  Earmark: Hello, and welcome to Earmark" in earmark("transcript", "1. Press play").out


# -- one's own ------------------------------------------------------------------------------------------------


def test_ones_own_comes_before_the_feeds_until_it_is_removed(earmark: Earmark, own: Path) -> None:
    assert earmark("transcript", "rain").out == PRINTED
    assert earmark("transcript", "rain", str(own)).out == "“Rain” now has a transcript of 1 line.\n"
    assert earmark("transcript", "rain").out == "0:05  My own words.\n"
    assert earmark("transcript", "rain", "--language", "en").out == PRINTED
    assert earmark("transcript", "rain", "--remove").out == "Removed 1 transcript of yours from “Rain”.\n"
    assert earmark("transcript", "rain").out == PRINTED
    ended = earmark("transcript", "rain", "--remove")
    assert (ended.code, ended.out) == (0, "“Rain” has no transcript of yours.\n")
    assert earmark("transcript", "rain", "--remove", "--json").json == {"removed": 0}


def test_it_may_come_from_standard_input(earmark: Earmark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Only words.\n\nNo times.\n")))
    assert earmark("transcript", "hail", "-", "--language", "en").out == (
        "“Hail” now has a transcript of 2 lines, without timestamps.\n"
    )
    assert earmark("transcript", "hail").out == "Only words.\nNo times.\n"
    assert [one["title"] for one in earmark("search", "--json", "in:transcript times").json] == ["Hail"]


@pytest.mark.parametrize(
    ("name", "body", "sentence"),
    [
        ("none.vtt", None, "No such file or directory"),
        (
            "sound.mp3",
            b"\xff\xfb\x90\0" * 100,
            "No text found in this transcript. Use WebVTT, SubRip, JSON, HTML or plain text.",
        ),
        ("empty.vtt", b"WEBVTT\n", "No text found in this transcript."),
        ("large.txt", b"a" * (16 * 1024**2 + 1), "more than 16 MB"),
    ],
)
def test_a_file_that_is_no_transcript_is_refused(
    earmark: Earmark, tmp_path: Path, name: str, body: bytes | None, sentence: str
) -> None:
    if body is not None:
        (tmp_path / name).write_bytes(body)
    ended = earmark("transcript", "hail", str(tmp_path / name))
    assert ended.code == 1
    assert sentence in ended.err
    assert earmark("transcript", "nobody").code == 1
    assert earmark("transcript", "hail").code == 1
