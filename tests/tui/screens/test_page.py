"""The tabs on the screen: what the keys do in them, with real chapters and transcripts of the library."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from player.library import Attachment, AttachmentKind, Library
from player.library.attachments import GIVEN, MADE
from player.model.episode import EpisodeId
from player.paths import Paths
from player.settings import Summarise
from tests.player.summaries import odd_summariser
from tests.tui.stage import QUIET, Stage, stocked
from tui.widgets.episode_page import SUMMARY, TRANSCRIPT

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def give(stage: Stage, language: str, words: str, library: Library | None = None) -> None:
    episode = stage.screen.episode
    assert episode is not None
    cues = f"WEBVTT\n\n00:00.000 --> 00:05.000\n{words} one\n\n06:00.000 --> 06:05.000\n{words} two\n".encode()
    companion = Attachment(AttachmentKind.TRANSCRIPT, f"{GIVEN}{language}", cues, "text/vtt", language)
    (library or stage.library).attachments.put(EpisodeId(episode.id), companion, NOW)


async def shown(stage: Stage, *keys: str, text: str) -> None:
    await stage.press(*keys)
    await stage.until(lambda: stage.shows(text), text)


async def test_the_transcript_comes_in_each_of_its_languages() -> None:
    async with stocked() as stage:
        await stage.until(lambda: stage.filled, "the tabs")
        give(stage, "de", "Satz")
        give(stage, "en", "Sentence")
        stage.screen.parts.pages.show_beside()
        await stage.until(lambda: TRANSCRIPT in stage.screen.page.tabs(), "the transcript")
        await stage.press("3")
        seen = set()
        for _ in range(2):
            await stage.until(lambda: stage.shows("Satz two") or stage.shows("Sentence two"), "a transcript")
            before = "Satz two" if stage.shows("Satz two") else "Sentence two"
            seen.add(before)
            await stage.press("3")
            await stage.until(lambda before=before: not stage.shows(before), "the other one")  # type: ignore[misc]
        assert seen == {"Satz two", "Sentence two"}


async def test_the_tab_says_where_each_transcript_is_from_and_one_made_here_comes_last() -> None:
    async with stocked() as stage:
        await stage.until(lambda: stage.filled, "the tabs")
        give(stage, "en", "Own")
        episode = stage.screen.episode
        assert episode is not None
        made = (
            b'{"language": "en", "made_by": "whisper-cli, ggml-tiny.en", "segments": [{"start": 0, "text": "Made."}]}'
        )
        one = Attachment(AttachmentKind.TRANSCRIPT, MADE, made, "application/json", "en")
        stage.library.attachments.put(EpisodeId(episode.id), one, NOW)
        stage.screen.parts.pages.show_beside()
        await stage.until(lambda: TRANSCRIPT in stage.screen.page.tabs(), "the transcript")
        await shown(stage, "3", text="yours · en · 1 of 2 · 3 next")
        await shown(stage, "3", text="made here by whisper-cli,")
        assert stage.shows("Made.")
        assert stage.news == "Transcript: made here · en"
        await shown(stage, "3", text="yours · en · 1 of 2")


async def test_a_summary_is_made_when_it_is_asked_for_and_shown_the_next_time() -> None:
    command = (sys.executable, odd_summariser.__file__, "markdown")
    async with stocked(settings=replace(QUIET, summarise=Summarise(command))) as stage:
        await stage.until(lambda: stage.filled, "the tabs")
        give(stage, "en", "Own")
        stage.screen.parts.pages.summarise()
        assert stage.news == "Summarising “Inductor - Post-grad FX passes”…"
        await stage.until(lambda: SUMMARY in stage.screen.page.tabs(), "the summary")
        await stage.until(lambda: stage.news == "Summary of “Inductor - Post-grad FX passes” made", "the sentence")
        stage.screen.parts.pages.summarise()
        await stage.until(lambda: stage.shows("Two people talk about passes."), "the tab")
        assert stage.shows(f"made here by {Path(sys.executable).name}")


async def test_enter_on_a_chapter_of_the_notes_goes_there_and_words_are_found() -> None:
    async with stocked() as stage:
        await shown(stage, "2", text="Pattern matcher")
        assert stage.shows("enter play from here")
        await stage.press("g", "j", "enter")
        await stage.until(lambda: stage.news == "Jumped to 6:41", "the jump")
        await stage.press("slash", *"reinpl")
        await stage.until(
            lambda: stage.app.focused is not None and stage.app.focused.id == "find", "the line to type in"
        )
        await stage.press("escape", "enter")
        await stage.until(lambda: stage.news == "Jumped to 14:05", "the chapter that was found")
        await stage.press("slash", *"zzz", "enter")
        assert stage.shows("not found"), "the words are kept to be mended"
        await stage.press("backspace", "backspace", "backspace", "enter")
        await stage.until(lambda: stage.focus == "notes", "the end of the search")


async def test_in_a_transcript_that_another_process_brings_n_and_capital_n_go_on_finding(paths: Paths) -> None:
    async with stocked() as stage:
        await stage.until(lambda: stage.filled, "the tabs")
        other = Library(paths)
        other.open()
        give(stage, "en", "A linker said", other)
        other.close()
        await stage.until(lambda: TRANSCRIPT in stage.screen.page.tabs(), "the transcript")
        await stage.press("3", "slash", *"linker", "enter")
        await stage.until(lambda: stage.news.startswith("“linker” 2 of 2 · n next"), "what was found")
        await stage.press("n")
        assert stage.news.startswith("“linker” 1 of 2")
        await stage.press("N")
        assert stage.news.startswith("“linker” 2 of 2")
        await stage.press("escape")
        assert stage.screen.page.found == ""
        assert stage.focus == "notes"
        await stage.press("n")
        await stage.until(lambda: stage.news.startswith("Nothing is next"), "n skips again")


async def test_a_tab_that_is_not_there_is_told() -> None:
    async with stocked(show="CoRecursive") as stage:
        await stage.until(lambda: stage.filled, "the tabs")
        await stage.press("5")
        assert stage.news == "No bookmarks in this episode. Press b while it plays."
        await stage.press("f")
        assert stage.news == "Nothing here follows playback. Chapters (2) and transcript (3) do."
