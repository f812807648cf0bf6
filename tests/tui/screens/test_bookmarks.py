"""Bookmarks on the screen, from the key to the library."""

from datetime import UTC, datetime

import pytest
from textual.widgets import Input

from player.bookmarks import Here
from player.library import Attachment, AttachmentKind
from player.library.attachments import GIVEN
from player.model.episode import Episode
from player.model.filters import View, ViewName
from player.model.listening import Moment
from tests.tui.stage import Stage, stocked
from tui.dialogs.confirm import NoteScreen
from tui.widgets.episode_page import TRANSCRIPT


@pytest.mark.long
async def test_a_note_is_typed_while_playback_continues() -> None:
    async with stocked() as stage:
        await stage.press("B")
        await stage.until(lambda: isinstance(stage.app.screen, NoteScreen), "the dialog")
        stage.app.screen.query_one(Input).value = "look it up"
        await stage.press("enter")
        await stage.until(lambda: stage.library.bookmarks.all(), "the bookmark")
        assert [one.note for one in stage.library.bookmarks.all()] == ["look it up"]
        await stage.until(lambda: stage.news.startswith("Bookmarked "), "the words")


async def paused(stage: Stage) -> Episode:
    """The episode in the bar and under the cursor; its page is filled."""
    await stage.until(lambda: stage.filled, "the page")
    episode = stage.player.status.episode
    assert episode == stage.screen.episode
    assert episode
    return episode


async def test_a_bookmark_is_in_the_bar_and_in_the_page_at_once() -> None:
    async with stocked() as stage:
        await paused(stage)
        await stage.press("right")
        await stage.until(lambda: stage.player.status.position_ms == 522_000, "the jump")
        await stage.press("5")
        await stage.until(lambda: stage.news.startswith("No bookmarks in this episode. Press b"), "the words")
        await stage.press("b")
        await stage.until(lambda: stage.news.startswith("Bookmarked "), "the words")
        (made,) = stage.library.bookmarks.all()
        assert made.episode_id == stage.player.status.episode.id  # type: ignore[union-attr]
        await stage.until(lambda: "bookmarks" in stage.screen.page.tabs(), "the bookmark")
        await stage.press("left", "left", "5")
        await stage.until(lambda: stage.shows("◆─"), "it in the bar")
        await stage.until(lambda: stage.shows("▌ 8:42  Pattern matcher"), "its line")
        await stage.until(lambda: stage.shows("enter play from here"), "the footer")


async def test_enter_in_the_tab_goes_there_and_delete_deletes() -> None:
    async with stocked() as stage:
        episode = await paused(stage)
        for ms in (60_000, 120_000):
            stage.player.bookmarks.add(Here(episode, ms), f"note at {ms}").result(10)
        await stage.until(lambda: len(stage.screen.page.beside.bookmarks) == 2, "both")
        await stage.press("5", "j", "enter")
        await stage.until(lambda: stage.player.status.position_ms == 120_000, "the jump")
        await stage.press("delete")
        await stage.until(lambda: stage.news == "Bookmark deleted · U undoes", "the words")
        assert [one.note for one in stage.library.bookmarks.all()] == ["note at 60000"]
        await stage.until(lambda: len(stage.screen.page.beside.bookmarks) == 1, "what is left")
        await stage.press("v", "5")
        await stage.until(lambda: stage.shows("note at 60000"), "the note in the reading view")
        await stage.press("delete")
        await stage.until(lambda: not stage.shows("note at 60000"), "its end")
        await stage.press("delete")
        await stage.until(lambda: stage.shows("Only bookmarks can be deleted here"), "the words")


async def test_a_bookmark_leaves_the_transcript_where_it_is() -> None:
    async with stocked() as stage:
        episode = await paused(stage)
        lines = [f"{n // 60:02}:{n % 60:02}.000 --> {n // 60:02}:{n % 60:02}.900\nSentence {n}\n" for n in range(900)]
        cues = "\n".join(["WEBVTT\n", *lines]).encode()
        companion = Attachment(AttachmentKind.TRANSCRIPT, f"{GIVEN}en", cues, "text/vtt", "en")
        stage.library.attachments.put(episode.id, companion, datetime(2026, 11, 20, tzinfo=UTC))
        stage.screen.parts.pages.show_beside()
        await stage.until(lambda: TRANSCRIPT in stage.screen.page.tabs(), "the transcript")
        await stage.press("3")
        await stage.until(lambda: stage.shows("Sentence 492"), "its lines")
        made = stage.screen.page.sheet
        await stage.press("b")
        await stage.until(lambda: stage.shows("…  Chapters  Transcript  Links  …"), "the bookmark")
        assert stage.screen.page.sheet is made
        await stage.until(lambda: stage.shows("◆ Bookmarks"), "their list in the sidebar")
        assert stage.library.bookmarks.all()[0].line == "Sentence 492"


# -- the view -------------------------------------------------------------------------------------------------


async def to_view(stage: Stage) -> None:
    await stage.until(lambda: stage.filled, "the page")
    stage.screen.parts.sidebar.select(View.of(ViewName.BOOKMARKS))
    await stage.settle()
    await stage.until(lambda: stage.shows("◆ Bookmarks") and stage.screen.view.name is ViewName.BOOKMARKS, "the view")


def put(stage: Stage, title: str, position_ms: int, note: str = "") -> None:
    stage.library.bookmarks.put(stage.library.episodes.find(title).id, Moment(position_ms, note=note))


async def test_an_empty_view_names_the_key() -> None:
    async with stocked() as stage:
        await to_view(stage)
        assert stage.shows("No bookmarks yet")
        assert stage.shows("b  bookmarks this moment")
        await stage.press("b")
        await stage.until(lambda: stage.shows("1 bookmark "), "the first")
        await stage.press("U")
        await stage.until(lambda: stage.shows("No bookmarks yet"), "its undoing")


async def test_enter_plays_from_a_bookmark_and_the_page_is_that_of_its_episode() -> None:
    async with stocked() as stage:
        put(stage, "CUDA graph trees", 754_000, "the pool")
        put(stage, "CUDA graph trees", 64_000, "the start")
        await to_view(stage)
        await stage.until(lambda: stage.shows("the start") and stage.title == "CUDA graph trees", "the rows")
        await stage.press("apostrophe")
        await stage.until(lambda: stage.title == "Inductor - Post-grad FX passes", "what is in the bar")
        await stage.press("ctrl+o")
        await stage.until(lambda: stage.shows("the pool"), "the bookmarks, where the way back leads")
        assert stage.screen.view == View.of(ViewName.BOOKMARKS)
        await stage.press("z")
        assert stage.news == "Episodes are in the order of their latest bookmark"
        await stage.press("g", "j", "enter")
        await stage.until(lambda: stage.news == "Playing from 12:34", "the words")
        assert stage.player.status.position_ms == 754_000
        assert stage.player.status.episode
        assert stage.player.status.episode.id == stage.screen.episode_id


async def test_one_is_deleted_and_comes_back_under_the_cursor() -> None:
    async with stocked() as stage:
        for ms in (60_000, 120_000, 180_000):
            put(stage, "CUDA graph trees", ms, f"note {ms}")
        await to_view(stage)
        await stage.until(lambda: stage.shows("3 bookmarks"), "the rows")
        await stage.press("j", "delete")
        await stage.until(lambda: stage.shows("2 bookmarks"), "what is left")
        assert not stage.shows("note 120000")
        selected = stage.screen.parts.bookmarks.selected
        assert selected
        assert selected.position_ms == 180_000
        await stage.press("U")
        await stage.until(lambda: stage.shows("note 120000"), "its return")


async def test_a_bookmark_whose_episode_is_gone_says_so() -> None:
    async with stocked() as stage:
        put(stage, "Oxide and Friends 3", 60_000, "kept")
        stage.library.podcasts.remove(stage.library.podcasts.find("Oxide and Friends").id)
        await to_view(stage)
        await stage.until(lambda: stage.shows("This episode is no longer in your"), "the page")
        await stage.press("enter")
        assert stage.news.startswith("“Oxide and Friends")
        assert "is no longer in your library" in stage.news


@pytest.mark.long
async def test_words_filter_bookmarks() -> None:
    async with stocked() as stage:
        put(stage, "CUDA graph trees", 60_000, "the pool")
        put(stage, "CUDA graph trees", 160_000, "the tree")
        await to_view(stage)
        await stage.press("slash", *"pool")
        await stage.until(lambda: stage.shows("1 match") and not stage.shows("the tree"), "the filter")
        await stage.press("enter", "slash", *"x")
        await stage.until(lambda: stage.shows("No bookmarks match “poolx”"), "the sentence")
