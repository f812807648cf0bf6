"""Transcripts that a feed names are fetched, the best format of each language, and kept; one's own come first."""

from datetime import UTC, datetime

import pytest

from player.attachments.episode_transcripts import Transcripts, in_order, language_here
from player.errors import AttachmentError
from player.library import AttachmentKind
from player.library.attachments import MADE
from player.model.episode import EpisodeId, TranscriptLine, TranscriptRef
from player.model.filters import View
from player.model.podcast import WELCOME_URL
from player.transcribing.made import Made
from player.transcripts.write import as_vtt
from tests.loopback import LoopbackServer
from tests.player.attachments.conftest import House
from tests.player.library.helpers import apply_feed, episode
from tests.player.transcripts.test_shift import STORY, lines, with_inserted

NOW = datetime(2026, 7, 1, tzinfo=UTC)
VTT = b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>Hello there.\n"
SRT = b"1\n00:00:03,000 --> 00:00:04,000\nFrom the other file.\n"
GERMAN = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>Grüß dich.\n".encode()
HELLO = (TranscriptLine("Hello there.", 1000, 2000, "Anna"),)


def text_of(house: House, episode_id: EpisodeId, language: str = "") -> str:
    transcript = house.attachments.transcript(episode_id, language)
    return transcript.lines[0].text if transcript else ""


@pytest.fixture
def vtt(server: LoopbackServer) -> TranscriptRef:
    return TranscriptRef(server.page("/talk.vtt", VTT, "text/vtt"), "text/vtt", "en")


@pytest.fixture
def srt(server: LoopbackServer) -> TranscriptRef:
    return TranscriptRef(server.page("/talk.srt", SRT, "text/plain"), "application/srt", "en")


# -- fetched --------------------------------------------------------------------------------------------------


def test_a_transcript_comes_once_and_is_kept(house: House, server: LoopbackServer, vtt: TranscriptRef) -> None:
    one = house.add(transcripts=(vtt,))
    assert house.attachments.transcript(one.id) is None
    house.wanted(one)
    transcript = house.attachments.transcript(one.id)
    assert transcript is not None
    assert (transcript.lines, transcript.language) == (HELLO, "en")
    server.answers.clear()
    assert house.attachments.fetch(one.id) == ""
    assert text_of(house, one.id) == "Hello there."
    assert len(server.seen) == 1


def test_of_a_language_the_format_with_the_best_times_is_fetched(
    house: House, server: LoopbackServer, vtt: TranscriptRef, srt: TranscriptRef
) -> None:
    one = house.add(transcripts=(srt, vtt))
    house.wanted(one)
    assert text_of(house, one.id) == "Hello there."
    assert [request.path for request in server.seen] == ["/talk.vtt"]


def test_where_one_format_fails_the_next_is_taken(house: House, server: LoopbackServer, srt: TranscriptRef) -> None:
    gone = server.answer("/gone.vtt", lambda asked: asked.reply(b"", "text/plain", status=404))
    one = house.add(transcripts=(TranscriptRef(gone, "text/vtt", "en"), srt))
    house.wanted(one)
    assert text_of(house, one.id) == "From the other file."
    assert house.attachments.trouble(one.id) == ""


def test_a_new_address_takes_the_place_of_the_old(house: House, server: LoopbackServer, vtt: TranscriptRef) -> None:
    one = house.add(transcripts=(vtt,))
    house.wanted(one)
    mended = TranscriptRef(server.page("/mended.srt", SRT, "text/plain"), "application/srt", "en")
    apply_feed(house.library, house.podcast, episode(0, transcripts=(mended,)))
    assert text_of(house, one.id) == "Hello there."
    house.wanted(one)
    assert text_of(house, one.id) == "From the other file."
    assert [kept.url for kept in house.library.attachments.listed(one.id, AttachmentKind.TRANSCRIPT)] == [mended.url]


def test_a_page_to_sign_in_to_is_no_transcript(house: House, server: LoopbackServer) -> None:
    page = server.page("/talk.vtt", b"<html><body><h1>Sign in</h1></body></html>", "text/html")
    one = house.add(transcripts=(TranscriptRef(page, "text/vtt"),))
    house.wanted(one)
    assert house.attachments.transcript(one.id) is None
    assert house.attachments.trouble(one.id) == "The transcript from 127.0.0.1 can't be read."
    assert house.library.attachments.listed(one.id, AttachmentKind.TRANSCRIPT) == ()


def test_a_type_that_the_server_makes_up_does_no_harm(house: House, server: LoopbackServer) -> None:
    one = house.add(transcripts=(TranscriptRef(server.page("/talk", VTT, "audio/mpeg"), ""),))
    house.wanted(one)
    assert text_of(house, one.id) == "Hello there."


def test_several_languages_are_there_and_the_listeners_comes_first(
    house: House, server: LoopbackServer, vtt: TranscriptRef, srt: TranscriptRef
) -> None:
    german = TranscriptRef(server.page("/talk.de.vtt", GERMAN, "text/vtt"), "text/vtt", "de")
    one = house.add(transcripts=(srt, german, vtt))
    house.wanted(one)
    assert [ref.url for ref in house.attachments.transcripts(one.id)] == [vtt.url, srt.url, german.url]
    assert text_of(house, one.id) == text_of(house, one.id, "en-GB") == "Hello there."
    assert text_of(house, one.id, "de") == "Grüß dich."
    assert text_of(house, one.id, "fr") == "Hello there."
    assert Transcripts(house.library, "de").refs(one.id)[0] == german


def test_the_built_in_show_has_its_transcripts_without_a_network(house: House) -> None:
    url = f"{WELCOME_URL}/1-press-play.vtt"
    one = house.add(transcripts=(TranscriptRef(url, "text/vtt", "en"),))
    house.wanted(one)
    transcript = house.attachments.transcript(one.id)
    assert transcript is not None
    assert len(transcript.lines) == 9
    assert transcript.lines[0] == TranscriptLine(
        "Hello, and welcome to Earmark: a podcast player that lives in your terminal.", 1350, 5747, "Earmark"
    )
    assert house.library.attachments.get(one.id, AttachmentKind.TRANSCRIPT, url) is not None


# -- one's own ------------------------------------------------------------------------------------------------


def test_ones_own_comes_before_the_feeds_and_may_be_taken_back(house: House, vtt: TranscriptRef) -> None:
    one = house.add(transcripts=(vtt,))
    house.wanted(one)
    own = Transcripts(house.library, "en")
    own.give(one.id, SRT, "", NOW)
    own.give(one.id, GERMAN, "de", NOW)
    assert text_of(house, one.id) == "From the other file."
    assert text_of(house, one.id, "en") == "Hello there."
    assert text_of(house, one.id, "de") == "Grüß dich."
    own.give(one.id, b"Only words.", "", NOW)
    assert text_of(house, one.id) == "Only words."
    assert own.take_back(one.id, "de") == 1
    assert own.take_back(one.id) == 1
    assert own.take_back(one.id) == 0
    assert text_of(house, one.id) == text_of(house, one.id, "de") == "Hello there."


def test_what_has_no_words_is_not_taken(house: House) -> None:
    one = house.add()
    with pytest.raises(AttachmentError, match=r"No text found in this transcript\. Use WebVTT"):
        Transcripts(house.library, "en").give(one.id, b"\0\1\2", "", NOW)
    assert house.attachments.transcripts(one.id) == ()


# -- order ----------------------------------------------------------------------------------------------------


def test_formats_are_told_by_type_or_else_by_name() -> None:
    refs = [
        TranscriptRef("https://a.example/t.txt?x=1"),
        TranscriptRef("https://a.example/t", "text/html"),
        TranscriptRef("https://a.example/t.pdf", "application/pdf"),
        TranscriptRef("https://a.example/t.srt", "application/octet-stream"),
        TranscriptRef("https://a.example/t", "application/json"),
        TranscriptRef("https://a.example/t", "text/vtt"),
    ]
    assert in_order(refs, "en") == [refs[5], refs[4], refs[3], refs[1], refs[0]]


def test_a_language_elsewhere_is_nearer_than_one_that_isnt_told() -> None:
    refs = [TranscriptRef("x", language=one) for one in ("fr", "", "pt-BR", "pt_PT")]
    assert [ref.language for ref in in_order(refs, "pt-PT")] == ["pt_PT", "pt-BR", "", "fr"]
    assert [ref.language for ref in in_order(refs, "pt", "fr")] == ["fr", "", "pt-BR", "pt_PT"]


@pytest.mark.parametrize(
    ("settings", "tag"),
    [
        ({"LANG": "de_AT.UTF-8"}, "de-AT"),
        ({"LANG": "de_AT.UTF-8", "LC_ALL": "C"}, ""),
        ({"LC_MESSAGES": "fr"}, "fr"),
        ({"LANG": "POSIX"}, ""),
        ({}, ""),
    ],
)
def test_the_language_of_this_computer(monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], tag: str) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert language_here() == tag


def test_the_built_in_show_names_its_transcripts(house: House) -> None:
    from player.feeds.welcome_podcast import unpack_welcome

    unpack_welcome(house.library)
    rows = house.library.episodes.rows(house.library.episodes.ids(View()))
    assert [len(house.attachments.transcripts(one.id)) for one in rows] == [1, 1, 1]


# -- where the audio has advertisements that the podcast doesn't know -------------------------------------------------


def test_the_podcasts_transcript_and_chapters_are_moved_to_the_words_in_this_audio(
    house: House, server: LoopbackServer
) -> None:
    """The words of a transcript that was made here tell that half a minute was inserted after a minute."""
    podcast, heard = lines(STORY, timed=False), lines(with_inserted(STORY, (60, 30)), timed=True)
    url = server.page("/talk.vtt", as_vtt(podcast).encode(), "text/vtt")
    notes = "0:00 One\n1:00 Two\n2:00 Three"
    one = house.add(transcripts=(TranscriptRef(url, "text/vtt", "en"),), notes=notes, duration_ms=300_000)
    house.wanted(one)
    before = house.attachments.transcript(one.id)
    assert before is not None
    assert (before.moved_ms, [line.start_ms for line in before.lines[14:17]]) == (0, [56_000, 60_000, 64_000])
    made = Made().grown((0, 330_000), heard, "an engine", 330_000, ended=False)
    house.library.attachments.put(one.id, made.attachment(), NOW)
    assert house.attachments.chapters(house.library.episodes.get(one.id)).moved_ms == 0, "there may be more at its end"
    made = Made().grown((0, 330_000), heard, "an engine", 330_000, ended=True)
    house.library.attachments.put(one.id, made.attachment(), NOW)
    after = house.attachments.transcript(one.id, url=url)
    assert after is not None
    assert abs(after.moved_ms - 30_000) < 500
    assert after.lines[14].start_ms == pytest.approx(56_000, abs=500)
    assert after.lines[16].start_ms == pytest.approx(94_000, abs=500)
    chapters = house.attachments.chapters(house.library.episodes.get(one.id))
    assert abs(chapters.moved_ms - 30_000) < 500
    assert [chapter.start_ms for chapter in chapters.items] == pytest.approx([0, 90_000, 150_000], abs=500)
    own = house.attachments.transcript(one.id, url=MADE)
    assert own is not None
    assert own.moved_ms == 0
