"""Whatever a text from outside is made of, what is done with it takes a time that its length alone decides.

Measured: 0.7 s at most for as much as notes may have. What looks again and again at the rest of a text takes minutes.
"""

import json
from collections.abc import Callable, Iterable
from functools import partial

import pytest
from msgspec.structs import replace

from player.chapters.file_bytes import FileBytes
from player.chapters.in_file import read_file_chapters
from player.chapters.texts import read_json_chapters, read_notes_chapters
from player.library.lists.compiler import expression
from player.library.search import index as search_index
from player.library.search.query import parse, titled, to_text
from player.library.search.spoken_hits import SpokenHit, spoken_hits
from player.library.search.transcript_index import Texts
from player.library.search.words import LOOKED_AT, excerpt, hits
from player.links.page_names import recognised
from player.links.urls import shown
from player.model.episode import Chapter, Chapters, ChapterSource
from player.model.playback import PlaybackState, PlaybackStatus
from player.notes import plain, read_notes, words
from player.notes.episode_links import links
from player.text.cleaning import BLOCK_LIMIT, clean_block, clean_line, fold, unescape
from player.text.times import timestamps
from player.transcripts import read_transcript, sentences
from player.transcripts.parse import LONGEST_LINE
from tests.player.chapters.audio import box, comments, id3_chapter, id3_frame, id3_tag, ogg
from tests.quick import mostly_long, shortest
from tests.tui.widgets.test_notes_pane import an_episode
from tui.cli.command import Column
from tui.cli.text_table import layout
from tui.drawing.cells import cut, fit
from tui.drawing.episode_tabs import chapters_sheet, links_sheet, transcript_sheet
from tui.drawing.hit_lines import hit_lines
from tui.drawing.notes.notes_page import Request, begin, body, head
from tui.drawing.player_bar import Around, lay_out
from tui.drawing.runs import Run, chop, wrap
from tui.look.glyphs import UNICODE
from tui.widgets.virtual_list import wrapped

LENGTH = 40_000
UNITS = (
    "<", "&", "&#9", "a", "a ", "A", "9", ":", "(", "[", "*", "`", "/", ".", "-", '"', "日", "\u0301", "é",
    "<a b='", "**a",
)  # fmt: skip
OBJECTS = ("👩\u200d💻", "a\n", "<p>a", "http://a.b/c.htmlThe", "https://a.b/ ", "0:00 ", "🇩🇪")
"""Each is a line, a link or a time of its own."""
MORE_UNITS = (" ", "1", ")", "\n", "\t", "日 ", "日a", "a\u0301 ", "\u202e\u2066", "&lt;", "한국 ", "‘", "א ")
BOUND_S = 1.0
TERMS = parse('a "b c" 日 ').filter.terms


def _chapters(text: str) -> Chapters:
    return Chapters((Chapter(0, text), Chapter(1000, text)), ChapterSource.JSON)


def _bar(text: str) -> None:
    text = clean_line(text, LENGTH)
    status = PlaybackStatus(episode=replace(an_episode(), title=text, podcast=text), duration_ms=60_000, error=text)
    for state in PlaybackState:
        lay_out(replace(status, state=state, waiting=text), 80, 3, UNICODE, {}, Around(_chapters(text)))


def _json_chapters(text: str) -> None:
    chapters = [{"startTime": text, "title": text, "url": text}]
    read_json_chapters(json.dumps({"chapters": chapters}).encode())


def _file_chapters(text: str) -> None:
    data = text.encode()
    for file in (
        id3_tag(id3_frame(b"CHAP", id3_chapter("a", 0, 1, b"\x03" + data))),
        ogg(b"OpusHead", b"OpusTags" + comments(b"CHAPTER001=0:00", b"CHAPTER001NAME=" + data)),
        box(b"ftyp", b"M4A ") + box(b"moov", data),
        data,
    ):
        read_file_chapters(FileBytes.of(file))


def _transcript(media_type: str) -> Callable[[str], object]:
    before = {"text/vtt": "WEBVTT\n\n0:00.000 --> 0:01.000\n", "text/html": "<p><cite>A</cite><time>0:00</time></p><p>"}
    return lambda text: read_transcript((before.get(media_type, "") + text).encode(), media_type)


def _json_transcript(text: str) -> None:
    cues = [{"startTime": 0, "endTime": 1, "speaker": text, "body": text}]
    read_transcript(json.dumps({"segments": cues}).encode(), "application/json")


WHAT: dict[str, Callable[[str], object]] = {
    "cleaning": lambda text: (clean_line(text), clean_block(text), unescape(text), fold(text)),
    "notes": lambda text: (plain(notes := read_notes(text)), words(notes)),
    "the page's first lines": lambda text: begin(Request(an_episode(), text, 76, UNICODE)),
    "the page": lambda text: body(read_notes(text), 76, UNICODE, 3_600_000),
    "the page's head": lambda text: head(replace(an_episode(), title=clean_line(text)), 60, UNICODE),
    "links": lambda text: links_sheet(links(read_notes(text), 3_600_000), 60),
    "names of pages": lambda text: [
        recognised(f"https://{host}/{text}") for host in ("github.com", "pypi.org", "x.org")
    ],
    "an address as it is shown": lambda text: shown(f"https://a.example/?{text}"),
    "times": lambda text: list(timestamps(text, 3_600_000)),
    "words for the index": search_index.plain,
    "a search": lambda text: (expression(parse(text).filter.terms), to_text(parse(text[:1500]).filter), titled(text)),
    "what a search shows": lambda text: (
        hits(text[:LOOKED_AT], TERMS),
        excerpt(text, TERMS, 160),
        spoken_hits(Texts("", "", "", [0], [""], clean_line(text, LONGEST_LINE)), TERMS),
        hit_lines(SpokenHit(text[:LONGEST_LINE], text[:9], text[:99], 0, text[:60], 0, 0), TERMS, 60, 4, UNICODE),
    ),
    "sentences": lambda text: sentences(read_transcript(text.encode()).lines),
    "WebVTT": _transcript("text/vtt"),
    "SubRip": _transcript("application/srt"),
    "JSON": _json_transcript,
    "HTML": _transcript("text/html"),
    "a text": _transcript("text/plain"),
    "the transcript's page": lambda text: transcript_sheet(read_transcript(text.encode()), 60),
    "chapters in notes": lambda text: read_notes_chapters(f"0:00 a\n1:00 b\n2:00 {text}\n3:00 c", 3_600_000),
    "JSON chapters": _json_chapters,
    "chapters in a file": _file_chapters,
    "the chapters' page": lambda text: chapters_sheet(_chapters(clean_line(text)), (), 60, UNICODE),
    "the bar": _bar,
    "a row": lambda text: (cut(text, 40), fit(text, 40, "right"), wrapped(text, 40)),
    "lines": lambda text: wrap([Run(text)], 80),
    "lines of code": lambda text: chop(text, 80),
    "a table": lambda text: layout([Column("A", flexible=True), Column("B", flexible=True)], [(text, text)], 80),
}


def slow(what: str, units: Iterable[str], length: int, bound_s: float = BOUND_S) -> list[str]:
    """The units whose repetition takes more of this process's time than it may."""
    found = []
    for unit in units:
        text = (unit * (length // len(unit.encode()) + 1))[:BLOCK_LIMIT]
        if (took := shortest(partial(WHAT[what], text), bound_s)) >= bound_s:
            found.append(f"{unit!r}: {took:.2f} s")
    return found


@pytest.mark.parametrize("what", mostly_long(WHAT, quick=3))
def test_a_text_of_any_make_takes_a_time_that_grows_with_its_length_alone(what: str) -> None:
    assert not slow(what, (*UNITS, *OBJECTS), LENGTH)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("what", WHAT)
def test_two_megabytes_take_about_a_second(what: str) -> None:
    # A transcript of two megabytes is wrapped whole: 1.0 to 1.3 s.
    bound = 2.0 if what == "the transcript's page" else 1.0
    assert not slow(what, (*UNITS, *MORE_UNITS), 2_000_000, bound * BOUND_S)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("what", WHAT)
def test_a_hundred_thousand_links_or_times_or_paragraphs_take_a_second_or_two(what: str) -> None:
    # Transcripts have 100,000 lines, which are wrapped uncut; a page of flags has 250,000 of them.
    bounds = {"a text": 4.0, "HTML": 4.0, "sentences": 4.0, "the transcript's page": 4.0, "lines": 4.0, "the page": 3.0}
    bound = bounds.get(what, 1.5)
    assert not slow(what, OBJECTS, 2_000_000, bound * BOUND_S)
