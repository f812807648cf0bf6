"""The tabs of an episode's page: chapters and a transcript that follow the sound, links, and a cursor in each."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from textual.pilot import Pilot

from player.model.episode import (
    Chapter,
    Chapters,
    ChapterSource,
    EpisodeId,
    Person,
    Soundbite,
    SpokenWord,
    Summary,
    Transcript,
    TranscriptLine,
)
from player.model.playback import PlaybackState, PlaybackStatus
from player.notes import read_notes
from player.notes.episode_links import links
from player.text.cleaning import clean_line
from player.text.directions import without_marks
from tests.tui.alone import Alone, text_of, until
from tests.tui.widgets.test_notes_pane import PYTORCH, an_episode
from tui.drawing.episode_tabs import (
    TabWord,
    chapters_sheet,
    clip_of,
    person_of,
    tab_line,
    transcript_sheet,
)
from tui.drawing.now_playing import spoken_runs
from tui.drawing.runs import width_of, wrap
from tui.look.glyphs import ASCII, UNICODE
from tui.widgets.episode_page import CHAPTERS, LINKS, NOTES, SUMMARY, TRANSCRIPT, EpisodePage, EpisodeTabs

CONTENTS = Chapters(
    (
        Chapter(0, "What a pass may assume"),
        Chapter(300_000, "An advertisement", hidden=True),
        Chapter(401_000, "Pattern matcher", url="https://example.org/matcher"),
        Chapter(845_000, "Reinplacing"),
    ),
    ChapterSource.JSON,
)
SAID = Transcript(
    tuple(
        TranscriptLine(f"Sentence {number} is said.", number * 4_000, None, ("Ada", "Grace")[number // 5 % 2])
        for number in range(100)
    ),
    "en",
)
BESIDE = EpisodeTabs(CONTENTS, SAID, True, links=links(read_notes(PYTORCH), 24 * 60_000))


@asynccontextmanager
async def a_page(
    beside: EpisodeTabs = BESIDE, size: tuple[int, int] = (60, 24)
) -> AsyncIterator[tuple[Pilot[None], EpisodePage]]:
    page = EpisodePage()
    app = Alone(page)
    async with app.run_test(size=size) as pilot:
        page.focus()
        page.show(an_episode(), PYTORCH)
        page.show_beside(EpisodeId(1), beside)
        await pilot.pause()
        yield pilot, page


def seen(page: EpisodePage) -> str:
    return "\n".join(text_of(page))


def cursor_line(page: EpisodePage) -> str:
    return next(line for line in text_of(page) if line.startswith("▌"))[1:].strip()


def playing(ms: int) -> PlaybackStatus:
    return PlaybackStatus(PlaybackState.PAUSED, an_episode(), ms, 24 * 60_000)


async def test_the_tabs_tell_how_much_is_in_them_and_empty_ones_are_not_there() -> None:
    async with a_page() as (_, page):
        assert "Notes   Chapters 3   Transcript   Links 3" in seen(page)
    async with a_page(replace(BESIDE, transcript=None, transcribed=False)) as (_, page):
        assert "Transcript" not in seen(page)
    async with a_page(EpisodeTabs()) as (_, page):
        assert "Notes" not in text_of(page)[4]


async def test_chapters_stand_with_their_times_and_hidden_ones_do_not() -> None:
    async with a_page() as (_, page):
        page.choose_tab(CHAPTERS)
        assert " 0:00  What a pass may assume" in seen(page)
        assert " 6:41  Pattern matcher ↗" in seen(page)
        assert "advertisement" not in seen(page)


async def test_the_cursor_of_a_tab_moves_by_entries_and_leads_to_a_place() -> None:
    async with a_page() as (_, page):
        page.choose_tab(CHAPTERS)
        page.move_by(1)
        assert cursor_line(page) == "6:41  Pattern matcher ↗"
        assert page.entry is not None
        assert (page.entry.href, page.entry.url) == ("earmark:time/401000", "https://example.org/matcher")
        page.move_to(2**31)
        assert cursor_line(page) == "14:05  Reinplacing"


async def test_a_tab_follows_the_sound_until_somebody_scrolls_and_again_when_asked() -> None:
    async with a_page() as (_, page):
        page.choose_tab(TRANSCRIPT)
        page.follow(playing(201_500))
        assert cursor_line(page) == "Sentence 50 is said."
        page.move_by(-10)
        page.follow(playing(280_000))
        assert cursor_line(page) == "Sentence 40 is said."
        assert page.follow_again()
        assert cursor_line(page) == "Sentence 70 is said."


async def test_what_is_heard_is_marked_and_of_another_episode_nothing_is() -> None:
    async with a_page() as (_, page):
        page.choose_tab(CHAPTERS)
        page.follow(playing(500_000))
        marked = [
            piece.text for row in range(page.virtual_size.height) for piece in page.line_of(row) if "now" in piece.role
        ]
        assert "Pattern matcher" in "".join(marked)
        other = replace(an_episode(), id=EpisodeId(2))
        page.follow(replace(playing(500_000), episode=other))
        assert not any("now" in piece.role for row in range(page.virtual_size.height) for piece in page.line_of(row))
        assert not page.follow_again()


async def test_a_transcript_names_who_speaks_when_another_one_does() -> None:
    async with a_page() as (_, page):
        page.choose_tab(TRANSCRIPT)
        lines = [line.strip() for line in text_of(page)]
        assert lines[lines.index("Ada  0:00") + 1] == "▌ Sentence 0 is said."
        assert "Grace  0:20" in lines


async def test_the_head_stays_while_a_tab_scrolls() -> None:
    async with a_page() as (_, page):
        page.choose_tab(TRANSCRIPT)
        page.move_to(80)
        assert "Inductor" in seen(page)
        assert "Notes   Chapters 3" in seen(page)
        assert cursor_line(page) == "Sentence 80 is said."


async def test_on_a_low_page_only_the_tabs_stay() -> None:
    async with a_page(size=(60, 9)) as (_, page):
        page.choose_tab(TRANSCRIPT)
        page.move_to(80)
        assert "Inductor" not in seen(page)
        assert text_of(page)[0].strip().startswith("Notes")
        assert cursor_line(page) == "Sentence 80 is said."


async def test_words_are_found_from_the_cursor_on_and_around_the_end() -> None:
    async with a_page() as (_, page):
        page.choose_tab(TRANSCRIPT)
        assert page.find("sentence 9") == (1, 11)
        assert cursor_line(page) == "Sentence 9 is said."
        assert page.find("sentence 9", 1) == (2, 11)
        assert cursor_line(page) == "Sentence 90 is said."
        assert page.find("sentence 9", -1) == (1, 11)
        assert page.find("sentence 9", -1) == (11, 11)
        assert page.find("sentence 9", 1) == (1, 11)
        assert page.find("not said") == (0, 0)
        found = [
            piece for row in range(page.virtual_size.height) for piece in page.line_of(row) if "found" in piece.role
        ]
        assert not found
        page.find("said")
        assert any("found" in piece.role for row in range(page.virtual_size.height) for piece in page.line_of(row))


async def test_another_episode_keeps_the_tab_where_it_has_it() -> None:
    async with a_page() as (_, page):
        page.choose_tab(CHAPTERS)
        page.show(an_episode(2, "Another"), "<p>Notes of another</p>")
        assert page.tab == NOTES
        assert "Notes of another" in seen(page)
        page.show_beside(EpisodeId(1), BESIDE)
        assert page.tab == NOTES
        page.show_beside(EpisodeId(2), BESIDE)
        assert page.tab == CHAPTERS


async def test_a_transcript_that_is_not_here_says_so_and_why() -> None:
    async with a_page(replace(BESIDE, transcript=None)) as (_, page):
        page.choose_tab(TRANSCRIPT)
        assert "Fetching the transcript…" in seen(page)
        page.show_beside(EpisodeId(1), replace(BESIDE, transcript=None, trouble="example.org doesn’t have it."))
        assert "example.org doesn’t have it." in seen(page)
        page.show_beside(EpisodeId(1), BESIDE)
        assert "Sentence 0 is said." in seen(page)


async def test_a_long_transcript_is_laid_out_aside_and_then_follows() -> None:
    long = Transcript(tuple(TranscriptLine(f"Line {number}", number * 1_000) for number in range(5_000)))
    async with a_page(replace(BESIDE, transcript=long)) as (pilot, page):
        page.choose_tab(TRANSCRIPT)
        page.follow(playing(1_200_500))
        await until(pilot, lambda: page.entry is not None)
        assert cursor_line(page) == "Line 1200"


WORDS = "The pass may assume that nothing escapes, so that what it fuses stays where it was put, and nobody notices."


def line_of_words(text: str, start_ms: int) -> TranscriptLine:
    """A word every 500 ms."""
    begins = [0, *(at + 1 for at, letter in enumerate(text) if letter == " ")]
    words = tuple(SpokenWord(begin, start_ms + 500 * number) for number, begin in enumerate(begins))
    return TranscriptLine(text, start_ms, None, words=words)


SPOKEN = replace(BESIDE, transcript=Transcript((line_of_words(WORDS, 0), line_of_words(WORDS, 20_000)), "en"))


def word_of(page: EpisodePage) -> str:
    """What is marked as the word that is being said."""
    lines = (page.line_of(row) for row in range(page.virtual_size.height))
    return " ".join(text for line in lines for text, role, _href in line if "word" in role.split())


async def test_the_word_that_is_said_is_marked_and_only_its_lines_are_drawn_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_page(SPOKEN, (50, 24)) as (_, page):
        page.choose_tab(TRANSCRIPT)
        before = text_of(page)
        page.follow(playing(600))
        assert word_of(page) == "pass"
        drawn: list[int] = []
        monkeypatch.setattr(page, "redraw_row", drawn.append)
        monkeypatch.setattr(page, "redraw", lambda: drawn.append(-1))
        page.follow(playing(900))
        assert drawn == [], "it is the same word"
        for number, word in enumerate(WORDS.split()):
            drawn.clear()
            page.follow(playing(500 * number))
            assert word_of(page) == word
            assert -1 not in drawn
            assert len(drawn) <= 2
        page.follow(playing(20_000))
        assert word_of(page) == "The"
        page.follow(replace(playing(0), episode=None))
        assert word_of(page) == ""
        assert [line.strip("▌ ") for line in text_of(page)] == [line.strip("▌ ") for line in before]


async def test_a_line_without_times_of_words_has_no_word_marked() -> None:
    async with a_page() as (_, page):
        page.choose_tab(TRANSCRIPT)
        page.follow(playing(201_500))
        assert word_of(page) == ""
        page.choose_tab(NOTES)
        page.follow(playing(202_000))


async def test_above_the_words_stands_where_they_are_from() -> None:
    facts = ("made here by whisper-cli, ggml-tiny.en", "en", "2 of 2", "3 next")
    async with a_page(replace(BESIDE, transcript_facts=facts), (50, 24)) as (_, page):
        page.choose_tab(TRANSCRIPT)
        lines = [line.strip("▌ ") for line in text_of(page)]
        at = lines.index("made here by whisper-cli, ggml-tiny.en · en")
        assert lines[at : at + 5] == [lines[at], "2 of 2 · 3 next", "", "Ada  0:00", "Sentence 0 is said."]


async def test_a_summary_has_a_tab_that_says_what_made_it_and_its_times_lead_to_positions() -> None:
    summary = Summary("**Two** people talk.\n\n- It fuses at 0:20.", "llm, qwen2.5")
    async with a_page(replace(BESIDE, summary=summary), (80, 24)) as (_, page):
        assert "Links 3   Summary" in seen(page)
        page.choose_tab(SUMMARY)
        lines = [line.strip() for line in text_of(page)]
        at = lines.index("made here by llm, qwen2.5")
        assert lines[at : at + 4] == [lines[at], "", "Two people talk.", "• It fuses at 0:20."]
        row = next(row for row, line in enumerate(text_of(page)) if "It fuses at 0:20." in line)
        assert page.href_at(text_of(page)[row].index("0:20"), row) == "earmark:time/20000"
        assert page.find("people") == (1, 1)


async def test_chapters_that_were_made_here_say_so() -> None:
    made = replace(CONTENTS, source=ChapterSource.HERE, made_by="llm, qwen2.5")
    async with a_page(replace(BESIDE, chapters=made)) as (_, page):
        page.choose_tab(CHAPTERS)
        lines = [line.strip("▌ ") for line in text_of(page)]
        at = lines.index("made here by llm, qwen2.5")
        assert lines[at + 2] == "0:00  What a pass may assume"


async def test_links_have_the_numbers_of_the_notes() -> None:
    async with a_page() as (_, page):
        page.choose_tab(LINKS)
        assert "1  Pull request #130935  pytorch/pytorch#130935" in seen(page)
        assert page.entry is not None
        assert page.entry.href == "https://github.com/pytorch/pytorch/pull/130935"


async def test_clips_stand_under_the_chapters_and_alone() -> None:
    bites = (Soundbite(73_000, 30_000, "What a graph is"), Soundbite(200_000, 15_000))
    async with a_page(replace(BESIDE, bites=bites)) as (_, page):
        page.choose_tab(CHAPTERS)
        assert " 1:13  What a graph is  30s" in seen(page)
        page.move_to(3)
        assert cursor_line(page) == "1:13  What a graph is  30s"
        assert page.entry is not None
        assert clip_of(page.entry.href) == (73_000, 30_000)
    async with a_page(EpisodeTabs(bites=bites)) as (_, page):
        page.choose_tab(CHAPTERS)
        assert cursor_line(page) == "1:13  What a graph is  30s"


async def test_who_is_heard_stands_under_the_title_and_leads_on() -> None:
    people = (Person("Ada Lovelace"), Person("Grace/Hopper", "guest"))
    async with a_page(replace(BESIDE, people=people, facts="Season 2, episode 7")) as (_, page):
        row = text_of(page).index("  with Ada Lovelace, Grace/Hopper (guest)")
        assert text_of(page)[row - 1] == "  Season 2, episode 7"
        assert person_of(page.href_at(8, row)) == "Ada Lovelace"
        assert person_of(page.href_at(24, row)) == "Grace/Hopper"


async def test_a_click_on_a_tab_tells_which() -> None:
    async with a_page() as (_, page):
        row = next(row for row, line in enumerate(text_of(page)) if "Chapters" in line)
        column = text_of(page)[row].index("Chapters")
        assert page.href_at(column + 1, row) == "earmark:tab/chapters"


@pytest.mark.parametrize("columns", [8, 12, 20, 30, 60])
def test_the_line_of_tabs_fits(columns: int) -> None:
    words = [TabWord("notes", "Notes"), TabWord("chapters", "Chapters", 12), TabWord("links", "Links", 7)]
    assert width_of(tab_line(words, "notes", columns, "…")) <= max(columns, 18)


_TEXTS = st.text(max_size=40)
_LINES = st.lists(
    st.builds(TranscriptLine, _TEXTS, st.one_of(st.none(), st.integers(0, 10_000_000)), st.none(), st.text(max_size=8)),
    max_size=20,
).map(lambda lines: sorted(lines, key=lambda line: line.start_ms or 0))


@given(
    st.lists(st.sampled_from([*"ab, .-é你好🙂אב ", "👨‍👩‍👧"]), max_size=400).map("".join), st.integers(4, 60), st.data()
)
@settings(deadline=None)
def test_marking_a_word_breaks_no_line_elsewhere(text: str, columns: int, data: st.DataObject) -> None:
    said = TranscriptLine(f"a {clean_line(text)}")
    word = data.draw(st.sampled_from([found.span() for found in re.finditer(r"\S+", said.text)]))
    marked, plain = wrap(spoken_runs(said, word), columns), wrap(spoken_runs(said, None), columns)
    assert [without_marks("".join(run.text for run in line)) for line in marked] == [
        without_marks("".join(run.text for run in line)) for line in plain
    ]


@given(_LINES, st.integers(10, 80))
@settings(deadline=None)
def test_no_line_of_a_transcript_is_too_wide_and_each_entry_has_lines(
    lines: list[TranscriptLine], columns: int
) -> None:
    sheet = transcript_sheet(Transcript(tuple(lines)), columns)
    assert all(width_of(line) <= max(columns, 24) for line in sheet.lines)
    assert all(len(sheet.rows_of(entry)) for entry in range(len(sheet.entries)))


@given(
    st.lists(st.builds(Chapter, st.integers(0, 10**8), _TEXTS, hidden=st.booleans()), max_size=20), st.integers(20, 80)
)
@settings(deadline=None)
def test_no_line_of_chapters_is_too_wide(some: list[Chapter], columns: int) -> None:
    for glyphs in (UNICODE, ASCII):
        sheet = chapters_sheet(Chapters(tuple(some)), [Soundbite(5_000, 30_000, "A bite")], columns, glyphs)
        assert all(width_of(line) <= columns for line in sheet.lines)
