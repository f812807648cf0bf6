"""Bookmarks on the screen, from the key to the library."""

from datetime import UTC, datetime

from textual.widgets import Input

from player.bookmarks.bookmarks import Here
from player.library import Attachment, AttachmentKind
from player.library.attachments import GIVEN
from player.model.episode import Episode
from tests.tui.stage import Stage, stocked
from tui.dialogs.note import NoteScreen
from tui.widgets.episode_page import TRANSCRIPT


async def test_a_key_bookmarks_what_plays_and_says_so() -> None:
    async with stocked() as stage:
        await stage.press("b")
        await stage.until(lambda: stage.news.startswith("Bookmarked "), "the words")
        (made,) = stage.library.bookmarks.all()
        assert made.episode_id == stage.player.status.episode.id  # type: ignore[union-attr]


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
        await stage.press("5")
        await stage.until(lambda: stage.news.startswith("No bookmarks in this episode. Press b"), "the words")
        await stage.press("right", "b")
        await stage.until(lambda: stage.shows("Bookmarks"), "the bookmark")
        await stage.press("left", "left", "5")
        await stage.until(lambda: stage.shows("━◆") or stage.shows("─◆"), "it in the bar")
        assert stage.shows("▌ 8:42  Pattern matcher")
        assert stage.shows("enter play from here")


async def test_enter_in_the_tab_goes_there_and_delete_deletes() -> None:
    async with stocked() as stage:
        episode = await paused(stage)
        for ms in (60_000, 120_000):
            stage.player.bookmarks.add(Here(episode, ms), f"note at {ms}").result(10)
        await stage.until(lambda: len(stage.screen.page.beside.bookmarks) == 2, "both")
        await stage.press("5", "j", "enter")
        await stage.until(lambda: stage.player.status.position_ms == 120_000, "the jump")
        await stage.press("delete")
        await stage.until(lambda: stage.news == "Bookmark deleted", "the words")
        assert [one.note for one in stage.library.bookmarks.all()] == ["note at 60000"]
        await stage.until(lambda: len(stage.screen.page.beside.bookmarks) == 1, "what is left")


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
        await stage.until(lambda: stage.shows("Notes Parts Text Links Marks"), "the bookmark")
        assert stage.screen.page.sheet is made
        assert stage.library.bookmarks.all()[0].line == "Sentence 492"


async def test_the_reading_view_has_them_too() -> None:
    async with stocked() as stage:
        episode = await paused(stage)
        stage.player.bookmarks.add(Here(episode, 60_000), "look it up").result(10)
        await stage.press("v", "5")
        await stage.until(lambda: stage.shows("look it up"), "the note")
        await stage.press("delete")
        await stage.until(lambda: not stage.shows("look it up"), "its end")
        await stage.press("delete")
        await stage.until(lambda: stage.shows("Only bookmarks can be deleted here"), "the words")
