"""`transcript`."""

import io
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.library import Attachment, AttachmentKind, Library
from player.library.attachments import MADE
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


# -- which of several -----------------------------------------------------------------------------------------


def test_of_several_it_says_where_the_one_is_from_and_any_can_be_chosen(earmark: Earmark, own: Path) -> None:
    assert earmark("transcript", "rain", "--language", "en").out == PRINTED
    earmark("transcript", "rain", str(own))
    ended = earmark("transcript", "rain")
    assert (ended.out, ended.err) == ("0:05  My own words.\n", "yours (others: --from podcast)\n")
    ended = earmark("transcript", "rain", "--from", "podcast")
    assert (ended.out, ended.err) == (PRINTED, "from the podcast (others: --from own)\n")
    assert earmark("transcript", "rain", "--from", "podcast", "--language", "de").out == "Der Regen.\n"
    said = earmark("transcript", "rain", "--json").json
    assert (said["source"], said["sources"], said["made_by"]) == ("own", ["own", "podcast"], "")
    ended = earmark("transcript", "rain", "--from", "here")
    assert (ended.code, ended.err) == (
        1,
        "earmark: “Rain” has no such transcript: here. Available: own, podcast.\n",
    )


def test_one_that_was_made_here_says_by_what(earmark: Earmark, library: Library) -> None:
    body = (
        b'{"language": "en", "made_by": "whisper-cli, ggml-tiny.en", "segments": [{"start": 1, "text": "It hails."}]}'
    )
    made = Attachment(AttachmentKind.TRANSCRIPT, MADE, body, "application/json", "en")
    library.attachments.put(library.episodes.find("hail").id, made, datetime.now(UTC))
    ended = earmark("transcript", "hail")
    assert (ended.out, ended.err) == ("0:01  It hails.\n", "made here by whisper-cli, ggml-tiny.en\n")
    said = earmark("transcript", "hail", "--json").json
    assert (said["source"], said["made_by"]) == ("here", "whisper-cli, ggml-tiny.en")


# -- whole files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("form", "begins"), [("vtt", "WEBVTT\n"), ("srt", "1\n00:00:01,000 --> "), ("json", "{")])
def test_a_file_for_other_programs_is_printed_and_can_be_read_again(
    earmark: Earmark, tmp_path: Path, form: str, begins: str
) -> None:
    printed = earmark("transcript", "rain", "--format", form).out
    assert printed.startswith(begins)
    (tmp_path / "again").write_text(printed)
    earmark("transcript", "hail", str(tmp_path / "again"))
    assert earmark("transcript", "hail").out == PRINTED


def test_markdown_has_speakers_and_times_and_escapes_what_is_said(earmark: Earmark, tmp_path: Path) -> None:
    (tmp_path / "own.vtt").write_text(
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>Use *args\n\n00:03.000 --> 00:04.000\n<v Ada>and [them].\n\n"
        "00:05.000 --> 00:06.000\n<v Grace_1># no\n"
    )
    earmark("transcript", "hail", str(tmp_path / "own.vtt"))
    assert earmark("transcript", "hail", "--format", "md").out == (
        "# Hail\n\nSlow Radio · 2026-04-18 · yours\n\n"
        "0:01 **Ada:** Use \\*args and \\[them\\].\n\n0:05 **Grace_1:** \\# no\n"
    )


def test_it_is_written_to_a_file_and_overwrites_none(earmark: Earmark, tmp_path: Path) -> None:
    path = tmp_path / "rain.srt"
    ended = earmark("transcript", "rain", "--output", str(path))
    assert (ended.code, ended.out) == (0, f"Transcript written to {path}.\n")
    assert path.read_text() == earmark("transcript", "rain", "--format", "srt").out
    assert path.stat().st_mode & 0o777 == 0o666 & ~current_umask()
    path.write_text("mine")
    ended = earmark("transcript", "rain", "-o", str(path))
    assert (ended.code, ended.err) == (1, f"earmark: {path} already exists. --force replaces it.\n")
    assert path.read_text() == "mine"
    assert earmark("transcript", "rain", "-o", str(path), "--force", "--format", "vtt").code == 0
    assert path.read_text().startswith("WEBVTT")
    ended = earmark("transcript", "rain", "-o", str(tmp_path / "none" / "rain.srt"))
    assert ended.code == 1
    assert ended.err.startswith(f"earmark: Can't write {tmp_path / 'none' / 'rain.srt'} (No such file or directory).")


def test_without_times_there_is_only_markdown(earmark: Earmark) -> None:
    ended = earmark("transcript", "rain", "--language", "de", "--format", "vtt")
    assert (ended.code, ended.err) == (
        1,
        "earmark: The transcript of “Rain” has no timestamps, and a vtt file needs them. Use --format md.\n",
    )
    assert earmark("transcript", "rain", "--language", "de", "--format", "md").out.endswith("\n\nDer Regen.\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--output", "rain.doc"),
        ("--output", "rain.txt", "--format", "{text}"),
        ("--json", "--output", "rain.json"),
        ("own.srt", "--from", "own"),
        ("--remove", "--format", "vtt"),
        ("--format", "doc"),
    ],
)
def test_what_does_not_go_together_is_misuse(earmark: Earmark, arguments: tuple[str, ...]) -> None:
    assert earmark("transcript", "rain", *arguments).code == 2


def current_umask() -> int:
    os.umask(mask := os.umask(0o022))
    return mask
