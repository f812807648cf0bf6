"""Bookmarks on the screen, from the key to the library."""

from textual.widgets import Input

from tests.tui.stage import stocked
from tui.dialogs.note import NoteScreen


async def test_a_key_bookmarks_what_plays_and_says_so() -> None:
    async with stocked() as stage:
        await stage.press("enter")
        await stage.until(lambda: stage.player.status.episode is not None)
        await stage.press("b")
        await stage.until(lambda: stage.news.startswith("Bookmarked "), "the words")
        (made,) = stage.library.bookmarks.all()
        assert made.episode_id == stage.player.status.episode.id  # type: ignore[union-attr]


async def test_a_note_is_typed_while_playback_continues() -> None:
    async with stocked() as stage:
        await stage.press("enter", "B")
        await stage.until(lambda: isinstance(stage.app.screen, NoteScreen), "the dialog")
        stage.app.screen.query_one(Input).value = "look it up"
        await stage.press("enter")
        await stage.until(lambda: stage.library.bookmarks.all(), "the bookmark")
        assert [one.note for one in stage.library.bookmarks.all()] == ["look it up"]
        await stage.until(lambda: stage.news.startswith("Bookmarked "), "the words")
